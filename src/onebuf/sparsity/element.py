"""Element sparsity: single elements that may be nonzero.

They are kept as sorted flat indices, eight bytes each, so that shapes of any size will do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.shapes.box import Index
from onebuf.sparsity.block import Block
from onebuf.sparsity.indices import (
    Integers,
    checked_shape,
    distinct_flat,
    flat_complement,
    flat_indices,
    index_array,
    sorted_distinct,
    unflat_indices,
)
from onebuf.sparsity.sparsity import Sparsity, one_list

SHOWN = 20
"""Indices that a repr spells out."""


class Element(Sparsity):
    """A list of the elements that may be nonzero, or of those that are zero.

    Parameters
    ----------
    shape
        The extents of the tensor.
    nonzero
        Indices: tuples, ints if there is one axis, or an integer array with a row for each.
    zero
        The indices of all zeros instead.

    >>> pattern = Element((10,), {3, 5, 7})
    >>> pattern.sparsity(), pattern.is_zero(4), pattern.is_zero(0, 3), pattern.is_zero(2, 4)
    (0.7, True, True, False)
    >>> Element((2, 2), zero=[(0, 1)])
    Element((2, 2), nonzero=[(0, 0), (1, 0), (1, 1)])
    """

    __slots__ = ("flat",)

    flat: Integers
    """The row-major flat indices of the nonzero elements, sorted."""

    def __init__(self, shape: Any, nonzero: Any = None, *, zero: Any = None) -> None:
        extents = checked_shape(shape, "Element")
        indices, listed = one_list("Element", nonzero, zero)
        name = "nonzero" if listed else "zero"
        flat = distinct_flat(index_array(indices, extents, name), extents, name)
        self._set(shape=extents)
        self._set(flat=flat if listed else flat_complement(flat, extents, "zero of Element"))

    @classmethod
    def of_flat(cls, shape: Index, flat: Integers) -> Element:
        """The sparsity with these flat indices, which are sorted and in range, each once."""
        made = object.__new__(cls)
        made._set(shape=shape, flat=flat)
        return made

    def __reduce__(self) -> Any:
        return Element.of_flat, (self.shape, self.flat)

    @property
    def indices(self) -> Integers:
        """The indices of the nonzero elements: an array (n, rank), in row-major order."""
        return unflat_indices(self.flat, self.shape)

    @property
    def boxes(self) -> Integers:
        """Boxes with the nonzero elements: neighbours along the last axis share one."""
        first = self.indices
        if not self.rank or not len(first):
            return np.stack([first, first + 1], axis=-1)
        follows = (np.diff(self.flat) == 1) & (first[1:, -1] > 0)
        begins = np.concatenate([[True], ~follows])
        ends = np.concatenate([~follows, [True]])
        return np.stack([first[begins], first[ends] + 1], axis=-1)

    @property
    def nonzero_count(self) -> int:
        """How many elements may be nonzero."""
        return len(self.flat)

    def _is_zero_box(self, first: Index, last: Index) -> bool:
        low, high = np.array([first]), np.array([last]) - 1
        ends = flat_indices(np.concatenate([low, high]), self.shape)
        begin, end = np.searchsorted(self.flat, ends + np.array([0, 1]))
        # Between the flat indices of two corners are elements outside of the box as well.
        inside = unflat_indices(self.flat[begin:end], self.shape)
        return not ((inside >= low) & (inside <= high)).all(axis=1).any()

    def _union(self, other: Sparsity) -> Sparsity:
        if isinstance(other, Element):
            return Element.of_flat(
                self.shape, sorted_distinct(np.concatenate([self.flat, other.flat]))
            )
        return Block.of_boxes(self.shape, self.boxes) | other

    def _parts(self) -> tuple[Any, ...]:
        return (self.flat.tobytes(),)

    def __repr__(self) -> str:
        if len(self.flat) > SHOWN:
            return f"<Element {self.shape} with {len(self.flat)} nonzero elements>"
        indices = [tuple(index) for index in self.indices.tolist()]
        if self.rank == 1:
            return f"Element({self.shape}, nonzero={self.flat.tolist()})"
        return f"Element({self.shape}, nonzero={indices})"
