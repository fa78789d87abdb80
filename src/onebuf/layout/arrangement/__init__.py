"""Arrangements: which elements of a layout are stored, and in which order."""
