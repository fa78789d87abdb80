"""The soak: random programs on buffers next to NumPy, with errors, interrupts and threads."""
