"""Functions of several buffers that are not element-wise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onebuf import ops
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of, operand
from onebuf.errors import ArgumentTypeError
from onebuf.graph import Node


def concat(arrays: Sequence[Buffer], /, *, axis: int | None = 0) -> Buffer:
    """Buffers one after another along ``axis``; flattened first if it is None.

    >>> concat([Buffer([1, 2]), Buffer([3])])
    Buffer([1, 2, 3], shape=(3,), dtype=int32, device=CPU)
    """
    return Buffer._value(ops.concat([node_of("concat", x) for x in arrays], axis))


def stack(arrays: Sequence[Buffer], /, *, axis: int = 0) -> Buffer:
    """Buffers of one shape along a new axis."""
    return Buffer._value(ops.stack([node_of("stack", x) for x in arrays], axis))


def where(condition: Any, x1: Any, x2: Any, /) -> Buffer:
    """``x1`` where ``condition`` holds, else ``x2``.

    >>> where(Buffer([True, False]), Buffer([1, 2]), 0)
    Buffer([1, 0], shape=(2,), dtype=int32, device=CPU)
    """
    nodes = [operand(x) for x in (x1, x2)]
    known = [node.dtype for node in nodes if isinstance(node, Node)]
    if None in nodes or not known:
        raise ArgumentTypeError(
            f"where needs a buffer and a buffer or number to choose from, got "
            f"{type(x1).__name__} and {type(x2).__name__}"
        )
    one, two = (ops.as_operand(node, known[0]) for node in nodes)
    return Buffer._value(ops.ternary_where(node_of("where", condition), one, two))


def matmul(x1: Buffer, x2: Buffer, /) -> Buffer:
    """The matrix product of the last two axes, broadcast over the others."""
    return Buffer._value(ops.matmul(node_of("matmul", x1), node_of("matmul", x2)))


def take(x: Buffer, indices: Buffer, /, *, axis: int = 0) -> Buffer:
    """Slices of ``x`` along ``axis`` chosen by ``indices``."""
    return Buffer._value(ops.take(node_of("take", x), node_of("take", indices), axis))
