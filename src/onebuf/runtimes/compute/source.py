"""Files and stores as leaves of distributed graphs: each place reads the part that it needs.

Nothing is stored: a step that reads such a leaf reads the boxes that it needs, and forgets them. So
files can be larger than the memory of all places together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.errors import ReadOnlyError
from onebuf.graph import SOURCE, Kind, Node, make
from onebuf.interop import Source
from onebuf.machine import Device
from onebuf.memory import FileBlock, Territory
from onebuf.placement import Partition


class MappedSource:
    """A part of a mapped file; see `onebuf.interop.Source`. Another process maps it again."""

    writable = False

    def __init__(
        self,
        path: str,
        offset_bytes: int,
        shape: tuple[int, ...],
        stride_bytes: tuple[int, ...],
        dtype: DT,
    ) -> None:
        self.name = path
        self.shape = shape
        self.dtype = dtype
        self.territory = Territory()
        self._where = (path, offset_bytes, shape, stride_bytes, dtype)
        self._array: Array | None = None

    def read(self, bounds: Sequence[tuple[int, int]]) -> Array:
        """The elements of a box, in the memory that the file is mapped to."""
        if self._array is None:
            path, offset_bytes, shape, stride_bytes, dtype = self._where
            mapped = np.memmap(path, np.uint8, "r")
            self._array = np.ndarray(shape, dtype, mapped, offset_bytes, stride_bytes)
        return self._array[tuple([slice(low, high) for low, high in bounds])]

    def write(self, bounds: Sequence[tuple[int, int]], array: Array) -> None:
        """Refuse."""
        raise ReadOnlyError(f"{self.name} is read by places, which do not write to it")

    def flush(self) -> None:
        """Nothing was written."""

    def __reduce__(self) -> tuple[Any, ...]:
        return MappedSource, self._where


class PlacedSource:
    """A source whose boxes are to be read where ``partition`` says; see `onebuf.interop.Source`."""

    writable = False

    def __init__(self, source: Source, partition: Partition) -> None:
        self.source = source
        self.partition = partition
        self.name = source.name
        self.shape = source.shape
        self.dtype = source.dtype
        self.territory = Territory()

    def read(self, bounds: Sequence[tuple[int, int]]) -> Array:
        """The elements of a box."""
        return self.source.read(bounds)

    def write(self, bounds: Sequence[tuple[int, int]], array: Array) -> None:
        """Refuse."""
        raise ReadOnlyError(f"{self.name} is read by places, which do not write to it")

    def flush(self) -> None:
        """Nothing was written."""

    def __reduce__(self) -> tuple[Any, ...]:
        return PlacedSource, (self.source, self.partition)


def source_of(node: Node) -> Source | None:
    """What reads the elements of ``node``, of the host, from a file or store; None if none does."""
    if node.base.op.kind is Kind.SOURCE and not node.base.srcs and node is node.base:
        return node.on_demand
    block, array = node.block, node.array
    if not isinstance(block, FileBlock) or array is None or not array.size:
        return None
    start = array.ctypes.data - block.address + block.offset_bytes
    return MappedSource(block.path, start, node.shape, array.strides, node.dtype)


def placed_source(source: Source, partition: Partition, device: Device) -> Node:
    """A leaf on a runtime that reads a source."""
    placed = PlacedSource(source, partition)
    return make(SOURCE, (), placed, source.shape, source.dtype, unique=True, device=device)
