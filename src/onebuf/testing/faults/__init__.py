"""Faults on purpose: interleavings of threads, and interrupts at every instant."""
