"""Elements: an index that names one of them gives a number, apart from the buffer it was read from.

A number of a buffer on the host is read at once. If the elements are still to be computed they all
are, since programs that read one of them read others. Elsewhere than on the host a number is a copy
on the same device.
"""

from __future__ import annotations

from typing import Any

from onebuf.engine import is_here, read, realize
from onebuf.graph import Element, Node
from onebuf.ops import copied, index


def names_one(node: Node, key: Any) -> bool:
    """Whether a basic ``key`` names one element: a whole number for each axis, and nothing else.

    >>> import numpy as np
    >>> three = Element.of(3.0, np.dtype(float))
    >>> names_one(three, ()), names_one(three, ...)
    (True, False)
    """
    if key.__class__ is not tuple:
        return key.__class__ is int and len(node.shape) == 1
    if len(key) != len(node.shape):
        return False
    for part in key:  # noqa: SIM110 - half the time of all(...)
        if part.__class__ is not int:
            return False
    return True


def element(node: Node, key: Any) -> Node:
    """The number at ``key``, which names one element of ``node``."""
    if node.array is not None:
        try:
            return Element.of(node.array[key], node.dtype)
        except IndexError:
            pass  # the index says more
    one = index(node, key)
    if not is_here(node):
        return copied(one)
    if node.on_demand is None:
        realize([node.base])
    return Element.of(read(one)[()], node.dtype)
