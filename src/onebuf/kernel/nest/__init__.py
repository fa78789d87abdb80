"""Nests: loops around steps, the form in which kernels are scheduled."""
