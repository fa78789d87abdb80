"""``tinygrad.engine``, as far as there is something of the kind here."""
