"""Contraction of a packed tensor over one of two groups of axes that its symmetry exchanges.

Such a tensor is a symmetric matrix whose rows and columns are the unique elements of each group:
the two-electron integrals of chemistry, for instance, a matrix of pairs by pairs. So the
contraction with a tensor over the second group is a product with a packed symmetric matrix, by
BLAS, and its result has the symmetry of the first group. The other tensor is folded first: to each
unique element go all that the symmetry makes equal to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from onebuf.dtypes import DT, Array, kind
from onebuf.graph import Node
from onebuf.layout.arrangement.arrangement import Packed
from onebuf.layout.arrangement.packing import Axis, Packing, Power, Product, Tables
from onebuf.layout.expression import indices
from onebuf.layout.layout import Layout
from onebuf.layout.on_arrays import evaluated
from onebuf.ops.apply import cast
from onebuf.ops.library import library
from onebuf.ops.movement import permute, reshape
from onebuf.ops.structured.nodes import structured, with_layout
from onebuf.ops.structured.symmetric_product import multiply
from onebuf.symmetry import Group, Operation, Permutation

Axes = tuple[int, ...]


class Halves(NamedTuple):
    """A tensor as a symmetric matrix: its packing, the axes of each factor, and their layout."""

    power: Power
    first: Axes
    second: Axes
    half: Layout


def halves_of(layout: Layout) -> Halves | None:
    """``layout`` as a symmetric matrix of unique elements; None if it is none."""
    arrangement = layout.arrangement
    if not isinstance(arrangement, Packed) or any(one.conjugate for one in layout.group):
        return None
    power = arrangement.packing
    if not isinstance(power, Power) or len(power.factors) != 2:
        return None
    first, second = [tuple(_axes(factor)) for factor in power.factors]
    inside = [
        Operation(
            Permutation(tuple([first.index(one.permutation.image(a)) for a in first])), one.sign
        )
        for one in layout.group
        if all(a in first or one.permutation.image(a) == a for a in range(layout.rank))
    ]
    group = Group(*inside) if len(inside) > 1 else Group(rank=len(first))
    half = Layout(tuple([layout.shape[axis] for axis in first]), group)
    inner = half.arrangement
    if not isinstance(inner, Packed) or _numbered(power.factors[0], first) != inner.packing:
        return None
    return Halves(power, first, second, half)


def _axes(packing: Packing) -> list[int]:
    if isinstance(packing, Axis):
        return [packing.number]
    parts = packing.parts if isinstance(packing, Product) else packing.factors
    return [axis for part in parts for axis in _axes(part)]


def _numbered(packing: Packing, axes: Axes) -> Packing:
    """``packing`` of axes that are numbered by their places among ``axes``."""
    if isinstance(packing, Axis):
        return Axis(axes.index(packing.number), packing.size)
    if isinstance(packing, Product):
        return Product(tuple([_numbered(part, axes) for part in packing.parts]))
    factors = tuple([_numbered(factor, axes) for factor in packing.factors])
    return Power(factors, packing.negates, packing.conjugates)


def contracted(x: Node, inner: Sequence[int], y: Node, dtype: DT) -> Node | None:
    """``x`` summed over its axes ``inner`` with the first axes of ``y``, as many in this order.

    The result has the other axes of ``x``, in order, and then those of ``y``. None: ``x`` has no
    layout that helps.
    """
    part = structured(x)
    if part is None or part.is_turned or not (x.device is None or x.device.is_host):
        return None
    halves = halves_of(part.layout)
    if halves is None or kind(dtype) not in "fc":
        return None
    for one, other in ((halves.second, halves.first), (halves.first, halves.second)):
        # Exchanging the halves of all axes leaves the tensor as it is, up to the sign.
        if set(one) == set(inner) and tuple(sorted(other)) == other:
            if one == halves.first and halves.power.negates:
                return None
            order = [list(inner).index(axis) for axis in one]
            return _multiplied(part.storage, halves, y, order, dtype)
    return None


def _multiplied(storage: Node, halves: Halves, y: Node, order: list[int], dtype: DT) -> Node:
    rest = y.shape[len(order) :]
    whole = Layout((*halves.half.shape, *rest), halves.half.symmetry)
    factors = (cast(storage, dtype), cast(permute(y, _order(order, y)), dtype))
    shape = (halves.power.side * prod(rest),)
    found = library(_product, factors, (halves.power, halves.half), shape, dtype, "matmul")
    return reshape(found, whole.shape) if whole.is_plain else with_layout(found, whole)


def _order(order: list[int], y: Node) -> tuple[int, ...]:
    return (*order, *range(len(order), len(y.shape)))


def _product(stored: Array, y: Array, power: Power, half: Layout) -> Array:
    """The product with ``y`` folded to the unique elements of its first axes, flattened."""
    rest = y.shape[half.rank :]
    if not half.is_plain:
        index, share = unique_indices(half)
        total = np.zeros((len(share), *rest), y.dtype)
        for one in half.group:
            term = y[tuple(one.permutation.apply(index))]
            total = total - term if one.sign < 0 else total + term
        y = total * share.reshape(-1, *[1] * len(rest)).astype(y.dtype)
    return multiply(stored, y.reshape(power.side, prod(rest)), power).reshape(-1)


@lru_cache(8)
def unique_indices(layout: Layout) -> tuple[tuple[Array, ...], Array]:
    """An index of each stored element, and the part of the operations that lead elsewhere."""
    arrangement = layout.arrangement
    at = np.indices(arrangement.storage, sparse=True)
    tables: Tables = []
    axes = indices(len(arrangement.storage))
    wanted = [*arrangement.indices(axes, tables), arrangement.weight(axes, tables)]
    *found, weight = evaluated(wanted, at, tables)
    count = np.ones(arrangement.size) if weight is None else weight.reshape(-1)
    return tuple([one.reshape(-1) for one in found]), count / len(layout.group)
