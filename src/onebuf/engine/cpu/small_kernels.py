"""Small kernels: elementary functions and sums of stored arrays, computed at once.

A value must not depend on the tier that computes it. Products and comparisons are exact everywhere,
but the last bit of a sine and the order of a sum are a choice: so these are computed by our own
kernels in every tier. Here they are loops on stored arrays, one program per operation and dtype.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.backends.numpy.complex_loops import COMPLEX_LOOPS
from onebuf.backends.numpy.loops import FOLDS, LOOPS
from onebuf.backends.numpy.small_folds import MOST, SHORT, fold_columns, fold_rows
from onebuf.dtypes import DT, Array, bfloat16, complex64, complex128, float16, float32, float64
from onebuf.engine.cpu.fallback import attempt
from onebuf.graph import BINARY, INEXACT, REDUCE, UNARY, Op
from onebuf.late import Late
from onebuf.memory import address_of, address_of_bytes

if TYPE_CHECKING:
    from onebuf.engine.cpu import small_programs
else:
    small_programs = Late("onebuf.engine.cpu.small_programs")


ORDERED = frozenset({REDUCE["sum"], REDUCE["prod"]})
"""Reductions whose value depends on the order, if they are of floats."""
OF_COMPLEX = frozenset({UNARY["abs"], UNARY["square"], BINARY["multiply"], BINARY["divide"]})
"""What NumPy computes of complex numbers with fused products or not, by processor and strides."""

OFTEN = 100
"""So often a fold is done on NumPy's loops, which are a few microseconds slower than a kernel."""
_times: dict[tuple[Op, DT, str], int] = {}
"""How often that was."""
_EXACT_PRODUCTS = frozenset({UNARY["square"], BINARY["multiply"]})
"""Functions of complex numbers that NumPy's loops give the bits of, part by part."""
_FUNCTIONS = {REDUCE["sum"]: np.add, REDUCE["prod"]: np.multiply}

_FLOATS = (float32, float64, float16, bfloat16)
_COMPLEX = (complex64, complex128)
_ALONE = (1,)
_BOTH = (1, 1)
_ONE_OF_TWO = (1, 0)
_WORDS = struct.Struct("5q")
_PAIR = struct.Struct("7q")
_MATRIX = struct.Struct("8q")


def is_ours(op: Op, operand: DT, result: DT) -> bool:
    """Whether ``op`` is computed by our own kernels in every tier."""
    if op in ORDERED:
        ours = result in _FLOATS or (op is REDUCE["sum"] and result in _COMPLEX)
        return ours and operand == result
    if op in OF_COMPLEX:
        return result in _COMPLEX or operand in _COMPLEX
    return not op.is_exact and result in _FLOATS


def _is_early(op: Op, dtype: DT, how: str) -> bool:
    """Whether a fold was so seldom asked for that NumPy does it before a kernel is there."""
    key = (op, dtype, how)
    times = _times.get(key, 0)
    if times >= OFTEN:
        return False
    _times[key] = times + 1
    return True


@cache
def elementwise(op: Op, dtype: DT, strides: tuple[int, ...], to: DT) -> Any:
    """The program of ``op`` (`onebuf.engine.cpu.small_programs`); None: it could not be made."""
    return attempt(op.name, lambda: small_programs.elementwise(op, dtype, strides, to))


@cache
def _fold(op: Op, dtype: DT, several: bool, sequential: bool, short: bool) -> Any:
    return attempt(op.name, lambda: small_programs.fold(op, dtype, several, sequential, short))


@cache
def _columns(op: Op, dtype: DT) -> Any:
    return attempt(op.name, lambda: small_programs.columns(op, dtype))


def fold_program(op: Op, dtype: DT, form: int) -> Any:
    """The program of a reduction over one row, several, several short ones, or columns (0 to 3)."""
    return _columns(op, dtype) if form == 3 else _fold(op, dtype, form > 0, False, form == 2)


_quick: dict[tuple[Op, DT, tuple[int, ...]], Any] = {}
"""The programs of functions as they are called for a few contiguous elements."""


def _loop(op: Op, theirs: Callable[..., Any]) -> Callable[..., Any]:
    def loop(*operands: Any) -> None:
        *given, out = operands
        if out.dtype not in _FLOATS or not _run(op, given, out.dtype, out):
            theirs(*operands)

    return loop


def _complex_function(op: Op, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """The loop of one complex operand, whose result may be real."""

    def loop(x: Array, out: Array) -> None:
        if op in _EXACT_PRODUCTS and _is_early(op, out.dtype, "elements"):
            theirs(x, out)
            return
        if x.flags.c_contiguous and out.flags.c_contiguous:
            block = _WORDS.pack(address_of(x), address_of(out), x.size, 1, 1)
            compiled = elementwise(op, x.dtype, _ALONE, out.dtype)
            if compiled is not None:
                compiled.quick(address_of_bytes(block), 0, x.size)
                return
        if not _run(op, [x], x.dtype, out):
            theirs(x, out)

    return loop


def _complex_pair(op: Op, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """The loop of two operands that become complex; short for what is so and contiguous."""

    def loop(x: Any, y: Any, out: Array) -> None:
        dtype = out.dtype
        if op in _EXACT_PRODUCTS and _is_early(op, dtype, "elements"):
            theirs(x, y, out)
            return
        if (
            x.__class__ is y.__class__ is np.ndarray
            and x.dtype is y.dtype is dtype
            and x.shape == y.shape
            and x.flags.c_contiguous
            and y.flags.c_contiguous
            and out.flags.c_contiguous
        ):
            words = address_of(x), address_of(y), address_of(out), x.size, 1, 1, 1
            block = _PAIR.pack(*words)
            compiled = elementwise(op, dtype, _BOTH, dtype)
            if compiled is not None:
                compiled.quick(address_of_bytes(block), 0, x.size)
                return
        if not _run(op, [x, y], dtype, out):
            theirs(x, y, out)

    return loop


def _run(op: Op, given: list[Any], dtype: DT, out: Array) -> bool:
    """Compute ``op`` on operands made ``dtype``; False if there is no kernel for that."""
    if not out.size:
        return True
    arrays = [_prepared(x, dtype, out) for x in given]
    target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
    strides = tuple([1 if x.size == out.size else 0 for x in arrays])
    words = [*[address_of(x) for x in arrays], address_of(target), out.size, *strides, 1]
    block = struct.pack(f"{len(words)}q", *words)
    compiled = elementwise(op, dtype, strides, out.dtype)
    if compiled is None:
        return False
    compiled.quick(address_of_bytes(block), 0, out.size)
    if target is not out:
        out[...] = target
    return True


def _unary_loop(op: Op, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """`_loop` for one operand; short for what is contiguous and of the dtype of the result."""
    slow = _loop(op, theirs)

    def loop(x: Array, out: Array) -> None:
        dtype = out.dtype
        if x.dtype is not dtype or not x.flags.c_contiguous or not out.flags.c_contiguous:
            slow(x, out)
            return
        run = _quick.get((op, dtype, _ALONE))
        if run is None:
            compiled = elementwise(op, dtype, _ALONE, dtype) if dtype in _FLOATS else None
            if compiled is None:
                slow(x, out)
                return
            run = _quick[op, dtype, _ALONE] = compiled.quick
        block = _WORDS.pack(address_of(x), address_of(out), x.size, 1, 1)
        run(address_of_bytes(block), 0, x.size)

    return loop


def _binary_loop(op: Op, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """`_loop` for two operands; short for a contiguous one and a second like it, or a number."""
    slow = _loop(op, theirs)

    def loop(x: Any, y: Any, out: Array) -> None:
        dtype, size = out.dtype, out.size
        is_float = dtype is float64 or dtype is float32
        if is_float and (y.__class__ is float or y.__class__ is int):
            y = np.array(y, dtype)
        if not (
            is_float
            and x.__class__ is y.__class__ is np.ndarray
            and x.dtype is y.dtype is dtype
            and x.shape == out.shape
            and (y.shape == x.shape or y.size == 1)
            and x.flags.c_contiguous
            and y.flags.c_contiguous
            and out.flags.c_contiguous
            and size
        ):
            slow(x, y, out)
            return
        strides = _BOTH if y.size == size else _ONE_OF_TWO
        run = _quick.get((op, dtype, strides))
        if run is None:
            compiled = elementwise(op, dtype, strides, dtype)
            if compiled is None:
                slow(x, y, out)
                return
            run = _quick[op, dtype, strides] = compiled.quick
        block = _PAIR.pack(address_of(x), address_of(y), address_of(out), size, *strides, 1)
        run(address_of_bytes(block), 0, size)

    return loop


def _prepared(x: Any, dtype: DT, out: Array) -> Array:
    """An operand as one element, or as contiguous elements in the shape of the result."""
    x = np.asarray(x, dtype)
    if x.size != 1 and x.shape != out.shape:
        x = np.broadcast_to(x, out.shape)
    return x if x.flags.c_contiguous else np.ascontiguousarray(x)


def _sum(op: Op, theirs: Callable[..., Any]) -> Callable[..., Any]:
    def fold(x: Array, axes: tuple[int, ...], out: Array, keepdims: bool) -> None:
        quick = _whole.get((op, x.dtype))
        is_whole = len(axes) == x.ndim and x.size and x.flags.c_contiguous
        is_often = _times.get((op, x.dtype, "rows"), 0) >= OFTEN
        if quick is not None and is_often and is_whole and out.dtype is x.dtype:
            block = _WORDS.pack(address_of(x), address_of(out), x.size, 1, 0)
            quick(address_of_bytes(block), 0, x.size)
            return
        if not is_ours(op, x.dtype, out.dtype) or not x.size:
            theirs(x, axes, out, keepdims)
            return
        target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        if len(axes) < x.ndim and axes == tuple(range(len(axes))) and x.flags.c_contiguous:
            is_done = _fold_columns(op, x, len(axes), target)
        else:
            is_done = _fold_rows(op, x, axes, target)
        if not is_done:
            theirs(x, axes, out, keepdims)
        elif target is not out:
            out[...] = target

    return fold


def _fold_columns(op: Op, x: Array, axes: int, out: Array) -> bool:
    """Fold the first ``axes`` axes of a contiguous array; False if there is no kernel."""
    extent = prod(x.shape[:axes])
    count = x.size // extent
    if _is_early(op, out.dtype, "columns"):
        fold_columns(_FUNCTIONS[op], x.reshape(extent, count), out.reshape(count))
        return True
    block = _MATRIX.pack(address_of(x), address_of(out), count, extent, 1, count, 1, 0)
    compiled = _columns(op, out.dtype)
    if compiled is None:
        return False
    compiled.quick(address_of_bytes(block), 0, count)
    return True


def _fold_rows(op: Op, x: Array, axes: tuple[int, ...], out: Array) -> bool:
    """Fold any axes, in a copy that has them last if they are not; False if there is no kernel."""
    sequential = bool(axes) and x.ndim - 1 not in axes
    if not x.flags.c_contiguous or axes != tuple(range(x.ndim - len(axes), x.ndim)):
        kept = [axis for axis in range(x.ndim) if axis not in axes]
        x = np.ascontiguousarray(x.transpose([*kept, *sorted(axes)]))
    extent = prod(x.shape[x.ndim - len(axes) :])
    count = x.size // extent
    if extent <= MOST and _is_early(op, out.dtype, "rows"):
        matrix = x.reshape(count, extent)
        if sequential:
            fold_columns(_FUNCTIONS[op], matrix.T, out.reshape(count))
        else:
            fold_rows(_FUNCTIONS[op], matrix, out.reshape(count))
        return True
    if count == 1:
        block = _WORDS.pack(address_of(x), address_of(out), extent, 1, 0)
    else:
        block = _MATRIX.pack(address_of(x), address_of(out), count, extent, extent, 1, 1, 0)
    short = count > 1 and extent < SHORT
    compiled = _fold(op, out.dtype, count > 1, sequential, short)
    if compiled is None:
        return False
    compiled.quick(address_of_bytes(block), 0, count if count > 1 else extent)
    if count == 1 and not sequential:
        _whole[op, out.dtype] = compiled.quick
    return True


_whole: dict[tuple[Op, DT], Any] = {}
"""The programs that fold one row, by operation and dtype, once there are some."""


OUR_LOOPS = LOOPS | {
    op: (_unary_loop if op.arity == 1 else _binary_loop)(op, LOOPS[op]) for op in INEXACT
}
"""Elementwise operations on stored arrays: (*operands, out)."""
OUR_COMPLEX_LOOPS = COMPLEX_LOOPS | {
    op: (_complex_function if op.arity == 1 else _complex_pair)(
        op, COMPLEX_LOOPS.get(op, LOOPS[op])
    )
    for op in OF_COMPLEX
}
"""Those that complex operands take instead."""
OUR_FOLDS = FOLDS | {op: _sum(op, FOLDS[op]) for op in ORDERED}
"""Reductions of stored arrays: (operand, axes, out, keepdims)."""


def run_ours(op: Op, operands: tuple[Array, ...], arg: Any, out: Array) -> None:
    """Compute an operation that `is_ours` into ``out``."""
    if not op.is_exact:
        OUR_LOOPS[op](*operands, out)
    elif op in OF_COMPLEX:
        OUR_COMPLEX_LOOPS[op](*operands, out)
    else:
        axes, keepdims = arg
        OUR_FOLDS[op](operands[0], axes, out, keepdims)
