"""Loads and stores: contiguous, strided, masked, gathered, transposed."""
