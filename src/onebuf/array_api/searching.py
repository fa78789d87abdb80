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
from onebuf.graph import BINARY, Node, Number
from onebuf.layout import normalize_axes
from onebuf.machine import Device
from onebuf.native import quick
from onebuf.ops.numpy import short_calls
from onebuf.quick import quick_limit


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
    array = None if dtypes.is_added(x.dtype) else x._node.array
    if axis is None and keepdims is False and array is not None and _counts(array):
        return Buffer._value(Number.of(np.int64(np.count_nonzero(array)), dtypes.int64))
    axes = normalize_axes(as_axes(axis), x.ndim, "count_nonzero")
    return (x != 0).sum(axes, keepdims=keepdims)  # type: ignore[no-any-return]


def _counts(array: dtypes.Array) -> bool:
    """Whether NumPy counts elements sooner than a kernel does: few, or bools."""
    limit = quick_limit()
    return array.size <= limit or (array.dtype == np.bool and limit > 0)


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
    home = _home(test, one, two)
    one, two = (ops.as_operand(node, known, home) for node in (one, two))
    return Buffer._value(ops.ternary_where(test, one, two))


def _home(*operands: Any) -> Device | None:
    """Where the operands are; None of numbers alone, which are at home everywhere."""
    for node in operands:
        if isinstance(node, Node) and node.device is not None:
            return node.device
    return None


def _chosen_at_once(condition: Any, x1: Any, x2: Any) -> Buffer | None:
    """What is chosen from small stored buffers of one dtype, or one and a number; else None."""
    if condition.__class__ is not Buffer or condition._node.dtype is not dtypes.bool:
        return None
    known = next((x._node.dtype for x in (x1, x2) if x.__class__ is Buffer), None)
    if known is None or dtypes.is_added(known):
        return None
    mask, a, b = condition._node.array, _choice(x1, known), _choice(x2, known)
    if mask is None or a is None or b is None or max(mask.size, a.size, b.size) > quick_limit():
        return None
    try:
        found = np.where(mask, a, b)
    except ValueError:  # shapes that do not meet
        return None
    return Buffer._value(ops.adopted(found)) if 0 < found.size <= quick_limit() else None


def _choice(x: Any, known: np.dtype[Any]) -> Any:
    """The elements of a stored buffer, or of a number that takes its dtype; None of others."""
    if x.__class__ is Buffer:
        return x._node.array if x._node.dtype is known else None
    scalar: type = type(x)
    if scalar not in ops.SCALARS or dtypes.meet_scalar(known, scalar) is not known:
        return None
    return ops.quietly(known.type, dtypes.typed_scalar(x, known))
