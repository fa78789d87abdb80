"""Random numbers: the bits of a counter-based generator, and distributions of them."""
