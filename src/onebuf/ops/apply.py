"""One operation applied: at once if its operands are stored and small, else as a pending node.

This is tier 0. Operations on small stored operands outnumber all others in real programs, and
their cost is overhead alone: so they go straight from the operands' arrays to a NumPy loop that
writes into pool memory, and no graph is kept. The loops come from the engine (`install`), which is
loaded when the first operation is applied (`install_late`); without it, everything here builds
graphs and nothing else.

It is longer than 400 lines because all that is applied asks the same tables of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from onebuf import events
from onebuf.dtypes import (
    DT,
    FIRST_ADDED,
    Array,
    check_real,
    complex64,
    complex128,
    kind,
    meet_scalar,
    promote,
    typed_scalar,
)
from onebuf.dtypes import bool as bool_
from onebuf.errors import ArgumentTypeError, DTypeError, OnebufError, ScalarRangeError, ShapeError
from onebuf.events import listeners, run_told, tell
from onebuf.graph import (
    BINARY,
    CAST,
    CONSTANT,
    COPY,
    FULL,
    REDUCE,
    TAKE,
    TAKE_ALONG,
    UNARY,
    VIEW,
    WHERE,
    Kind,
    Node,
    Number,
    Op,
    Rule,
    elementwise_dtype,
    make,
    reduce_dtype,
    reduction,
    settle,
)
from onebuf.layout import View, broadcast_shapes
from onebuf.machine import CPU, Device
from onebuf.ops.allocation import place, pooled
from onebuf.ops.constant_folds import folded
from onebuf.ops.quiet import quiet_context, typed
from onebuf.options import options

Scalar = bool | int | float | complex
Loop = Callable[..., Any]
"""Compute an elementwise operation: (*operands, out)."""
Run = Callable[[Op, tuple[Any, ...], Any, Array], None]
"""Compute an operation: (op, operands, arg, out)."""

SCALARS = (bool, int, float, complex)
_SCALARS = frozenset(SCALARS)

_POW = BINARY["pow"]
_POSITIONS: dict[Op, Callable[..., Any]] = {
    REDUCE["argmax"]: np.ndarray.argmax,
    REDUCE["argmin"]: np.ndarray.argmin,
}
_MULTIPLY, _DIVIDE = BINARY["multiply"], BINARY["divide"]
_ALL, _ANY = REDUCE["all"], REDUCE["any"]
_loops: dict[Op, Loop] = {}
_complex_loops: dict[Op, Loop] = {}
_folds: dict[Op, Callable[..., Any]] = {}
_run: Run | None = None
_load: Callable[[], object] | None = None
_lifted: Callable[..., Node | None]
_folded: Callable[..., Node | None]
_ndarray = np.ndarray
_empty = np.empty


def install(
    loops: dict[Op, Loop],
    complex_loops: dict[Op, Loop],
    folds: dict[Op, Callable[..., Any]],
    run: Run,
) -> None:
    """Turn tier 0 on.

    ``loops`` take (*operands, out) for each elementwise op; ``complex_loops`` are those that
    complex numbers take instead; ``folds`` take (operand, axes, out, keepdims) for
    each reduction they know; ``run`` does everything else.
    """
    global _run, _load
    _loops.update(loops)
    _complex_loops.update(complex_loops)
    _folds.update(folds)
    _unary.cache_clear()
    _run = run
    _load = None


def install_late(load: Callable[[], object]) -> None:
    """Let ``load`` load the engine, which turns tier 0 on, when the first operation is applied."""
    global _load
    if _run is None:
        _load = load


def install_layouts(
    lifted: Callable[[Op, tuple[Node, ...], Any, tuple[int, ...], DT], Node | None],
    folded: Callable[[Op, Node, tuple[int, ...], tuple[int, ...], DT], Node | None],
) -> None:
    """Let ``lifted`` compute with views that have no strides, and ``folded`` reduce them.

    Both give None where a kernel is to read every element through the layout.
    """
    global _lifted, _folded
    _lifted, _folded = lifted, folded


@cache
def _unary(op: Op, operand: DT) -> tuple[DT, Loop | None]:
    """The dtype of ``op`` on an operand of this dtype, and the loop that computes it."""
    dtype = elementwise_dtype(op, operand)
    loop = _complex_loops.get(op) if operand.kind == "c" else None
    return dtype, loop or _loops.get(op)


def plain_loop(op: Op, operands: Sequence[DT], result: DT) -> Any:
    """NumPy's function that computes ``op`` as every tier does; None if it takes more than one."""
    if _load is not None:
        _load()
    is_complex = result.kind == "c" or any(dtype.kind == "c" for dtype in operands)
    if is_complex and op in _complex_loops:
        return None
    if op in _loops and (op is BINARY["maximum"] or op is BINARY["minimum"]):
        return _loops[op]  # which gives NumPy ``out`` by name
    if op is BINARY["floor_divide"] and result.kind in "iu":
        return np.floor_divide  # which the loop is, of integers
    loop = _loops.get(op)
    return loop if isinstance(loop, np.ufunc) else None


def unary(op: Op, x: Node) -> Node:
    """``op`` of every element of ``x``."""
    if _load is not None:
        _load()
    array = x.array
    if array is None and x.op is VIEW:
        array = settle(x)
    dtype, loop = _unary(op, x.dtype)
    if array is not None and array.nbytes <= options().eager_nbytes and loop is not None:
        result = place(x.shape, dtype, array.size)
        if listeners():
            _run_told(op, result, loop, array, result.array)
        else:
            quiet_context().run(loop, array, result.array)
        return result
    if x.op is VIEW and x.arg.__class__ is not View:
        found = _lifted(op, (x,), None, x.shape, dtype)
        if found is not None:
            return found
    return make(op, (x,), None, x.shape, dtype)


def binary(op: Op, x: Any, y: Any) -> Node:
    """``op`` of the elements of nodes ``x`` and ``y``, broadcast; one may be a Python scalar."""
    if _load is not None:
        _load()
    if y.__class__ in _SCALARS:
        return _with_scalar(op, x, y, False)
    if x.__class__ in _SCALARS:
        return _with_scalar(op, y, x, True)
    a = x.array
    b = y.array
    if a is None and x.op is VIEW:
        a = settle(x)
    if b is None and y.op is VIEW:
        b = settle(y)
    if x.dtype is not y.dtype and max(x.dtype.num, y.dtype.num) >= FIRST_ADDED:
        common = promote(x.dtype, y.dtype)
        return binary(op, cast(x, common), cast(y, common))
    dtype = elementwise_dtype(op, x.dtype, y.dtype)
    shape = x.shape
    if y.shape and shape != y.shape:
        try:
            shape = broadcast_shapes(shape, y.shape)
        except ShapeError as error:
            raise ShapeError(f"{op.name}: {error}") from None
    if a is not None and b is not None and op in _loops:
        limit = options().eager_nbytes
        if a.nbytes <= limit and b.nbytes <= limit:
            numel = a.size if shape is x.shape else prod(shape)
            return _now(op, a, b, shape, dtype, numel)
    is_structured = x.op is VIEW and x.arg.__class__ is not View
    if is_structured or (y.op is VIEW and y.arg.__class__ is not View):
        found = _lifted(op, (x, y), None, shape, dtype)
        if found is not None:
            return found
    return make(op, (x, y), None, shape, dtype)


def _now(op: Op, x: Any, y: Any, shape: tuple[int, ...], dtype: DT, numel: int) -> Node:
    """The result of an elementwise operation on two operands, computed at once."""
    result = place(shape, dtype, numel)
    loop = _loops[op]
    if (op is _MULTIPLY or op is _DIVIDE) and (dtype is complex64 or dtype is complex128):
        loop = _complex_loops.get(op, loop)
    if listeners():
        _run_told(op, result, loop, x, y, result.array)
    else:
        quiet_context().run(loop, x, y, result.array)
    return result


def _with_scalar(op: Op, x: Node, value: Any, reflected: bool) -> Node:
    """``op`` of every element of ``x`` and one Python scalar, which takes its type from ``x``."""
    if op is _POW and not reflected:
        plain = power(x.dtype, value)
        if plain is not None:
            return unary(plain, x)
    array = x.array
    if array is None and x.op is VIEW:
        array = settle(x)
    scalar_dtype = meet_scalar(x.dtype, value.__class__)
    if array is not None and array.nbytes <= options().eager_nbytes and op in _loops:
        dtype = elementwise_dtype(op, x.dtype, scalar_dtype)
        if scalar_dtype.num >= FIRST_ADDED:
            value = typed(value, scalar_dtype)
        one, two = (value, array) if reflected else (array, value)
        try:
            return _now(op, one, two, x.shape, dtype, array.size)
        except OverflowError:
            typed_scalar(value, scalar_dtype)
            raise
    other = _scalar_operand(op, value, scalar_dtype, x.dtype)
    return binary(op, other, x) if reflected else binary(op, x, other)


def power(dtype: DT, exponent: Any) -> Op | None:
    """The function that a power is, if it is one: as exact as can be, and ten times as fast.

    Those of complex numbers are NumPy's choice.
    """
    if exponent.__class__ not in (int, float):
        return None
    letter = kind(dtype)
    if exponent == 2 and letter in "fc":
        return UNARY["square"]
    return _COMPLEX_POWERS.get(exponent) if letter == "c" else None


_COMPLEX_POWERS = {0.5: UNARY["sqrt"], -1: UNARY["reciprocal"]}


def _scalar_operand(op: Op, value: Scalar, dtype: DT, other: DT) -> Node:
    try:
        return known_constant(value, dtype)
    except ScalarRangeError:
        if op.rule is Rule.BOOL:  # a comparison has an answer even where the type cannot hold it
            return constant((), value, np.asarray(value).dtype)
        result = elementwise_dtype(op, other, dtype)
        if kind(result) == "f":  # computed in floats, so that the number never meets the integers
            return constant((), value, result)
        raise


def known_constant(value: Scalar, dtype: DT) -> Node:
    """The node of a number, which programs meet again and again."""
    if value and value.__class__ is not complex:  # zeros differ in sign, and yet are equal
        return _nonzero_constant(value, dtype)
    return constant((), typed_scalar(value, dtype), dtype)


@lru_cache(100, typed=True)
def _nonzero_constant(value: Scalar, dtype: DT) -> Node:
    return constant((), typed_scalar(value, dtype), dtype)


def as_operand(x: Node | Scalar | None, dtype: DT, device: Device | None = CPU) -> Node:
    """``x`` as a node; a Python scalar takes its type from ``dtype``.

    ``device`` is where it is needed.
    """
    if isinstance(x, Node):
        return x
    assert x is not None
    scalar: type = type(x)
    wanted = meet_scalar(dtype, scalar)
    value = typed_scalar(x, wanted)
    return constant((), value, wanted) if device is not CPU else full_scalar(value, wanted)


def full_scalar(value: Scalar, dtype: DT) -> Node:
    """One value of shape (), stored."""
    return general(CONSTANT, (), typed(typed_scalar(value, dtype), dtype), (), dtype, device=None)


def ternary_where(condition: Node, x: Node, y: Node) -> Node:
    """``x`` where ``condition`` holds, else ``y``, broadcast."""
    if condition.dtype != bool_:
        raise DTypeError(
            f"where needs a condition of bool, got {condition.dtype.name}; compare it first, "
            f"as in x != 0"
        )
    dtype = elementwise_dtype(WHERE, condition.dtype, x.dtype, y.dtype)
    shape = broadcast_shapes(condition.shape, x.shape, y.shape)
    return general(WHERE, (condition, x, y), None, shape, dtype)


def cast(x: Node, dtype: DT) -> Node:
    """``x`` converted to ``dtype``; the same node if it has that type already."""
    if x.dtype == dtype:
        return x
    check_real(x.dtype, dtype)
    return general(CAST, (x,), dtype, x.shape, dtype)


def fold(
    op: Op, x: Node, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Node:
    """``x`` with the elements along ``axis`` folded into one."""
    if _load is not None:
        _load()
    try:
        axes, shape = reduction(op, x.shape, axis, keepdims)
    except OnebufError:
        raise
    except TypeError as error:
        raise ArgumentTypeError(
            f"{op.name} needs an axis as an integer, several as a tuple of them, or None for all; "
            f"got {axis!r}"
        ) from error
    dtype = reduce_dtype(op, x.dtype)
    array = x.array
    if array is None and x.op is VIEW:
        array = settle(x)
    if array is not None and array.nbytes <= _few_bytes(op, x.dtype) and op in _folds:
        if listeners():
            result = place(shape, dtype, prod(shape))
            _run_told(op, result, _folds[op], array, axes, result.array, keepdims)
            return result
        if shape:
            result = place(shape, dtype, prod(shape))
            quiet_context().run(_folds[op], array, axes, result.array, keepdims)
            return result
        one = _empty(shape, dtype)
        quiet_context().run(_folds[op], array, axes, one, keepdims)
        return Number.of(one[()], dtype)
    is_few = array is not None and array.size <= options().quick_numel
    if is_few and op in _POSITIONS and not keepdims and not listeners():
        found = _POSITIONS[op](array, axes[0] if len(axes) == 1 else None)
        return pooled(found) if shape else Number.of(found, dtype)
    if x.strided_base.op.kind is Kind.CONSTANT and (x.op is not VIEW or x.arg.mask is None):
        value = folded(op, x.base.arg, x.numel // (prod(shape) or 1), dtype)
        if value is not None:
            return general(FULL, (), value, shape, dtype, unique=True, device=x.device or CPU)
    if x.op is VIEW and x.arg.__class__ is not View:
        found = _folded(op, x, axes, shape, dtype)
        if found is not None:
            return found
    return general(op, (x,), (axes, keepdims), shape, dtype)


def _few_bytes(op: Op, dtype: DT) -> int:
    """Up to how many bytes are folded at once: of bools more, because NumPy ends where it knows."""
    found = options().eager_nbytes
    return found << 4 if dtype is bool_ and (op is _ALL or op is _ANY) else found


def general(
    op: Op,
    srcs: tuple[Node, ...],
    arg: Any,
    shape: tuple[int, ...],
    dtype: DT,
    unique: bool = False,
    device: Device | None = CPU,
) -> Node:
    """Any operation whose result's shape and dtype are known; without operands, on ``device``."""
    if _load is not None:
        _load()
    numel = prod(shape)
    is_small = numel * dtype.itemsize <= options().eager_nbytes and _run is not None
    if is_small and (device is CPU or device is None):
        arrays = small_arrays(srcs, op in _PICKS)
        if arrays is not None:
            result = place(shape, dtype, numel)
            if listeners():
                _run_told(op, result, _run, op, arrays, arg, result.array)  # type: ignore[arg-type]
            else:
                quiet_context().run(_run, op, arrays, arg, result.array)  # type: ignore[arg-type]
            return result
    for src in srcs:
        if src.op is VIEW and src.arg.__class__ is not View:
            found = _lifted(op, srcs, arg, shape, dtype)
            if found is not None:
                return found
            break
    return make(op, srcs, arg, shape, dtype, unique, device)


_PICKS = frozenset((TAKE, TAKE_ALONG))
"""Operations that read no more of their first operand than they give."""


def small_arrays(nodes: tuple[Node, ...], picks: bool = False) -> tuple[Array, ...] | None:
    """The elements of ``nodes`` if all are stored and few enough to compute with at once.

    If it only ``picks``, the first may have any number of elements.
    """
    limit = options().eager_nbytes
    if not limit:
        return None
    arrays: list[Array] = []
    for node in nodes:
        array = node.array
        if array is None:
            array = settle(node)
        if array is None or (array.nbytes > limit and not (picks and not arrays)):
            return None
        arrays.append(array)
    return tuple(arrays)


def constant(shape: tuple[int, ...], value: Any, dtype: DT) -> Node:
    """A pending node with one value everywhere."""
    return make(CONSTANT, (), typed(value, dtype), shape, dtype, device=None)


def _run_told(op: Op, result: Node, loop: Callable[..., Any], *args: Any) -> None:
    """Run ``loop`` and tell those who listen."""
    operands = [array for arg in args for array in (arg if arg.__class__ is tuple else (arg,))]
    sizes = [array.nbytes for array in operands if isinstance(array, np.ndarray)]
    written = result.nbytes
    run_told(op.name, (sum(sizes) - written, written), 0, quiet_context().run, loop, *args)
    if op is COPY:
        tell(events.Copied(written, "a copy of stored elements"))
