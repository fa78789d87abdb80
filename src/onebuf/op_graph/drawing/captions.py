"""Captions: what a drawing says of a node, in characters that a terminal and XML can show.

Names may come from strangers. What does not print, turns the direction of text, or is no character
becomes ``\\ufffd``; long text is cut.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from onebuf.op_graph.vertices import OperationNode, TensorNode

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
MOST = 32
"""Characters of one piece of text."""


def printable(text: str, most: int = MOST) -> str:
    """``text`` without characters that do not print, cut to ``most``.

    >>> printable("a\\x1b[31m"), printable("x" * 50, 8)
    ('a\ufffd[31m', 'xxxxxxx…')
    """
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(["\ufffd" if unicodedata.category(one) in _HIDDEN else one for one in cut])


def width(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> width("abc"), width("日本")
    (3, 4)
    """
    return sum([1 + (unicodedata.east_asian_width(one) in "WF") for one in text])


def constant(tensor: TensorNode) -> str:
    """The value of a constant, as short as it reads back."""
    value: Any = tensor.value
    if isinstance(value, np.bool | np.integer):
        return str(value)
    text = repr(value)
    if text.startswith("np."):
        text = text.partition("(")[2].removesuffix(")")
    return text.strip("()") if isinstance(value, np.complexfloating) else text


def tensor_title(tensor: TensorNode) -> str:
    """A name, a constant's value, or a number."""
    return constant(tensor) if tensor.value is not None else printable(tensor.title)


def kind(tensor: TensorNode) -> str:
    """The dtype and the shape."""
    return printable(tensor.kind, 40)


def arguments(operation: OperationNode) -> str:
    """The static arguments, without those that say nothing."""
    shown = []
    for name, value in operation.arguments.items():
        if value is None or value is False:
            continue
        shown.append(f"{name}={_argument(value)}")
    return ", ".join(shown)


def _argument(value: Any) -> str:
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, np.generic):
        return str(value)
    if isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], int):
        return str(value[0])
    return str(value)
