"""Captured functions: what a call does with buffers, recorded once and replayed."""
