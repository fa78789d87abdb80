"""Spaces: the indices that a kernel runs over, and which results can be stored on the way.

A space has the axes of a result, those of extent 1 left out, and, if the kernel folds, one more for
all that is folded together. Along that one it computes either single elements of *whole* rows, or
one element for each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from onebuf.graph import Node
from onebuf.kernel import CHUNK
from onebuf.layout import View
from onebuf.scheduler.tracing import Cut


@dataclass(frozen=True, slots=True)
class Space:
    """``outer`` axes, and the ``extent`` of what is folded; None: nothing is."""

    outer: tuple[int, ...]
    extent: int | None = None
    trailing: bool = False
    """Whether what is folded is also last in memory, so that whole rows can be stored."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of all axes."""
        return self.outer if self.extent is None else (*self.outer, self.extent)

    @property
    def is_long(self) -> bool:
        """Whether it is one fold of so much that threads share it: then there is only one pass."""
        return not self.outer and self.extent is not None and self.extent > CHUNK

    def view(self, shape: tuple[int, ...]) -> View | None:
        """Where a result of ``shape`` is stored, as a view of this space; None: nowhere."""
        shape = bare(shape)
        if self.extent is None:
            return View.contiguous(shape) if shape == self.outer else None
        if shape == self.outer:
            rows = View.contiguous(shape)
            return View(self.shape, (*rows.stride, 0))
        ndim = len(self.outer)
        if self.trailing and shape[:ndim] == self.outer and prod(shape[ndim:]) == self.extent:
            return View.contiguous(self.shape)
        return None

    def with_rows(self, shape: tuple[int, ...]) -> bool:
        """Whether a result of ``shape`` has an element for every index of a space that folds."""
        return self.extent is not None and bare(shape) != self.outer


def bare(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The extents other than 1.

    >>> bare((1, 3, 1, 4))
    (3, 4)
    """
    return tuple([extent for extent in shape if extent != 1])


def space_of(node: Node, fold: Node | None) -> Space:
    """The space in which ``node`` is computed, with ``fold`` as one of its operands, or itself."""
    if fold is None:
        return Space(bare(node.shape))
    source = fold.srcs[0].shape
    axes, _ = fold.arg
    extent = prod([source[axis] for axis in axes])
    kept = len(source) - len(axes)
    trailing = tuple(sorted(axes)) == tuple(range(kept, len(source)))
    if trailing and node.shape == source:
        return Space(bare(source[:kept]), extent, True)
    if node.numel == fold.numel:
        return Space(bare(node.shape), extent, trailing)
    raise Cut(fold, "its result is read at another shape")
