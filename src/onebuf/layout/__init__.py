"""Layouts as pure index arithmetic: no memory, no devices, no dtypes; everything in elements."""

from onebuf.layout.axes import normalize_axes, normalize_axis
from onebuf.layout.broadcast import broadcast_shapes
from onebuf.layout.compose import compose
from onebuf.layout.index_map import IndexMap, Place
from onebuf.layout.positions import positions
from onebuf.layout.view import View

# fmt: off
__all__ = [
    "IndexMap", "Place", "View", "broadcast_shapes", "compose", "normalize_axes", "normalize_axis",
    "positions",
]
