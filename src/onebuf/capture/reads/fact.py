"""Facts: what code that ran could know of the values that it reached."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from onebuf.capture.reads.path import Path


class Check(Enum):
    """What a fact says of the value at its path, and what its ``expected`` is."""

    VALUE = "is the same value"
    IDENTITY = "is the same object"
    SAME = "is the object that another path leads to"
    CLASS = "is of the same class"
    LENGTH = "has the same number of elements"
    KEYS = "has the same keys in the same order"
    ATTRIBUTES = "is a dict of the same attributes in the same order"
    SET = "is a set of the same values"
    CONTENT = "has the same content"
    FUNCTION = "is a function with the same code"
    BUFFER = "is a buffer with the same layout"
    NO_GLOBAL = "is no global"
    NO_ATTRIBUTE = "is no attribute"
    NO_CONTENT = "is a cell without a value"


class Fact(NamedTuple):
    """One thing that was true of the value at ``path``; parents come before what is inside."""

    path: Path
    check: Check
    expected: Any
