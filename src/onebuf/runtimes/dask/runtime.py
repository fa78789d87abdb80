"""Places that are workers of Dask: one program drives processes here, or machines of a cloud.

What a place holds of some elements is one task of Dask, its *shard* (see `dask_tasks`), so a run
costs by places, not by tiles. Everything is made by tasks, never sent as data: what a lost worker
had is computed anew. Places are numbers; each one has a worker that it prefers, and work goes to
another one if that is gone.

A run returns at once. Every wait ends when the scheduler cannot be reached any more.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import product
from math import isnan
from threading import RLock
from typing import Any, Literal
from uuid import uuid4
from weakref import WeakSet

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.errors import ArgumentError, MissingPackage, RegionError
from onebuf.events import Moved, listeners, tell
from onebuf.placement import Box, Partition, numel_of
from onebuf.placement.box import shape_of, within
from onebuf.runtimes.dask.client import Connection
from onebuf.runtimes.dask.task_graph import (
    MESSAGE_NBYTES,
    Graph,
    Memory,
    holders,
    split,
    spread,
    wanted,
)
from onebuf.runtimes.dask.tasks import (
    Held,
    Make,
    Pieces,
    Source,
    Write,
    blank,
    boxes_to_make,
    join,
    make,
    tile,
    write,
)
from onebuf.runtimes.protocols import Elements, Recipe, narrowed_to
from onebuf.shapes import Tiled

try:
    import dask.array
    from dask.highlevelgraph import HighLevelGraph
    from distributed import futures_of
    from distributed.protocol import pickle
except ImportError as error:
    raise MissingPackage.extra("distributed", "dask", "a runtime of Dask") from error

MOST_PLACES = 1 << 16


class Dask:
    """The workers of a Dask cluster, as places.

    Parameters
    ----------
    client
        A `distributed.Client` to use; it is left open. None: processes on this machine, which
        `close` ends. They start Python anew, so a script that opens them has to guard itself with
        ``if __name__ == "__main__":``.
    places
        How many there are; None: as many as workers when it is opened.
    timeout
        After how many seconds a wait raises `TaskTimeout`, where none is given; None: never.
    """

    name = "dask"
    mode: Literal["driver", "spmd"] = "driver"
    here: int | None = None

    def __init__(
        self, client: Any = None, places: int | None = None, timeout: float | None = None
    ) -> None:
        if places is not None and (type(places) is not int or not 1 <= places <= MOST_PLACES):
            raise ArgumentError(
                f"a runtime of Dask needs 1 to {MOST_PLACES} places, got {places!r}"
            )
        self._connection = Connection(client, places, timeout)
        self.client = self._connection.client
        self.places = self._connection.places
        self.timeout = timeout
        self._lock = RLock()
        self._live: WeakSet[Elements] = WeakSet()

    def __repr__(self) -> str:
        return f"Dask(places={self.places}, client={self.client!r})"

    # -- computing ---------------------------------------------------------------------------------

    def run(self, recipe: Recipe, partition: Partition, inputs: Sequence[Elements]) -> Elements:
        """New elements, which workers begin to make."""
        self._connection.check_open()
        if partition.places > self.places:
            raise ArgumentError(
                f"a partition for {partition.places} places needs a runtime with as many, and "
                f"this one has {self.places}"
            )
        shards = self._make(recipe, recipe.dtype, partition, None, inputs)
        return self._elements(partition, recipe.dtype, shards)

    def update(
        self, elements: Elements, recipe: Recipe, region: Box, inputs: Sequence[Elements]
    ) -> None:
        """Make anew what lies in ``region``, wait for it, then replace it."""
        self._check_box(elements, region)
        partition = elements.partition
        made = self._make(recipe, elements.dtype, partition, region, inputs)
        self._finish(self._connection.settled(made), self.timeout)
        with self._lock:
            graph, shards = Graph(), dict(elements.memory.shards)
            for place, new in made.items():
                boxes = tuple(boxes_to_make(partition, place, region))
                if boxes == partition.boxes(place):
                    shards[place] = new
                    continue
                todo = Write(partition, place, boxes, adds=False)
                shards[place] = graph.add("write", place, partial(write, todo), shards[place], new)
            self._connection.send(graph, shards)
            elements.memory = elements.memory._replace(shards=shards)

    def _make(
        self,
        recipe: Recipe,
        dtype: DT,
        partition: Partition,
        region: Box | None,
        inputs: Sequence[Elements],
    ) -> dict[int, Any]:
        """A task for each place that has something to make, as futures by place."""
        for one in inputs:
            self._check_elements(one)
        memories = [one.memory for one in inputs]
        known = tuple([(one.partition, one.dtype) for one in inputs])
        shared = self._packed(recipe) if narrowed_to(recipe, ()) is recipe else None
        graph, shards = Graph(), dict[int, Any]()
        for place in holders(partition):
            boxes = boxes_to_make(partition, place, region)
            if not boxes:
                continue
            packed, parts = shared or self._packed(narrowed_to(recipe, boxes))
            sources, dependencies = [], []
            for (number, source), pieces in wanted(recipe, boxes, place, inputs).items():
                one, memory = inputs[number], memories[number]
                _tell_move(recipe.name, one, source, place, pieces)
                asked, shard = graph.pieces(one, memory, source, pieces, near=place)
                sources.append(Source(number, source, asked))
                dependencies.append(shard)
            todo = Make(
                recipe=None if parts else packed,
                parts=len(parts),
                dtype=dtype,
                partition=partition,
                place=place,
                region=region,
                threads=self._connection.threads,
                inputs=known,
                sources=tuple(sources),
            )
            name = "make-" + re.sub(r"[^A-Za-z_]+", "-", recipe.name)[:40].strip("-")
            shards[place] = graph.add(name, place, partial(make, todo), *parts, *dependencies)
        self._connection.send(graph, shards)
        return shards

    def _packed(self, recipe: Recipe) -> tuple[bytes, list[Any]]:
        """A recipe as bytes; a large one is sent ahead, in parts."""
        packed = pickle.dumps(recipe)
        parts = [] if len(packed) <= MESSAGE_NBYTES else self._connection.send_bytes(packed)
        return packed, parts

    # -- elements ----------------------------------------------------------------------------------

    def fetch(self, elements: Elements, box: Box) -> Array:
        """A box of elements, copied from the workers that have it."""
        return self._connection.result(self.fetch_later(elements, box), self.timeout)

    def fetch_later(self, elements: Elements, box: Box) -> Future[Array]:
        """The same, begun now."""
        self._check_box(elements, box)
        graph, memory = Graph(), elements.memory
        asked: dict[int, tuple[Box, ...] | None] = {}
        shards: dict[int, Any] = {}
        by_place: dict[int, list[Box]] = defaultdict(list)
        for place, piece in elements.partition.pieces(box):
            by_place[place].append(piece)
        for place, pieces in by_place.items():
            _tell_move("fetch", elements, place, None, pieces)
            found = graph.pieces(elements, memory, place, tuple(pieces), near=None)
            asked[place], shards[place] = found
        self._connection.send(graph, shards)
        known = Pieces(elements.partition, elements.dtype, 0)
        return self._connection.begin(self._collected(known, box, asked, shards))

    async def _collected(
        self,
        known: Pieces,
        box: Box,
        asked: Mapping[int, tuple[Box, ...] | None],
        shards: Mapping[int, Any],
    ) -> Array:
        found = await self._connection.gathered(shards)
        for place, shard in found.items():
            known.add(place, asked[place], shard)
        return await asyncio.to_thread(known.array, box)

    def store(self, elements: Elements, box: Box, array: Array) -> None:
        """Write ``array`` to a box: it travels inside of tasks."""
        self._put(elements, box, np.asarray(array).astype(elements.dtype, copy=False), adds=False)

    def accumulate(self, elements: Elements, box: Box, array: Array) -> None:
        """Add ``array`` to a box."""
        self._put(elements, box, np.asarray(array), adds=True)

    def _put(self, elements: Elements, box: Box, array: Array, adds: bool) -> None:
        self._check_box(elements, box)
        parts = split(elements.partition, box, spread(array, shape_of(box)))
        is_large = sum([one.nbytes for part in parts.values() for _, one in part]) > MESSAGE_NBYTES
        with self._lock:
            graph, shards = Graph(), dict(elements.memory.shards)
            for place, written in parts.items():
                todo = Write(elements.partition, place, tuple([part for part, _ in written]), adds)
                sent: list[Any] = [[one for _, one in written]]
                if is_large:
                    sent = [self._connection.send_value(place, [one]) for _, one in written]
                task = partial(write, todo)
                shards[place] = graph.add("write", place, task, shards[place], *sent)
            self._connection.send(graph, shards)
            elements.memory = elements.memory._replace(shards=shards)

    def to_array(self, elements: Elements) -> Any:
        """The elements as an array of `dask.array`."""
        return to_dask_array(elements)

    def from_array(self, array: Any) -> Elements:
        """The elements of an array of `dask.array`."""
        return from_dask_array(array, self)

    def here_boxes(self, elements: Elements) -> list[tuple[Box, Array]]:
        """Nothing: all elements are in other processes."""
        self._check_elements(elements)
        return []

    # -- waiting -----------------------------------------------------------------------------------

    def wait(self, elements: Elements, timeout: float | None = None) -> None:
        """Return when all shards are there, or raise the first error of a place."""
        self._check_elements(elements)
        shards = elements.memory.shards
        self._finish(self._connection.settled(shards), self.timeout if timeout is None else timeout)

    def barrier(self, timeout: float | None = None) -> None:
        """Return when all shards are there, or have failed: their errors are for those who wait."""
        self._connection.check_open()
        with self._lock:
            shards = [one for elements in self._live for one in elements.memory.shards.values()]
        self._finish(self._connection.ended(shards), self.timeout if timeout is None else timeout)

    def _finish(self, work: Coroutine[Any, Any, None], timeout: float | None) -> None:
        self._connection.result(self._connection.begin(work), timeout)

    def memory_in_use(self) -> list[int]:
        """Bytes of shards at each place; those of what is everywhere are counted at place 0."""
        found = [0] * self.places
        with self._lock:
            memories = [elements.memory for elements in self._live]
        for memory in memories:
            for place, shard in memory.shards.items():
                if shard.status not in ("error", "cancelled"):
                    found[place] += memory.nbytes[place]
        return found

    def close(self) -> None:
        """Release all shards, and end what was started here."""
        with self._lock:
            if self._connection.is_closed:
                return
            for elements in list(self._live):
                elements.memory = Memory({}, {})
            self._connection.is_closed = True
        self._connection.close()

    # -- checks ------------------------------------------------------------------------------------

    def _elements(self, partition: Partition, dtype: DT, shards: Mapping[int, Any]) -> Elements:
        nbytes = {
            place: sum([numel_of(box) for box in partition.boxes(place)]) * dtype.itemsize
            for place in shards
        }
        elements = Elements(partition, dtype, self, Memory(shards, nbytes))
        with self._lock:
            self._connection.check_open()
            self._live.add(elements)
        return elements

    def _check_elements(self, elements: Elements) -> None:
        self._connection.check_open()
        if elements.runtime is not self:
            raise ArgumentError(
                f"a runtime works on elements of its own, got some of {elements.runtime!r}; fetch "
                f"them there, and store them here"
            )

    def _check_box(self, elements: Elements, box: Box) -> None:
        self._check_elements(elements)
        shape = elements.shape
        if len(box) != len(shape) or not all(
            [0 <= low <= high <= extent for (low, high), extent in zip(box, shape, strict=True)]
        ):
            raise RegionError(f"a box of elements of the shape {shape} lies inside, got {box}")


# -- arrays of Dask --------------------------------------------------------------------------------


def to_dask_array(elements: Elements) -> Any:
    """The elements as an array of `dask.array`, with a block for each tile.

    A block is a view of the shard: nothing is copied. The array is computed by the client of the
    runtime: ``runtime.client.compute(array)``.
    """
    runtime = elements.runtime
    if not isinstance(runtime, Dask):
        raise ArgumentError(
            f"an array of Dask is made of elements of a runtime of Dask, got some of {runtime!r}"
        )
    runtime._check_elements(elements)
    partition, name = elements.partition, f"onebuf-tile-{uuid4().hex}"
    chunks = tuple([sizes or (0,) for sizes in partition.tiling.axes])
    blocks: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    if 0 in elements.shape:
        for at in product(*[range(len(sizes)) for sizes in chunks]):
            shape = tuple([sizes[n] for sizes, n in zip(chunks, at, strict=True)])
            blocks[name, *at] = (partial(blank, shape, elements.dtype),)
    for place, shard in elements.memory.shards.items():
        held = Held(partition, place)
        for box in partition.tiles(place):
            number = held.around(box)
            index = within(box, held.boxes[number])
            at = partition.tiling.tile_of([low for low, _ in box])
            blocks[name, *at] = (partial(tile, number, index), shard)
    graph = HighLevelGraph.from_collections(name, blocks, dependencies=[])
    meta = np.empty([0] * len(chunks), elements.dtype)
    return dask.array.Array(graph, name, chunks, meta=meta)


def from_dask_array(array: Any, runtime: Dask) -> Elements:
    """The elements of an array of `dask.array`, with a tile for each block.

    It is computed by the client of the runtime. A block that is all of a box of its place is not
    copied, if it was made there.
    """
    runtime._connection.check_open()
    if any([isnan(size) for sizes in array.chunks for size in sizes]):
        raise ArgumentError(
            "elements need blocks of known extents, and those of this array are not; call its "
            "compute_chunk_sizes() before"
        )
    kept = [[n for n, size in enumerate(sizes) if size] for sizes in array.chunks]
    axes = [[sizes[n] for n in some] for sizes, some in zip(array.chunks, kept, strict=True)]
    partition = Partition(Tiled(*axes), runtime.places)
    persisted = runtime.client.persist(array)
    blocks = {one.key: one for one in futures_of(persisted)}
    graph, shards = Graph(), dict[int, Any]()
    for place in holders(partition):
        found = []
        for box in partition.tiles(place):
            at = partition.tiling.tile_of([low for low, _ in box])
            number = [some[n] for some, n in zip(kept, at, strict=True)]
            found.append(blocks[persisted.name, *number])
        if found:
            task = partial(join, partition, place, array.dtype)
            shards[place] = graph.add("join", place, task, *found)
    runtime._connection.send(graph, shards)
    return runtime._elements(partition, array.dtype, shards)


def _tell_move(
    name: str, elements: Elements, source: int, target: int | None, pieces: Sequence[Box]
) -> None:
    """Tell that boxes go from place to place. What else Dask moves with them is not told."""
    if listeners() and source != target:
        nbytes = sum([numel_of(piece) for piece in pieces]) * elements.dtype.itemsize
        tell(Moved(name, source, target, nbytes))
