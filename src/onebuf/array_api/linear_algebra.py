"""Linear algebra functions of the main namespace."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from onebuf import ops
from onebuf.array_api.arguments import buffer_of, into, node_of, public, sequence, whole
from onebuf.buffer import Buffer
from onebuf.dtypes import as_dtype, kind
from onebuf.errors import ArgumentError, ShapeError
from onebuf.graph import UNARY
from onebuf.layout import normalize_axes, normalize_axis


@public
def matmul(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    casting: str = "same_kind",
    dtype: Any = None,
) -> Buffer:
    """The matrix product of the last two axes, broadcast over the others."""
    one, two = node_of("matmul", x1, "x1"), node_of("matmul", x2, "x2")
    if dtype is not None:
        one, two = (ops.cast(node, as_dtype(dtype)) for node in (one, two))
    result = Buffer._value(ops.matmul(one, two))
    return result if out is None else into("matmul", out, result, casting)


@public
def matrix_transpose(x: Any, /) -> Buffer:
    """A view with the last two axes exchanged."""
    return buffer_of("matrix_transpose", x).mT


@public
def tensordot(x1: Any, x2: Any, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Buffer:
    """The sum of products over some axes of both: the last of one with the first of the other.

    >>> tensordot(Buffer([[1, 2], [3, 4]]), Buffer([[1, 0], [0, 1]])).item()
    5
    """
    x1, x2 = buffer_of("tensordot", x1, "x1"), buffer_of("tensordot", x2, "x2")
    one, two = _contracted(axes, x1.shape, x2.shape)
    if [x1.shape[axis] for axis in one] != [x2.shape[axis] for axis in two]:
        raise ShapeError(
            f"tensordot needs equal extents along axes {one} of {x1.shape} and {two} of {x2.shape}"
        )
    left = [axis for axis in range(x1.ndim) if axis not in one]
    right = [axis for axis in range(x2.ndim) if axis not in two]
    inner = prod([x1.shape[axis] for axis in one])
    rows, columns = [x1.shape[a] for a in left], [x2.shape[a] for a in right]
    a = x1.permute(*left, *one) if x1.ndim else x1
    b = x2.permute(*two, *right) if x2.ndim else x2
    product = matmul(a.reshape(prod(rows), inner), b.reshape(inner, prod(columns)))
    return product.reshape((*rows, *columns))


@public
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1, out: Any = None) -> Buffer:
    """The sum of products along ``axis``, the first factor conjugated.

    >>> vecdot(Buffer([1, 2]), Buffer([3, 4])).item()
    11
    """
    x1, x2 = buffer_of("vecdot", x1, "x1"), buffer_of("vecdot", x2, "x2")
    one, two = _with_last(x1, axis), _with_last(x2, axis)
    if one.shape[-1] != two.shape[-1]:
        raise ShapeError(
            f"vecdot needs one extent along axis {axis}, got shapes {x1.shape} and {x2.shape}"
        )
    first = one if kind(one.dtype) != "c" else Buffer._value(ops.unary(UNARY["conj"], one._node))
    product = first * two
    return into("vecdot", out, product.sum(-1).astype(product.dtype, copy=False))


def _with_last(x: Buffer, axis: int) -> Buffer:
    """``x`` with ``axis``, counted among its own axes, as the last one."""
    place = normalize_axis(axis, x.ndim, "vecdot")
    if place == x.ndim - 1:
        return x
    return x.permute(*range(place), *range(place + 1, x.ndim), place)


def _contracted(
    axes: Any, one: tuple[int, ...], two: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of each operand that `tensordot` sums over."""
    if not isinstance(axes, Sequence) or isinstance(axes, str):
        count = whole("tensordot", "axes", axes, 0)
        if count > min(len(one), len(two)):
            raise ArgumentError(
                f"tensordot needs axes in 0..{min(len(one), len(two))} for shapes {one} and {two}, "
                f"got {count}"
            )
        return tuple(range(len(one) - count, len(one))), tuple(range(count))
    if len(axes) != 2:
        raise ArgumentError(
            f"tensordot needs a number of axes or a pair of sequences of them, got {axes!r}"
        )
    left, right = (
        (axes[i],) if isinstance(axes[i], int) else sequence("tensordot", f"axes[{i}]", axes[i])
        for i in (0, 1)
    )
    return (
        normalize_axes(left, len(one), "tensordot"),
        normalize_axes(right, len(two), "tensordot"),
    )
