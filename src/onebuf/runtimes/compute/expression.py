"""Expressions as recipes: any box of an element-wise graph, from boxes of its leaves.

The graph is one of this process, on the host, with an `Input` in place of each leaf that a runtime
holds. For a box it is pushed down (`onebuf.engine.run.tiles.pushdown`): what is left reads just
those parts of the inputs, as stored elements, and is planned and compiled like any other graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.engine import assign
from onebuf.engine.run.tiles.pushdown import Pushdown, within
from onebuf.engine.step.region import box_of
from onebuf.errors import PlaceError
from onebuf.graph import COPY, EMPTY, SOURCE, Foreign, Kind, Leaf, Node, make, settle
from onebuf.interop import Source
from onebuf.layout import View
from onebuf.memory import Block, Territory, address_of
from onebuf.placement import Box
from onebuf.placement.box import shape_of
from onebuf.placement.derived import Along
from onebuf.runtimes.compute.rows import Rows, operands_first, rebuilt, rows_of
from onebuf.runtimes.protocols import Fetch, Need


class Input:
    """A leaf of a local graph that stands for an input of a recipe; see `onebuf.interop.Source`."""

    writable = False

    def __init__(self, number: int, shape: tuple[int, ...], dtype: DT) -> None:
        self.number = number
        self.shape = shape
        self.dtype = dtype
        self.name = f"input {number}"
        self.territory = Territory()

    def read(self, bounds: Sequence[tuple[int, int]]) -> Array:
        """Refuse: a recipe reads its inputs, nothing else does."""
        raise PlaceError(f"{self.name} of a distributed step was read outside of it")

    def write(self, bounds: Sequence[tuple[int, int]], array: Array) -> None:
        """Refuse."""
        raise PlaceError(f"{self.name} of a distributed step cannot be written")

    def flush(self) -> None:
        """Nothing was written."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Input, (self.number, self.shape, self.dtype)


def input_node(number: int, shape: tuple[int, ...], dtype: DT) -> Node:
    """The leaf of input ``number``."""
    return make(SOURCE, (), Input(number, shape, dtype), shape, dtype, unique=True)


class Expression:
    """The boxes of ``root``, a graph of the host whose leaves may be inputs."""

    def __init__(self, root: Node, name: str = "") -> None:
        self.root = root
        self.name = name or root.base.op.name

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of all elements together."""
        return self.root.shape

    @property
    def dtype(self) -> DT:
        """The type of the elements."""
        return self.root.dtype

    @cached_property
    def _aligned(self) -> tuple[Node, ...] | None:
        """The nodes of the graph, operands first, if each element is computed from those of inputs
        at the same index, and from numbers; else None. Then there is no need to push down."""
        found = []
        for node in operands_first(self.root):
            if isinstance(node.arg, Input) or node.op.kind in _ALIGNED:
                is_aligned = node.shape == self.shape
            else:
                is_aligned = not node.shape and (
                    node.op.kind is Kind.CONSTANT or settle(node) is not None
                )
            if not is_aligned:
                return None
            found.append(node)
        return tuple(found)

    def _aligned_inputs(self) -> list[int]:
        return [node.arg.number for node in self._aligned or () if isinstance(node.arg, Input)]

    def _aligned_part(self, nodes: Sequence[Node], box: Box, fetch: Fetch) -> Node:
        shape, made = shape_of(box), dict[int, Node]()
        for node in nodes:
            if isinstance(node.arg, Input):
                part = stored_leaf(fetch(node.arg.number, box))
            elif node.op is COPY:
                part = made[id(node.srcs[0])]
            elif node.op.kind in _ALIGNED:
                srcs = tuple([made[id(src)] for src in node.srcs])
                part = make(node.op, srcs, node.arg, shape, node.dtype)
            else:
                part = node
            made[id(node)] = part
        return made[id(self.root)]

    def needs(self, box: Box) -> list[Need]:
        """The boxes of inputs that ``box`` is computed from."""
        if self._aligned is not None:
            return [(number, box) for number in self._aligned_inputs()]
        found = self._reads(box)
        return list(dict.fromkeys([(one.number, b) for one, b in found if isinstance(one, Input)]))

    def _reads(self, box: Box) -> list[tuple[Source, Box]]:
        """The boxes of all sources that ``box`` is computed from."""
        found: list[tuple[Source, Box]] = []

        def note(source: Source, bounds: Box) -> Node:
            found.append((source, bounds))
            shape = tuple([high - low for low, high in bounds])
            return make(EMPTY, (), None, shape, self.root.dtype, unique=True)

        self._pushed(box, note)
        return found

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Compute ``box``."""
        if out.size:
            write_into(out, self.part(box, fetch))

    def part(self, box: Box, fetch: Fetch) -> Node:
        """The elements of ``box``, as a graph of stored ones."""
        if self._aligned is not None:
            return self._aligned_part(self._aligned, box, fetch)

        def read(source: Source, bounds: Box) -> Node:
            if isinstance(source, Input):
                return stored_leaf(fetch(source.number, bounds))
            return Foreign(np.asarray(source.read(bounds)))

        return self._pushed(box, read)

    def _pushed(self, box: Box, read: Callable[[Source, Box], Node]) -> Node:
        def read_view(node: Node) -> Node:
            source = node.on_demand
            assert source is not None
            bounds, inside = box_of(node.view, source.shape)
            return within(_typed(read(source, bounds), source.dtype), inside)

        where = View.contiguous(self.root.shape).shrink(box)
        return Pushdown(read_view, is_strict=True).part(self.root, where)

    def sources(self) -> list[Source]:
        """The files and stores that are read."""
        found = {id(s): s for s, _ in self._reads(tuple([(0, n) for n in self.shape]))}
        return [source for source in found.values() if not isinstance(source, Input)]

    def along(self, number: int | Source) -> Along | None:
        """Where indices lead in an input, or in a source; None if not along its axes.

        It is found by looking: at the first index, one further along each axis, and the last.
        """
        shape = self.shape
        if 0 in shape:
            return None
        if number in self._aligned_inputs():
            return Along((0,) * len(shape), tuple(range(len(shape))), (1,) * len(shape))
        first = self._index_in(number, (0,) * len(shape))
        if first is None:
            return None
        axes: list[int | None] = []
        steps: list[int] = []
        for axis, extent in enumerate(shape):
            axes.append(None)
            steps.append(1)
            if extent == 1:
                continue
            second = self._index_in(number, tuple([int(n == axis) for n in range(len(shape))]))
            if second is None:
                return None
            changed = [n for n in range(len(first)) if first[n] != second[n]]
            if len(changed) > 1 or (changed and changed[0] in axes):
                return None
            if changed:
                axes[-1] = changed[0]
                steps[-1] = second[changed[0]] - first[changed[0]]
        found = Along(first, tuple(axes), tuple(steps))
        last = tuple([extent - 1 for extent in shape])
        return found if self._index_in(number, last) == found.at(last) else None

    def _index_in(self, number: int | Source, index: tuple[int, ...]) -> tuple[int, ...] | None:
        """Where in an input the element at ``index`` is read; of several places, one between."""
        box = tuple([(i, i + 1) for i in index])
        reads = [(one.number if isinstance(one, Input) else one, b) for one, b in self._reads(box)]
        found = sorted([bounds for which, bounds in reads if which == number])
        if not found or any(high - low != 1 for bounds in found for low, high in bounds):
            return None
        middle = [sorted([bounds[axis][0] for bounds in found]) for axis in range(len(found[0]))]
        return tuple([lows[len(lows) // 2] for lows in middle])

    def narrowed(self, boxes: Sequence[Box]) -> Expression | Narrowed:
        """A recipe for some boxes alone, which holds no more of this process' memory than they
        need: to be sent to another one."""
        held = [settle(node) for node in operands_first(self.root)]
        if sum([array.nbytes for array in held if array is not None]) <= _FEW_NBYTES:
            return self
        try:
            parts = [self._pushed(box, _refused) for box in boxes]
        except PlaceError:
            return self  # it has inputs
        pairs = zip(boxes, parts, strict=True)
        return Narrowed(tuple([(box, Expression(part)) for box, part in pairs]), self.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (rows_of(self.root), self.name)


@dataclass(frozen=True)
class Narrowed:
    """Parts of an expression without inputs, by the boxes that they are."""

    parts: tuple[tuple[Box, Expression], ...]
    dtype: DT

    name = "copy"

    def needs(self, box: Box) -> list[Need]:
        """Nothing: everything is here."""
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Compute ``box``, which is one of the parts."""
        part = dict(self.parts)[box]
        part.compute(tuple([(0, extent) for extent in part.shape]), fetch, out)


def _refused(source: Source, bounds: Box) -> Node:
    """In place of reading a source, where none may be."""
    if isinstance(source, Input):
        raise PlaceError(f"{source.name} was read where there are no inputs")
    return Foreign(np.asarray(source.read(bounds)))


_ALIGNED = frozenset({Kind.ELEMENTWISE, Kind.COPY})
"""The kinds of operations whose elements are computed from those at the same index."""
_FEW_NBYTES = 1 << 16
"""So many bytes of elements go along with a recipe."""


def _restored(rows: Rows, name: str) -> Expression:
    return Expression(rebuilt(rows), name)


def _typed(node: Node, dtype: DT) -> Node:
    if node.dtype == dtype:
        return node
    return make(EMPTY, (), None, node.shape, dtype, unique=True)


def stored_leaf(array: Array) -> Node:
    """A leaf of elements that a runtime keeps, and that nothing else uses while a step runs.

    For memory of others it has to be found out what else lies there (`Foreign`), which takes longer
    than a small step. Boxes of arrays in row-major order need not be asked.
    """
    if array.flags.c_contiguous:
        memory = array.reshape(-1).view(np.uint8)
    elif array.strides[-1] == array.itemsize and min(array.strides) > 0:
        axes = zip(array.shape, array.strides, strict=True)
        nbytes = sum([(extent - 1) * step for extent, step in axes]) + array.itemsize
        memory = np.lib.stride_tricks.as_strided(array.view(np.uint8), (nbytes,), (1,))
    else:
        return Foreign(array)
    return Leaf(array, Block(memory, 0, memory.nbytes, address_of(array), array.flags.writeable))


def write_into(out: Array, node: Node) -> None:
    """Compute ``node`` in the memory of ``out``, an array of its shape."""
    assign(stored_leaf(out), node)
