"""The functions of the namespace, one module per section of the array API standard."""
