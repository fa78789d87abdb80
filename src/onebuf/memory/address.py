"""Addresses of arrays, read from NumPy's C structure.

NumPy's two ways to ask take some microseconds, longer than adding two vectors. The native core
reads the field. Without it Python does: in every version of NumPy's C interface, an array begins
with the header of all Python objects, and then the address of its elements. If a check finds that
this does not hold here, NumPy is asked.
"""

from __future__ import annotations

import struct
import sys
from ctypes import c_char_p, c_void_p, cast
from typing import Any

import numpy as np

from onebuf.native import core

_HEADER = object.__basicsize__
_at = c_void_p.from_address


def _quick(array: np.ndarray[Any, Any]) -> int:
    return _at(id(array) + _HEADER).value or 0


def _slow(array: np.ndarray[Any, Any]) -> int:
    return array.ctypes.data


def _holds() -> bool:
    """Whether the quick way gives the right answer, also for views and for no elements."""
    if sys.implementation.name != "cpython":
        return False
    whole = np.arange(6.0)
    samples = (whole, whole[2:], whole[::-1], whole.reshape(2, 3).T, np.empty(0))
    return all(_quick(array) == _slow(array) for array in samples)


address_of = core.address_of if core is not None else _quick if _holds() else _slow
"""The address of the first element of an array."""


_START_OF_BYTES = bytes.__basicsize__ - 1


def _quick_bytes(block: bytes) -> int:
    return id(block) + _START_OF_BYTES


def _slow_bytes(block: bytes) -> int:
    return cast(c_char_p(block), c_void_p).value or 0


def _bytes_hold() -> bool:
    """Whether the interpreter keeps the bytes of a bytes object where CPython does."""
    block = struct.pack("2q", 1, 2)
    return sys.implementation.name == "cpython" and _quick_bytes(block) == _slow_bytes(block)


address_of_bytes = _quick_bytes if _bytes_hold() else _slow_bytes
"""The address of the first byte; the object must outlive its use."""


def address_of_bytes_text(block: str, at: str) -> str:
    """Code of Python for the address of ``block``, where ``at`` names `address_of_bytes`."""
    if address_of_bytes is _quick_bytes:
        return f"id({block}) + {_START_OF_BYTES}"
    return f"{at}({block})"
