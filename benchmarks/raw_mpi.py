"""Distributed arithmetic as one writes it without onebuf: mpi4py with NumPy, and Heat.

The program by hand keeps its arrays and its scratch memory, and moves what has to move in one call.
Heat is a peer where it is installed; it needs torch in versions of its own (`pip install heat`).
"""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
from mpi4py import MPI

Array = np.ndarray[Any, np.dtype[np.float64]]


class ByHand:
    """``a*b + c`` of the elements that this process has, with the same scratch memory each time."""

    def __init__(self, comm: Any, a: Array, b: Array, c: Array) -> None:
        self._comm = comm
        self._operands = a, b, c
        self._scratch = np.empty_like(a)

    def store(self) -> Array:
        """The elements."""
        a, b, c = self._operands
        np.multiply(a, b, out=self._scratch)
        return np.add(self._scratch, c, out=self._scratch)

    def sum(self) -> float:
        """The sum of those of all processes."""
        return float(self._comm.allreduce(float(self.store().sum())))


class Transposer:
    """Rows of a square matrix, which each process has some of, as columns."""

    def __init__(self, comm: Any, rows: Array) -> None:
        self._comm = comm
        self._rows = rows
        size, extent = comm.size, rows.shape[1]
        self._edges = [extent * place // size for place in range(size + 1)]
        widths = [high - low for low, high in zip(self._edges, self._edges[1:], strict=False)]
        mine = widths[comm.rank]
        self._sent = [len(rows) * width for width in widths]
        self._received = [height * mine for height in widths]
        self._packed = np.empty(rows.size)
        self._columns = np.empty((extent, mine))

    def columns(self) -> Array:
        """All rows of this process' columns: packed, then exchanged in one call."""
        begin = 0
        for low, high in zip(self._edges, self._edges[1:], strict=False):
            count = len(self._rows) * (high - low)
            part = self._packed[begin : begin + count].reshape(len(self._rows), high - low)
            np.copyto(part, self._rows[:, low:high])
            begin += count
        self._comm.Alltoallv([self._packed, self._sent], [self._columns, self._received])
        return self._columns


def import_heat() -> ModuleType | str:
    """Heat, on one thread; or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import heat
            import torch
    except Exception as error:
        return f"Heat cannot be imported: {type(error).__name__}: {error}"
    torch.set_num_threads(1)
    return heat


class WithHeat:
    """The same in Heat, of the same elements."""

    def __init__(self, heat: ModuleType, comm: Any, a: Array, b: Array, c: Array) -> None:
        self._comm = comm
        self._operands = [heat.array(one, is_split=0) for one in (a, b, c)]

    def store(self) -> Any:
        """The elements."""
        a, b, c = self._operands
        return a * b + c

    def sum(self) -> float:
        """The sum."""
        return float(self.store().sum().item())


def transposed_by_heat(heat: ModuleType, rows: Array) -> Any:
    """A matrix in Heat whose rows are split, and a function that splits the columns instead."""
    matrix = heat.array(rows, is_split=0)
    return lambda: heat.resplit(matrix, 1)


COMM = MPI.COMM_WORLD
