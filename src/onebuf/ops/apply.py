"""One operation applied: at once if its operands are stored and small, else as a pending node.

This is tier 0. Operations on small stored operands outnumber all others in real programs, and
their cost is overhead alone: so they go straight from the operands' arrays to a NumPy loop that
writes into pool memory, and no graph is kept. The loops come from the engine (`install`); without
it, everything here builds graphs and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from onebuf.dtypes import FIRST_ADDED, kind, meet_scalar, promote, typed_scalar
from onebuf.dtypes import bool as bool_
from onebuf.errors import ArgumentTypeError, DTypeError, ScalarRangeError
from onebuf.events import Allocated, Copied, KernelRan, listeners, tell
from onebuf.graph import (
    BINARY,
    CAST,
    CONSTANT,
    COPY,
    VIEW,
    WHERE,
    Fresh,
    Leaf,
    Node,
    Op,
    elementwise_dtype,
    make,
    reduce_dtype,
    reduction,
    settle,
)
from onebuf.layout import broadcast_shapes
from onebuf.memory import POOL, Block, Cell
from onebuf.ops.quiet import quiet_context
from onebuf.options import options

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]
Scalar = bool | int | float | complex
Run = Callable[[Op, tuple[Any, ...], Any, Array], None]
"""Compute an operation: (op, operands, arg, out)."""

SCALARS = (bool, int, float, complex)
_SCALARS = frozenset(SCALARS)

_TO_BOOL = {
    BINARY[name]
    for name in (
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
        *("logical_and", "logical_or", "logical_xor"),
    )
}

_loops: dict[Op, Callable[..., Any]] = {}
_run: Run | None = None
_allocate = POOL.allocate
_new_cell = POOL.cell
_shelves = POOL.shelves.by_kind
_ndarray = np.ndarray


def install(loops: dict[Op, Callable[..., Any]], run: Run) -> None:
    """Turn tier 0 on: ``loops`` take (*operands, out) for each elementwise op, ``run`` the rest."""
    global _run
    _loops.update(loops)
    _run = run


def new_array(shape: tuple[int, ...], dtype: DT) -> tuple[Array, Block]:
    """Uninitialised elements in a block of their own."""
    block = _allocate(prod(shape) * dtype.itemsize)
    return _ndarray(shape, dtype, block.memory, block.offset_bytes), block


def unary(op: Op, x: Node) -> Node:
    """``op`` of every element of ``x``."""
    array = x.array
    if array is None and x.op is VIEW:
        array = settle(x)
    dtype = elementwise_dtype(op, x.dtype)
    if array is not None and array.size <= options().eager_numel and op in _loops:
        return _now(op, array, None, x.shape, dtype, array.size)
    return make(op, (x,), None, x.shape, dtype)


def binary(op: Op, x: Any, y: Any) -> Node:
    """``op`` of the elements of nodes ``x`` and ``y``, broadcast; one may be a Python scalar."""
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
    if shape != y.shape:
        shape = broadcast_shapes(shape, y.shape)
    if a is not None and b is not None and op in _loops:
        limit = options().eager_numel
        if a.size <= limit and b.size <= limit:
            numel = a.size if shape is x.shape else prod(shape)
            return _now(op, a, b, shape, dtype, numel)
    return make(op, (x, y), None, shape, dtype)


def _now(op: Op, x: Any, y: Any, shape: tuple[int, ...], dtype: DT, numel: int) -> Node:
    """The result of an elementwise operation, computed at once; ``y`` is None if it takes one."""
    cell: Cell | None
    try:
        cell = reused = _shelves[shape, dtype].pop()
    except (KeyError, IndexError):
        cell = _new_cell(shape, dtype, numel * dtype.itemsize)
        reused = None
    if cell is not None:
        out = cell[0]
        result: Node = Fresh(cell, shape, dtype)
    else:
        out, block = new_array(shape, dtype)
        result = Leaf(out, block)
    if y is None:
        quiet_context().run(_loops[op], x, out)
    else:
        quiet_context().run(_loops[op], x, y, out)
    if listeners():
        if reused is not None:
            tell(Allocated(reused.chunk.nbytes, POOL.stats().in_use))
        _tell(op, out)
    return result


def _with_scalar(op: Op, x: Node, value: Any, reflected: bool) -> Node:
    """``op`` of every element of ``x`` and one Python scalar, which takes its type from ``x``."""
    array = x.array
    if array is None and x.op is VIEW:
        array = settle(x)
    scalar_dtype = meet_scalar(x.dtype, value.__class__)
    if array is not None and array.size <= options().eager_numel and op in _loops:
        dtype = elementwise_dtype(op, x.dtype, scalar_dtype)
        if scalar_dtype.num >= FIRST_ADDED:
            value = scalar_dtype.type(value)
        one, two = (value, array) if reflected else (array, value)
        try:
            return _now(op, one, two, x.shape, dtype, array.size)
        except OverflowError:
            typed_scalar(value, scalar_dtype)
            raise
    other = _scalar_operand(op, value, scalar_dtype, x.dtype)
    return binary(op, other, x) if reflected else binary(op, x, other)


def _scalar_operand(op: Op, value: Scalar, dtype: DT, other: DT) -> Node:
    try:
        return constant((), typed_scalar(value, dtype), dtype)
    except ScalarRangeError:
        if op in _TO_BOOL:  # a comparison has an answer even where the type cannot hold it
            return constant((), value, np.asarray(value).dtype)
        result = elementwise_dtype(op, other, dtype)
        if kind(result) == "f":  # computed in floats, so that the number never meets the integers
            return constant((), value, result)
        raise


def as_operand(x: Node | Scalar | None, dtype: DT) -> Node:
    """``x`` as a node; a Python scalar takes its type from ``dtype``."""
    if isinstance(x, Node):
        return x
    assert x is not None
    scalar: type = type(x)
    return full_scalar(x, meet_scalar(dtype, scalar))


def full_scalar(value: Scalar, dtype: DT) -> Node:
    """One value of shape (), stored."""
    return general(CONSTANT, (), dtype.type(typed_scalar(value, dtype)), (), dtype)


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
    return general(CAST, (x,), dtype, x.shape, dtype)


def reduce(
    op: Op, x: Node, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Node:
    """``x`` with the elements along ``axis`` folded into one."""
    try:
        axes, shape = reduction(op, x.shape, axis, keepdims)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{op.name} needs an axis as an integer, several as a tuple of them, or None for all; "
            f"got {axis!r}"
        ) from error
    dtype = reduce_dtype(op, x.dtype)
    return general(op, (x,), (axes, keepdims), shape, dtype)


def general(
    op: Op,
    srcs: tuple[Node, ...],
    arg: Any,
    shape: tuple[int, ...],
    dtype: DT,
    unique: bool = False,
) -> Node:
    """Any operation whose result's shape and dtype are known."""
    limit = options().eager_numel
    if _run is not None and limit and is_small(shape, limit):
        arrays = []
        for src in srcs:
            array = src.array
            if array is None:
                array = settle(src)
            if array is None or array.size > limit:
                break
            arrays.append(array)
        else:
            out, block = new_array(shape, dtype)
            quiet_context().run(_run, op, tuple(arrays), arg, out)
            if listeners():
                _tell(op, out)
            return Leaf(out, block)
    return make(op, srcs, arg, shape, dtype, unique=unique)


def is_small(shape: tuple[int, ...], limit: int) -> bool:
    """Whether ``shape`` has at most ``limit`` elements."""
    return prod(shape) <= limit


def constant(shape: tuple[int, ...], value: Any, dtype: DT) -> Node:
    """A pending node with one value everywhere."""
    return make(CONSTANT, (), dtype.type(value), shape, dtype)


def _tell(op: Op, out: Array) -> None:
    tell(KernelRan(op.name, out.nbytes, 0.0, 0))
    if op is COPY:
        tell(Copied(out.nbytes, "a copy of stored elements"))
