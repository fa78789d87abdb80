"""Atomic actions: calls of C code that happen all, or not at all, as far as Python can see.

An exception can come from outside at almost any line of Python: a signal handler raises one
(Ctrl-C), or another thread sends one. CPython runs handlers between its own instructions only. So
calls that C code makes one after the other, with no instruction of Python in between, are
indivisible: a signal that arrives meanwhile is handled after the last of them.

The functions have to be C's, such as kernels, ``setattr`` and methods of built-in types.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import starmap
from operator import call
from typing import Any

Action = tuple[Callable[..., Any], *tuple[Any, ...]]
"""A function of C and its arguments."""


def perform(actions: Iterable[Action]) -> None:
    """Call one function after the other, with nothing in between.

    >>> numbers = []
    >>> perform([(numbers.append, 1), (numbers.extend, [2, 3])])
    >>> numbers
    [1, 2, 3]
    """
    deque(starmap(call, actions), maxlen=0)
