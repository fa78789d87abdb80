"""Reductions along any axes; axes that are not adjacent in memory are made one axis first."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from onebuf.graph import Node, Op, reduction
from onebuf.ops.apply import fold
from onebuf.ops.movement import permute, reshape

Axis = int | tuple[int, ...] | None


def reduce(op: Op, x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """``x`` with the elements along ``axis`` reduced to one."""
    device = x.device
    if device is None or device.has_operations or len(x.shape) < 2:
        return fold(op, x, axis, keepdims)
    if axis is not None and not isinstance(axis, tuple):
        return fold(op, x, axis, keepdims)
    try:
        axes, shape = reduction(op, x.shape, axis, keepdims)
    except TypeError:
        return fold(op, x, axis, keepdims)  # which says what an axis has to be
    if not x.numel or _is_one_run(x, axes):
        return fold(op, x, axis, keepdims)
    kept = [n for n in range(len(x.shape)) if n not in axes]
    extent = prod([x.shape[n] for n in axes])
    rows = reshape(permute(x, (*kept, *axes)), (*[x.shape[n] for n in kept], extent))
    return reshape(fold(op, rows, len(kept)), shape)


def _is_one_run(x: Node, axes: tuple[int, ...]) -> bool:
    """Whether ``axes`` follow one another, in the shape and in memory."""
    long = [n for n in axes if x.shape[n] > 1]
    between = range(min(long, default=0), max(long, default=0) + 1)
    if any(x.shape[n] > 1 and n not in axes for n in between):
        return False
    stride = x.view.stride
    return all(stride[one] == stride[two] * x.shape[two] for one, two in pairwise(long))
