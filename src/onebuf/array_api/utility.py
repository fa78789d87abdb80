"""Utility functions: truth of all or some, and differences."""

from __future__ import annotations

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, public, whole
from onebuf.array_api.manipulation import concat
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of
from onebuf.graph import REDUCE
from onebuf.layout import normalize_axis

Axes = int | tuple[int, ...] | None


@public
def all(x: Buffer, /, *, axis: Axes = None, keepdims: bool = False) -> Buffer:  # noqa: A001
    """Whether every element along ``axis`` is true."""
    return Buffer._value(ops.reduce(REDUCE["all"], node_of("all", x), axis, keepdims))


@public
def any(x: Buffer, /, *, axis: Axes = None, keepdims: bool = False) -> Buffer:  # noqa: A001
    """Whether some element along ``axis`` is true."""
    return Buffer._value(ops.reduce(REDUCE["any"], node_of("any", x), axis, keepdims))


@public
def diff(
    x: Buffer,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Buffer | None = None,
    append: Buffer | None = None,
) -> Buffer:
    """Each element less the one before it along ``axis``, ``n`` times over.

    >>> diff(Buffer([1, 4, 9, 16])).to_python()
    [3, 5, 7]
    """
    x, n = buffer_of("diff", x), whole("diff", "n", n, 0)
    axis = normalize_axis(axis, x.ndim, "diff")
    parts = [
        buffer_of("diff", part, argument)
        for argument, part in (("prepend", prepend), ("x", x), ("append", append))
        if part is not None
    ]
    result = concat(parts, axis=axis) if len(parts) > 1 else x.copy()
    front = (slice(None),) * axis
    for _ in range(n):
        later, earlier = result[(*front, slice(1, None))], result[(*front, slice(None, -1))]
        result = later != earlier if result.dtype == dtypes.bool else later - earlier
    return result
