"""The reference: linear programs interpreted in pure Python, every access checked."""
