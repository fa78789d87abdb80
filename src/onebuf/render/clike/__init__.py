"""Kernels as text in languages that look like C."""

from onebuf.render.clike.dialect import (
    NARROW,
    Dialect,
    Flags,
    Memory,
    Parameter,
    Scalar,
    Text,
    Whole,
)
from onebuf.render.clike.opencl import OpenClC
from onebuf.render.clike.operations import supports
from onebuf.render.clike.renderer import Check, Source, render
from onebuf.render.clike.supports import may_contain

__all__ = [
    "NARROW",
    "Check",
    "Dialect",
    "Flags",
    "Memory",
    "OpenClC",
    "Parameter",
    "Scalar",
    "Source",
    "Text",
    "Whole",
    "may_contain",
    "render",
    "supports",
]
