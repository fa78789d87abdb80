"""Indexing: what a key selects, to read or to write."""
