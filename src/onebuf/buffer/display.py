"""Display: ``str``, ``format`` and ``repr`` of buffers, with values as NumPy prints them."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import Array


def values(array: Array) -> str:
    """The values alone, for ``str``; one number with all its digits, as NumPy's have."""
    return np.array2string(array) if array.ndim else str(array[()])


def formatted(array: Array, spec: str) -> str:
    """The values alone, each formatted as ``spec`` says.

    >>> formatted(np.array([[1.0, 2.5]]), ".2f")
    '[[1.00 2.50]]'
    """
    return np.array2string(array, formatter={"all": lambda value: format(value, spec)})


def describe(name: str, array: Array | None, pending: str, facts: dict[str, Any]) -> str:
    """The values, or what is still to be computed, and the facts; for ``repr``."""
    head = f"{name}("
    if array is None:
        body = f"<lazy {pending}>"
    else:
        body = np.array2string(array, separator=", ", prefix=head)
    rest = ", ".join(f"{key}={value}" for key, value in facts.items())
    last = body.rsplit("\n", 1)[-1]
    space = " " if len(last) + len(rest) + len(head) < 96 else "\n" + " " * len(head)
    return f"{head}{body},{space}{rest})"
