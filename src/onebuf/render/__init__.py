"""Code generation: kernels as text for a compiler."""

from onebuf.render.builder import Builder, Value, literal

__all__ = ["Builder", "Value", "literal"]
