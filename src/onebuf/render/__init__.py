"""Rendering: kernels as text for a compiler."""

from onebuf.render.builder import Builder, Value, literal
from onebuf.render.slow_path import rare

__all__ = ["Builder", "Value", "literal", "rare"]
