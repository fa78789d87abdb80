"""C-like languages: linear programs as OpenCL C and GLSL."""

from onebuf.render.clike.dialect import (
    NARROW,
    Flags,
    KernelText,
    Memory,
    Parameter,
    Scalar,
    Size,
)
from onebuf.render.clike.opencl import OpenClC
from onebuf.render.clike.operations import supports
from onebuf.render.clike.renderer import Check, Source, render
from onebuf.render.clike.supports import may_contain

# fmt: off
__all__ = [
    "NARROW", "Check", "Flags", "KernelText", "Memory", "OpenClC", "Parameter", "Scalar", "Size",
    "Source", "may_contain", "render", "supports",
]
