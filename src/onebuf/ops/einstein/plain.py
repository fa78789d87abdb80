"""Plain products: sums that are one product of two vectors or matrices, as most are.

What `onebuf.ops.einstein.pair` finds out step by step is known of these by their labels alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from onebuf.dtypes import bool as bool_
from onebuf.graph import Node
from onebuf.ops.contraction import matmul
from onebuf.ops.einstein.subscripts import Label, Labels, Summation
from onebuf.ops.movement import permute


class Product(NamedTuple):
    """How two operands become the factors of a matrix product."""

    is_swapped: bool
    """Whether the second operand is the left factor."""
    turns_left: bool
    turns_right: bool
    """Whether a factor is the transpose of its operand."""


def plain_product(summation: Summation, x: Node, y: Node) -> Node | None:
    """The sum, if it is a product of vectors or matrices of one dtype that lie in memory."""
    how = _product(summation.inputs, summation.output)
    if how is None or x.dtype != y.dtype or x.dtype == bool_:
        return None
    if not (x.has_strides and y.has_strides) or 1 in x.shape or 1 in y.shape:
        return None
    if not (_lies_apart(x) and _lies_apart(y)):
        return None
    left, right = (y, x) if how.is_swapped else (x, y)
    left = permute(left, (1, 0)) if how.turns_left else left
    right = permute(right, (1, 0)) if how.turns_right else right
    return matmul(left, right) if left.shape[-1] == right.shape[0] else None


def _lies_apart(node: Node) -> bool:
    """Whether the elements of an operand are known to be apart: not those of windows."""
    array = node.array
    return array is not None and array.flags.forc


@lru_cache(4096)
def _product(inputs: tuple[Labels, ...], output: Labels) -> Product | None:
    """How a sum is a product, by its labels alone; None: it is none.

    >>> _product((("i", "j"), ("k", "j")), ("i", "k"))
    Product(is_swapped=False, turns_left=False, turns_right=True)
    >>> _product((("i", "j"), ("i", "j")), ("i",)) is None
    True
    """
    one, two = inputs
    inner = [label for label in one if label in two]
    if len(inner) != 1 or inner[0] in output:
        return None
    if any(not 0 < len(labels) <= 2 or len({*labels}) < len(labels) for labels in inputs):
        return None
    label = inner[0]
    free = [_free(labels, label) for labels in inputs]
    if tuple(free[0] + free[1]) == output:
        left, right = inputs
    elif tuple(free[1] + free[0]) == output:
        right, left = inputs
    else:
        return None
    return Product(left is not one, left[-1] != label, right[0] != label)


def _free(labels: Labels, inner: Label) -> list[Label]:
    return [label for label in labels if label != inner]
