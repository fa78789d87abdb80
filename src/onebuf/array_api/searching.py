"""Searching functions, and choosing by condition."""

from __future__ import annotations

from typing import Any

from onebuf import ops
from onebuf.array_api.arguments import buffer_of, public
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of, operand
from onebuf.errors import ArgumentTypeError
from onebuf.graph import Node
from onebuf.layout import normalize_axes


@public
def argmax(x: Buffer, /, *, axis: int | None = None, keepdims: bool = False) -> Buffer:
    """The position of the largest element along ``axis``; in row-major order if None."""
    return buffer_of("argmax", x).argmax(axis, keepdims=keepdims)  # type: ignore[no-any-return]


@public
def argmin(x: Buffer, /, *, axis: int | None = None, keepdims: bool = False) -> Buffer:
    """The position of the smallest element along ``axis``; in row-major order if None."""
    return buffer_of("argmin", x).argmin(axis, keepdims=keepdims)  # type: ignore[no-any-return]


@public
def count_nonzero(
    x: Buffer, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Buffer:
    """How many elements are not zero.

    >>> count_nonzero(Buffer([0, 1, 2])).item()
    2
    """
    x = buffer_of("count_nonzero", x)
    axes = normalize_axes(axis, x.ndim, "count_nonzero")
    return (x != 0).sum(axes, keepdims=keepdims)  # type: ignore[no-any-return]


@public
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
    test = node_of("where", condition)
    one, two = (ops.as_operand(node, known[0], test.device) for node in nodes)
    return Buffer._value(ops.ternary_where(test, one, two))
