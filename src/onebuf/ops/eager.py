"""Element-wise operations on a few stored elements, in as few steps of Python as there can be.

Most operations of most programs are these. NumPy computes them, in memory of the pool, if its loop
is the one that all tiers agree on: which one that is depends on the dtypes alone, and is looked up.
Everything else takes the long way, in `onebuf.ops.apply`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.dtypes import FIRST_ADDED, meet_scalar
from onebuf.graph import BINARY, UNARY, Element, Fresh, Node, Number, Op, elementwise_dtype
from onebuf.memory import POOL
from onebuf.ops.allocation import place
from onebuf.ops.apply import SCALARS, binary, plain_loop, power, unary
from onebuf.ops.quiet import quiet_context
from onebuf.quick import quick_limit

_SCALARS = frozenset(SCALARS)
_ndarray = np.ndarray
_shelves = POOL.shelves.by_kind
Known = tuple[Any, np.dtype[Any]]
"""NumPy's function, and the dtype of its result; None in place of the function: the long way."""


def pair(op: Op, swapped: bool = False) -> Callable[[Node, Any], Node]:
    """`onebuf.ops.binary` of ``op``, whose second operand may be a Python scalar.

    With ``swapped``, the second operand is on the left of the first.
    """
    known: dict[tuple[np.dtype[Any], Any], Known] = {}

    def later(x: Node, y: Any) -> Node:
        return binary(op, y, x) if swapped else binary(op, x, y)

    def compute(x: Node, y: Any) -> Node:
        a = x.array
        shape = x.shape
        kind = y.__class__
        if kind in _SCALARS:
            b, key, numel = y, (x.dtype, kind), 1
        elif kind is Element and x.dtype is y.dtype:
            b, key, numel = y.scalar, (x.dtype, y.dtype), 1
        else:
            b, key = y.array, (x.dtype, y.dtype)
            numel = 1 if b is None or y.shape == shape else b.size
        if a is None or b is None:
            return later(x, y)
        try:
            function, dtype = known[key]
        except KeyError:
            function, dtype = known[key] = known_loop(op, *key)
        if function is None or numel != 1 or a.size > quick_limit():
            return later(x, y)
        try:
            run = quiet_context().run
            if not shape:
                if function.__class__ is not np.ufunc:
                    return later(x, y)
                one = run(function, b, a) if swapped else run(function, a, b)
                return Number.of(one, dtype) if one.__class__ is not _ndarray else later(x, y)
            try:  # `place`, spelled out for speed
                node: Node = Fresh(_shelves[shape, dtype].pop(), shape, dtype)
            except (KeyError, IndexError):
                node = place(shape, dtype, a.size)
            if swapped:
                run(function, b, a, node.array)
            else:
                run(function, a, b, node.array)
        except (ValueError, OverflowError):
            return later(x, y)  # whose errors say more
        return node

    return compute


def single(op: Op) -> Callable[[Node], Node]:
    """`onebuf.ops.unary` of ``op``."""
    known: dict[np.dtype[Any], Known] = {}

    def compute(x: Node) -> Node:
        a = x.array
        if a is None or a.size > quick_limit():
            return unary(op, x)
        try:
            function, dtype = known[x.dtype]
        except KeyError:
            function, dtype = known[x.dtype] = known_loop(op, x.dtype)
        if function is None:
            return unary(op, x)
        if not x.shape:
            return Number.of(quiet_context().run(function, a), dtype)
        node = place(x.shape, dtype, a.size)
        quiet_context().run(function, a, node.array)
        return node

    return compute


def known_loop(op: Op, *operands: Any) -> Known:
    """What computes ``op`` on operands of these dtypes; a Python type stands for a scalar."""
    first, *others = operands
    dtypes = [first, *[meet_scalar(first, x) if x in _SCALARS else x for x in others]]
    if max(dtype.num for dtype in dtypes) >= FIRST_ADDED:
        return None, first
    dtype = elementwise_dtype(op, *dtypes)
    return plain_loop(op, dtypes, dtype), dtype


def _power(compute: Callable[[Node, Any], Node]) -> Callable[[Node, Any], Node]:
    """`pair` of a power, which may be a function of its base alone."""

    def computed(x: Node, y: Any) -> Node:
        plain = power(x.dtype, y)
        return compute(x, y) if plain is None else SINGLES[plain](x)

    return computed


SINGLES = {op: single(op) for op in UNARY.values()}
"""`single` of every operation."""
PAIRS = {op: pair(op) for op in BINARY.values()}
"""`pair` of every operation."""
SWAPPED = {op: pair(op, True) for op in BINARY.values()}
"""The same with operands in the other order."""
PAIRS[BINARY["pow"]] = _power(PAIRS[BINARY["pow"]])
