"""Tracing: from graph nodes to the nest that computes them."""
