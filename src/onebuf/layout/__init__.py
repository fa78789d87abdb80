"""Layouts as pure index arithmetic: no memory, no devices, no dtypes; everything in elements."""

from onebuf.layout.axes import normalize_axes, normalize_axis
from onebuf.layout.broadcast import broadcast_shapes
from onebuf.layout.compose import compose
from onebuf.layout.composed import through
from onebuf.layout.expression import Expression, Strided, Table, evaluate, indices
from onebuf.layout.layout import Layout, Place
from onebuf.layout.positions import positions
from onebuf.layout.view import View

# fmt: off
__all__ = [
    "Expression", "Layout", "Place", "Strided", "Table", "View", "broadcast_shapes", "compose",
    "evaluate", "indices", "normalize_axes", "normalize_axis", "positions", "through",
]
