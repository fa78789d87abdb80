"""Dynamic captures: the graph of a function for any length, from its graphs for a few."""
