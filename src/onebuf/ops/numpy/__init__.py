"""What NumPy computes for the graph, as functions from nodes to nodes."""
