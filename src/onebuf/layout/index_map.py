"""Index maps: where the element at an index is, whether it is there, and with which sign.

An `IndexMap` is pure arithmetic: it knows neither memory nor devices nor dtypes. All that a load
asks of one is `IndexMap.place`, so a new layout is a class in this folder and nothing else: the
tracer turns the answer into steps, and kernels, renderers and devices never learn its name.

The cheapest answer is a `onebuf.layout.View`, the strided layout: a kernel reads it through strides
and needs no index arithmetic. Code that can use strides alone asks ``isinstance(layout, View)``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.layout import expression
    from onebuf.layout.expression import Expression
else:
    expression = Late("onebuf.layout.expression")


class Place(NamedTuple):
    """What an index map says of the element at an index."""

    position: Expression
    """Its position in flat memory."""
    condition: Expression | None = None
    """Where there is an element; None: everywhere. The position may be anything elsewhere."""
    elsewhere: complex = 0
    """The value where there is none."""
    negated: Expression | None = None
    """Where the element is the stored one with the opposite sign."""
    conjugated: Expression | None = None
    """Where the element is the complex conjugate of the stored one."""


def strided_place(
    index: Sequence[Expression], stride: Sequence[int], offset: int, condition: Expression | None
) -> Place:
    """The place of the element at ``index`` in a strided layout."""
    terms = [i * step for i, step in zip(index, stride, strict=True)]
    return Place(sum(terms, expression.expression(offset)), condition)


class IndexMap(Protocol):
    """How the indices of a buffer lead to its elements.

    Index maps are immutable and hashable, and equal only if they place every element alike.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the indices."""

    @property
    def span(self) -> tuple[int, int]:
        """The lowest position of an element, and one past the highest."""

    @property
    def key(self) -> Hashable:
        """All that a kernel which reads through the layout depends on; often the layout itself."""

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is; there is one expression for each axis."""
