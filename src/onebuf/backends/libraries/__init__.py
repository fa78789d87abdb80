"""Array libraries as devices: one interpreter for any namespace of the array API standard."""
