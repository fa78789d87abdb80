"""Einstein sums, made of views, products and sums.

An operand is reduced first: to its diagonals, and to sums over indices that no other operand has.
Then operands are combined in pairs, in an order that opt_einsum finds: by a matrix product where
an index is summed, else element by element. Every step is a node, so the sum is as lazy as its
parts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from onebuf.dtypes import bool as bool_
from onebuf.dtypes import promote
from onebuf.graph import BINARY, REDUCE, Node
from onebuf.late import Late
from onebuf.ops.apply import binary, cast
from onebuf.ops.contraction import matmul
from onebuf.ops.einstein.subscripts import Label, Labels, Summation, extents
from onebuf.ops.movement import diagonal, index, permute, reshape, view_of
from onebuf.ops.reduction import reduce
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.ops.einstein import path
else:
    path = Late("onebuf.ops.einstein.path")

MOST_OFFSETS = 64
"""Windows of more elements than this are copied and multiplied as a matrix."""


class Term(NamedTuple):
    """A value, and the label of each of its axes, no two the same."""

    labels: Labels
    node: Node


def einsum(summation: Summation, nodes: Sequence[Node], optimize: Any = True) -> Node:
    """The sum over every index that the result does not have, of the product of ``nodes``.

    ``optimize`` says in which order: True or a strategy of opt_einsum, False for the order given,
    or a path that opt_einsum or NumPy found.
    """
    sizes = extents(summation, [node.shape for node in nodes])
    dtype = promote(*[node.dtype for node in nodes])
    terms = [
        _without_ones(_diagonal(labels, cast(node, dtype)), sizes)
        for labels, node in zip(summation.inputs, nodes, strict=True)
    ]
    output = frozenset(summation.output)
    for positions in _path(terms, summation.output, optimize):
        chosen = [terms[position] for position in positions]
        terms = [term for position, term in enumerate(terms) if position not in positions]
        result = chosen[0]
        for place, other in enumerate(chosen[1:], 1):
            later = [*terms, *chosen[place + 1 :]]
            keep = output.union(*[term.labels for term in later])
            result = _product(result, other, keep)
        terms.append(result)
    (last,) = terms
    return _ordered(_summed(last, output), summation.output)


def _path(terms: Sequence[Term], output: Labels, optimize: Any) -> path.Path:
    """Which terms to take together, step by step; what comes of a step goes to the end."""
    count = len(terms)
    if count < 3:
        return [tuple(range(count))] if count == 2 else []
    # opt_einsum takes longer to import than onebuf does, and most sums have two operands.
    labels, shapes = [term.labels for term in terms], [term.node.shape for term in terms]
    return path.find(labels, shapes, output, optimize)


def _diagonal(labels: Labels, node: Node) -> Term:
    """The elements of ``node`` where axes of one label have one index."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            one = labels.index(label)
            two = labels.index(label, one + 1)
            node = diagonal(node, 0, one, two)
            labels = (*labels[:one], *labels[one + 1 : two], *labels[two + 1 :], label)
    return Term(labels, node)


def _without_ones(term: Term, sizes: dict[Label, int]) -> Term:
    """``term`` without the axes along which it only broadcasts."""
    labels, node = term
    kept = [axis for axis, label in enumerate(labels) if node.shape[axis] == sizes[label]]
    if len(kept) == len(labels):
        return term
    shape = [node.shape[axis] for axis in kept]
    return Term(tuple([labels[axis] for axis in kept]), reshape(node, shape))


def _product(x: Term, y: Term, keep: Collection[Label]) -> Term:
    """Two terms as one, without the indices that are not to be kept."""
    x = _summed(x, [*keep, *y.labels])
    y = _summed(y, [*keep, *x.labels])
    both = [label for label in x.labels if label in y.labels]
    batch = tuple([label for label in both if label in keep])
    inner = tuple([label for label in both if label not in keep])
    left = tuple([label for label in x.labels if label not in both])
    right = tuple([label for label in y.labels if label not in both])
    if not inner or (batch and not left and not right):
        wide = batch + inner + left + right
        node = binary(BINARY["multiply"], _spread(x, wide), _spread(y, wide))
        return _summed(Term(wide, node), batch + left + right)
    if _is_windows(x, inner) and not right:
        return _slid(x, y, batch, left, inner)
    if _is_windows(y, inner) and not left:
        return _slid(y, x, batch, right, inner)
    shapes = [[_size(x, y, label) for label in group] for group in (batch, left, inner, right)]
    rows, middle, columns = [prod(shape) for shape in shapes[1:]]
    one = _shaped(_ordered(x, batch + left + inner), (*shapes[0], rows, middle))
    two = _shaped(_ordered(y, batch + inner + right), (*shapes[0], middle, columns))
    node = _shaped(matmul(one, two), (*shapes[0], *shapes[1], *shapes[3]))
    return Term(batch + left + right, node)


def _shaped(node: Node, shape: tuple[int, ...]) -> Node:
    return node if node.shape == shape else reshape(node, shape)


def _is_windows(term: Term, inner: Labels) -> bool:
    """Whether a term is large and sees its elements many times, as sliding windows do, of few each.

    To multiply it as a matrix it would have to be copied, which makes it as many times as large.
    """
    node = term.node
    if node.numel <= options().eager_numel or node.dtype == bool_:
        return False
    count = prod([node.shape[term.labels.index(label)] for label in inner])
    return count <= MOST_OFFSETS and view_of(node).overlaps_itself


def _slid(x: Term, y: Term, batch: Labels, left: Labels, inner: Labels) -> Term:
    """The sum over ``inner`` of windows ``x`` times weights ``y``, one offset after another.

    Each offset is a view of the memory that the windows are of, so nothing is copied.
    """
    windows, weights = _ordered(x, batch + left + inner), _ordered(y, batch + inner)
    outer = [slice(None)] * (len(batch) + len(left))
    shape = [_size(x, y, label) for label in batch] + [1 for _ in left]
    total: Node | None = None
    for place in product(*[range(_size(x, y, label)) for label in inner]):
        weight = index(weights, (*outer[: len(batch)], *place, ...))
        part = index(windows, (*outer, *place))
        part = binary(BINARY["multiply"], part, reshape(weight, shape))
        total = part if total is None else binary(BINARY["add"], total, part)
    assert total is not None, "a window has elements"
    return Term(batch + left, total)


def _size(x: Term, y: Term, label: Label) -> int:
    term = x if label in x.labels else y
    return term.node.shape[term.labels.index(label)]


def _spread(term: Term, wide: Labels) -> Node:
    """``term`` with an axis for each of ``wide``, of extent 1 where it has none."""
    own = tuple([label for label in wide if label in term.labels])
    node = _ordered(term, own)
    shape = iter(node.shape)
    return reshape(node, [next(shape) if label in own else 1 for label in wide])


def _summed(term: Term, keep: Collection[Label]) -> Term:
    """``term`` summed over every index that is not in ``keep``; truths are summed to truths."""
    labels, node = term
    axes = tuple([axis for axis, label in enumerate(labels) if label not in keep])
    if not axes:
        return term
    op = REDUCE["any"] if node.dtype == bool_ else REDUCE["sum"]
    left = tuple([label for label in labels if label in keep])
    return Term(left, cast(reduce(op, node, axes), node.dtype))


def _ordered(term: Term, labels: Labels) -> Node:
    if term.labels == labels:
        return term.node
    return permute(term.node, [term.labels.index(label) for label in labels])
