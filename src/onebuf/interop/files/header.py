"""Header checks: sizes and names in a file's header, before they are used.

A file may be hostile. No size in a header leads to an allocation before it was compared with the
size of the file, and every fault is an error that starts with the file's path.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from math import prod
from os import PathLike
from typing import Any

import numpy as np

from onebuf.errors import FileFormatError

MAX_NDIM = 64
"""NumPy's limit, and so that of the windows we hand out."""

MAX_NBYTES = 2**63 - 1

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 80
_short.maxlist = _short.maxtuple = 10


def show(value: object) -> str:
    """``value`` as a message may quote it, however large it is.

    >>> show("a" * 1000)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"
    """
    try:
        return _short.repr(value)
    except ValueError:  # Python refuses to print integers beyond some thousand digits
        return "a number too long to print"


def fault(path: str | PathLike[str], problem: str) -> FileFormatError:
    """The error for a file that is not what it should be."""
    return FileFormatError(f"{path}: {problem}")


def check_shape(path: str | PathLike[str], shape: object, owner: str) -> tuple[int, ...]:
    """``shape`` as a tuple, if it is a list or tuple of extents that an array can have.

    >>> check_shape("a.npy", [2, 3], "the header")
    (2, 3)
    """
    if not isinstance(shape, list | tuple) or any(type(extent) is not int for extent in shape):
        raise fault(path, f"{owner} needs a shape of integers, got {show(shape)}")
    if len(shape) > MAX_NDIM:
        raise fault(path, f"{owner} claims {len(shape)} axes; at most {MAX_NDIM} are possible")
    if any(extent < 0 for extent in shape):
        raise fault(path, f"{owner} needs extents of 0 or more, got the shape {show(shape)}")
    return tuple(shape)


def count_nbytes(
    path: str | PathLike[str], shape: Sequence[int], dtype: np.dtype[Any], owner: str
) -> int:
    """Bytes that elements of this shape take, if an address space can hold them.

    Extents next to a 0 count too, because NumPy could not express their strides.
    """
    if prod(extent for extent in shape if extent) * dtype.itemsize > MAX_NBYTES:
        raise fault(
            path, f"{owner} claims {dtype} elements of shape {show(shape)}, beyond any memory"
        )
    return prod(shape) * dtype.itemsize
