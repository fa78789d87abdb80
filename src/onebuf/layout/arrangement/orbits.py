"""Orbits: one element for all that any symmetry group makes equal, found by a table.

Of the elements that the operations of a group lead to, the one that is first in row-major order is
stored; a kernel finds it by trying all operations, and its position by binary search. This serves
groups that have no packing, and symmetric layouts that are sparse, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from onebuf.errors import LayoutError
from onebuf.layout.arrangement.elements import Elements
from onebuf.layout.arrangement.packing import Tables
from onebuf.layout.expression import Expression, Table, equal, expression, where
from onebuf.layout.index_map import Place
from onebuf.symmetry import Group

Array = np.ndarray[Any, Any]


class Orbits:
    """The elements of ``flat``, row-major positions, or of all, that ``group`` makes equal."""

    def __init__(self, shape: tuple[int, ...], group: Group, flat: Array | None) -> None:
        self.shape = shape
        self._operations = list(group.on(len(shape)))
        if flat is None:
            flat = np.arange(prod(shape), dtype=np.int64)
        else:
            self._check_closed(flat)
        first, sizes, is_zero = self._examine(flat)
        kept = (first == flat) & ~is_zero
        self._sizes = sizes[kept]
        self._elements = Elements(shape, flat[kept])
        self.size = self._elements.size

    @property
    def storage(self) -> tuple[int, ...]:
        """The shape in which the positions count."""
        return (self.size,)

    @property
    def tables(self) -> tuple[Array, ...]:
        """Where the stored elements are."""
        return self._elements.tables

    @cached_property
    def _steps(self) -> list[int]:
        return [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]

    def _moved_steps(self, number: int) -> list[int]:
        """How far each index moves the position that an operation leads to."""
        image = self._operations[number].permutation.image
        return [self._steps[image(axis)] for axis in range(len(self.shape))]

    def _moved(self, index: Sequence[Array], number: int) -> Array:
        """The positions that an operation leads to from some indices."""
        moved = np.zeros_like(index[0], np.int64)
        for i, step in zip(index, self._moved_steps(number), strict=True):
            moved += i * step
        return moved

    def _examine(self, flat: Array) -> tuple[Array, Array, Array]:
        """Of each element, the first of its orbit, how many there are, and whether all are 0."""
        index = np.unravel_index(flat, self.shape)
        first = flat.copy()
        fixing = np.zeros(flat.size, np.int64)
        is_zero = np.zeros(flat.size, bool)
        for number, operation in enumerate(self._operations):
            moved = self._moved(index, number)
            np.minimum(first, moved, out=first)
            is_same = moved == flat
            fixing += is_same
            if operation.sign < 0 and not operation.conjugate:
                is_zero |= is_same
        return first, len(self._operations) // np.maximum(fixing, 1), is_zero

    def _check_closed(self, flat: Array) -> None:
        """Raise unless every element that a symmetry makes equal to one of ``flat`` is there."""
        index = np.unravel_index(flat, self.shape)
        for number in range(len(self._operations)):
            moved = self._moved(index, number)
            at = np.minimum(np.searchsorted(flat, moved), max(flat.size - 1, 0))
            missing = flat[at] != moved
            if missing.any():
                one = int(np.argmax(missing))
                here, there = [
                    tuple(map(int, np.unravel_index(p[one], self.shape))) for p in (flat, moved)
                ]
                raise LayoutError(
                    f"a layout needs a sparsity that its symmetry leaves as it is, but element "
                    f"{here} is stored and {there}, which the symmetry makes equal up to its sign, "
                    f"is 0; store both, or leave one of symmetry and sparsity out"
                )

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        best: Expression | None = None
        negated = conjugated = expression(0)
        for number, operation in enumerate(self._operations):
            flat = expression(0)
            for i, step in zip(index, self._moved_steps(number), strict=True):
                flat = flat + i * step
            if best is None:
                best = flat
                continue
            is_before = flat < best
            best = where(is_before, flat, best)
            negated = where(is_before, int(operation.sign < 0), negated)
            conjugated = where(is_before, int(operation.conjugate), conjugated)
        assert best is not None, "a group has the identity"
        found = self._elements.find_flat(best)
        return Place(
            found.position,
            found.condition,
            0,
            equal(negated, 1) if any(op.sign < 0 for op in self._operations) else None,
            equal(conjugated, 1) if any(op.conjugate for op in self._operations) else None,
        )

    def indices(self, at: Sequence[Expression], tables: Tables) -> tuple[Expression, ...]:
        """An index of which the element is stored at ``at``."""
        return self._elements.indices(at, tables)

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the one at ``at`` stands for."""
        tables.append(self._sizes)
        return Table(len(tables) - 1, at[0])
