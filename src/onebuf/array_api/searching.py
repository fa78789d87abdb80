"""Searching functions, and choosing by condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, node_of, operand_of, public
from onebuf.array_api.sorting import nonzero
from onebuf.array_api.ufunc.reduction import as_axes, reduced
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.errors import ArgumentError
from onebuf.events import listeners
from onebuf.graph import BINARY, Node
from onebuf.layout import normalize_axes
from onebuf.native import quick
from onebuf.ops.numpy import short_calls
from onebuf.options import options


@quick("argmax")
@public
def argmax(
    x: Any, /, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Buffer:
    """The position of the largest element along ``axis``; in row-major order if None."""
    return reduced("argmax", x, axis, None, out, keepdims)


@quick("argmin")
@public
def argmin(
    x: Any, /, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Buffer:
    """The position of the smallest element along ``axis``; in row-major order if None."""
    return reduced("argmin", x, axis, None, out, keepdims)


@delegate(short_calls.count_nonzero)
@public
def count_nonzero(
    x: Any, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False
) -> Buffer:
    """How many elements are not zero.

    >>> count_nonzero(Buffer([0, 1, 2])).item()
    2
    """
    x = buffer_of("count_nonzero", x)
    axes = normalize_axes(as_axes(axis), x.ndim, "count_nonzero")
    return (x != 0).sum(axes, keepdims=keepdims)  # type: ignore[no-any-return]


@quick("where", np.where)
@public
def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """``x1`` where ``condition`` holds, else ``x2``; of a condition alone, where it holds.

    >>> where(Buffer([True, False]), Buffer([1, 2]), 0)
    Buffer([1, 0], shape=(2,), dtype=int32, device=CPU)
    >>> where([0, 3, 0, 4])
    (Buffer([1, 3], shape=(2,), dtype=int64, device=CPU),)
    """
    if x1 is None and x2 is None:
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise ArgumentError("where needs two things to choose from, or none; got one")
    chosen = _chosen_at_once(condition, x1, x2)
    if chosen is not None:
        return chosen
    one, two = operand_of("where", x1, "x1"), operand_of("where", x2, "x2")
    if not isinstance(one, Node) and not isinstance(two, Node):
        one = node_of("where", one)
    known = one.dtype if isinstance(one, Node) else two.dtype
    test = node_of("where", condition, "condition")
    if test.dtype != dtypes.bool:
        test = ops.binary(BINARY["not_equal"], test, 0)
    one, two = (ops.as_operand(node, known, test.device) for node in (one, two))
    return Buffer._value(ops.ternary_where(test, one, two))


def _chosen_at_once(condition: Any, x1: Any, x2: Any) -> Buffer | None:
    """What is chosen from two small stored buffers of one shape and dtype; None of others."""
    if not condition.__class__ is x1.__class__ is x2.__class__ is Buffer:
        return None
    test, one, two = condition._node, x1._node, x2._node
    if test.dtype is not dtypes.bool or one.dtype is not two.dtype or listeners():
        return None
    if one.shape != two.shape or test.shape != one.shape or not one.shape:
        return None
    mask, a, b = test.array, one.array, two.array
    if mask is None or a is None or b is None or a.size > options().quick_numel:
        return None
    return Buffer._value(ops.adopted(np.where(mask, a, b)))
