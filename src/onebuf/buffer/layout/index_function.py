"""The stored elements of a layout as a function of their index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onebuf.buffer.exchange.construction import as_node
from onebuf.buffer.handle import Handle, class_on
from onebuf.dtypes import kind
from onebuf.engine import moved, read
from onebuf.engine.run.layout_write import all_equal
from onebuf.errors import ArgumentError, LayoutError, ShapeError
from onebuf.graph import UNARY, Node
from onebuf.layout.layout import Layout
from onebuf.machine import CPU, Device
from onebuf.ops import expand, reshape, unary
from onebuf.ops.structured.index_nodes import ranges, representatives

Function = Callable[..., Any]


def stored_values(layout: Layout, function: Function, device: Device) -> Node:
    """``function`` of the index of each stored element.

    An error where it gives elements that the symmetry of the layout does not allow.
    """
    if layout.is_plain:
        return _values(function, ranges(layout.shape, device), layout.shape)
    storage = layout.arrangement.storage
    at = representatives(layout, device)
    found = _values(function, at, storage)
    for one in layout.group:
        if one.permutation.cycles:
            mirrored = _values(function, one.permutation.apply(at), storage)
            expected = found
            if one.conjugate and kind(found.dtype) == "c":
                expected = unary(UNARY["conj"], expected)
            if one.sign < 0:
                expected = unary(UNARY["negative"], expected)
            if not all_equal(mirrored, expected):
                raise LayoutError(
                    f"construct needs a function with the symmetry {layout.symmetry} of the "
                    f"layout, and this one does not have {one}; leave the symmetry out, or make "
                    f"the function symmetric"
                )
    return reshape(found, (layout.stored,))


def _values(function: Function, at: Sequence[Node], shape: tuple[int, ...]) -> Node:
    """``function`` of indices, in ``shape``."""
    indices = [class_on(node.device or CPU)._value(expand(node, shape)) for node in at]
    device = at[0].device if at else None
    try:
        node = as_node(function(*indices), None, None, {}, None)
    except (TypeError, ValueError, ArithmeticError) as error:
        node = _one_by_one(function, indices, shape, error)
    if device is not None:
        node = moved(node, device)
    try:
        return expand(node, shape)
    except ShapeError:
        raise ArgumentError(
            f"construct needs a function that gives one value for each index, of shape {shape} "
            f"here, got shape {node.shape}"
        ) from None


def _one_by_one(
    function: Function, indices: Sequence[Handle], shape: tuple[int, ...], error: Exception
) -> Node:
    """``function`` called with integers, for each element; it refused whole buffers."""
    columns = [read(index._node).reshape(-1).tolist() for index in indices]
    rows = zip(*columns, strict=True) if columns else [()]
    try:
        values = [function(*row) for row in rows]
        found = np.asarray(values)
    except Exception as second:
        raise second from error
    if found.dtype.kind not in "biufc" or found.ndim != 1:
        raise ArgumentError(
            f"construct needs a function that gives numbers, got {values[0]!r}"
        ) from error
    return as_node(found.reshape(shape), None, True, {}, None)
