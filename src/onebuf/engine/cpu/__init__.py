"""Compiled programs on the host: which, how launched, over how many threads."""
