"""Selection: kernels that pick elements by masks and by several arrays of indices."""
