"""Products of sparsities: where an Einstein sum may be nonzero, from where its operands are.

Each operand is a list of boxes, or of elements, with a label for each axis. Two lists are joined
where their common labels meet, and labels that nothing needs any more are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.shapes.tiled import Tiled
from onebuf.sparsity import boxes as box_lists
from onebuf.sparsity.block import Block, Grid
from onebuf.sparsity.element import Element
from onebuf.sparsity.indices import (
    Integers,
    checked_shape,
    flat_indices,
    sorted_distinct,
    unflat_indices,
)
from onebuf.sparsity.norm import Norm, finite
from onebuf.sparsity.sparsity import Sparsity


def product(subscripts: str, *operands: Sparsity) -> Element | Block | Norm:
    """The sparsity of ``einsum(subscripts, ...)`` on tensors with these sparsities.

    It is an `Element` sparsity if all operands are, a `Norm` sparsity if all are and their tiles
    fit each other, and a `Block` sparsity otherwise. The norm of a tile of the result is at most
    the sum of the products of norms.

    >>> a = Element((3, 3), [(0, 1), (2, 2)])
    >>> b = Element((3, 2), [(1, 0), (0, 1)])
    >>> product("ik,kj->ij", a, b)
    Element((3, 2), nonzero=[(0, 0)])
    """
    for operand in operands:
        if not isinstance(operand, Sparsity):
            raise ArgumentTypeError(f"product needs sparsities, got {operand!r}")
    inputs, output = _parsed(subscripts, len(operands))
    extents = _extents(subscripts, inputs, operands)
    shape = checked_shape([extents[label] for label in output], "the result of product")
    if all(isinstance(operand, Norm) for operand in operands):
        made = _norms(inputs, output, operands)
        if made is not None:
            return made
    if all(isinstance(operand, Element) for operand in operands):
        return Element.of_flat(shape, _elements(inputs, output, extents, operands))
    boxes = box_lists.union(_boxes(inputs, output, operands))
    return Block.of_boxes(shape, boxes, _grid(inputs, output, operands))


def _parsed(subscripts: str, count: int) -> tuple[list[str], str]:
    """The labels of each operand and of the result."""
    if not isinstance(subscripts, str):
        raise ArgumentTypeError(f"product needs subscripts like 'ik,kj->ij', got {subscripts!r}")
    left, arrow, output = "".join(subscripts.split()).partition("->")
    inputs = left.split(",")
    if not arrow:
        counts = Counter(left.replace(",", ""))
        output = "".join(sorted([label for label, times in counts.items() if times == 1]))
    labels = left.replace(",", "") + output
    if any(not (label.isascii() and label.isalpha()) for label in labels):
        raise ArgumentError(
            f"product needs letters as labels, with ',' between operands and '->' before the "
            f"result, got {subscripts!r}"
        )
    if len(inputs) != count:
        raise ArgumentError(
            f"product needs labels for {count} operands, got {len(inputs)} in {subscripts!r}"
        )
    for label, times in Counter(output).items():
        if times > 1 or label not in left:
            what = "twice" if times > 1 else "but no operand has it"
            raise ArgumentError(f"product: the result of {subscripts!r} has {label!r} {what}")
    return inputs, output


def _extents(subscripts: str, inputs: list[str], operands: Sequence[Sparsity]) -> dict[str, int]:
    extents: dict[str, int] = {}
    for n, (labels, operand) in enumerate(zip(inputs, operands, strict=True)):
        if len(labels) != operand.rank:
            raise ShapeError(
                f"product needs {operand.rank} labels for operand {n} of shape {operand.shape}, "
                f"got {labels!r} in {subscripts!r}"
            )
        for label, extent in zip(labels, operand.shape, strict=True):
            if extents.setdefault(label, extent) != extent:
                raise ShapeError(
                    f"product needs one extent for the label {label!r} of {subscripts!r}, got "
                    f"{extents[label]} and {extent}"
                )
    return extents


def _norms(inputs: list[str], output: str, operands: Sequence[Any]) -> Norm | None:
    """The product of norms; None where the tiles of a label differ from axis to axis."""
    axes: dict[str, tuple[int, ...]] = {}
    for labels, operand in zip(inputs, operands, strict=True):
        for label, sizes in zip(labels, operand.tiles.axes, strict=True):
            if axes.setdefault(label, sizes) != sizes:
                return None
    terms = [operand.effective_norms for operand in operands]
    with np.errstate(over="ignore"):
        norms = finite(np.einsum(f"{','.join(inputs)}->{output}", *terms))
    threshold = max([operand.threshold for operand in operands])
    return Norm(Tiled(*[axes[label] for label in output]), norms, threshold)


def _grid(inputs: list[str], output: str, operands: Sequence[Sparsity]) -> Grid | None:
    """The grid of the result, if all its labels have one."""
    bounds: dict[str, tuple[int, ...]] = {}
    for labels, operand in zip(inputs, operands, strict=True):
        grid: Grid | None = getattr(operand, "grid", None)
        for axis, label in enumerate(labels):
            lines = () if grid is None else grid[axis]
            if bounds.setdefault(label, lines) != lines:
                bounds[label] = ()
    if any(not bounds[label] for label in output):
        return None
    return tuple([bounds[label] for label in output])


@dataclass(frozen=True, slots=True)
class _Table:
    """Boxes, or elements as boxes without an end, whose axes have labels."""

    labels: str
    rows: Integers
    """An array (n, labels, 2) of bounds, or (n, labels) of indices."""

    def column(self, labels: str) -> Integers:
        """The columns of some labels."""
        return self.rows[:, [self.labels.index(label) for label in labels]]


def _needed(labels: str, others: Sequence[str], output: str) -> str:
    """The labels, each once, that the result or another operand has as well."""
    return "".join([x for x in dict.fromkeys(labels) if x in output or x in "".join(others)])


def _elements(
    inputs: list[str], output: str, extents: dict[str, int], operands: Sequence[Any]
) -> Integers:
    """The flat indices of the result's elements."""

    def without_repeats(labels: str, rows: Integers, kept: str) -> _Table:
        """The rows on the diagonals of labels that are named twice, with the ``kept`` labels."""
        for axis, label in enumerate(labels):
            rows = rows[rows[:, axis] == rows[:, labels.index(label)]]
        table = _Table(kept, rows[:, [labels.index(label) for label in kept]])
        sizes = tuple([extents[label] for label in kept])
        return _Table(kept, unflat_indices(sorted_distinct(flat_indices(table.rows, sizes)), sizes))

    joined = _Table("", np.zeros((1, 0), np.int64))
    for n, (labels, operand) in enumerate(zip(inputs, operands, strict=True)):
        # What only a label that is summed over told apart becomes one row.
        right = without_repeats(
            labels, operand.indices, _needed(labels, [*inputs[:n], *inputs[n + 1 :]], output)
        )
        joined = _joined_elements(joined, right, inputs[n + 1 :], output, extents)
    sizes = tuple([extents[label] for label in output])
    return sorted_distinct(flat_indices(joined.column(output), sizes))


def _joined_elements(
    left: _Table, right: _Table, later: list[str], output: str, extents: dict[str, int]
) -> _Table:
    """The rows of two tables that agree on their common labels, next to each other."""
    common = "".join([label for label in left.labels if label in right.labels])
    kept = _needed(left.labels + right.labels, later, output)
    sizes = tuple([extents[label] for label in common])
    mine = flat_indices(left.column(common), sizes)
    theirs = flat_indices(right.column(common), sizes)
    order = np.argsort(theirs, kind="stable")
    first = np.searchsorted(theirs[order], mine, side="left")
    last = np.searchsorted(theirs[order], mine, side="right")
    parts = [np.empty((0, len(kept)), np.int64)]
    for one, at in box_lists.expanded(first, last - first):
        other = order[at]
        columns = [
            left.column(label)[one] if label in left.labels else right.column(label)[other]
            for label in kept
        ]
        rows = np.concatenate([np.empty((len(one), 0), np.int64), *columns], axis=1)
        parts.append(_distinct(rows, [extents[label] for label in kept]))
    return _Table(kept, _distinct(np.concatenate(parts), [extents[label] for label in kept]))


def _distinct(rows: Integers, sizes: list[int]) -> Integers:
    """The rows, each one once."""
    if not sizes:
        return rows[:1]
    if float(np.prod(np.array(sizes, float))) < 2**62:
        return unflat_indices(sorted_distinct(flat_indices(rows, tuple(sizes))), tuple(sizes))
    return np.unique(rows, axis=0)


def _boxes(inputs: list[str], output: str, operands: Sequence[Sparsity]) -> Integers:
    """Boxes that cover the result's elements, and may overlap."""
    joined = _Table("", np.zeros((1, 0, 2), np.int64))
    for n, (labels, operand) in enumerate(zip(inputs, operands, strict=True)):
        others = [*inputs[:n], *inputs[n + 1 :]]
        right = _diagonals(labels, operand.boxes, _needed(labels, others, output))
        joined = _joined_boxes(joined, right, inputs[n + 1 :], output)
    return joined.column(output)


def _diagonals(labels: str, boxes: Integers, kept: str) -> _Table:
    """The boxes with each label once; a label that is named twice has both ranges' common part."""
    columns = []
    for label in dict.fromkeys(labels):
        ranges = boxes[:, [axis for axis, other in enumerate(labels) if other == label]]
        columns.append(
            np.stack([ranges[:, :, 0].max(axis=1), ranges[:, :, 1].min(axis=1)], axis=-1)
        )
    if columns:
        boxes = np.stack(columns, axis=1)
        boxes = boxes[(boxes[:, :, 0] < boxes[:, :, 1]).all(axis=1)]
    table = _Table("".join(dict.fromkeys(labels)), boxes)
    return _Table(kept, box_lists.ordered(table.column(kept)))


def _joined_boxes(left: _Table, right: _Table, later: list[str], output: str) -> _Table:
    """The boxes of two tables that meet along their common labels: their products."""
    common = "".join([label for label in left.labels if label in right.labels])
    kept = _needed(left.labels + right.labels, later, output)
    parts = [np.empty((0, len(kept), 2), np.int64)]
    for one, other in box_lists.meetings(left.column(common), right.column(common)):
        rows = np.empty((len(one), len(kept), 2), np.int64)
        for n, label in enumerate(kept):
            if label in common:
                mine, theirs = left.column(label)[one, 0], right.column(label)[other, 0]
                rows[:, n, 0] = np.maximum(mine[:, 0], theirs[:, 0])
                rows[:, n, 1] = np.minimum(mine[:, 1], theirs[:, 1])
            else:
                table, number = (left, one) if label in left.labels else (right, other)
                rows[:, n] = table.column(label)[number, 0]
        parts.append(box_lists.ordered(rows))
    return _Table(kept, box_lists.ordered(np.concatenate(parts)))
