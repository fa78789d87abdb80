"""Loops: how a kernel goes over its iteration space, one strategy a module."""
