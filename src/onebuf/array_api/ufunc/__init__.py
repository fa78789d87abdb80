"""Element-wise functions with the arguments and methods of NumPy's ufuncs."""
