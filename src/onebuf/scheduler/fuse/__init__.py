"""Fusion: which nodes share a kernel, and what a kernel needs to run."""
