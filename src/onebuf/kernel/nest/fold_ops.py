"""Folding: with which operation a reduction combines two results, and what it starts with."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import kind
from onebuf.graph import BINARY, REDUCE, SCAN, Op

DT = np.dtype[Any]

_COMBINE = {
    REDUCE["sum"]: BINARY["add"],
    REDUCE["prod"]: BINARY["multiply"],
    REDUCE["max"]: BINARY["maximum"],
    REDUCE["min"]: BINARY["minimum"],
    REDUCE["all"]: BINARY["logical_and"],
    REDUCE["any"]: BINARY["logical_or"],
    SCAN["sum"]: BINARY["add"],
    SCAN["prod"]: BINARY["multiply"],
}


def combines(op: Op) -> bool:
    """Whether a reduction's result can be combined of the results of its parts."""
    return op in _COMBINE


def combining(op: Op) -> Op:
    """The operation of two accumulators.

    >>> combining(REDUCE["sum"])
    add
    """
    return _COMBINE[op]


def identity(op: Op, dtype: DT) -> np.generic:
    """What leaves every other element as it is.

    >>> float(identity(REDUCE["max"], np.dtype("float32")))
    -inf
    """
    letter = kind(dtype)
    value: Any
    if op is REDUCE["sum"] or op is SCAN["sum"]:
        value = -0.0 if letter == "f" else 0
    elif op in (REDUCE["prod"], SCAN["prod"], REDUCE["all"]):
        value = 1
    elif op is REDUCE["any"]:
        value = 0
    elif letter == "b":
        value = op is REDUCE["min"]
    elif letter == "f":
        value = -np.inf if op is REDUCE["max"] else np.inf
    else:
        info = np.iinfo(dtype)
        value = int(info.min if op is REDUCE["max"] else info.max)
    found: np.generic = dtype.type(value)
    return found
