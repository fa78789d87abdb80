"""The product of two terms, summed over the indices that nothing else needs.

The labels of two terms fall in four groups: *batch* (in both, kept), *inner* (in both, summed), and
*left* and *right*, which one of the two has alone. With an inner label it is a matrix product of
rows (left) by columns (right) for each batch. Labels of a group are merged to one axis; where that
would take a copy, other forms of the product are tried first.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from onebuf.dtypes import bool as bool_
from onebuf.dtypes import promote
from onebuf.errors import CopyError
from onebuf.graph import BINARY, Node
from onebuf.late import Late
from onebuf.ops.apply import binary
from onebuf.ops.contraction import matmul
from onebuf.ops.einstein.subscripts import Label, Labels
from onebuf.ops.einstein.term import Term, ordered, spread, summed
from onebuf.ops.movement import index, reshape, view_of
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.ops.structured import pair_product
else:
    pair_product = Late("onebuf.ops.structured.pair_product")

LEAST_WORK = 4096
"""Multiplications that make it worth to call BLAS once for each of many matrices."""
MOST_OFFSETS = 64
"""Windows of more elements than this are copied and multiplied as a matrix."""

LabelSet = frozenset[Label]


class Groups(NamedTuple):
    """The labels of two terms by what happens to them."""

    one: LabelSet
    """Those of the first term that are left after it was summed alone."""
    two: LabelSet
    batch: Labels
    inner: Labels
    left: Labels
    right: Labels
    wide: Labels
    """All of them, in the order in which elements are multiplied one by one."""


def multiply(x: Term, y: Term, keep: LabelSet, output: Labels) -> Term:
    """Two terms as one, without the indices that are not to be kept.

    ``output`` are the labels of the whole result, whose order is best for this one, too.
    """
    groups = _grouped(x.labels, y.labels, keep, output)
    x, y = summed(x, groups.one), summed(y, groups.two)
    _, _, batch, inner, left, right, wide = groups
    if not inner or (batch and not left and not right):
        return _elementwise(x, y, wide, inner)
    if not (x.node.has_strides and y.node.has_strides):
        found = _packed_product(x, y, groups)
        if found is not None:
            return found
    if not right and _is_windows(x, inner):
        return _slid(x, y, batch, left, inner)
    if not left and _is_windows(y, inner):
        return _slid(y, x, batch, right, inner)
    return _matrix_product(x, y, groups, output)


@lru_cache(4096)
def _grouped(x: Labels, y: Labels, keep: LabelSet, output: Labels) -> Groups:
    one = tuple([label for label in x if label in keep or label in y])
    two = tuple([label for label in y if label in keep or label in x])
    both = [label for label in one if label in two]
    batch = tuple([label for label in both if label in keep])
    inner = tuple([label for label in both if label not in keep])
    left = tuple([label for label in one if label not in both])
    right = tuple([label for label in two if label not in both])
    first, second = (one, two) if len(one) >= len(two) else (two, one)
    wide = first + tuple([label for label in second if label not in first])
    if all(label in output for label in wide):
        wide = tuple(sorted(wide, key=output.index))
    return Groups(frozenset(one), frozenset(two), batch, inner, left, right, wide)


def _elementwise(x: Term, y: Term, wide: Labels, inner: Labels) -> Term:
    node = binary(BINARY["multiply"], spread(x, wide), spread(y, wide))
    return summed(Term(wide, node), [label for label in wide if label not in inner])


def _packed_product(x: Term, y: Term, groups: Groups) -> Term | None:
    """The product if one term is packed, and the labels that are summed are one half of it."""
    if groups.batch:
        return None
    dtype = promote(x.node.dtype, y.node.dtype)
    for one, two, others in ((x, y, groups.right), (y, x, groups.left)):
        if not one.node.has_strides:
            axes = [one.labels.index(label) for label in groups.inner]
            factor = ordered(two, groups.inner + others)
            node = pair_product.contracted(one.node, axes, factor, dtype)
            if node is not None:
                kept = tuple([label for label in one.labels if label not in groups.inner])
                return Term(kept + others, node)
    return None


# -- matrix products -------------------------------------------------------------------------------


def _matrix_product(x: Term, y: Term, groups: Groups, output: Labels) -> Term:
    batch, inner, left, right = groups.batch, groups.inner, groups.left, groups.right
    one, two = _merged(x, batch, left, inner), _merged(y, batch, inner, right)
    if one is None or two is None:
        if not left and not right:
            node = binary(BINARY["multiply"], spread(x, x.labels), spread(y, x.labels))
            return summed(Term(x.labels, node), (), by_axis=True)
        found = None
        if two is not None:
            found = _batched(x, y, batch, left, inner, right, output)
        elif one is not None:
            found = _batched(y, x, batch, right, inner, left, output)
        if found is not None:
            return found
    if _is_before(right, left, output):
        one, two = _merged(y, batch, right, inner, True), _merged(x, batch, inner, left, True)
        left, right = right, left
    else:
        one = one or _merged(x, batch, left, inner, True)
        two = two or _merged(y, batch, inner, right, True)
    assert one is not None
    assert two is not None
    return _split(matmul(one, two), batch + left + right, x, y)


def _batched(
    x: Term, y: Term, batch: Labels, left: Labels, inner: Labels, right: Labels, output: Labels
) -> Term | None:
    """The product of each of the matrices that ``x`` has along its leading labels.

    None if these do not help: no such label, few elements in a matrix, or still a copy to make.
    """
    first = min([x.labels.index(label) for label in inner])
    leading = tuple([label for label in x.labels[:first] if label in left])
    rest = tuple([label for label in left if label not in leading])
    sizes = _sizes(x, y)
    work = prod([sizes[label] for label in (*rest, *inner, *right)])
    if not leading or not rest or work < LEAST_WORK:
        return None
    matrices = _merged(x, batch + leading, rest, inner)
    if matrices is None:
        return None
    ones = (1,) * len(leading)
    if _is_before(right, rest, output):
        matrices = _merged(x, batch + leading, inner, rest)
        other = _merged(y, batch, right, inner, True)
        rest, right = right, rest
    else:
        other = _merged(y, batch, inner, right, True)
    assert matrices is not None
    assert other is not None
    depth = len(batch)
    other = reshape(other, (*other.shape[:depth], *ones, *other.shape[depth:]))
    pair = (matrices, other) if rest[0] in x.labels else (other, matrices)
    return _split(matmul(*pair), batch + leading + rest + right, x, y)


def _merged(
    term: Term, outer: Labels, rows: Labels, columns: Labels, copy: bool = False
) -> Node | None:
    """``term`` as matrices of ``rows`` by ``columns``; None if only ``copy`` would do it."""
    node = ordered(term, outer + rows + columns)
    shape, depth, end = node.shape, len(outer), len(outer) + len(rows)
    merged = (*shape[:depth], prod(shape[depth:end]), prod(shape[end:]))
    if merged == shape:
        return node
    try:
        return reshape(node, merged, None if copy else False)
    except CopyError:
        return None


def _split(node: Node, labels: Labels, x: Term, y: Term) -> Term:
    """A product of matrices with an axis for each label."""
    sizes = _sizes(x, y)
    shape = tuple([sizes[label] for label in labels])
    return Term(labels, node if node.shape == shape else reshape(node, shape))


def _is_before(one: Labels, two: Labels, output: Labels) -> bool:
    """Whether the first of ``one`` comes before the first of ``two`` in the result."""
    places = [output.index(labels[0]) for labels in (one, two) if labels and labels[0] in output]
    return len(places) == 2 and places[0] < places[1]


def _sizes(x: Term, y: Term) -> dict[Label, int]:
    return dict(zip(x.labels + y.labels, x.node.shape + y.node.shape, strict=True))


# -- sliding windows -------------------------------------------------------------------------------


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
    windows, weights = ordered(x, batch + left + inner), ordered(y, batch + inner)
    outer = [slice(None)] * (len(batch) + len(left))
    sizes = _sizes(x, y)
    shape = [sizes[label] for label in batch] + [1 for _ in left]
    total: Node | None = None
    for place in product(*[range(sizes[label]) for label in inner]):
        weight = index(weights, (*outer[: len(batch)], *place, ...))
        part = index(windows, (*outer, *place))
        part = binary(BINARY["multiply"], part, reshape(weight, shape))
        total = part if total is None else binary(BINARY["add"], total, part)
    assert total is not None, "a window has elements"
    return Term(batch + left, total)
