"""Reductions with NumPy's arguments, of buffers, arrays, numbers and nested sequences."""

from __future__ import annotations

from typing import Any

from onebuf.array_api.arguments import into, node_of
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.reduction import as_axes as as_axes
from onebuf.buffer.numpy.reduction import reduced as reduced_node


def reduced(
    name: str,
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Buffer:
    """The reduction called ``name`` of ``x``, by NumPy's arguments.

    >>> reduced("max", [3, 9, 4], initial=5, where=Buffer([True, False, True])).item()
    5
    """
    node = reduced_node(name, node_of(name, x), axis, dtype, keepdims, initial, where)
    result = Buffer._value(node)
    return result if out is None else into(name, out, result)
