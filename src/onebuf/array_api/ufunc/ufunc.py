"""Element-wise functions with NumPy's arguments and NumPy's methods.

Each is a plain function, as the standard has it, with the attributes of a ufunc: ``add.reduce``,
``add.at``, ``add.nin``. ``out`` and ``where`` go to the engine as one more node and one write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import check_cast, into, node_of
from onebuf.array_api.ufunc.methods import attach
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import operation
from onebuf.buffer.operators import operand
from onebuf.dtypes import as_dtype
from onebuf.engine import compute_into
from onebuf.errors import ArgumentTypeError
from onebuf.graph import Node, Op, elementwise_dtype
from onebuf.layout import broadcast_shapes
from onebuf.native import quick
from onebuf.ops import (
    PAIRS,
    SCALARS,
    SINGLES,
    SWAPPED,
    as_operand,
    binary,
    expand,
    ternary_where,
    unary,
)
from onebuf.ops import cast as cast_node

_SCALARS = frozenset(SCALARS)


class Ufunc(Protocol):
    """What all element-wise functions have besides being called."""

    __name__: str
    nin: int
    nout: int
    nargs: int
    ntypes: int
    types: list[str]
    identity: Any
    signature: str | None

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Buffer:
        """The operation between all elements along ``axis``."""

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Buffer:
        """The operation between each element and all before it along ``axis``."""

    def reduceat(
        self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Buffer:
        """`reduce` of the slices that start at ``indices``."""

    def outer(self, A: Any, B: Any, /, **kwargs: Any) -> Buffer:
        """The operation of every element of one operand with every element of another."""

    def at(self, a: Any, indices: Any, b: Any = None, /) -> None:
        """The operation in place at ``indices``, which may name an element more than once."""


class Function(Protocol):
    """A function of one operand that NumPy lacks, and so one without methods."""

    def __call__(
        self,
        x: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Buffer: ...


class Unary(Ufunc, Function, Protocol):
    """A function of one operand."""


class Binary(Ufunc, Protocol):
    """A function of two operands."""

    def __call__(
        self,
        x1: Any,
        x2: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Buffer: ...


def one_operand(op: Op) -> Unary:
    """The function that applies ``op`` to one operand."""

    compute = SINGLES[op]

    def function(
        x: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Any:
        node = x._node if x.__class__ is Buffer else node_of(op.name, x)
        if where is True and dtype is None:
            if out is None:
                return Buffer._value(compute(node))
            if _written_at_once(op, out, casting, node):
                return out
        return applied(op, (node,), out, where, casting, dtype)

    return cast(Unary, quick("one", operation(op))(named(function, op)))


def two_operands(op: Op) -> Binary:
    """The function that applies ``op`` to two operands."""

    compute, swapped = PAIRS[op], SWAPPED[op]

    def function(
        x1: Any,
        x2: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Any:
        one: Any = x1._node if x1.__class__ is Buffer else operand(x1)
        two: Any = x2._node if x2.__class__ is Buffer else operand(x2)
        if one is None:
            one = node_of(op.name, x1, "x1")
        if two is None:
            two = node_of(op.name, x2, "x2")
        if one.__class__ in _SCALARS:
            if two.__class__ in _SCALARS:
                one = node_of(op.name, one)
            elif out is None and where is True and dtype is None:
                return Buffer._value(swapped(two, one))
        if where is True and dtype is None:
            if out is None:
                return Buffer._value(compute(one, two))
            if _written_at_once(op, out, casting, one, two):
                return out
        return applied(op, (one, two), out, where, casting, dtype)

    return cast(Binary, quick("two", operation(op))(named(function, op)))


def _written_at_once(op: Op, out: Any, casting: str, *operands: Any) -> bool:
    """Whether ``op`` was computed straight into the memory of ``out``, in one pass."""
    if out.__class__ is not Buffer or casting != "same_kind":
        return False
    target = out._node
    if not target.shape:
        return False
    for x in operands:
        if x.__class__ not in _SCALARS and x.shape == target.shape:
            return compute_into(op, target, *operands)
    return False


def applied(
    op: Op, operands: tuple[Any, ...], out: Any, where: Any, casting: str, dtype: Any
) -> Any:
    """``op`` of ``operands``, in ``dtype``, where ``where`` holds, written to ``out``."""
    if dtype is not None:
        operands = _in_type(op, operands, as_dtype(dtype), casting)
    compute: Callable[..., Node] = unary if len(operands) == 1 else binary
    return chosen(op.name, compute(op, *operands), out, where, casting)


def chosen(name: str, result: Node, out: Any, where: Any, casting: str = "same_kind") -> Any:
    """``result`` where ``where`` holds, written to ``out``; elsewhere ``out`` keeps its own.

    Without an ``out``, elements that are not chosen have no particular value.
    """
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if where is True:
        return into(name, out, Buffer._value(result), casting)
    mask = cast_node(node_of(name, where, "where"), dtypes.bool)
    if out is None:
        shape = broadcast_shapes(result.shape, mask.shape)
        return Buffer._value(result if shape == result.shape else expand(result, shape))
    old = operand(out)
    if not isinstance(old, Node):
        raise ArgumentTypeError(f"{name} needs a buffer or None as out, got {type(out).__name__}")
    check_cast(name, result.dtype, old.dtype, casting)
    kept = ternary_where(mask, cast_node(result, old.dtype), old)
    return into(name, out, Buffer._value(kept), casting)


def _in_type(
    op: Op, operands: tuple[Any, ...], dtype: np.dtype[Any], casting: str
) -> tuple[Any, ...]:
    """``operands`` so that the operation computes, or at least gives, ``dtype``."""
    nodes = tuple([as_operand(x, dtype) for x in operands])
    given = elementwise_dtype(op, *[node.dtype for node in nodes])
    if given == dtype and (dtype == dtypes.bool or all(node.dtype == dtype for node in nodes)):
        return operands
    for node in nodes:
        check_cast(op.name, node.dtype, dtype, casting)
    return tuple([cast_node(node, dtype) for node in nodes])


def named(function: Callable[..., Any], op: Op) -> Callable[..., Any]:
    """``function`` under the name of ``op``, and with the attributes and methods of NumPy's."""
    function.__name__ = function.__qualname__ = op.name
    function.__module__ = "onebuf.array_api.elementwise"
    function.__doc__ = f"{op.name.replace('_', ' ').capitalize()}, element by element."
    if op.numpy is not None:
        attach(function, getattr(np, op.numpy))
    return function
