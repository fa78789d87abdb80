"""The driver of a context: one driver for each queue, and a replica of every block on each.

Replicas with equal elements have the same stamp. The stamps of a kernel's results follow from those
of its operands: queues that read equal elements compute equal results. So whether replicas diverged
is known without comparing elements.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from itertools import count as counting
from typing import Any, NamedTuple

import numpy as np

from onebuf.backends.protocols import Launch, Seen, holds_arrays, interprets, runs_kernels
from onebuf.dtypes import DT, Array
from onebuf.errors import DeviceError, DivergenceError
from onebuf.graph import Node, Op
from onebuf.layout import View
from onebuf.machine import Context, DeviceBlock, Driver, Event, Facts, Stats
from onebuf.scheduler.fuse.group import Group

_stamps = counting(1)


def open(context: Context) -> Kernels | Arrays:
    """The driver of a context; opens all of its queues."""
    drivers = [place.driver for place in context.places]
    if all(interprets(driver) for driver in drivers):
        return InterpretedKernels(drivers)
    if all(runs_kernels(driver) for driver in drivers):
        return Kernels(drivers)
    if all(holds_arrays(driver) for driver in drivers):
        return Arrays(drivers)
    raise DeviceError(
        f"a context needs devices that all run kernels, or that all hold arrays of a library, got "
        f"{context!r}; make a context for each family"
    )


class Replicas(DeviceBlock):
    """A block with a replica on every queue."""

    __slots__ = ("stamps",)

    def __init__(self, blocks: Sequence[DeviceBlock]) -> None:
        super().__init__(list(blocks), blocks[0].nbytes)
        self.stamps = [next(_stamps)] * len(blocks)
        for index, block in enumerate(blocks):
            block.watcher = _Watcher(self, index)

    def replica(self, index: int) -> DeviceBlock:
        """The memory on one queue, with the pending reads of all replicas."""
        found: DeviceBlock = self.memory[index]
        found.readers = self.readers
        return found

    @property
    def diverged(self) -> bool:
        """Whether replicas may hold different elements."""
        return len(set(self.stamps)) > 1

    def is_now_alike(self) -> None:
        """Note that all elements were overwritten with the same ones on every queue."""
        self.stamps = [next(_stamps)] * len(self.stamps)

    def depends_on(self, others: Sequence[Replicas | Many]) -> None:
        """Note that each replica was computed from the replicas of ``others`` on its queue."""
        read = list(zip(*[other.stamps for other in others], strict=True))
        if len(set(read)) <= 1:
            self.is_now_alike()
            return
        known = {stamps: next(_stamps) for stamps in read}
        self.stamps = [known[stamps] for stamps in read]


class _Watcher:
    """Gives one replica a new stamp after a write to it alone; does not keep the others alive."""

    __slots__ = ("_all", "_index")

    def __init__(self, all_of_them: Replicas, index: int) -> None:
        self._all = weakref.ref(all_of_them)
        self._index = index

    def __call__(self) -> None:
        whole = self._all()
        if whole is not None:
            whole.stamps[self._index] = next(_stamps)


class Many(NamedTuple):
    """Arrays of a library, one for each queue, with the stamps of their blocks."""

    arrays: list[Any]
    stamps: list[int]


class ManyEvents:
    """The event of work on several queues."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events

    @property
    def is_done(self) -> bool:
        """Whether all of it is complete."""
        return all(event.is_done for event in self.events)

    def wait(self) -> None:
        """Return when all of it is complete."""
        for event in self.events:
            event.wait()

    def times(self) -> tuple[int, int]:
        """When the first began and the last ended, which is meaningful for queues of one device."""
        spans = [event.times() for event in self.events]
        return min(begin for begin, _ in spans), max(end for _, end in spans)


class _Allocator:
    """Memory on every queue."""

    def __init__(self, drivers: Sequence[Driver]) -> None:
        self._allocators = [driver.allocator for driver in drivers]

    def allocate(self, nbytes: int) -> Replicas:
        """A block on each queue, or an error and no block."""
        return Replicas([allocator.allocate(nbytes) for allocator in self._allocators])

    def stats(self) -> Stats:
        """Bytes of all queues together."""
        all_of_them = [allocator.stats() for allocator in self._allocators]
        return Stats(
            sum(stats.in_use for stats in all_of_them),
            sum(stats.cached for stats in all_of_them),
            sum(stats.peak for stats in all_of_them),
        )

    def trim(self) -> int:
        """Free the caches of all queues; returns how many bytes that were."""
        return sum(allocator.trim() for allocator in self._allocators)


class _Replicated:
    """What contexts of kernel drivers and of array drivers share."""

    def __init__(self, drivers: Sequence[Any]) -> None:
        self.drivers = drivers
        self.survives_fork = all(driver.survives_fork for driver in drivers)
        self.allocator = _Allocator(drivers)

    def facts(self) -> Facts:
        """The description of its queues."""
        facts = [driver.facts() for driver in self.drivers]
        lacks = dict.fromkeys([dtype for one in facts for dtype in one.lacks])
        description = f"{len(facts)} queues: " + ", ".join(one.description for one in facts)
        return Facts(description, queues=len(facts), lacks=tuple(lacks))

    def upload(self, data: Array, block: Replicas, offset_bytes: int = 0) -> ManyEvents:
        """Copy bytes to every replica."""
        pairs = zip(self.drivers, block.memory, strict=True)
        events = [driver.upload(data, one, offset_bytes) for driver, one in pairs]
        if offset_bytes == 0 and data.nbytes >= block.nbytes:
            block.is_now_alike()
        return ManyEvents(events)

    def download(self, block: Replicas, out: Array, offset_bytes: int = 0) -> Event:
        """Copy bytes of the first replica; an error if the replicas diverged."""
        check_alike(block)
        return self.drivers[0].download(block.memory[0], out, offset_bytes)  # type: ignore[no-any-return]

    def copy(self, source: Replicas, target: Replicas) -> ManyEvents:
        """Copy every replica."""
        triples = zip(self.drivers, source.memory, target.memory, strict=True)
        events = [driver.copy(one, two) for driver, one, two in triples]
        target.stamps = list(source.stamps)
        return ManyEvents(events)

    def synchronize(self) -> None:
        """Return when everything that was queued is complete."""
        for driver in self.drivers:
            driver.synchronize()


def check_alike(block: Replicas | Many) -> None:
    """Raise if replicas diverged, where one value is needed."""
    if len(set(block.stamps)) > 1:
        alike: dict[int, list[int]] = {}
        for index, stamp in enumerate(block.stamps):
            alike.setdefault(stamp, []).append(index)
        groups = ", ".join(str(indices) for indices in alike.values())
        raise DivergenceError(
            f"one value was asked for, and the replicas differ (alike are {groups}); "
            f"read(i) gives one of them and read() all, write(data) makes them alike again"
        )


class Kernels(_Replicated):
    """Kernels, queued once for each replica."""

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whether every queue supports ``op``."""
        return all(driver.supports(op, operands, result) for driver in self.drivers)

    def unwrap(self, block: Replicas) -> list[Any]:
        """The handles of all replicas."""
        pairs = zip(self.drivers, block.memory, strict=True)
        return [driver.unwrap(one) for driver, one in pairs]

    def prepare(self, group: Group) -> ReplicatedLaunch:
        """A kernel for every queue."""
        launches = [driver.prepare(group) for driver in self.drivers]
        return ReplicatedLaunch(launches, group.nest.written)


class InterpretedKernels(Kernels):
    """Kernels on queues whose memory NumPy can use."""

    def interpret(self, node: Node, operands: Sequence[Array | Seen], block: Replicas) -> None:
        """Compute a node that has no kernel, once for each replica."""
        for index, driver in enumerate(self.drivers):
            mine = [
                x._replace(block=x.block.memory[index]) if isinstance(x, Seen) else x
                for x in operands
            ]
            driver.interpret(node, mine, block.memory[index])
        block.depends_on([x.block for x in operands if isinstance(x, Seen)])  # type: ignore[misc]


class ReplicatedLaunch:
    """A kernel that was compiled for every queue."""

    def __init__(self, launches: Sequence[Launch], written: frozenset[int]) -> None:
        self._launches = launches
        self._written = written

    def run(self, blocks: Sequence[Any], scalars: Sequence[np.generic]) -> None:
        """Queue it on every queue."""
        used = [block for block in blocks if block is not None]
        written = [blocks[slot] for slot in self._written]
        for index, launch in enumerate(self._launches):
            mine = [None if block is None else block.memory[index] for block in blocks]
            try:
                launch.run(mine, scalars)
            except Exception:
                for block in written:
                    block.memory[index].touched()
                raise
        for block in written:
            block.depends_on(used)


class Arrays(_Replicated):
    """Arrays of a library, one for each replica."""

    def dtype_of(self, native: Any) -> DT:
        """The dtype of the library's arrays."""
        return self.drivers[0].dtype_of(native[0])  # type: ignore[no-any-return]

    def wrap(self, native: Any) -> Replicas:
        """A block on one array for each queue."""
        pairs = zip(self.drivers, native, strict=True)
        return Replicas([driver.wrap(one) for driver, one in pairs])

    def native(self, block: Replicas, dtype: DT, view: View | None) -> Many:
        """The elements of each replica that a view selects."""
        pairs = zip(self.drivers, block.memory, strict=True)
        return Many([driver.native(one, dtype, view) for driver, one in pairs], block.stamps)

    def put(self, array: Array) -> Replicas:
        """A block with these elements on every queue."""
        return Replicas([driver.put(array) for driver in self.drivers])

    def get(self, native: Many) -> Array:
        """The elements of the first replica; an error if the replicas diverged."""
        check_alike(native)
        return self.drivers[0].get(native.arrays[0])  # type: ignore[no-any-return]

    def compute(
        self, op: Op, operands: tuple[Many, ...], arg: Any, shape: tuple[int, ...], dtype: DT
    ) -> Replicas:
        """The result of an operation on each replica."""
        made = []
        for index, driver in enumerate(self.drivers):
            mine = tuple([operand.arrays[index] for operand in operands])
            made.append(driver.compute(op, mine, arg, shape, dtype))
        result = Replicas(made)
        result.depends_on(operands)
        return result

    def write(self, block: Replicas, dtype: DT, view: View, value: Many) -> None:
        """Write to the elements of each replica that a view selects."""
        for driver, one, new in zip(self.drivers, block.memory, value.arrays, strict=True):
            driver.write(one, dtype, view, new)
        is_all = view.is_contiguous and view.numel * dtype.itemsize == block.nbytes
        block.depends_on([value] if is_all else [block, value])
