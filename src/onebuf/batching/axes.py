"""Axes of a pytree of arguments or results: which axis of each leaf counts the examples.

Axes are a pytree, too, as deep as is needed: an integer or None stands for all leaves below it.
"""

from __future__ import annotations

from operator import index as as_int
from typing import Any

from onebuf import pytree
from onebuf.errors import ArgumentError, ArgumentTypeError

Axis = int | None


def axes_of(axes: Any, tree: Any, what: str) -> list[Axis]:
    """The axis of each leaf of ``tree``, from left to right; ``what`` is the name of ``axes``.

    >>> axes_of((0, {"w": None, "b": 1}), ("x", {"w": ["y", "z"], "b": "u"}), "in_axes")
    [0, None, None, 1]
    """
    if axes is None:
        return [None] * _count(tree)
    container = pytree.container_of(axes)
    if container is None:
        try:
            return [as_int(axes)] * _count(tree)
        except TypeError:
            raise ArgumentTypeError(
                f"vmap needs {what} of integers and None, in containers like those of what they "
                f"are for; got {axes!r}"
            ) from None
    if axes.__class__ is not tree.__class__:
        raise _misfit(axes, tree, what)
    if isinstance(axes, dict):
        if axes.keys() != tree.keys():
            raise _misfit(axes, tree, what)
        pairs = [(axes[key], child) for key, child in tree.items()]
    else:
        (one, static), (two, other) = container.to_children(axes), container.to_children(tree)
        ones, twos = list(one), list(two)
        if static != other or len(ones) != len(twos):
            raise _misfit(axes, tree, what)
        pairs = list(zip(ones, twos, strict=True))
    return [axis for part, child in pairs for axis in axes_of(part, child, what)]


def _count(tree: Any) -> int:
    return pytree.flatten(tree)[1].count


def _misfit(axes: Any, tree: Any, what: str) -> ArgumentError:
    structure = pytree.flatten(tree)[1]
    return ArgumentError(
        f"vmap needs {what} with the structure of what they are for, {structure}, or a part of it "
        f"from the top, got {axes!r}; an integer or None stands for everything below it"
    )
