"""Fusion: which operations share a kernel, and what a kernel needs to run."""
