"""The coordinator: computes, reads and writes what a runtime holds, as the engine does on devices.

It plans with `onebuf.runtimes.compute.plan` and hands the steps to the runtime. Under SPMD every
process has its own, which makes the same plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from threading import RLock
from typing import Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.engine import realize
from onebuf.engine.step.region import box_of
from onebuf.errors import DeviceError, LayoutError, NotDistributed
from onebuf.graph import BINARY, Kind, Node, on_block, place_on
from onebuf.layout import View
from onebuf.machine import CPU, Cluster, DeviceBlock, Facts, Stats
from onebuf.ops import (
    binary,
    cast,
    constant,
    copied,
    expand,
    flip,
    pad,
    reshape,
    seen,
    shrink,
    sort,
)
from onebuf.placement import Box, Partition, default_tiles
from onebuf.placement.derived import Along, derived
from onebuf.runtimes.compute.call import axis_of_call
from onebuf.runtimes.compute.compact import compacted
from onebuf.runtimes.compute.expression import Expression, input_node
from onebuf.runtimes.compute.local_graph import FUSED, localized
from onebuf.runtimes.compute.plan import Planner, elements_of
from onebuf.runtimes.compute.rows import operands_first
from onebuf.runtimes.compute.sort import sorted_elements
from onebuf.runtimes.compute.source import PlacedSource, placed_source, source_of
from onebuf.runtimes.compute.steps import Step
from onebuf.runtimes.compute.write import Written
from onebuf.runtimes.explain import explanation
from onebuf.runtimes.protocols import Elements, Recipe, Runtime
from onebuf.shapes import Tiled


class Coordinator:
    """The driver of a `Cluster`."""

    survives_fork = False

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.runtime: Runtime = cluster.runtime.engine
        self._lock = RLock()

    # -- computing ---------------------------------------------------------------------------------

    def realize(self, nodes: Sequence[Node], partition: Partition | None = None) -> None:
        """Compute what ``nodes``, or the nodes that they are views of, are still to be."""
        with self._lock:
            bases = list({id(node.base): node.base for node in nodes}.values())
            self._sort(bases)
            planner = Planner(self.runtime.places)
            planner.want([base for base in bases if not base.is_placed], partition)
            self._run(planner.steps)

    def _sort(self, wanted: Sequence[Node]) -> None:
        """Sort the vectors below ``wanted`` that are to be sorted: what goes where is told by their
        elements, so that it cannot be planned."""
        for root in wanted:
            for node in list(operands_first(root)):
                if node.is_placed or axis_of_call(node) is None or len(node.shape) != 1:
                    continue
                self._sort_vector(node)

    def _sort_vector(self, node: Node) -> None:
        descending = bool(node.arg.static[1])
        (operand,) = node.srcs
        self.realize([operand])
        if not operand.numel:
            return
        (expression,), values = localized(
            [flip(operand, (0,)) if descending else operand], Planner(1).value_of
        )
        inputs = [value.elements for value in values if value.elements is not None]
        rows = Partition(default_tiles(node.shape, self.runtime.places), self.runtime.places)
        is_order = node.arg.name == "argsort"
        found = sorted_elements(self.runtime, expression, inputs, rows, is_order)
        leaf = input_node(0, node.shape, found.dtype)
        if descending:
            leaf = flip(leaf, (0,))
            if is_order:
                leaf = binary(BINARY["subtract"], constant((), node.numel - 1, found.dtype), leaf)
        spread = self.runtime.run(Expression(leaf, "sort"), rows, [found])
        self.runtime.wait(spread)
        place_on(node, block_of(spread))

    def compacted(self, node: Node, mask: Node) -> Node:
        """The elements of ``node`` at which ``mask``, of its shape, holds, in row-major order."""
        with self._lock:
            values, where = reshape(node, (-1,)), reshape(mask, (-1,))
            self.realize([values, where])
            expressions, inputs = localized([values, where], Planner(1).value_of)
            places = self.runtime.places
            rows = Partition(default_tiles(values.shape, places), places)
            elements = [value.elements for value in inputs if value.elements is not None]
            found = compacted(self.runtime, expressions[0], expressions[1], elements, rows)
            return self._evenly(found)

    def _evenly(self, elements: Elements) -> Node:
        """Elements in the tiles that any number of places would cut them into."""
        places = self.runtime.places
        leaf = input_node(0, elements.shape, elements.dtype)
        rows = Partition(default_tiles(elements.shape, places), places)
        return self.run(Expression(leaf, "spread"), rows, [elements])

    def unique(self, node: Node) -> Node:
        """The distinct elements of ``node``, in order; each NaN is one of its own."""
        flat = reshape(node, (-1,))
        ordered = sort(flat)
        if node.numel < 2:
            return copied(flat)
        is_new = binary(
            BINARY["not_equal"],
            shrink(ordered, [(1, node.numel)]),
            shrink(ordered, [(0, node.numel - 1)]),
        )
        return self.compacted(ordered, pad(is_new, [(1, 0)], True))

    def _run(self, steps: Sequence[Step]) -> None:
        """Run steps in order; nodes have their elements when all of them have."""
        last = {id(value): n for n, step in enumerate(steps) for value in step.inputs}
        made_here = {id(step.result) for step in steps if step.node is None}
        for number, step in enumerate(steps):
            inputs = [value.elements for value in step.inputs]
            step.result.elements = self.runtime.run(
                step.recipe,
                step.result.partition,
                inputs,  # type: ignore[arg-type]
            )
            for value in step.inputs:  # what no later step reads is let go
                if last[id(value)] == number and id(value) in made_here:
                    value.elements = None
        made = [step for step in steps if step.node is not None]
        for step in made:
            self.runtime.wait(step.result.elements)  # type: ignore[arg-type]
        latest = {id(step.node): step for step in made}
        for step in latest.values():
            assert step.node is not None
            assert step.result.elements is not None
            place_on(step.node, block_of(step.result.elements))

    def run(self, recipe: Recipe, partition: Partition, inputs: Sequence[Elements] = ()) -> Node:
        """A node of what a recipe makes."""
        elements = self.runtime.run(recipe, partition, inputs)
        return self.node_of(elements)

    def elements_of(self, node: Node) -> Elements:
        """The elements of a node that is there."""
        return elements_of(node)

    def node_of(self, elements: Elements) -> Node:
        """A node of elements that the runtime has."""
        return on_block(block_of(elements), elements.shape, elements.dtype, self.cluster)

    def explain(self, nodes: Sequence[Node]) -> str:
        """The steps that computing ``nodes`` takes, and what each of them moves."""
        planner = Planner(self.runtime.places)
        bases = list({id(node.base): node.base for node in nodes}.values())
        with self._lock:
            planner.want([base for base in bases if not base.is_placed])
        return explanation(planner.steps, self.cluster.name)

    # -- in and out --------------------------------------------------------------------------------

    def distributed(
        self, node: Node, tiles: Any = None, partition: Partition | None = None
    ) -> Node:
        """The elements of ``node``, which are the host's, held by the places.

        A lazy expression is computed where its elements are to be, by each place its own. Of a file
        or store nothing is read yet.
        """
        where = partition or Partition(
            tiles if isinstance(tiles, Tiled) else default_tiles(node.shape, self.runtime.places),
            self.runtime.places,
        )
        source = source_of(node)
        if source is not None:
            return placed_source(source, where, self.cluster)
        with self._lock:
            (expression,), inputs = localized([self.on_host(node)], lambda _: None)
            assert not inputs
            return self.run(expression, where)

    def on_host(self, node: Node) -> Node:
        """``node``, of the host, such that any box of it can be computed by itself."""
        node = node if node.has_strides else copied(node)
        if any(one.op.kind not in _LOCAL for one in operands_first(node)):
            realize([node])
        return node

    def redistributed(self, node: Node, partition: Partition) -> Node:
        """The same elements in another partition."""
        with self._lock:
            self.realize([node])
            elements = elements_of(node.base)
            leaf = input_node(0, elements.shape, elements.dtype)
            expression = Expression(_seen(leaf, node), "redistribute")
            return self.run(expression, partition, [elements])

    def partition_of(self, node: Node) -> Partition:
        """The partition of the elements that ``node`` sees, computed if they are still pending."""
        source = node.on_demand
        if source is None:
            self.realize([node])
        base = (
            source.partition
            if isinstance(source, PlacedSource)
            else elements_of(node.base).partition
        )
        along = along_of(node)
        if along is None:
            raise LayoutError(
                f"a view of shape {node.shape} that does not go along the axes of its base has no "
                f"tiles of its own; copy it first: x.copy()"
            )
        return derived(base, along, node.shape)

    def gather(self, node: Node, out: Array | None = None) -> Array:
        """The elements of ``node`` in this process, of which no more than those it sees move."""
        bounds, inside = box_of(node.view, node.base.shape)
        if node.on_demand is not None:
            found = np.asarray(node.on_demand.read(bounds))
        elif _is_small_part(node):
            part = copied(node)
            return self.gather(part, out)
        else:
            self.realize([node])
            found = self.runtime.fetch(elements_of(node.base), bounds)
        array = _through(found, inside)
        if out is None:
            return np.array(array, order="C")
        np.copyto(out, array)
        return out

    def box_of(self, node: Node) -> tuple[Elements, Box]:
        """The stored elements that ``node`` sees, and their box."""
        self.realize([node])
        along = along_of(node)
        steps_are_one = along is not None and all(
            step == 1
            for axis, step in zip(along.axes, along.steps, strict=True)
            if axis is not None
        )
        if along is None or not steps_are_one:
            raise LayoutError(
                f"a part of a distributed buffer needs to be a box of its elements to be written "
                f"or fetched by itself, got one of shape {node.shape} with steps, or not along the "
                f"axes"
            )
        extents = {axis: n for axis, n in zip(along.axes, node.shape, strict=True)}
        box = tuple(
            [(start, start + extents.get(axis, 1)) for axis, start in enumerate(along.start)]
        )
        return elements_of(node.base), box

    # -- writing -----------------------------------------------------------------------------------

    def prepared(self, target: Node, value: Node) -> Elements:
        """The new elements of ``target``, where they are to be."""
        while len(value.shape) > len(target.shape):
            value = reshape(value, value.shape[1:])
        new = expand(cast(value, target.dtype), target.shape)
        if new.device not in (None, CPU, self.cluster):
            raise DeviceError(
                f"a write needs elements on {self.cluster.name} or on the host, got {new.device}; "
                f"copy them first: x.to_local()"
            )
        with self._lock:
            self.realize([target])
            along = _along_target(target)
            where = derived(elements_of(target.base).partition, along, target.shape)
            if new.device is self.cluster and not new.is_view and not new.is_placed:
                self.realize([new], where)
                return elements_of(new)
            if new.device is self.cluster:
                return elements_of(self._copied(new, where))
            (expression,), _ = localized([self.on_host(new)], lambda _: None)
            return self.runtime.run(expression, where, [])

    def _copied(self, node: Node, where: Partition) -> Node:
        made = copied(node)
        self.realize([made], where)
        return made

    def write(self, target: Node, new: Elements) -> None:
        """Write elements that `prepared` gave."""
        if not target.numel:
            return
        with self._lock:
            elements = elements_of(target.base)
            along = _along_target(target)
            recipe = Written(along, target.shape, target.dtype)
            self.runtime.update(elements, recipe, recipe.region(), [new, elements])

    # -- what devices have -------------------------------------------------------------------------

    def facts(self) -> Facts:
        """A description."""
        return Facts(f"{self.runtime.places} places of the runtime {self.runtime.name}")

    @property
    def allocator(self) -> Coordinator:
        """Memory is the runtime's."""
        return self

    def stats(self) -> Stats:
        """Bytes at all places."""
        in_use = sum(self.runtime.memory_in_use())
        return Stats(in_use, 0, in_use)

    def trim(self) -> int:
        """Nothing is cached here."""
        return 0

    def synchronize(self) -> None:
        """Return when everything that was asked for is done."""
        self.runtime.barrier()


_LOCAL = FUSED | {Kind.STORED}
"""The kinds of nodes of the host of which any box can be computed by itself."""


class Shards(DeviceBlock):
    """The elements of a node, as the block of a device."""

    __slots__ = ()


def block_of(elements: Elements) -> Shards:
    """The block of a node that is placed on a runtime."""
    return Shards(elements, prod(elements.shape) * elements.dtype.itemsize)


def along_of(node: Node) -> Along | None:
    """Where the indices of a view lead among the elements of its base."""
    base = node.base
    local = _seen(input_node(0, base.shape, base.dtype), node)
    if 0 in node.shape:
        return None
    return Expression(local).along(0)


def _seen(leaf: Node, node: Node) -> Node:
    return leaf if node is node.base else seen(leaf, node.view)


def _along_target(target: Node) -> Along:
    if not target.numel:
        return Along(
            (0,) * len(target.base.shape), (None,) * len(target.shape), (1,) * len(target.shape)
        )
    along = along_of(target)
    if along is None:
        raise NotDistributed(
            f"a write to a distributed buffer needs to go along its axes, got a view of shape "
            f"{target.shape} that does not (a diagonal, or a reshaped view); write to slices"
        )
    return along


def _through(array: Array, view: View) -> Array:
    if not view.numel:
        return np.empty(view.shape, array.dtype)
    if view.is_contiguous and view.offset == 0 and view.shape == array.shape:
        return array
    flat = np.ascontiguousarray(array).reshape(-1)
    strides = tuple([step * array.itemsize for step in view.stride])
    return np.lib.stride_tricks.as_strided(flat[view.offset :], view.shape, strides)


def _is_small_part(node: Node) -> bool:
    """Whether ``node`` sees little of what is still to be computed: then no more is computed."""
    base = node.base
    return not base.is_placed and node is not base and node.numel * _FEW < base.numel


_FEW = 8
