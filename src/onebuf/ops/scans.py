"""Scans (prefix sums and products): every element combined with all before it along an axis."""

from __future__ import annotations

from onebuf.graph import SCAN, Node
from onebuf.ops.apply import general
from onebuf.ops.movement import pad

_STARTS = {"sum": 0, "prod": 1}


def scan(name: str, x: Node, axis: int, initial: bool = False) -> Node:
    """The running "sum" or "prod" of ``x`` along ``axis``, in its dtype.

    ``initial``: that of no elements comes first.
    """
    running = general(SCAN[name], (x,), axis, x.shape, x.dtype)
    if not initial:
        return running
    widths = [(int(place == axis), 0) for place in range(len(x.shape))]
    return pad(running, widths, _STARTS[name])
