"""Views by strides, under NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import ops
from onebuf.array_api.arguments import buffer_of, public
from onebuf.array_api.manipulation import broadcast_arrays, broadcast_shapes, broadcast_to
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import ArgumentError
from onebuf.layout import normalize_axes, normalize_axis


@public
def sliding_window_view(
    x: Any,
    window_shape: Any,
    axis: Any = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Buffer:
    """Overlapping windows, whose elements form new last axes.

    >>> sliding_window_view([1, 2, 3, 4], 2).to_python()
    [[1, 2], [2, 3], [3, 4]]
    """
    windows = buffer_of("sliding_window_view", x)
    sizes = ops.as_shape(window_shape)
    if axis is None or isinstance(axis, int):
        axes = normalize_axes(axis, windows.ndim, "sliding_window_view")
    else:  # an axis may be there twice: windows of windows
        axes = tuple([normalize_axis(one, windows.ndim, "sliding_window_view") for one in axis])
    if len(sizes) != len(axes):
        raise ArgumentError(
            f"sliding_window_view needs a size of the window for each of {len(axes)} axes, got "
            f"{len(sizes)}"
        )
    for size, one in zip(sizes, axes, strict=True):
        windows = windows.sliding_window(size, one)
    return windows


@public
def as_strided(
    x: Any,
    shape: Any = None,
    strides: Any = None,
    subok: bool = False,
    writeable: bool = True,
) -> Buffer:
    """A view by extents and strides in bytes, which nothing checks: it may leave the memory."""
    named = {"shape": shape, "strides": strides, "writeable": writeable}
    return on_arrays(Buffer, np.lib.stride_tricks.as_strided, (x,), named)  # type: ignore[no-any-return]


__all__ = [
    "as_strided",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "sliding_window_view",
]
