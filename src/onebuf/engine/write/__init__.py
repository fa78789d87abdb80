"""Writes in place, ordered after the readers of the old elements."""
