"""The reference backend: linear programs interpreted in pure Python, every access checked."""
