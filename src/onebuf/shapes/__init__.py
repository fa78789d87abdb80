"""Shapes as values: which indices a tensor has, and how they are grouped.

A shape is pure arithmetic on indices: it knows neither memory nor dtypes. It is immutable and
hashable. Extents count elements, and all bounds are half open.

`Smooth` is a box, `Jagged` has rows of different lengths, `Tiled` is a box that is cut into tiles,
and `Nested` groups the axes of another shape into layers.
"""

from onebuf.shapes.jagged import Jagged
from onebuf.shapes.nested import Nested
from onebuf.shapes.smooth import Smooth
from onebuf.shapes.tiled import Tiled

__all__ = ["Jagged", "Nested", "Smooth", "Tiled"]
