"""NumPy's loops: every operation on NumPy arrays, with the result written into a given array.

This is tier 1 of the engine, and the oracle in tests. `onebuf.backends.libraries.namespace` does
the same for array libraries whose functions return new arrays.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.backends.numpy.complex_loops import COMPLEX_LOOPS, complex_pow
from onebuf.backends.numpy.gather import take_along_into, take_into
from onebuf.backends.numpy.matmul import multiply_into
from onebuf.backends.operand_errors import negative_power
from onebuf.dtypes import Array, float32, is_added, kind
from onebuf.graph import (
    ARANGE,
    BINARY,
    CAST,
    COMPLEX,
    CONCAT,
    CONSTANT,
    COPY,
    EMPTY,
    FULL,
    INEXACT,
    LIBRARY,
    MATMUL,
    PAD,
    RANDOM_BITS,
    RANDOM_WORDS,
    REDUCE,
    SCAN,
    TAKE,
    TAKE_ALONG,
    UNARY,
    WHERE,
    Op,
)
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.ops.random import philox
else:
    philox = Late("onebuf.ops.random.philox")

Operands = tuple[Any, ...]


def _round(x: Array, out: Array) -> None:
    np.copyto(out, x) if x.dtype.kind in "iu" else np.rint(x, out)


def _real(x: Array, out: Array) -> None:
    np.copyto(out, x.real)


def _imag(x: Array, out: Array) -> None:
    np.copyto(out, x.imag)


def _complex(real: Array, imaginary: Array, out: Array) -> None:
    out.real, out.imag = real, imaginary


def _maximum(x: Array, y: Array, out: Array) -> None:
    np.maximum(x, y, out=out)


def _minimum(x: Array, y: Array, out: Array) -> None:
    np.minimum(x, y, out=out)


def _floor_divide(x: Array, y: Array, out: Array) -> None:
    """NumPy's, except for an infinite and a finite operand, where the standard has the quotient."""
    if kind(out.dtype) != "f":
        np.floor_divide(x, y, out)
        return
    finite = np.logical_and.reduce
    if finite(np.isfinite(x), None) and finite(np.isfinite(y), None):
        np.floor_divide(x, y, out)
        return
    special = (np.isinf(x) & np.isfinite(y)) | (np.isfinite(x) & np.isinf(y))
    quotient = np.divide(x, y) if special.any() else None
    np.floor_divide(x, y, out)
    if quotient is not None:
        np.copyto(out, quotient, "same_kind", where=special)


def _pow(x: Array, y: Array, out: Array) -> None:
    if out.dtype.kind == "c":
        complex_pow(x, y, out)
        return
    if x is out and out.dtype.kind in "iu" and np.min(y, initial=0) < 0:
        raise negative_power(np.min(y))  # NumPy would raise after writing some elements
    try:
        np.pow(x, y, out)
    except ValueError:
        raise negative_power(np.min(y)) from None


def _number_by_number(function: Callable[..., float]) -> Callable[..., Any]:
    """The loop of a function that NumPy lacks and Python has."""
    elements = np.vectorize(function, otypes=[np.float64])

    def loop(*operands: Any) -> None:
        *given, out = operands
        np.copyto(out, elements(*given), casting="unsafe")

    return loop


LOOPS: dict[Op, Callable[..., Any]] = {
    **{op: getattr(np, op.numpy) for op in (UNARY | BINARY).values() if op.numpy},
    **{op: _number_by_number(getattr(math, op.name)) for op in INEXACT if not op.numpy},
    UNARY["round"]: _round,
    UNARY["real"]: _real,
    UNARY["imag"]: _imag,
    COMPLEX: _complex,
    BINARY["floor_divide"]: _floor_divide,
    BINARY["pow"]: _pow,
    BINARY["maximum"]: _maximum,
    BINARY["minimum"]: _minimum,
}
"""Elementwise operations on NumPy arrays: (*operands, out)."""


def _fill_constant(operands: Operands, arg: Any, out: Array) -> None:
    out.fill(arg)


def _fill_random(operands: Operands, arg: Any, out: Array) -> None:
    key, stream, first = arg
    philox.random_words(key, stream, first, out)


def _fill_word(bits: int) -> Callable[[Operands, Any, Array], Any]:
    """One element, as the reference backend computes it."""

    def fill(operands: Operands, arg: Any, out: Array) -> None:
        position, key, stream = operands
        out.fill(philox.word_at(position, key, stream, bits))

    return fill


def _fill_cast(operands: Operands, arg: Any, out: Array) -> None:
    (x,) = operands
    if x.dtype.kind == "c" and out.dtype.kind != "c" and out.dtype != bool:
        x = x.real
    if out.dtype.kind in "iu" and kind(x.dtype) == "f":
        x = _truncated(x, out.dtype)
    np.copyto(out, x, casting="unsafe")


def _truncated(x: Array, dtype: np.dtype[Any]) -> Array:
    """Floats truncated to integers with the low bits of ``dtype`` (`onebuf.dtypes.integer_of`)."""
    if _TRUNCATES_LIKE_X86:
        # NumPy's SIMD loop gives other bits of uint32 than its scalar one.
        return x.astype(np.int64) if dtype == np.uint32 else x
    bits = 64 if dtype in (np.int64, np.uint32, np.uint64) else 32
    edge = 2.0 ** (bits - 1)
    wide = np.trunc(x.astype(np.float64, copy=False))
    is_high = (wide >= edge) & (dtype == np.uint64)
    wide = np.where(is_high, wide - edge, wide)
    is_inside = (wide >= -edge) & (wide < edge)
    signed = np.where(is_inside, wide, 0).astype(np.int64)
    signed[~is_inside] = np.iinfo(f"i{bits // 8}").min
    signed[is_high] ^= np.iinfo(np.int64).min
    return signed


_TRUNCATES_LIKE_X86 = platform.machine().lower() in ("x86_64", "amd64")
"""Whether this processor truncates floats as `onebuf.dtypes.integer_of` does."""


def _fill_where(operands: Operands, arg: Any, out: Array) -> None:
    condition, one, two = (np.asarray(operand) for operand in operands)
    if one.dtype is not two.dtype:  # NumPy has no common dtype for all of them
        one, two = one.astype(out.dtype, copy=False), two.astype(out.dtype, copy=False)
    np.copyto(out, np.where(condition, one, two))  # faster than a copy and a masked copy


def _fill_pad(operands: Operands, arg: Any, out: Array) -> None:
    out.fill(arg.value)
    inside = [slice(low, n - high) for (low, high), n in zip(arg.widths, out.shape, strict=True)]
    out[tuple(inside)] = operands[0]


def _fill_range(operands: Operands, arg: Any, out: Array) -> None:
    start, stop, step = arg
    np.copyto(out, np.arange(start, stop, step, dtype=out.dtype))


def _fill_library(operands: Operands, arg: Any, out: Array) -> None:
    np.copyto(out, arg(*[np.asarray(operand) for operand in operands]), casting="unsafe")


def _fill_position(function: Callable[..., Any]) -> Callable[[Operands, Any, Array], Any]:
    """The position of an extreme along one axis, or in row-major order along all of them."""
    method = getattr(np.ndarray, function.__name__)

    def fill(operands: Operands, arg: Any, out: Array) -> None:
        axes, keepdims = arg
        axis = axes[0] if len(axes) == 1 else None
        x = operands[0]
        if not out.shape and not keepdims:
            out[()] = method(x, axis)  # takes half the time of the function
        else:
            np.copyto(out, function(x, axis=axis, keepdims=keepdims))

    return fill


def _fill_product(operands: Operands, arg: Any, out: Array) -> None:
    x, y = operands
    if (
        x.ndim > 2 == y.ndim
        and x.size * out.size
        and x.flags.c_contiguous
        and out.flags.c_contiguous
    ):  # products of many matrices with one are one product
        x, out = x.reshape(-1, x.shape[-1]), out.reshape(-1, out.shape[-1])
    multiply_into(x, y, out)


_SHORT, _MANY = 7, 64
"""Rows so short and so many are reduced column by column, in a tenth of the time. From eight
elements on, or four complex ones, NumPy adds in another order."""


_STARTS: dict[tuple[np.ufunc, str], Any] = {
    (np.add, "f"): -0.0,
    (np.add, "c"): complex(-0.0, -0.0),
    (np.multiply, "c"): None,
}
"""The initial value of a reduction, by dtype kind, which leaves the first element unchanged.

NumPy starts sums with +0, which turns -0 into +0, and products with 1 + 0j, which turns the zero
part of an infinite element into NaN. None starts with the first element.
"""


def _fold(ufunc: np.ufunc) -> Callable[..., Any]:
    def reduce(x: Array, axes: tuple[int, ...], dtype: Any, out: Array | None, keep: bool) -> Any:
        fold: Any = ufunc.reduce
        key = (ufunc, dtype.kind)
        if x.size and key in _STARTS:
            return fold(x, axes, dtype, out, keep, _STARTS[key])
        return fold(x, axes, dtype, out, keep)

    def fold(x: Array, axes: tuple[int, ...], out: Array, keepdims: bool) -> None:
        if is_added(out.dtype):
            wide = reduce(x, axes, float32, None, keepdims)
            np.copyto(out, wide, casting="unsafe")
        elif (
            x.ndim > 1
            and axes == (x.ndim - 1,)
            and 2 <= x.shape[-1] <= _SHORT
            and x.size >= _MANY * x.shape[-1]
            and x.dtype == out.dtype
            and x.dtype.kind != "c"
        ):
            _fold_columns(ufunc, x, out[..., 0] if keepdims else out)
        else:
            reduce(x, axes, out.dtype, out, keepdims)

    return fold


def _fold_columns(ufunc: np.ufunc, x: Array, out: Array) -> None:
    """Reduce the short last axis of ``x``, from left to right as NumPy does."""
    ufunc(x[..., 0], x[..., 1], out=out)
    for column in range(2, x.shape[-1]):
        ufunc(out, x[..., column], out=out)


FOLDS: dict[Op, Callable[..., Any]] = {
    REDUCE["sum"]: _fold(np.add),
    REDUCE["prod"]: _fold(np.multiply),
    REDUCE["max"]: _fold(np.maximum),
    REDUCE["min"]: _fold(np.minimum),
    REDUCE["all"]: _fold(np.logical_and),
    REDUCE["any"]: _fold(np.logical_or),
}
"""Reductions of NumPy arrays: (operand, axes, out, keepdims)."""


FILL: dict[Op, Callable[[Operands, Any, Array], Any]] = {
    EMPTY: lambda operands, arg, out: None,
    CONSTANT: _fill_constant,
    FULL: _fill_constant,
    RANDOM_BITS: _fill_random,
    CAST: _fill_cast,
    COPY: lambda operands, arg, out: np.copyto(out, operands[0]),
    WHERE: _fill_where,
    PAD: _fill_pad,
    CONCAT: lambda operands, arg, out: np.concatenate(operands, axis=arg, out=out),
    MATMUL: _fill_product,
    TAKE: take_into,
    TAKE_ALONG: take_along_into,
    ARANGE: _fill_range,
    LIBRARY: _fill_library,
    REDUCE["argmax"]: _fill_position(np.argmax),
    REDUCE["argmin"]: _fill_position(np.argmin),
    **{op: _fill_word(bits) for op, bits in RANDOM_WORDS.items()},
    SCAN["sum"]: lambda operands, arg, out: np.add.accumulate(operands[0], arg, out.dtype, out),
    SCAN["prod"]: lambda operands, arg, out: np.multiply.accumulate(
        operands[0], arg, out.dtype, out
    ),
}


def run_into(op: Op, operands: Operands, arg: Any, out: Array) -> None:
    """Compute ``op`` on NumPy arrays into ``out``."""
    loop = COMPLEX_LOOPS.get(op) if out.dtype.kind == "c" else None
    loop = loop or LOOPS.get(op)
    if loop is not None:
        loop(*operands, out)
        return
    fold = FOLDS.get(op)
    if fold is not None:
        axes, keepdims = arg
        fold(operands[0], axes, out, keepdims)
        return
    FILL[op](operands, arg, out)
