"""Decomposition: the packing of a symmetry group, where it has one.

A group is taken apart from the outside in. Axes that no operation exchanges with others are the
parts of a product, if the group is the product of what it does to each. Axes that all may be
exchanged are a power; so are pairs of axes that are exchanged together. Axes in blocks that may be
exchanged whole, and inside by a smaller group, are a power of the packing of that one. Anything
else (cyclic groups, say) has no packing and needs a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from onebuf.layout.arrangement.packing import Axis, Packing, Power, Product
from onebuf.symmetry import Group, Operation

Axes = tuple[int, ...]


def packing_of(group: Group, extents: Sequence[int]) -> Packing | None:
    """The packing of elements that ``group`` makes equal; None if there is none."""
    return _packed(tuple(range(len(extents))), list(group.on(len(extents))), tuple(extents))


def _packed(axes: Axes, operations: list[Operation], extents: tuple[int, ...]) -> Packing | None:
    """The packing of ``axes``, which ``operations`` exchange and all others do not move."""
    orbits = _orbits(axes, operations)
    if len(orbits) > 1 or not axes:
        found = _product(orbits, operations, extents)
        return _exchange(axes, operations, extents) if found is None else found
    if len(axes) == 1:
        return Axis(axes[0], extents[axes[0]])
    if len(operations) == factorial(len(axes)):
        factors: tuple[Packing, ...] = tuple([Axis(axis, extents[axis]) for axis in axes])
        return _power(factors, [(axis,) for axis in axes], operations)
    for blocks in _block_systems(axes, operations):
        inside = _fixing_others(blocks[0], operations)
        if len(operations) == len(inside) ** len(blocks) * factorial(len(blocks)):
            first = _packed(blocks[0], inside, extents)
            if first is not None:
                aligned = [_image(operations, blocks[0], block) for block in blocks]
                factors = tuple([_moved(first, blocks[0], block) for block in aligned])
                return _power(factors, aligned, operations)
    return None


def _product(
    orbits: list[Axes], operations: list[Operation], extents: tuple[int, ...]
) -> Packing | None:
    parts: list[Packing] = []
    order = 1
    for orbit in orbits:
        inside = _fixing_others(orbit, operations)
        part = _packed(orbit, inside, extents)
        if part is None:
            return None
        order *= len(inside)
        parts.append(part)
    return Product(tuple(parts)) if order == len(operations) else None


def _exchange(axes: Axes, operations: list[Operation], extents: tuple[int, ...]) -> Packing | None:
    """The packing of several pairs of axes that are exchanged together; None of anything else."""
    if len(operations) != 2:
        return None
    image = operations[1].permutation.image
    first = tuple([axis for axis in axes if image(axis) > axis])
    blocks = [first, tuple([image(axis) for axis in first])]
    factors = [Product(tuple([Axis(axis, extents[axis]) for axis in block])) for block in blocks]
    fixed = [Axis(axis, extents[axis]) for axis in axes if image(axis) == axis]
    power = _power(tuple(factors), blocks, operations)
    return Product((power, *fixed)) if fixed else power


def _power(
    factors: tuple[Packing, ...], blocks: Sequence[Axes], operations: list[Operation]
) -> Power:
    """The power of ``factors``, which lie on ``blocks`` of axes in corresponding order."""
    swap = dict(zip(blocks[0] + blocks[1], blocks[1] + blocks[0], strict=True))
    for operation in operations:
        rank = operation.permutation.rank
        if all(operation.permutation.image(axis) == swap.get(axis, axis) for axis in range(rank)):
            return Power(factors, operation.sign < 0, operation.conjugate)
    raise AssertionError("a group that exchanges blocks has the exchange of two")


def _orbits(axes: Axes, operations: list[Operation]) -> list[Axes]:
    """The axes by what they can be exchanged with."""
    found: list[Axes] = []
    left = set(axes)
    for axis in axes:
        if axis in left:
            orbit = {operation.permutation.image(axis) for operation in operations} | {axis}
            left -= orbit
            found.append(tuple(sorted(orbit)))
    return found


def _fixing_others(axes: Axes, operations: list[Operation]) -> list[Operation]:
    """The operations that move none but ``axes``."""
    return [
        operation
        for operation in operations
        if all(
            axis in axes or operation.permutation.image(axis) == axis
            for axis in range(operation.permutation.rank)
        )
    ]


def _block_systems(axes: Axes, operations: list[Operation]) -> list[list[Axes]]:
    """The ways to cut axes, which all can be exchanged, into blocks that are exchanged whole."""
    found: list[list[Axes]] = []
    for other in axes[1:]:
        parent = {axis: axis for axis in axes}

        def root(axis: int, parent: dict[int, int] = parent) -> int:
            while parent[axis] != axis:
                axis = parent[axis]
            return axis

        parent[other] = axes[0]
        todo = [(axes[0], other)]
        while todo:
            one, two = todo.pop()
            for operation in operations:
                image = operation.permutation.image
                a, b = root(image(one)), root(image(two))
                if a != b:
                    parent[b] = a
                    todo.append((a, b))
        blocks: dict[int, list[int]] = {}
        for axis in axes:
            blocks.setdefault(root(axis), []).append(axis)
        system = [tuple(block) for block in blocks.values()]
        if len(system) > 1 and system not in found:
            found.append(system)
    return found


def _image(operations: list[Operation], first: Axes, block: Axes) -> Axes:
    """The axes of ``block`` in the order in which an operation puts those of ``first`` there."""
    for operation in operations:
        image = tuple([operation.permutation.image(axis) for axis in first])
        if set(image) == set(block):
            return image
    raise AssertionError("axes of one orbit have blocks that can be exchanged")


def _moved(packing: Packing, first: Axes, block: Axes) -> Packing:
    """``packing``, which is of the axes ``first``, of the axes ``block``."""
    if isinstance(packing, Axis):
        return Axis(block[first.index(packing.number)], packing.size)
    if isinstance(packing, Product):
        return Product(tuple([_moved(part, first, block) for part in packing.parts]))
    factors = tuple([_moved(factor, first, block) for factor in packing.factors])
    return Power(factors, packing.negates, packing.conjugates)
