"""Planning: the graph below some nodes of a runtime, as steps.

A step ends where elements have to be stored: at what was asked for, and before operations that read
other boxes than their own (folds, scans, products, sorts). In between everything is one expression.
Planning is pure, and says what moves before anything does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from onebuf.graph import MATMUL, REDUCE, Kind, Node
from onebuf.ops import reshape
from onebuf.placement import Assigned, Everywhere, Partition, default_tiles
from onebuf.placement.derived import derived, runs_of
from onebuf.placement.tree import Span, nodes_of_run
from onebuf.runtimes.compute import product
from onebuf.runtimes.compute.call import AlongAxis, axis_of_call, is_pointwise_call
from onebuf.runtimes.compute.expression import Expression, input_node
from onebuf.runtimes.compute.fold import (
    POSITIONS,
    Axes,
    CombinedFold,
    CombinedPosition,
    PartialFold,
    PartialPosition,
    WholeFold,
    accumulator,
    is_exact,
    runs_of_folded,
)
from onebuf.runtimes.compute.local_graph import FUSED, localized, not_distributed
from onebuf.runtimes.compute.scan import PartialScan, WholeScan
from onebuf.runtimes.compute.source import PlacedSource
from onebuf.runtimes.compute.steps import Step, Value, moved_bytes
from onebuf.runtimes.protocols import Elements, Recipe
from onebuf.shapes import Tiled

EVERYWHERE_NBYTES = 1 << 16
"""Results of reductions that are no larger are held by every place."""
FEW_PLACES = 8
"""So many places exchange partial results directly; more send them to one, which sends on."""


_COMPUTED = frozenset({Kind.ELEMENTWISE, Kind.JOIN, Kind.PAD, Kind.COPY})
"""The kinds of nodes that are stored once they were computed and not kept."""


FEW_NBYTES = 64
"""Partial results of a number that are no larger go to every place directly."""


class Planner:
    """Steps for nodes on one runtime with so many ``places``."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.steps: list[Step] = []
        self._values: dict[int, Value] = {}
        self._nodes: list[Node] = []

    def want(self, nodes: Sequence[Node], partition: Partition | None = None) -> list[Value]:
        """Plan so that ``nodes``, which are no views, are there; with their values."""
        return [self._wanted(node, partition) for node in nodes]

    def _wanted(self, node: Node, partition: Partition | None = None) -> Value:
        self._prepare(node)
        found = self.value_of(node)
        return found if found is not None else self._fused(node, partition)

    def value_of(self, node: Node) -> Value | None:
        """The value of a node that is there, or that a step makes."""
        found = self._values.get(id(node))
        if found is None and node.is_placed:
            elements = elements_of(node)
            found = self._known(node, Value(elements.partition, elements.dtype, elements))
        return found

    def _known(self, node: Node, value: Value) -> Value:
        self._values[id(node)] = value
        self._nodes.append(node)  # or another node might get its id
        return value

    def _prepare(self, root: Node) -> None:
        """Plan the steps that have to come before an expression of ``root``, operands first."""
        done: set[int] = set()
        todo = [(root, False)]
        while todo:
            node, visited = todo.pop()
            if visited:
                if node.op.kind not in FUSED:
                    self._special(node)
                elif node is not root and node.claimed and node.replays:
                    self._fused(node, None)
                continue
            if id(node) in done or self.value_of(node) is not None:
                continue
            done.add(id(node))
            todo.append((node, True))
            todo.extend([(src, False) for src in reversed(node.srcs)])

    # -- kinds of steps ----------------------------------------------------------------------------

    def _fused(self, node: Node, partition: Partition | None) -> Value:
        (expression,), inputs = localized([node], self.value_of)
        where = partition or partition_of(expression, inputs, self.places)
        return self._step(expression, inputs, where, node)

    def _step(
        self,
        recipe: Recipe,
        inputs: tuple[Value, ...],
        partition: Partition,
        node: Node | None = None,
        reason: str = "",
    ) -> Value:
        value = Value(partition, recipe.dtype)
        self.steps.append(Step(recipe, inputs, value, node, reason))
        return value if node is None else self._known(node, value)

    def _special(self, node: Node) -> None:
        if self.value_of(node) is not None:
            return
        for src in node.srcs:
            self._replayed(src)
        if node.op.kind is Kind.REDUCE:
            self._fold(node)
        elif node.op.kind is Kind.SCAN:
            self._scan(node)
        elif node.op is MATMUL:
            self._product(node)
        elif node.op.kind is Kind.LIBRARY:
            self._call(node)
        else:
            raise not_distributed(node)

    def _replayed(self, node: Node) -> None:
        """Note that pending elements were computed and not stored: the next time they are."""
        base = node.base
        if self.value_of(base) is None and base.claimed and base.op.kind in _COMPUTED:
            base.replays += 1

    # -- reductions --------------------------------------------------------------------------------

    def _fold(self, node: Node) -> None:
        (operand,), (folded, keepdims) = node.srcs, node.arg
        (expression,), inputs = localized([operand], self.value_of)
        partition = partition_of(expression, inputs, self.places)
        axes = Axes(partition.tiling, tuple(folded))
        if not operand.numel or partition.is_everywhere or axes.count == 1:
            recipe = WholeFold(expression, node.op, tuple(folded), keepdims, node.dtype)
            where = _without(partition, axes, node.shape, keepdims)
            self._step(recipe, inputs, where, node)
            return
        inserted = tuple(folded) if keepdims else ()
        if node.op.name in POSITIONS:
            self._position(node, expression, inputs, partition, axes, inserted)
            return
        dtype = accumulator(node.op, node.dtype)
        runs = runs_of_folded(partition, axes)
        if runs is None:
            spans = _singles(axes)
        else:
            spans = runs if is_exact(node.op, dtype) else _spans(runs)
        partial = PartialFold(expression, node.op, axes, spans, dtype)
        parts = self._step(partial, inputs, _of_partials(partition, axes, spans), None, "tiles")
        ordered = not is_exact(node.op, dtype)
        last = CombinedFold(node.op.name, spans, axes.count, inserted, node.dtype, ordered)
        self._everywhere(last, (parts,), node)

    def _position(
        self,
        node: Node,
        expression: Expression,
        inputs: tuple[Value, ...],
        partition: Partition,
        axes: Axes,
        inserted: tuple[int, ...],
    ) -> None:
        spans = _singles(axes)
        where = _of_partials(partition, axes, spans)
        best = REDUCE[POSITIONS[node.op.name]]
        values = self._step(
            PartialFold(expression, best, axes, spans, expression.dtype), inputs, where
        )
        places = self._step(PartialPosition(expression, node.op, axes), inputs, where)
        last = CombinedPosition(node.op.name, axes.count, inserted)
        self._everywhere(last, (values, places), node)

    def _everywhere(self, recipe: Recipe, inputs: tuple[Value, ...], node: Node) -> None:
        """The last step of a reduction: at every place if the result is small, else spread out."""
        tiles = default_tiles(node.shape, self.places)
        if node.nbytes > EVERYWHERE_NBYTES:
            self._step(recipe, inputs, Partition(tiles, self.places), node)
            return
        everywhere = Partition(_one_tile(node.shape), self.places, Everywhere())
        each = sum([prod(value.partition.shape) * value.dtype.itemsize for value in inputs])
        if self.places <= FEW_PLACES and (each <= FEW_NBYTES or node.nbytes > FEW_NBYTES):
            self._step(recipe, inputs, everywhere, node)
            return
        tiling = _one_tile(node.shape)
        root = Partition(tiling, self.places, Assigned(((0, prod(tiling.grid), 0),)))
        self._step(recipe, inputs, root, node)
        self._fused_copy(node, everywhere)

    def _fused_copy(self, node: Node, partition: Partition) -> None:
        (expression,), inputs = localized([node], self.value_of)
        self._step(expression, inputs, partition, node)

    def _scan(self, node: Node) -> None:
        (operand,), axis = node.srcs, node.arg
        (expression,), inputs = localized([operand], self.value_of)
        partition = partition_of(expression, inputs, self.places)
        if not operand.numel or partition.is_everywhere or partition.tiling.grid[axis] == 1:
            self._step(WholeScan(expression, node.op, axis, node.dtype), inputs, partition, node)
            return
        axes = Axes(partition.tiling, (axis,))
        name = "sum" if node.op.name.endswith("sum") else "prod"
        spans = _singles(axes)
        dtype = accumulator(REDUCE[name], node.dtype)
        totals = PartialFold(expression, REDUCE[name], axes, spans, dtype)
        parts = self._step(totals, inputs, _of_partials(partition, axes, spans), None, "tiles")
        bounds = partition.tiling.bounds[axis]
        recipe = PartialScan(expression, node.op, axis, bounds, len(inputs), node.dtype)
        self._step(recipe, (*inputs, parts), partition, node)

    # -- products ----------------------------------------------------------------------------------

    def _product(self, node: Node) -> None:
        one, two = node.srcs
        left = reshape(one, (1, one.shape[0])) if len(one.shape) == 1 else one
        right = reshape(two, (two.shape[0], 1)) if len(two.shape) == 1 else two
        (first, second), inputs = localized([left, right], self.value_of)
        batch = node.shape[: len(node.shape) - (len(one.shape) > 1) - (len(two.shape) > 1)]
        shape = (*batch, left.shape[-2], right.shape[-1])
        left_at = partition_of(first, inputs, self.places)
        right_at = partition_of(second, inputs, self.places)
        cuts = product.panels(left.shape[-1], left_at.tiling.bounds[-1], right_at.tiling.bounds[-2])
        recipe = product.Product(first, second, cuts, node.dtype)
        options = product.candidates(
            shape,
            None if left_at.is_everywhere else left_at,
            None if right_at.is_everywhere else right_at,
            self.places,
        )
        at_once = product.Product(first, second, (0, left.shape[-1]), node.dtype)
        costs = [
            (sum(moved_bytes(at_once, where, inputs).values()), number)
            for number, (_, where) in enumerate(options)
        ]
        cost, number = min(costs)
        name, where = options[number]
        is_cut_alike = (
            not batch
            and left_at.tiling.axes[-1] == right_at.tiling.axes[-2]
            and left_at.tiling.grid[0] == right_at.tiling.grid[1] == 1
            and left_at.tiling.grid[1] > 1
        )
        if is_cut_alike:
            parts = len(cuts) - 1
            nbytes = prod(shape) * node.dtype.itemsize * min(parts, self.places)
            if nbytes < cost:
                self._sums(node, recipe, inputs, left_at, shape)
                return
        value = self._step(recipe, inputs, where, node if shape == node.shape else None, name)
        if shape != node.shape:
            self._reshaped(node, value, shape)

    def _sums(
        self,
        node: Node,
        recipe: product.Product,
        inputs: tuple[Value, ...],
        left_at: Partition,
        shape: tuple[int, ...],
    ) -> None:
        """A product of factors that are cut alike along the summed axis."""
        parts = product.PartialProduct(recipe.one, recipe.two, recipe.cuts, node.dtype)
        count = len(recipe.cuts) - 1
        tiling = Tiled((1,) * count, *[(n,) for n in shape])
        holders = left_at.holders().reshape(count, 1, 1)
        where = Partition(tiling, self.places, Assigned(runs_of(holders)))
        partial = self._step(parts, inputs, where, None, "sums")
        spans = tuple([(n, n + 1) for n in range(count)])
        op = "any" if node.dtype.kind == "b" else "sum"
        last = CombinedFold(op, spans, count, (), node.dtype)
        if shape == node.shape:
            self._everywhere(last, (partial,), node)
            return
        everywhere = Partition(_one_tile(shape), self.places, Everywhere())
        self._reshaped(node, self._step(last, (partial,), everywhere), shape)

    def _reshaped(self, node: Node, value: Value, shape: tuple[int, ...]) -> None:
        """A product with a vector: without the axis that the vector was given."""
        local = reshape(input_node(0, shape, node.dtype), node.shape)
        expression = Expression(local, "matmul")
        self._step(expression, (value,), partition_of(expression, (value,), self.places), node)

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, node: Node) -> None:
        axis = axis_of_call(node)
        if axis is None and not is_pointwise_call(node):
            raise not_distributed(node)
        (operand,) = node.srcs
        (expression,), inputs = localized([operand], self.value_of)
        partition = partition_of(expression, inputs, self.places)
        if axis is not None and not partition.is_everywhere and partition.tiling.grid[axis] > 1:
            partition = _uncut(node.shape, axis, self.places)
        self._step(AlongAxis(expression, node.arg, axis, node.dtype), inputs, partition, node)


def partition_of(expression: Expression, inputs: Sequence[Value], places: int) -> Partition:
    """Where the elements of an expression are made: by preference where its largest input is."""
    order = sorted(range(len(inputs)), key=lambda n: -prod(inputs[n].partition.shape))
    everywhere = None
    for number in order:
        partition = inputs[number].partition
        along = expression.along(number)
        if along is None:
            continue
        found = derived(partition, along, expression.shape)
        if not found.is_everywhere:
            return found
        everywhere = everywhere or found
    for source in expression.sources() if not order else ():
        if isinstance(source, PlacedSource):
            along = expression.along(source)
            if along is not None:
                return derived(source.partition, along, expression.shape)
    if everywhere is not None:
        return everywhere
    if inputs and all(value.partition.is_everywhere for value in inputs):
        return Partition(_one_tile(expression.shape), places, Everywhere())
    return Partition(default_tiles(expression.shape, places), places)


def _uncut(shape: tuple[int, ...], axis: int, places: int) -> Partition:
    """A partition that leaves ``axis`` whole: the longest of the others is cut."""
    rest = [other for other in range(len(shape)) if other != axis]
    if not rest:
        tiling = _one_tile(shape)
        return Partition(tiling, places, Assigned(((0, 1, 0),)))
    longest = max(rest, key=lambda other: shape[other])
    rows = default_tiles((shape[longest],), places).axes[0]
    cut = [rows if other == longest else (shape[other],) for other in range(len(shape))]
    return Partition(Tiled(*cut), places)


def _one_tile(shape: tuple[int, ...]) -> Tiled:
    return Tiled(*[(extent,) if extent else () for extent in shape])


def _without(partition: Partition, axes: Axes, shape: tuple[int, ...], keepdims: bool) -> Partition:
    """The partition of a result whose folded axes were not cut."""
    if 0 in partition.shape:
        return Partition(_one_tile(shape), partition.places, Everywhere())
    sizes = partition.tiling.axes
    rank = partition.tiling.rank
    cut = [(1,) if axis in axes.folded else sizes[axis] for axis in range(rank)]
    if not keepdims:
        cut = [one for axis, one in enumerate(cut) if axis not in axes.folded]
    tiling = Tiled(*cut)
    if partition.is_everywhere:
        return Partition(tiling, partition.places, Everywhere())
    holders = partition.holders()[
        tuple([0 if axis in axes.folded else slice(None) for axis in range(rank)])
    ]
    return Partition(
        tiling, partition.places, Assigned(runs_of(np.asarray(holders).reshape(tiling.grid)))
    )


def _singles(axes: Axes) -> tuple[Span, ...]:
    return tuple([(number, number + 1) for number in range(axes.count)])


def _spans(runs: Sequence[Span]) -> tuple[Span, ...]:
    return tuple([span for begin, end in runs for span in nodes_of_run(begin, end)])


def _of_partials(partition: Partition, axes: Axes, spans: Sequence[Span]) -> Partition:
    """Where partial results are: with the tiles that they are folded from."""
    tiling = Tiled((1,) * len(spans), *[partition.tiling.axes[axis] for axis in axes.kept])
    holders = np.transpose(partition.holders(), (*axes.folded, *axes.kept))
    flat = holders.reshape(axes.count, *[partition.tiling.grid[axis] for axis in axes.kept])
    chosen = flat[[begin for begin, _ in spans]]
    return Partition(tiling, partition.places, Assigned(runs_of(chosen)))


def elements_of(node: Node) -> Elements:
    """The elements of a node that is placed on a runtime."""
    found: Elements = node.block.memory  # type: ignore[union-attr]
    return found
