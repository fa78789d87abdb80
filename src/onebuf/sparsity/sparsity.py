"""What all sparsities have in common: questions about zeros, unions, equality."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onebuf.errors import ArgumentTypeError, ShapeError
from onebuf.shapes.box import Index, box_of
from onebuf.sparsity.indices import Integers, index_array


class Sparsity:
    """Which elements of a tensor may be nonzero; the base of `Element`, `Block` and `Norm`."""

    __slots__ = ("shape", "_hash")

    shape: Index
    """The extents of the tensor."""
    _hash: int

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(f"a sparsity does not change: {name} cannot be set; make another one")

    __delattr__ = __setattr__

    @property
    def boxes(self) -> Integers:
        """Boxes that have exactly the nonzero elements: an array (n, rank, 2), sorted.

        The last axis is where a box begins and the first index behind it. No two boxes overlap,
        and none is empty.
        """
        raise NotImplementedError

    @property
    def nonzero_count(self) -> int:
        """How many elements may be nonzero."""
        raise NotImplementedError

    def _is_zero_box(self, first: Index, last: Index) -> bool:
        raise NotImplementedError

    def _parts(self) -> tuple[Any, ...]:
        """What makes two sparsities of one class equal, in values that can be hashed."""
        raise NotImplementedError

    @property
    def rank(self) -> int:
        """How many axes the tensor has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements the tensor has, zero or not."""
        return prod(self.shape)

    def sparsity(self) -> float:
        """The part of the elements that is zero, from 0 to 1; 0 if there are no elements."""
        return (self.size - self.nonzero_count) / self.size if self.size else 0.0

    def is_zero(self, first: Any, last: Any = None) -> bool:
        """Whether an element is zero; with ``last``, whether all elements of a box are.

        The box is half open: ``first`` is in it, ``last`` is behind it. An index of a tensor with
        one axis may be an int.
        """
        if last is None:
            if not isinstance(first, (tuple, list, np.ndarray)):
                first = (first,)
            [index] = index_array([tuple(first)], self.shape, "is_zero").tolist()
            return self._is_zero_box(tuple(index), tuple([i + 1 for i in index]))
        if not isinstance(first, (tuple, list, np.ndarray)) and self.rank == 1:
            first, last = (first,), (last,)
        return self._is_zero_box(*box_of([first, last], self.shape, "is_zero"))

    def mask(self) -> NDArray[np.bool_]:
        """An array of bools with the shape of the tensor: True where it may be nonzero."""
        mask = np.zeros(self.shape, bool)
        for box in self.boxes.tolist():
            mask[tuple([slice(*bounds) for bounds in box])] = True
        return mask

    def same_elements(self, other: Sparsity) -> bool:
        """Whether another sparsity, of any class, has the same nonzero elements.

        Equality asks for the same class and, of blocks, for the same boxes.
        """
        if self.shape != other.shape or self.nonzero_count != other.nonzero_count:
            return False
        return (self | other).nonzero_count == self.nonzero_count

    def _union(self, other: Sparsity) -> Sparsity:
        raise NotImplementedError

    def __or__(self, other: Sparsity) -> Sparsity:
        """The sparsity of a sum: what is nonzero in either."""
        if not isinstance(other, Sparsity):
            return NotImplemented
        if self.shape != other.shape:
            raise ShapeError(
                f"a union needs sparsities of one shape, got {self.shape} and {other.shape}"
            )
        return self._union(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sparsity):
            return NotImplemented
        if type(self) is not type(other) or self.shape != other.shape:
            return False
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._set(_hash=hash((type(self).__name__, self.shape, self._parts())))
            return self._hash


def one_list(name: str, nonzero: Any, zero: Any) -> tuple[Any, bool]:
    """The one list that was passed, and whether it is of nonzero elements."""
    if (nonzero is None) == (zero is None):
        got = "neither" if nonzero is None else "both"
        raise ArgumentTypeError(
            f"{name} needs either nonzero= or zero=, got {got}; an empty list of nonzero elements "
            f"says that all are zero"
        )
    return (zero, False) if nonzero is None else (nonzero, True)
