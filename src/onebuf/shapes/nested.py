"""Nested shapes: the axes of a shape in layers, as of a vector of matrices.

Axes are assigned to layers from left to right. The elements of a layer are those that an index
with the axes of this layer, and of the layers outside of it, can name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

from onebuf.errors import ArgumentError, IndexRangeError, ShapeError
from onebuf.shapes.box import Box, Index, integers
from onebuf.shapes.jagged import Jagged
from onebuf.shapes.smooth import Smooth
from onebuf.shapes.tiled import Tiled

Inner: TypeAlias = Smooth | Jagged | Tiled


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Nested:
    """A shape whose axes are in layers.

    Parameters
    ----------
    layers
        The rank of each layer, the outermost first. They sum to the rank of the shape.
    shape
        Extents, or a `Smooth`, `Jagged` or `Tiled` shape. A tiled shape of rank r counts as one of
        rank 2 r: the coordinates of a tile, then the index inside of it. In layers of rank r each
        the outer one is the grid of blocks, as distributed buffers have it.

    >>> shape = Nested((1, 2), (10, 20, 30))
    >>> shape.layers, shape.elements, shape.size
    ((1, 2), (10, 6000), 6000)
    >>> Nested((2, 2), Tiled((5, 15, 10), (5, 15, 10))).elements
    (9, 900)
    """

    layers: Index
    """The rank of each layer, from the outermost in."""
    shape: Inner

    def __init__(self, layers: Iterable[int], shape: Any) -> None:
        ranks = integers(layers, "Nested: the rank of a layer")
        inner = shape if isinstance(shape, (Smooth, Jagged, Tiled)) else Smooth(shape)
        rank = _rank(inner)
        if any(one < 0 for one in ranks):
            raise ArgumentError(f"Nested needs layers of rank 0 or more, got {ranks}")
        if sum(ranks) != rank:
            raise ShapeError(
                f"Nested needs layers whose ranks sum to {rank}, the rank of {inner!r}, got "
                f"{ranks}, which sum to {sum(ranks)}"
            )
        object.__setattr__(self, "layers", ranks)
        object.__setattr__(self, "shape", inner)

    @property
    def rank(self) -> int:
        """How many axes all layers have together."""
        return sum(self.layers)

    @property
    def size(self) -> int:
        """How many elements there are in all: those of the innermost layer."""
        return self.shape.size

    @property
    def extents(self) -> Index:
        """The extents of the smallest box that has all elements."""
        return self.shape.extents

    @property
    def elements(self) -> tuple[int, ...]:
        """How many elements each layer has, from the outermost in."""
        return tuple([self.shape.prefix_count(end) for end in accumulate(self.layers)])

    def layer_axes(self, layer: int) -> range:
        """The axes of one layer.

        >>> Nested((1, 2), (10, 20, 30)).layer_axes(1)
        range(1, 3)
        """
        if not 0 <= layer < len(self.layers):
            raise IndexRangeError(
                f"layer_axes needs a layer in 0..{len(self.layers) - 1}, got {layer}"
            )
        begin = sum(self.layers[:layer])
        return range(begin, begin + self.layers[layer])

    def boxes(self) -> list[Box]:
        """Boxes that have exactly the elements of the shape."""
        return self.shape.boxes()

    def __iter__(self) -> Iterator[Index]:
        """The indices of the shape in row-major order."""
        return iter(self.shape)

    def offsets(self) -> Iterator[Index]:
        """The indices in row-major order, counted from the origin."""
        return self.shape.offsets()

    def __contains__(self, index: object) -> bool:
        return index in self.shape

    def __repr__(self) -> str:
        plain = isinstance(self.shape, Smooth) and not any(self.shape.origin)
        return f"Nested({self.layers}, {self.shape.extents if plain else self.shape!r})"


def _rank(shape: Inner) -> int:
    return 2 * shape.rank if isinstance(shape, Tiled) else shape.rank
