"""Picking: elements by masks and by several arrays of indices, with a kernel where that pays."""
