"""Reductions with NumPy's arguments: ``out``, ``initial`` and ``where`` next to axes and dtype.

A mask makes left-out elements the identity of the operation, an initial value is one more operand
of it. Both are nodes of the graph, so that a masked sum is one kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer.exchange.construction import as_node
from onebuf.buffer.operators import operand
from onebuf.errors import ArgumentError, DTypeError
from onebuf.graph import BINARY, REDUCE, Node, reduce_dtype, reduction

Axes = int | tuple[int, ...] | None

_IDENTITIES: dict[str, Any] = {"sum": 0, "prod": 1, "all": True, "any": False}
_COMBINE = {
    "sum": BINARY["add"],
    "prod": BINARY["multiply"],
    "max": BINARY["maximum"],
    "min": BINARY["minimum"],
    "all": BINARY["logical_and"],
    "any": BINARY["logical_or"],
}
_ORDERED: dict[str, Any] = {
    "max": np.max,
    "min": np.min,
    "argmax": lambda x, axis, out, keepdims: np.argmax(x, axis, out, keepdims=keepdims),
    "argmin": lambda x, axis, out, keepdims: np.argmin(x, axis, out, keepdims=keepdims),
}
"""Reductions that need an order, which NumPy alone has for complex numbers."""


def reduced(
    name: str,
    node: Node,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Node:
    """The reduction called ``name`` of ``node``, by NumPy's arguments."""
    axis = as_axes(axis)
    if not node.shape and axis in (0, -1):
        axis = None  # NumPy's rule for a number
    if dtype is not None:
        node = ops.cast(node, dtypes.as_dtype(dtype))
    if where is not True:
        node = _masked(name, node, where, initial)
    if name in _ORDERED and dtypes.kind(node.dtype) == "c":
        result = of_complex(name, node, axis, keepdims)
    elif initial is not None and not node.numel:
        _, shape = reduction(REDUCE["sum"], node.shape, axis, keepdims)
        result = ops.full(shape, initial, reduce_dtype(REDUCE[name], node.dtype))
        initial = None
    else:
        result = ops.reduce(REDUCE[name], node, axis, keepdims)
    if initial is not None:
        result = ops.binary(_COMBINE[name], result, _operand(initial))
    return result if dtype is None else ops.cast(result, dtypes.as_dtype(dtype))


def _operand(value: Any) -> Any:
    found = operand(value)
    return as_node(value, None, None, {}, None) if found is None else found


def as_axes(axis: Any) -> Any:
    """NumPy's axis: an integer of any type, or a sequence of them."""
    if axis is None or axis.__class__ is int or axis.__class__ is tuple:
        return axis
    if isinstance(axis, np.integer):
        return int(axis)
    return tuple(axis) if isinstance(axis, list) else axis


def _masked(name: str, node: Node, where: Any, initial: Any) -> Node:
    """``node`` with the elements that ``where`` leaves out replaced by ones that change nothing."""
    identity = _IDENTITIES.get(name, initial)
    if identity is None:
        raise ArgumentError(
            f"{name} has no identity, so that a where= also needs initial=, got None; the result "
            f"where nothing is chosen"
        )
    mask = ops.as_operand(_operand(where), dtypes.bool, node.device)
    if dtypes.kind(mask.dtype) != "b":
        raise DTypeError(f"{name} needs a where of bool, got {mask.dtype.name}; compare it first")
    wide = (
        node if name in ("max", "min") else ops.cast(node, reduce_dtype(REDUCE[name], node.dtype))
    )
    return ops.ternary_where(mask, wide, ops.as_operand(identity, wide.dtype, wide.device))


def of_complex(name: str, node: Node, axis: Any, keepdims: bool) -> Node:
    """The extreme by real, then imaginary parts, as NumPy orders complex numbers."""
    op = REDUCE[name]
    axes, shape = reduction(op, node.shape, axis, keepdims)
    if name in ("argmax", "argmin"):
        along: Any = axes[0] if len(axes) == 1 and axis is not None else None
        dtype = dtypes.int64
    else:
        along, dtype = axes, node.dtype
    static = (along, None, keepdims)
    return ops.library(_ORDERED[name], (node,), static, shape, dtype, name)
