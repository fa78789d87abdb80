"""Backends: what runs operations. Each is one file that knows one kind of machinery."""
