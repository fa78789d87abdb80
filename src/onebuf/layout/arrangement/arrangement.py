"""What a layout asks of an arrangement, and the arrangement of a packing.

An arrangement knows both directions: where the element at an index is stored, and an index of each
stored element. The first is asked by kernels that read a buffer, the second by whoever computes the
stored elements alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from onebuf.layout.arrangement.packing import Packing, Tables
from onebuf.layout.expression import Expression
from onebuf.layout.index_map import Place


class Arrangement(Protocol):
    """Which elements of a shape are stored, and in which order."""

    @property
    def size(self) -> int:
        """The number of stored elements."""

    @property
    def storage(self) -> tuple[int, ...]:
        """A shape for the stored elements, in the row-major order of their positions."""

    @property
    def tables(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The index tables that `place` reads."""

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""

    def indices(self, at: Sequence[Expression], tables: Tables) -> tuple[Expression, ...]:
        """An index of which the element is stored at ``at``, an index of the storage.

        The index tables that it reads are appended to ``tables``, and not those of `place`.
        """

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the stored one at ``at`` stands for; None: one."""


@dataclass(frozen=True, slots=True)
class Packed:
    """The arrangement of a packing, which needs no tables to place elements."""

    rank: int
    packing: Packing

    @property
    def size(self) -> int:
        """The number of stored elements."""
        return self.packing.size

    @property
    def storage(self) -> tuple[int, ...]:
        """A shape for the stored elements."""
        return self.packing.storage

    @property
    def tables(self) -> tuple[np.ndarray[Any, Any], ...]:
        """None."""
        return ()

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        return self.packing.place(index)

    def indices(self, at: Sequence[Expression], tables: Tables) -> tuple[Expression, ...]:
        """An index of which the element is stored at ``at``."""
        found = self.packing.indices(at, tables)
        return tuple([found[axis] for axis in range(self.rank)])

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the stored one at ``at`` stands for."""
        return self.packing.weight(at, tables)
