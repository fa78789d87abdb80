"""Plans: what to run for a graph, whether to compile it, and which memory to reuse."""
