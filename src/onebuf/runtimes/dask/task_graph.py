"""The tasks that a run takes on Dask: which there are, and what each of them is handed.

The unit is a place. A place that makes something is one task; another one, at the place that holds
them, cuts elements out of a shard that would otherwise have to move as a whole. Nothing here talks
to a scheduler.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import ShapeError
from onebuf.placement import Box, Partition, is_empty, numel_of
from onebuf.placement.box import within
from onebuf.runtimes.dask.tasks import cut
from onebuf.runtimes.protocols import Elements, Recipe

PREFIX = "onebuf-"
"""How the keys of all tasks begin."""
SMALL_NBYTES = 1 << 16
"""So much may move for nothing: a task that would leave it out costs more."""
MESSAGE_NBYTES = 1 << 22
"""More than this is sent to the scheduler in several messages; Dask warns of large ones."""


class Memory(NamedTuple):
    """The shards of some elements and their sizes, by place. What is everywhere has one."""

    shards: Mapping[int, Any]
    nbytes: Mapping[int, int]


class Graph:
    """Tasks that go to the scheduler in one message, by the place that is to run them.

    A dependency is a future, or the key of another task of the graph.
    """

    def __init__(self) -> None:
        self.tasks: dict[int, dict[str, tuple[Any, ...]]] = defaultdict(dict)
        self._cuts: dict[tuple[str, tuple[Box, ...]], str] = {}

    def add(self, name: str, place: int, task: Callable[..., Any], *dependencies: Any) -> str:
        """A task, and the key of what it makes."""
        key = f"{PREFIX}{name}-{uuid4().hex}"
        self.tasks[place][key] = (task, *dependencies)
        return key

    def pieces(
        self,
        elements: Elements,
        memory: Memory,
        source: int,
        pieces: Sequence[Box],
        near: int | None,
    ) -> tuple[tuple[Box, ...] | None, Any]:
        """Boxes that ``source`` holds: those alone, or None with all of its shard.

        The shard itself is taken where it need not move, or hardly more than what is needed.
        """
        partition = elements.partition
        if partition.is_everywhere:
            source = 0
        shard, total = memory.shards[source], memory.nbytes[source]
        needed = sum([numel_of(box) for box in pieces]) * elements.dtype.itemsize
        is_there = near is not None and (near == source or partition.is_everywhere)
        if is_there or total - needed <= max(SMALL_NBYTES, total // 10):
            return None, shard
        boxes = tuple(pieces)
        if (shard.key, boxes) not in self._cuts:
            task = partial(cut, partition, elements.dtype, source, boxes)
            self._cuts[shard.key, boxes] = self.add("cut", source, task, shard)
        return boxes, self._cuts[shard.key, boxes]


def assign(places: int, before: Sequence[str], workers: Sequence[str]) -> tuple[str, ...]:
    """A worker for each place: evenly, and with as few changes as that takes.

    >>> assign(4, (), ["a", "b"])
    ('a', 'b', 'a', 'b')
    >>> assign(4, ("a", "b", "a", "b"), ["b", "c"])
    ('c', 'b', 'c', 'b')
    """
    if not workers:
        return ()
    most = ceil(places / len(workers))
    counts = Counter({worker: 0 for worker in workers})
    found: list[str | None] = [None] * places
    for place, worker in enumerate(before[:places]):
        if counts.get(worker, most) < most:
            found[place] = worker
            counts[worker] += 1
    for place, known in enumerate(found):
        if known is None:
            worker = min(counts, key=counts.__getitem__)
            found[place] = worker
            counts[worker] += 1
    return tuple([worker for worker in found if worker is not None])


def holders(partition: Partition) -> range:
    """The places that have a shard."""
    return range(1 if partition.is_everywhere else partition.places)


def wanted(
    recipe: Recipe, boxes: Sequence[Box], place: int, inputs: Sequence[Elements]
) -> dict[tuple[int, int], tuple[Box, ...]]:
    """What making ``boxes`` at a place reads: by input and the place that holds it, each once."""
    found: dict[tuple[int, int], dict[Box, None]] = defaultdict(dict)
    for box in boxes:
        for number, need in recipe.needs(box):
            for source, piece in inputs[number].partition.pieces(need, place):
                found[number, source][piece] = None
    return {key: tuple(pieces) for key, pieces in found.items()}


def spread(array: Array, shape: tuple[int, ...]) -> Array:
    """An array as one of another shape, of which elements may be repeated."""
    given = array.shape
    while array.ndim > len(shape) and array.shape[0] == 1:
        array = array[0]
    try:
        return np.broadcast_to(array, shape)
    except ValueError as error:
        raise ShapeError(
            f"a box of the shape {shape} needs an array of that shape, or one that can be repeated "
            f"to it, got the shape {given}"
        ) from error


def split(partition: Partition, box: Box, array: Array) -> dict[int, list[tuple[Box, Array]]]:
    """What of an array goes to which place: copies, none of them large, nothing repeated."""
    found: dict[int, list[tuple[Box, Array]]] = defaultdict(list)
    for place, piece in partition.pieces(box):
        todo = [piece]
        while todo:
            part = todo.pop()
            seen = array[within(part, box) or ...]
            once = seen[tuple([slice(1 if step == 0 else None) for step in seen.strides]) or ...]
            if once.nbytes > MESSAGE_NBYTES and once.size > 1:
                todo.extend(_halves(part, int(np.argmax(once.shape))))
            elif not is_empty(part):
                found[place].append((part, once.copy()))
    return found


def _halves(box: Box, axis: int) -> list[Box]:
    low, high = box[axis]
    middle = (low + high) // 2
    return [(*box[:axis], part, *box[axis + 1 :]) for part in ((low, middle), (middle, high))]
