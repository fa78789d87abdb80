"""Locations: where a run finds the elements of an operand, known before there is any run.

An operand is a view of memory that comes with a call, that an earlier step of the plan fills, or
that stays the same. Shapes and strides belong to the capture; only the memory differs from run to
run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.engine.step.operand import fetch
from onebuf.graph import Kind, Node, settle
from onebuf.layout import View
from onebuf.memory import address_of
from onebuf.scheduler import reading
from onebuf.scheduler.read_through import place


class Location(NamedTuple):
    """Elements by shape and strides, in bytes, in the memory of one of three."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DT
    leaf: int = -1
    """The number of a leaf; -1: it is of no leaf."""
    made: int = -1
    """The number in the plan of a node that an earlier step computes; -1: of no such node."""
    fixed: Array | None = None
    """The elements themselves, if they stay the same."""
    holder: Node | None = None
    """What holds the memory of those."""
    offset_bytes: int = 0
    """How far the first element is from that of the leaf, or of the node."""
    is_whole: bool = False
    """Whether these are all elements of the leaf or node, as they lie there."""


class Locations:
    """The operands of a plan's nodes, found in its leaves and nodes."""

    def __init__(self, leaves: Sequence[Node], asked: Sequence[Node]) -> None:
        """``asked`` are the nodes that the plan needs, by number."""
        self._leaves = leaves
        self._numbers = {id(node): number for number, node in enumerate(asked)}

    def of(self, source: Node) -> Location | None:
        """Where the elements of ``source`` are; None if no strides say that."""
        base, view = place(source)
        if base.op.kind is Kind.CONSTANT:
            array = fetch(reading(source))
            return Location(array.shape, array.strides, source.dtype, fixed=array)
        if base.dtype != source.dtype or view.mask is not None:
            return None
        size = base.dtype.itemsize
        strides = tuple([step * size for step in view.stride])
        found = Location(view.shape, strides, base.dtype)
        distance = view.offset * size
        stored = settle(base)
        if stored is not None:
            return self._stored(base, stored, found, distance)
        number = self._numbers.get(id(base))
        if number is None:
            return None
        is_whole = distance == 0 and view == View.contiguous(base.shape)
        return found._replace(made=number, offset_bytes=distance, is_whole=is_whole)

    def _stored(self, base: Node, array: Array, found: Location, distance: int) -> Location | None:
        for number, leaf in enumerate(self._leaves):
            if leaf.block is base.block and leaf.array is not None:
                far = address_of(array) - address_of(leaf.array) + distance
                is_whole = (far, found.shape, found.strides, found.dtype) == (
                    *(0, leaf.array.shape, leaf.array.strides),
                    leaf.array.dtype,
                )
                return found._replace(leaf=number, offset_bytes=far, is_whole=is_whole)
        if base.block is None:
            return None
        there = array_at(base, found.shape, found.dtype, distance, found.strides)
        return found._replace(fixed=there, holder=base)


def array_at(
    node: Node, shape: tuple[int, ...], dtype: DT, far: int, strides: Sequence[int]
) -> Array:
    """Elements that begin ``far`` bytes after the first one of a stored node."""
    array, block = node.array, node.block
    assert array is not None
    assert block is not None
    first = block.offset_bytes + address_of(array) - block.address + far
    return np.ndarray(shape, dtype, block.memory, first, strides)
