"""Replicas: a buffer on a context has the same elements on every queue, until one is written to."""

from __future__ import annotations

import gc
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import strategies as st

import onebuf
from onebuf import Context, ReplicatedBuffer
from onebuf.dtypes import Array
from onebuf.errors import (
    ArgumentError,
    DeviceError,
    DivergenceError,
    DTypeError,
    IndexRangeError,
    ShapeError,
)
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract
from onebuf.testing.strategies import ALL, elements, looks, seeds, small


class ReplicasContract(Contract):
    """What buffers on the queues of ``devices`` have to do; ``queues`` of each."""

    devices: ClassVar[tuple[str, ...]]
    queues: ClassVar[int] = 1

    def context(self) -> Context:
        """The context of the queues."""
        return onebuf.context(list(self.devices), queues=self.queues)

    def replicated(self, array: Array) -> Any:
        """A buffer with these elements on every queue."""
        return onebuf.asarray(np.asarray(array), copy=True).to_device(self.context())

    def lacks(self, *names: str) -> bool:
        """Whether a device says that it cannot compute with one of these dtypes."""
        places = self.context().places
        return any(not set(names).isdisjoint(place.driver.facts().lacks) for place in places)

    def assert_replicas(self, buffer: Any, *wanted: Array) -> None:
        """Raise unless each replica is as wanted; if only one array is, every replica is that."""
        count = len(self.context())
        arrays = wanted * count if len(wanted) == 1 else wanted
        found = buffer.read()
        assert isinstance(found, list)
        assert len(found) == count
        for index, (got, array) in enumerate(zip(found, arrays, strict=True)):
            assert_same(got, array, f"replica {index}")
            assert_same(buffer.read(index), array, f"replica {index} alone")

    def test_a_context_is_its_queues_in_order(self) -> None:
        context = self.context()
        assert len(context) == len(context.places) == len(self.devices) * self.queues
        kinds = [place.parts.kind for place in context.places]
        assert kinds == [
            onebuf.device(name).parts.kind for name in self.devices for _ in range(self.queues)
        ]
        assert len(set(context.places)) == len(context)
        assert self.context() is context

    @pytest.mark.parametrize("name", ALL)
    def test_every_queue_gets_the_elements(self, name: str) -> None:
        with self.allowing(name):
            for shape in ((), (0,), (3, 4), (2, 1, 2, 3)):
                array = elements(name, shape, 1)
                x = self.replicated(array)
                assert isinstance(x, ReplicatedBuffer)
                assert x.device is self.context()
                assert not x.diverged
                self.assert_replicas(x, array)

    def test_a_buffer_is_made_on_every_queue(self) -> None:
        x: Any = onebuf.zeros((1000,), dtype="float32", device=self.context())
        self.assert_replicas(x, np.zeros(1000, np.float32))
        x.write(np.arange(1000, dtype=np.float32))
        self.assert_replicas(x, np.arange(1000, dtype=np.float32))

    def test_a_write_goes_to_all_or_to_one(self) -> None:
        count = len(self.context())
        x = self.replicated(np.zeros((2, 3), np.int32))
        for index in range(count):
            x.write(np.full((2, 3), index + 1, np.int32), index)
        wanted = [np.full((2, 3), index + 1, np.int32) for index in range(count)]
        self.assert_replicas(x, *wanted)
        assert x.diverged == (count > 1)
        x.write(np.full((2, 3), 9, np.int32))
        assert not x.diverged
        self.assert_replicas(x, np.full((2, 3), 9, np.int32))
        assert x.tolist() == [[9] * 3] * 2

    def test_any_order_of_writes(self) -> None:
        count = len(self.context())
        places = st.one_of(st.none(), st.integers(0, count - 1))

        @self.for_all(st.lists(st.tuples(places, seeds), min_size=1, max_size=6))
        def check(writes: list[tuple[int | None, int]]) -> None:
            wanted = [elements("int32", (7,), 0) for _ in range(count)]
            x = self.replicated(wanted[0])
            for index, seed in writes:
                new = elements("int32", (7,), seed)
                x.write(new, index)
                wanted = [new if index in (None, n) else old for n, old in enumerate(wanted)]
            self.assert_replicas(x, *wanted)
            self.assert_replicas(x * 2 + x, *[old * 2 + old for old in wanted])
            if not x.diverged:
                assert all((old == wanted[0]).all() for old in wanted)

    def test_operations_run_on_every_replica(self) -> None:
        count = len(self.context())
        arrays = [small("float32", (4, 5), index) for index in range(count)]
        x = self.replicated(arrays[0])
        for index, array in enumerate(arrays):
            x.write(array, index)
        y = self.replicated(np.full((5,), 2, np.float32))
        self.assert_replicas((x + y) * 3, *[(array + 2) * 3 for array in arrays])
        self.assert_replicas(onebuf.sum(x + 3, axis=0), *[(a + 3).sum(axis=0) for a in arrays])
        self.assert_replicas(onebuf.max(x, axis=1) + 0, *[a.max(axis=1) + 0 for a in arrays])
        self.assert_replicas((x.T @ x) + 0, *[array.T @ array + 0 for array in arrays])
        assert ((x + y).diverged, y.diverged) == (count > 1, False)

    def test_views_of_replicas(self) -> None:
        @self.for_all(looks(3), seeds)
        def check(look: Any, seed: int) -> None:
            array = elements("int32", look.shape, seed)
            x = self.replicated(array)
            self.assert_replicas(look.buffer(x), look.array(array))

    def test_a_write_to_a_view_reaches_every_replica(self) -> None:
        array = elements("int32", (4, 5), 1)
        x = self.replicated(array)
        x[1:3, ::2] = 7
        array[1:3, ::2] = 7
        x[0] += 1
        array[0] += 1
        self.assert_replicas(x, array)
        assert not x.diverged

    def test_one_replica_is_a_buffer_of_its_queue(self) -> None:
        context = self.context()
        array = elements("int32", (4, 5), 1)
        x = self.replicated(array)
        for index, place in enumerate(context.places):
            one = x.replica(index)
            assert one.device is place
            assert_same(np.asarray((one + 1).to_device("CPU")), array + 1)
        assert not x.diverged
        last = len(context) - 1
        one = x.replica(last)
        one[2] = 5
        changed = array.copy()
        changed[2] = 5
        self.assert_replicas(x, *[array] * last, changed)
        assert x.diverged == (last > 0)
        assert_same(x.replica(-1).to_device("CPU").__array__(), changed)

    def test_what_needs_one_value_says_that_replicas_differ(self) -> None:
        x = self.replicated(np.arange(3, dtype=np.int32))
        x.write(np.array([7, 8, 9], np.int32), 0)
        asks: tuple[Any, ...] = (
            lambda: x.tolist(),
            lambda: x[0].item(),
            lambda: bool(x[0]),
            lambda: x.to_device("CPU"),
            lambda: (x + 1).to_device("PYTHON"),
            lambda: int(x.sum()),
        )
        for ask in asks:
            if len(self.context()) > 1:
                with pytest.raises(DivergenceError, match="read"):
                    ask()
            else:
                ask()
        assert str(self.context()) in repr(x)
        rest = [np.arange(3, dtype=np.int32)] * (len(self.context()) - 1)
        self.assert_replicas(x, np.array([7, 8, 9], np.int32), *rest)

    def test_wrong_writes_are_errors_that_change_nothing(self) -> None:
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        x = self.replicated(array)
        count = len(self.context())
        mistakes: tuple[tuple[type[Exception], Any], ...] = (
            (DTypeError, lambda: x.write(array.astype(np.int32))),
            (DTypeError, lambda: x.write(array.astype(np.float64), 0)),
            (ShapeError, lambda: x.write(array[:1])),
            (ShapeError, lambda: x.write(np.zeros(7, np.float32), 0)),
            (ShapeError, lambda: x.write(b"12345")),
            (ArgumentError, lambda: x.write(array, count)),
            (ArgumentError, lambda: x.read(-count - 1)),
            (ArgumentError, lambda: x.replica(count)),
            (DeviceError, lambda: x + onebuf.asarray(array)),
        )
        for error, mistake in mistakes:
            with pytest.raises(error):
                mistake()
        assert not x.diverged
        self.assert_replicas(x, array)

    def test_an_index_outside_on_one_replica_is_an_error_and_harms_nothing(self) -> None:
        x = self.replicated(np.arange(5))
        places = self.replicated(np.array([1, 2]))
        places.write(np.array([1, 9]), len(self.context()) - 1)
        wrong: Any = onebuf.take(x, places, axis=0)
        with pytest.raises(IndexRangeError):
            wrong.read()
        places.write(np.array([3, 4]))
        self.assert_replicas(onebuf.take(x, places, axis=0), np.array([3, 4]))

    def test_memory_comes_back_on_every_queue(self) -> None:
        context = self.context()

        def in_use() -> list[int]:
            gc.collect()
            return [place.driver.allocator.stats().in_use for place in context.places]

        start = in_use()
        x = self.replicated(np.zeros(1000, np.float32))
        one = x.replica(0)
        y = (x + 1).realize()
        y.write(np.ones(1000, np.float32), 0)
        assert all(now > before for now, before in zip(in_use(), start, strict=True))
        del x, y, one
        assert in_use() == start

    def test_queues_work_at_the_same_time_and_in_their_own_order(self) -> None:
        x = self.replicated(np.zeros(100, np.int32))
        count = len(self.context())
        replicas = [x.replica(index) for index in range(count)]
        for turn in range(10):
            for index, one in enumerate(replicas):
                one += index * turn
        self.assert_replicas(x, *[np.full(100, 45 * index, np.int32) for index in range(count)])
