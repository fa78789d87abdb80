"""Values in and out: construction, conversion, windows and protocols."""
