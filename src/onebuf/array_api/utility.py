"""Utility functions: truth of all or some, and differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import buffer_of, public, whole
from onebuf.array_api.manipulation import concat
from onebuf.array_api.ufunc.reduction import reduced
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.layout import normalize_axis
from onebuf.native import quick

Axes = int | tuple[int, ...] | None


@quick("all")
@public
def all(  # noqa: A001
    x: Any, /, axis: Axes = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Buffer:
    """Whether every element along ``axis`` is true."""
    return reduced("all", x, axis, None, out, keepdims, None, where)


@quick("any")
@public
def any(  # noqa: A001
    x: Any, /, axis: Axes = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Buffer:
    """Whether some element along ``axis`` is true."""
    return reduced("any", x, axis, None, out, keepdims, None, where)


@delegate(np.diff)
@public
def diff(
    x: Any,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,
    append: Any = None,
) -> Buffer:
    """Each element less the one before it along ``axis``, ``n`` times over.

    >>> diff(Buffer([1, 4, 9, 16])).to_python()
    [3, 5, 7]
    """
    x, n = buffer_of("diff", x), whole("diff", "n", n, 0)
    axis = normalize_axis(axis, x.ndim, "diff")
    parts = [
        _border(part, x, axis, argument)
        for argument, part in (("prepend", prepend), ("x", x), ("append", append))
        if part is not None
    ]
    result = concat(parts, axis=axis) if len(parts) > 1 else x
    if n == 0:
        return result.copy() if result is x else result
    front = (slice(None),) * axis
    for _ in range(n):
        later, earlier = result[(*front, slice(1, None))], result[(*front, slice(None, -1))]
        result = later != earlier if result.dtype == dtypes.bool else later - earlier
    return result


def _border(part: Any, x: Buffer, axis: int, argument: str) -> Buffer:
    """What `diff` puts before or after ``x``; one number stands for a slice of it."""
    buffer = buffer_of("diff", part, argument)
    if part is x or buffer.shape:
        return buffer
    return buffer.expand((*x.shape[:axis], 1, *x.shape[axis + 1 :]))
