"""NumPy's interface on buffers: methods, functions, ``out=``, flags and orders."""
