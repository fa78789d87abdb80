"""Einstein sums, made of views, products and sums.

An operand is reduced first: to its diagonals, and to sums over indices that no other operand has.
Then operands are combined in pairs, in an order that opt_einsum finds: by a matrix product where
an index is summed, else element by element. Every step is a node, so the sum is as lazy as its
parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from onebuf.dtypes import promote
from onebuf.graph import Node
from onebuf.late import Late
from onebuf.ops.apply import cast
from onebuf.ops.einstein.pair import multiply
from onebuf.ops.einstein.plain import plain_product
from onebuf.ops.einstein.subscripts import Labels, Summation, extents
from onebuf.ops.einstein.term import Term, diagonals, ordered, summed, without_ones

if TYPE_CHECKING:
    from onebuf.ops.einstein import path
else:
    path = Late("onebuf.ops.einstein.path")


def einsum(summation: Summation, nodes: Sequence[Node], optimize: Any = True) -> Node:
    """The sum over every index that the result does not have, of the product of ``nodes``.

    ``optimize`` says in which order: True or a strategy of opt_einsum, False for the order given,
    or a path that opt_einsum or NumPy found.
    """
    if len(nodes) == 2:
        found = plain_product(summation, *nodes)
        if found is not None:
            return found
    sizes: Mapping[Any, int] = extents(summation, [node.shape for node in nodes])
    dtype = promote(*[node.dtype for node in nodes])
    terms = [
        without_ones(diagonals(labels, cast(node, dtype)), sizes)
        for labels, node in zip(summation.inputs, nodes, strict=True)
    ]
    return contract(terms, summation.output, optimize)


def contract(terms: Sequence[Term], output: Labels, optimize: Any = True) -> Node:
    """The same for ``terms`` of one dtype, in which a label has one extent."""
    left = list(terms)
    kept = frozenset(output)
    for positions in _path(terms, output, optimize):
        chosen = [left[position] for position in positions]
        left = [term for position, term in enumerate(left) if position not in positions]
        result = chosen[0]
        for place, other in enumerate(chosen[1:], 1):
            later = [term.labels for term in (*left, *chosen[place + 1 :])]
            result = multiply(result, other, kept.union(*later), output)
        left.append(result)
    (last,) = left
    return ordered(summed(last, kept), output)


def _path(terms: Sequence[Term], output: Labels, optimize: Any) -> path.Path:
    """Which terms to take together, step by step; what comes of a step goes to the end."""
    count = len(terms)
    if count < 3:
        return [tuple(range(count))] if count == 2 else []
    labels, shapes = [term.labels for term in terms], [term.node.shape for term in terms]
    if optimize is True and len({frozenset(one) for one in labels}) == 1:
        return [tuple(range(count))]  # element by element, any order is as good
    # opt_einsum takes longer to import than onebuf does, and most sums have two operands.
    return path.find(labels, shapes, output, optimize)
