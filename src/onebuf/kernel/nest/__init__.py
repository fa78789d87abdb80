"""Loop nests: kernels as nested loops around steps, the result of scheduling."""
