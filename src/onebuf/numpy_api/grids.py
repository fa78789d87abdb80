"""Grids and joins written with brackets: ``mgrid[0:3, 0:2]``, ``r_[1:4, 0]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.array_api.arguments import read_number
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.calls import NumpyCall, on_arrays


class Brackets:
    """One of NumPy's objects that are indexed in place of being called."""

    __slots__ = ("_theirs",)

    def __init__(self, theirs: Any) -> None:
        self._theirs = theirs

    def __getitem__(self, key: Any) -> Any:
        return on_arrays(Buffer, self._theirs.__getitem__, (_settled(key),), {})

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"<onebuf's {type(self._theirs).__name__}>"


def _settled(key: Any) -> Any:
    """``key`` with numbers in place of 0-d buffers in its slices."""
    if isinstance(key, tuple):
        return tuple([_settled(part) for part in key])
    if isinstance(key, slice):
        given = (key.start, key.stop, key.step)
        bounds = [read_number("a range", x) if isinstance(x, Buffer) else x for x in given]
        return slice(*bounds)
    return NumpyCall(Buffer).give(key) if isinstance(key, Buffer) else key


c_ = Brackets(np.c_)
index_exp = np.index_exp
mgrid = Brackets(np.mgrid)
ogrid = Brackets(np.ogrid)
r_ = Brackets(np.r_)
s_ = np.s_
