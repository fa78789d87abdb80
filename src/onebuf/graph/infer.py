"""What comes out: the dtype and the shape of every operation, before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from onebuf import dtypes
from onebuf.dtypes import DT, is_added, kind, promote
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError
from onebuf.graph.op import RANDOM_WORDS, REDUCE, Op, Rule
from onebuf.layout import normalize_axes

_LIKE = {1: "cbrt", 2: "hypot"}
"""Functions of NumPy, by arity, with the loops of one that NumPy lacks: those of real floats."""
_ORDER = {REDUCE[name] for name in ("argmax", "argmin", "max", "min")}
"""Reductions of what can be ordered, which have no value of no elements."""


def resolve_dtypes(op: Op, *operands: DT) -> tuple[DT, ...]:
    """The dtypes of NumPy's loop for operands of these dtypes; the last one is the result's.

    A TypeError if there is no such loop.

    >>> from onebuf.graph.op import UNARY
    >>> resolve_dtypes(UNARY["erf"], dtypes.int32)
    (dtype('float64'), dtype('float64'))
    """
    name = op.numpy
    if name is None and op.rule is Rule.FLOAT:
        name = _LIKE[len(operands)]
    if name is None:
        raise TypeError(f"{op.name} has no loops")
    ufunc: np.ufunc = getattr(np, name)
    return ufunc.resolve_dtypes((*operands, None))


@cache
def elementwise_dtype(op: Op, *operands: DT) -> DT:
    """The dtype of ``op`` on operands of these dtypes.

    >>> from onebuf.graph.op import BINARY
    >>> elementwise_dtype(BINARY["divide"], dtypes.int32, dtypes.int32)
    dtype('float64')
    """
    if op.rule is Rule.CHOICE:
        return promote(*operands[1:])
    if op.rule is Rule.WORD:
        return dtypes.uint32 if RANDOM_WORDS[op] == 32 else dtypes.uint64
    if op.rule is Rule.SAME and kind(operands[0]) != "b":
        return operands[0]
    if op.rule is Rule.COMPLEX:
        return promote(*operands, dtypes.complex64)
    if op.rule is Rule.PART:
        return np.empty(0, operands[0]).real.dtype
    if len(operands) > 1 and any(is_added(dtype) for dtype in operands):
        operands = (promote(*operands),) * len(operands)
    try:
        return dtypes.as_dtype(resolve_dtypes(op, *operands)[-1])
    except TypeError:
        got = " and ".join(dtype.name for dtype in operands)
        raise DTypeError(
            f"{op.name} is not defined for {got}; convert with astype(...) first"
        ) from None


@cache
def reduce_dtype(op: Op, operand: DT) -> DT:
    """The dtype of a reduction.

    >>> reduce_dtype(REDUCE["sum"], dtypes.int8), reduce_dtype(REDUCE["sum"], dtypes.float32)
    (dtype('int64'), dtype('float32'))
    """
    letter = kind(operand)
    if op.rule is Rule.BOOL:
        return dtypes.bool
    if op in _ORDER and letter == "c":
        raise DTypeError(
            f"{op.name} needs numbers that can be ordered, got {operand.name}; "
            f"reduce abs(x), real(x) or imag(x) instead"
        )
    if op.rule is Rule.INDEX or (op.rule is Rule.TOTAL and letter in "bi"):
        return dtypes.int64
    if op.rule is Rule.TOTAL and letter == "u":
        return dtypes.uint64
    return operand


@lru_cache(4096, typed=True)
def reduction(
    op: Op, shape: tuple[int, ...], axis: int | tuple[int, ...] | None, keepdims: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes that a reduction folds, counted from the front, and the shape that it leaves."""
    if not isinstance(keepdims, bool | int | np.bool):
        raise ArgumentTypeError(f"{op.name} needs True or False as keepdims, got {keepdims!r}")
    axes = reduce_axes(axis, len(shape), op.name)
    check_position_axes(op, axes, len(shape))
    return axes, reduce_shape(op, shape, axes, keepdims)


def reduce_shape(
    op: Op, shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool
) -> tuple[int, ...]:
    """The shape left when ``axes`` are folded; an error where nothing is folded to nothing.

    >>> reduce_shape(REDUCE["sum"], (2, 3), (0,), False)
    (3,)
    """
    if op in _ORDER:
        for axis in axes:
            if shape[axis] == 0:
                raise ArgumentError(
                    f"{op.name} of no elements has no value: axis {axis} of shape {shape} has "
                    f"extent 0; check the size first"
                )
    if keepdims:
        return tuple([1 if axis in axes else extent for axis, extent in enumerate(shape)])
    return tuple([extent for axis, extent in enumerate(shape) if axis not in axes])


def reduce_axes(
    axis: int | Sequence[int] | None, ndim: int, what: str = "a reduction"
) -> tuple[int, ...]:
    """The axes to fold, counted from the front; None means all of them."""
    return normalize_axes(axis, ndim, what)


def check_position_axes(op: Op, axes: tuple[int, ...], ndim: int) -> None:
    """Raise where a position has no meaning: along some axes, but neither one nor all of them."""
    if op.rule is Rule.INDEX and len(axes) not in (1, ndim):
        raise ArgumentError(
            f"{op.name} needs one axis, or None for all of them, got axes {axes} of {ndim}; "
            f"reshape these axes into one first"
        )
