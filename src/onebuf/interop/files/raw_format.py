"""Raw files: elements without a header; the caller gives dtype and shape."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from onebuf.dtypes import BY_NAME, as_dtype, uint8
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError
from onebuf.interop.files.header import count_nbytes, fault, show
from onebuf.interop.held import Held
from onebuf.layout import View
from onebuf.memory import Mode, map_file


def open_raw(
    path: str | os.PathLike[str],
    mode: Mode = "r",
    dtype: Any = uint8,
    shape: int | Sequence[int] | None = None,
    offset_bytes: int = 0,
) -> Held:
    """Map a file, from ``offset_bytes`` to its end, as elements of ``dtype``.

    They must fill it exactly. One extent of ``shape`` may be -1, for as many as there are;
    without a shape the result has one axis.
    """
    dtype = _native(dtype)
    extents = _extents((-1,) if shape is None else shape)
    start_bytes = index(offset_bytes)
    if start_bytes < 0:
        raise ArgumentError(f"offset_bytes needs 0 or more, got {start_bytes}")
    whole = map_file(path, mode)
    available = whole.nbytes - start_bytes
    if available < 0:
        raise fault(
            path, f"needed elements from byte {start_bytes} on, but it ends at {whole.nbytes}"
        )
    extents = _infer(path, extents, dtype, available)
    nbytes = count_nbytes(path, extents, dtype, "the shape asked for")
    if nbytes != available:
        raise fault(
            path,
            f"{dtype} elements of shape {show(extents)} take {nbytes} bytes, but {available} are "
            f"there from byte {start_bytes} on; give the shape and offset_bytes that it has",
        )
    return Held(whole.part(start_bytes, nbytes), dtype, View.contiguous(extents))


def _native(spec: Any) -> np.dtype[Any]:
    dtype = as_dtype(spec)
    is_name = isinstance(spec, str) and spec in BY_NAME
    if not is_name and not np.dtype(spec).isnative:
        raise DTypeError(
            f"raw memory needs elements in this machine's byte order, got {spec!r}; "
            f"open it as {dtype.name} and swap the bytes of a copy: np.array(...).byteswap()"
        )
    return dtype


def _extents(shape: int | Sequence[int]) -> tuple[int, ...]:
    try:
        extents = (
            tuple(index(extent) for extent in shape)
            if isinstance(shape, Iterable)
            else (index(shape),)
        )
    except TypeError:
        raise ArgumentTypeError(f"shape needs integers, got {show(shape)}") from None
    known = [extent for extent in extents if extent != -1]
    if len(extents) - len(known) > 1 or any(extent < 0 for extent in known):
        raise ArgumentError(
            f"shape needs extents of 0 or more, and at most one -1; got {show(extents)}"
        )
    if len(known) < len(extents) and 0 in known:
        raise ArgumentError(f"the -1 in shape {show(extents)} could be anything; say what it is")
    return extents


def _infer(
    path: str | os.PathLike[str], extents: tuple[int, ...], dtype: np.dtype[Any], available: int
) -> tuple[int, ...]:
    """``extents`` with -1 replaced by what fills ``available`` bytes."""
    if -1 not in extents:
        return extents
    row_nbytes = prod(extent for extent in extents if extent != -1) * dtype.itemsize
    if available % row_nbytes:
        raise fault(
            path,
            f"needed a multiple of {row_nbytes} bytes ({dtype} elements, shape {show(extents)}), "
            f"got {available}; the file is truncated or holds something else",
        )
    return tuple(available // row_nbytes if extent == -1 else extent for extent in extents)
