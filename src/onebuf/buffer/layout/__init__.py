"""Layouts of buffers: to look at, to make buffers with, to fill by a function."""
