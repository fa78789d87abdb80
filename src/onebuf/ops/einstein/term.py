"""Terms: values whose axes have labels, and how one is moved, cut along diagonals and summed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from onebuf.dtypes import bool as bool_
from onebuf.graph import REDUCE, Node
from onebuf.ops.apply import cast
from onebuf.ops.einstein.subscripts import Label, Labels
from onebuf.ops.movement import diagonal, permute, reshape
from onebuf.ops.reduction import reduce


class Term(NamedTuple):
    """A value, and the label of each of its axes, no two the same."""

    labels: Labels
    node: Node


def diagonals(labels: Labels, node: Node) -> Term:
    """The elements of ``node`` where axes of one label have one index."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            one = labels.index(label)
            two = labels.index(label, one + 1)
            node = diagonal(node, 0, one, two)
            labels = (*labels[:one], *labels[one + 1 : two], *labels[two + 1 :], label)
    return Term(labels, node)


def without_ones(term: Term, sizes: Mapping[Label, int]) -> Term:
    """``term`` without the axes along which it only broadcasts."""
    labels, node = term
    kept = [axis for axis, label in enumerate(labels) if node.shape[axis] == sizes[label]]
    if len(kept) == len(labels):
        return term
    shape = [node.shape[axis] for axis in kept]
    return Term(tuple([labels[axis] for axis in kept]), reshape(node, shape))


def spread(term: Term, wide: Labels) -> Node:
    """``term`` with an axis for each of ``wide``, of extent 1 where it has none."""
    own = tuple([label for label in wide if label in term.labels])
    node = ordered(term, own)
    if len(own) == len(wide):
        return node
    shape = iter(node.shape)
    return reshape(node, [next(shape) if label in own else 1 for label in wide])


def summed(term: Term, keep: Collection[Label], by_axis: bool = False) -> Term:
    """``term`` summed over every index that is not in ``keep``; truths are summed to truths.

    ``by_axis``: one axis after another. A kernel that sums over several axes at once needs operands
    that have them in one order; with other operands, the sum over one axis still takes one kernel.
    """
    labels, node = term
    axes = [axis for axis, label in enumerate(labels) if label not in keep]
    if not axes:
        return term
    op = REDUCE["any"] if node.dtype == bool_ else REDUCE["sum"]
    while axes:  # axes that are no neighbours would have to be made so by a copy
        run = [axes.pop()]
        while axes and axes[-1] == run[-1] - 1 and not by_axis:
            run.append(axes.pop())
        node = cast(reduce(op, node, tuple(sorted(run))), node.dtype)
    return Term(tuple([label for label in labels if label in keep]), node)


def ordered(term: Term, labels: Labels) -> Node:
    """The node of ``term`` with its axes in the order of ``labels``."""
    if term.labels == labels:
        return term.node
    return permute(term.node, [term.labels.index(label) for label in labels])
