"""Recipes: what can compute the elements of a buffer, as seen from below.

`onebuf.OpGraph` is one. It is made of buffers' own parts and so lies above them; a buffer knows no
more of it than this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self, runtime_checkable

from onebuf.buffer.handle import Handle
from onebuf.errors import ArgumentTypeError


@runtime_checkable
class Recipe(Protocol):
    """What `Buffer.compute` takes."""

    def write_to(self, target: Any, inputs: Mapping[str, Any] | None, sink: Any) -> None:
        """Compute ``sink`` of ``inputs`` and write it to the elements of ``target``."""


class Computation(Handle):
    """Elements that a recipe computes."""

    __slots__ = ()

    def compute(self, graph: Recipe, inputs: Any = None, *, sink: Any = None, **named: Any) -> Self:
        """Write what an `onebuf.OpGraph` computes, of inputs by name, to this buffer's elements.

        >>> import onebuf
        >>> g = onebuf.OpGraph()
        >>> _ = g.operation("add", g.tensor("A", (2,), "int32"), g.tensor("B", (2,), "int32"))
        >>> onebuf.Buffer.zeros((2,), "int32").compute(g, A=[1, 2], B=[10, 20])
        Buffer([11, 22], shape=(2,), dtype=int32, device=CPU)
        """
        _write(self, graph, inputs, named, sink)
        return self


def _write(target: Any, recipe: Recipe, inputs: Any, named: Mapping[str, Any], sink: Any) -> None:
    """Let ``recipe`` write to ``target``; inputs come as a mapping, by name, or both."""
    if isinstance(recipe, type) or not isinstance(recipe, Recipe):
        raise ArgumentTypeError(f"compute needs an OpGraph, got {type(recipe).__name__}")
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ArgumentTypeError(
            f"inputs are a mapping from names to buffers, got {type(inputs).__name__}"
        )
    recipe.write_to(target, {**(inputs or {}), **named}, sink)
