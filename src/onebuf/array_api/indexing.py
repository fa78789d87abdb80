"""Indexing functions: elements taken by arrays of indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import ops
from onebuf.array_api.arguments import buffer_of, into, node_of, public
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import ArgumentError
from onebuf.layout import normalize_axis
from onebuf.ops.numpy import short_calls


@delegate(short_calls.take)
@public
def take(
    x: Any,
    indices: Any,
    /,
    axis: int | None = None,
    out: Any = None,
    mode: str = "raise",
) -> Buffer:
    """Slices of ``x`` along ``axis`` chosen by ``indices``, of the flat elements if it is None.

    ``mode`` says what becomes of an index out of bounds: "raise", "wrap" or "clip".
    """
    x = buffer_of("take", x)
    if mode not in ("raise", "wrap", "clip"):
        raise ArgumentError(f"take needs mode 'raise', 'wrap' or 'clip', got {mode!r}")
    if mode != "raise":
        found = on_arrays(Buffer, np.take, (x, indices, axis), {"mode": mode})
        return into("take", out, found)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = normalize_axis(axis, x.ndim, "take")
    places = node_of("take", indices, "indices")
    found = Buffer._value(ops.take(x._node, places, axis))
    return into("take", out, found)


@delegate(np.take_along_axis)
@public
def take_along_axis(x: Any, indices: Any, /, axis: int | None = -1) -> Buffer:
    """Elements of ``x`` chosen along ``axis`` by an index for each place.

    >>> take_along_axis(Buffer([[3, 1, 2]]), Buffer([[1, 2, 0]])).to_python()
    [[1, 2, 3]]
    """
    one, two = node_of("take_along_axis", x), node_of("take_along_axis", indices)
    if axis is None:
        one, axis = ops.reshape(one, (-1,)), 0
    return Buffer._value(ops.take_along_axis(one, two, axis))
