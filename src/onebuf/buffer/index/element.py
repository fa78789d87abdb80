"""Scalar indexing: an index of one element gives a number, independent of the buffer.

On the host, the number is read at once. If the buffer is pending, all of it is computed, since
programs that read one element read others. On another device the number is a copy there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onebuf.graph import Element, Node
from onebuf.late import Late
from onebuf.ops import copied, index

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")


def names_one(node: Node, key: Any) -> bool:
    """Whether a basic ``key`` names one element: an integer for each axis, and nothing else.

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
    if not engine.is_here(node):
        return copied(one)
    if not engine.is_part(one):
        engine.realize([node.base])
    return Element.of(engine.read(one)[()], node.dtype)
