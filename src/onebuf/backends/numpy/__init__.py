"""NumPy's loops: tier 1, and the oracle of the compiled kernels."""
