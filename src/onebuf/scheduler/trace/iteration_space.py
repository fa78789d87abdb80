"""Iteration spaces: the indices that a kernel loops over, and the results that it can store.

A space has the axes of the result, without those of extent 1. If the kernel reduces, one more axis
runs over all that is reduced together; a result then has an element for each index of the space, or
one for each row. If the operand of the reduction is a reduction itself, one more axis runs over
what that one reduces; a single thread does all of it, so this is for little work only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from onebuf.graph import Node
from onebuf.kernel import CHUNK
from onebuf.layout import View
from onebuf.scheduler.trace.tracer import Cut

MOST_NESTED = 32768
"""More elements than this are not folded by folds in folds, but by several threads."""


@dataclass(frozen=True, slots=True)
class Space:
    """``outer`` axes, and the ``extent`` of what is folded; None: nothing is."""

    outer: tuple[int, ...]
    extent: int | None = None
    trailing: bool = False
    """Whether what is folded is also last in memory, so that whole rows can be stored."""
    inner: int | None = None
    """The extent of what is folded into each element that is folded then."""

    @property
    def folds(self) -> tuple[int, ...]:
        """The extents of the axes that are folded, which are the last ones."""
        return tuple([extent for extent in (self.extent, self.inner) if extent is not None])

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of all axes."""
        return (*self.outer, *self.folds)

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
            return View(self.shape, (*rows.stride, *[0 for _ in self.folds]))
        if self.inner is not None:
            between = View.contiguous((*self.outer, self.extent))
            return View(self.shape, (*between.stride, 0)) if shape == between.shape else None
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


def fold_space(node: Node, folds: Sequence[Node]) -> Space:
    """The space of a node that folds, or neither folds nor scans."""
    if not folds:
        return Space(bare(node.shape))
    fold = folds[0]
    source, axes, extent = folded(fold)
    kept = len(source) - len(axes)
    trailing = tuple(sorted(axes)) == tuple(range(kept, len(source)))
    if trailing and node.shape == source:
        return Space(bare(source[:kept]), extent, True)
    if node.numel != fold.numel:
        raise Cut(fold, "its result is read at another shape")
    inner = next((other for other in folds[1:] if bare(other.shape) == bare(source)), None)
    if inner is not None and extent > 1:
        below = folded(inner)[2]
        if extent <= CHUNK and below > 1 and prod(source) * below <= MOST_NESTED:
            return Space(bare(node.shape), extent, False, below)
    return Space(bare(node.shape), extent, trailing)


def folded(fold: Node) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """The shape that a reduction reads, the axes that it folds, and their extent in all."""
    source = fold.srcs[0].shape
    axes, _ = fold.arg
    return source, axes, prod([source[axis] for axis in axes])
