"""Small reductions: sums and products of few floats on NumPy's loops, with the bits of our kernels.

The order of a sum is part of its value (`onebuf.kernel.Fold`). Along the last axis, elements go to
16 float64 accumulators in turn, whose halves are then added to each other. Along other axes, rows
are added one after another. NumPy does the latter for every axis that is not contiguous in memory,
so both are reductions of a matrix over its rows. This takes a few microseconds more than a kernel,
and saves the tenth of a second that loading LLVM takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import Array

SHORT = 16
"""Rows of fewer elements than this are reduced many at a time."""
LANES = 16
MOST = 8192
"""Longer rows are reduced in chunks, by kernels."""


def fold_rows(function: np.ufunc, x: Array, out: Array) -> None:
    """Reduce each row of the matrix ``x`` into an element of ``out``, as a kernel does."""
    if x.dtype.kind == "c":
        _fold_parts(fold_rows, function, x, out)
        return
    count, extent = x.shape
    blocks = -(-extent // LANES)
    wide = np.full((count, blocks * LANES), _identity(function))
    wide[:, :extent] = x
    lanes = _over_rows(function, wide.reshape(count, blocks, LANES))
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = function(lanes[:, :half], lanes[:, half:])
    out[...] = lanes[:, 0]


def fold_columns(function: np.ufunc, x: Array, out: Array) -> None:
    """Combine the rows of the matrix ``x``, one after another, into ``out``."""
    if x.dtype.kind == "c":
        _fold_parts(fold_columns, function, x, out)
        return
    wide = np.empty((1, x.shape[0], max(x.shape[1], 2)))
    wide[0, :, : x.shape[1]] = x
    wide[0, :, x.shape[1] :] = 0.0
    out[...] = _over_rows(function, wide)[0, : x.shape[1]]


def _over_rows(function: np.ufunc, x: Array) -> Array:
    """Reduce the middle axis of contiguous float64. The last one is contiguous and longer than one,
    so that NumPy adds row by row."""
    return function.reduce(x, axis=1, initial=_identity(function))  # type: ignore[no-any-return]


def _fold_parts(fold: Any, function: np.ufunc, x: Array, out: Array) -> None:
    for part in ("real", "imag"):
        found = np.empty(out.shape, getattr(out, part).dtype)
        fold(function, getattr(x, part), found)
        getattr(out, part)[...] = found


def _identity(function: np.ufunc) -> float:
    return -0.0 if function is np.add else 1.0
