"""The runtime of Dask: recipes on workers that are processes, next to NumPy."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import cloudpickle
import dask.array
import ml_dtypes
import numpy as np
import pytest
from dask.sizeof import sizeof
from distributed import Client, LocalCluster
from distributed.core import clean_exception, error_message

import onebuf.errors
from onebuf.dtypes import Array
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    KernelError,
    OnebufError,
    OutOfMemory,
    RegionError,
    RuntimeClosed,
    ShapeError,
    TaskError,
    TaskTimeout,
)
from onebuf.events import Moved, listening
from onebuf.placement import Assigned, Box, Cyclic, Everywhere, Partition, numel_of
from onebuf.runtimes.dask.runtime import Dask, from_dask_array, to_dask_array
from onebuf.runtimes.dask.task_graph import MESSAGE_NBYTES, assign
from onebuf.runtimes.dask.tasks import Pieces, Write, cut, join, portable, received, write
from onebuf.runtimes.protocols import Elements, Fetch, Need, Runtime
from onebuf.shapes import Tiled
from onebuf.testing.runtimes import RuntimeContract

pytestmark = pytest.mark.timeout(60)

# Workers cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


INT = np.dtype("int64")


# -- recipes ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Numbered:
    """Elements that tell their index: row-major numbers of a shape."""

    shape: tuple[int, ...]
    dtype: Any = INT
    factor: int = 1
    name: str = "numbered"

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        number = np.zeros((), np.int64)
        for axis, ((low, high), extent) in enumerate(zip(box, self.shape, strict=True)):
            along = [-1 if other == axis else 1 for other in range(len(box))]
            number = number * extent + np.arange(low, high).reshape(along)
        out[...] = (number * self.factor).astype(self.dtype)

    def all(self) -> Array:
        out = np.empty(self.shape, self.dtype)
        self.compute(tuple([(0, n) for n in self.shape]), None, out)  # type: ignore[arg-type]
        return out


@dataclass(frozen=True)
class Mapped:
    """A function of the same box of all inputs."""

    function: Callable[..., Array]
    count: int
    dtype: Any = INT
    name: str = "mapped"

    def needs(self, box: Box) -> list[Need]:
        return [(number, box) for number in range(self.count)]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = self.function(*[fetch(number, box) for number in range(self.count)])


@dataclass(frozen=True)
class Transposed:
    dtype: Any = INT
    name: str = "transposed"

    def needs(self, box: Box) -> list[Need]:
        return [(0, box[::-1])]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = fetch(0, box[::-1]).T


@dataclass(frozen=True)
class Neighbours:
    """The sum of each element and those next to it; it fetches parts of what it needs."""

    shape: tuple[int, ...]
    dtype: Any = INT
    name: str = "neighbours"

    def needs(self, box: Box) -> list[Need]:
        pairs = zip(box, self.shape, strict=True)
        return [(0, tuple([(max(low - 1, 0), min(high + 1, n)) for (low, high), n in pairs]))]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = fetch(0, box)
        for axis, ((low, high), extent) in enumerate(zip(box, self.shape, strict=True)):
            for by in (-1, 1):
                moved = max(low + by, 0), min(high + by, extent)
                if moved[0] >= moved[1]:
                    continue
                part = fetch(0, (*box[:axis], moved, *box[axis + 1 :]))
                at = slice(moved[0] - by - low, moved[1] - by - low)
                out[(slice(None),) * axis + (at,)] += part

    def all(self, array: Array) -> Array:
        found = array.copy()
        for axis in range(array.ndim):
            one, other = np.swapaxes(found, 0, axis), np.swapaxes(array, 0, axis)
            one[1:] += other[:-1]
            one[:-1] += other[1:]
        return found


@dataclass(frozen=True)
class Reversed:
    """The last element first."""

    length: int
    dtype: Any = INT
    name: str = "reversed"

    def needs(self, box: Box) -> list[Need]:
        ((low, high),) = box
        return [(0, ((self.length - high, self.length - low),))]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = fetch(0, self.needs(box)[0][1])[::-1]


@dataclass(frozen=True)
class Total:
    """The sum of everything, everywhere."""

    shape: tuple[int, ...]
    dtype: Any = INT
    name: str = "total"

    def needs(self, box: Box) -> list[Need]:
        return [(0, tuple([(0, n) for n in self.shape]))]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = fetch(0, self.needs(box)[0][1]).sum()


@dataclass(frozen=True)
class Failing:
    """Raises where a box has the element 5."""

    error: Callable[[], Exception]
    dtype: Any = INT
    name: str = "failing"

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = 7
        if box[0][0] <= 5 < box[0][1]:
            raise self.error()


@dataclass(frozen=True)
class Sleeping:
    seconds: float
    dtype: Any = INT
    name: str = "sleeping"

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        time.sleep(self.seconds)
        out[...] = 1


@dataclass(frozen=True)
class Greedy:
    """Reads what its `needs` does not name."""

    dtype: Any = INT
    name: str = "greedy"

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        fetch(0, box)


@dataclass(frozen=True)
class Vandal:
    """Writes to what it reads."""

    dtype: Any = INT
    name: str = "vandal"

    def needs(self, box: Box) -> list[Need]:
        return [(0, box)]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        fetch(0, box)[...] = 0


class OwnError(Exception):
    """An error that no worker can import."""


# -- the cluster -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as found,
    ):
        yield found


@pytest.fixture
def three(client: Client) -> Iterator[Dask]:
    runtime = Dask(client, timeout=30)
    yield runtime
    runtime.close()


@pytest.fixture(params=[1, 2, 3, 5])
def runtime(client: Client, request: pytest.FixtureRequest) -> Iterator[Dask]:
    """As many places as workers, fewer, and more."""
    found = Dask(client, places=request.param, timeout=30)
    yield found
    found.close()


def whole(elements: Elements) -> Box:
    return tuple([(0, extent) for extent in elements.shape])


def value(elements: Elements) -> Array:
    return elements.runtime.fetch(elements, whole(elements))


def row(runtime: Dask, length: int = 20, tile: int = 3, factor: int = 1) -> Elements:
    partition = Partition(Tiled.regular((length,), (tile,)), runtime.places)
    return runtime.run(Numbered((length,), factor=factor), partition, [])


def counted(runtime: Dask, work: Callable[[], Any]) -> int:
    """How many tasks it sends."""
    count = 0
    send = runtime._connection.send

    def counting(graph: Any, shards: Any) -> None:
        nonlocal count
        count += sum([len(tasks) for tasks in graph.tasks.values()])
        send(graph, shards)

    runtime._connection.send = counting  # type: ignore[method-assign]
    try:
        work()
    finally:
        del runtime._connection.send
    return count


PARTITIONS: dict[str, Callable[[tuple[int, ...], int], Partition]] = {
    "rows": lambda shape, places: Partition(
        Tiled.regular(shape, (2, *[max(n, 1) for n in shape[1:]])), places
    ),
    "tiles": lambda shape, places: Partition(Tiled.regular(shape, (3, 2)), places),
    "one": lambda shape, places: Partition(
        Tiled.regular(shape, [max(n, 1) for n in shape]), places
    ),
    "cyclic": lambda shape, places: Partition(
        Tiled.regular(shape, (2, 3)), places, Cyclic((places, 1))
    ),
    "everywhere": lambda shape, places: Partition(
        Tiled.regular(shape, (2, 3)), places, Everywhere()
    ),
    "assigned": lambda shape, places: Partition(
        Tiled.regular(shape, (1, shape[1])),
        places,
        Assigned(tuple([(n, n + 1, (n * n + 1) % places) for n in range(shape[0])])),
    ),
}


class TestContract(RuntimeContract):
    """What every runtime has to do."""

    @pytest.fixture(scope="class")
    @classmethod
    def runtime(cls, client: Client) -> Iterator[Dask]:
        found = Dask(client, timeout=30)
        yield found
        found.close()


# -- computing -------------------------------------------------------------------------------------


def test_it_is_a_runtime(three: Dask) -> None:
    assert isinstance(three, Runtime)
    assert (three.name, three.mode, three.here, three.places) == ("dask", "driver", None, 3)


@pytest.mark.parametrize("kind", PARTITIONS)
def test_every_partition_holds_what_a_recipe_makes(runtime: Dask, kind: str) -> None:
    recipe = Numbered((7, 6))
    elements = runtime.run(recipe, PARTITIONS[kind]((7, 6), runtime.places), [])
    np.testing.assert_array_equal(value(elements), recipe.all())
    part = ((1, 6), (2, 5))
    np.testing.assert_array_equal(runtime.fetch(elements, part), recipe.all()[1:6, 2:5])


@pytest.mark.parametrize("target", PARTITIONS)
@pytest.mark.parametrize("source", PARTITIONS)
def test_transposes_between_any_two_partitions(three: Dask, source: str, target: str) -> None:
    recipe = Numbered((7, 6))
    elements = three.run(recipe, PARTITIONS[source]((7, 6), 3), [])
    turned = three.run(Transposed(), PARTITIONS[target]((6, 7), 3), [elements])
    np.testing.assert_array_equal(value(turned), recipe.all().T)


@pytest.mark.parametrize("kind", PARTITIONS)
def test_halos_are_read_from_other_places(three: Dask, kind: str) -> None:
    recipe, around = Numbered((7, 6)), Neighbours((7, 6))
    partition = PARTITIONS[kind]((7, 6), 3)
    found = three.run(around, partition, [three.run(recipe, partition, [])])
    np.testing.assert_array_equal(value(found), around.all(recipe.all()))


def test_large_pieces_are_cut_where_they_are(three: Dask) -> None:
    recipe = Numbered((600, 500))
    rows = Partition(Tiled((200, 200, 200), (500,)), 3)
    columns = Partition(Tiled((500,), (200, 200, 200)), 3)
    elements = three.run(recipe, rows, [])
    found: list[Elements] = []
    work = lambda: found.append(three.run(Transposed(), columns, [elements]))  # noqa: E731
    assert counted(three, work) == 3  # what is needed of a shard is next to it
    np.testing.assert_array_equal(value(found[0]), recipe.all().T)
    rows = Partition(Tiled((200, 200, 100), (600,)), 3)
    work = lambda: found.append(three.run(Transposed(), rows, [elements]))  # noqa: E731
    assert counted(three, work) == 3 + 6  # one piece from every place to every other one
    np.testing.assert_array_equal(value(found[1]), recipe.all().T)


def test_inputs_of_different_tilings_meet(runtime: Dask) -> None:
    one, two, three = row(runtime, 50, 7), row(runtime, 50, 11, 3), row(runtime, 50, 50, 5)
    recipe = Mapped(lambda a, b, c: a * b + c, 3)
    found = runtime.run(
        recipe, Partition(Tiled.regular((50,), (13,)), runtime.places), [one, two, three]
    )
    number = np.arange(50)
    np.testing.assert_array_equal(value(found), number * number * 3 + number * 5)


def test_the_same_elements_may_be_two_inputs(three: Dask) -> None:
    one = row(three)
    found = three.run(Mapped(lambda a, b: a * b, 2), one.partition, [one, one])
    np.testing.assert_array_equal(value(found), np.arange(20) ** 2)


def test_what_is_everywhere_is_made_once(three: Dask) -> None:
    one = row(three, 20)
    partition = Partition(Tiled.regular((), ()), 3, Everywhere())
    found: list[Elements] = []
    work = lambda: found.append(three.run(Total((20,)), partition, [one]))  # noqa: E731
    assert counted(three, work) == 1
    total = found[0]
    assert value(total) == 190

    recipe = Mapped(lambda a: a + 1, 1)
    spread = three.run(recipe, Partition(Tiled.regular((), ()), 3), [total])
    assert value(spread) == 191


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0)])
def test_there_may_be_no_elements(three: Dask, shape: tuple[int, ...]) -> None:
    partition = Partition(Tiled.regular(shape, [max(n, 1) for n in shape]), 3)
    elements = three.run(Numbered(shape), partition, [])
    three.wait(elements)
    assert value(elements).shape == shape
    assert value(elements).dtype == np.int64
    three.store(elements, whole(elements), np.zeros(shape, np.int64))
    three.update(elements, Numbered(shape), whole(elements), [])
    assert to_dask_array(elements).compute().shape == shape


def test_there_may_be_no_axes(runtime: Dask) -> None:
    partition = Partition(Tiled(), runtime.places)
    elements = runtime.run(Numbered((), factor=1), partition, [])
    runtime.store(elements, (), np.array(3))
    runtime.accumulate(elements, (), np.array(4))
    again = runtime.run(Mapped(lambda a: a * 2, 1), partition, [elements])
    runtime.update(elements, Mapped(lambda a: a + 1, 1), (), [again])
    assert (value(again), value(elements)) == (14, 15)
    assert value(again).shape == ()


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "float16", "float64", "complex64", ml_dtypes.bfloat16]
)
def test_elements_of_every_type_move_and_are_written(three: Dask, dtype: Any) -> None:
    recipe = Numbered((9, 8), np.dtype(dtype))
    elements = three.run(recipe, PARTITIONS["rows"]((9, 8), 3), [])
    turned = three.run(Transposed(np.dtype(dtype)), PARTITIONS["tiles"]((8, 9), 3), [elements])
    three.store(turned, ((1, 5), (2, 9)), np.ones((4, 7), dtype))
    expected = recipe.all().T.copy()
    expected[1:5, 2:9] = 1
    found = value(turned)
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, expected)


def test_many_regular_tiles_are_a_handful_of_tasks(three: Dask) -> None:
    partition = Partition(Tiled.regular((10_000,), (1,)), 3)
    found: list[Elements] = []

    def work() -> None:
        one = three.run(Numbered((10_000,)), partition, [])
        found.append(three.run(Mapped(lambda a: a + 1, 1), partition, [one]))
        value(found[0])

    assert counted(three, work) < 10
    np.testing.assert_array_equal(value(found[0]), np.arange(10_000) + 1)


def test_many_cyclic_tiles_take_no_time(three: Dask) -> None:
    partition = Partition(Tiled.regular((6000,), (2,)), 3, Cyclic((3,)))
    recipe = Neighbours((6000,))
    start = time.perf_counter()
    found = three.run(recipe, partition, [three.run(Numbered((6000,)), partition, [])])
    np.testing.assert_array_equal(value(found), recipe.all(np.arange(6000)))
    assert time.perf_counter() - start < 10


def test_a_large_recipe_is_sent_in_parts(three: Dask) -> None:
    held = np.arange(MESSAGE_NBYTES // 4)  # twice of what one message takes
    recipe = Mapped(lambda a: a + held[:20], 1)
    one = three.run(Numbered((20,)), Partition(Tiled((20,)), 3), [])
    found: list[Elements] = []
    work = lambda: found.append(three.run(recipe, one.partition, [one]))  # noqa: E731
    assert counted(three, work) == 4
    np.testing.assert_array_equal(value(found[0]), np.arange(20) * 2)


# -- events and memory -----------------------------------------------------------------------------


def test_told_moves_are_the_pieces_of_other_places(three: Dask) -> None:
    elements = three.run(Numbered((7, 6)), PARTITIONS["rows"]((7, 6), 3), [])
    target = PARTITIONS["tiles"]((6, 7), 3)
    recipe = Transposed()
    expected: dict[tuple[int, int | None], int] = {}
    for place in range(3):
        for box in target.boxes(place):
            for _, need in recipe.needs(box):
                for source, piece in elements.partition.pieces(need, place):
                    if source != place:
                        before = expected.get((source, place), 0)
                        expected[source, place] = before + numel_of(piece) * 8
    heard: list[Any] = []
    with listening(heard.append):
        found = three.run(recipe, target, [elements])
    told = {(move.source, move.target): move.nbytes for move in heard if isinstance(move, Moved)}
    assert told == expected
    assert expected

    heard.clear()
    with listening(heard.append):
        value(found)
    moves = [move for move in heard if isinstance(move, Moved)]
    assert {(move.name, move.target) for move in moves} == {("fetch", None)}
    assert sum([move.nbytes for move in moves]) == 42 * 8


def test_memory_in_use_is_that_of_live_elements(client: Client) -> None:
    runtime = Dask(client, places=3)
    assert runtime.memory_in_use() == [0, 0, 0]
    one = row(runtime, 30, 10)
    assert runtime.memory_in_use() == [80, 80, 80]
    two = runtime.run(Total((30,)), Partition(Tiled(), 3, Everywhere()), [one])
    assert runtime.memory_in_use() == [88, 80, 80]
    del one
    assert runtime.memory_in_use() == [8, 0, 0]
    assert value(two) == 435
    runtime.close()
    assert runtime.memory_in_use() == [0, 0, 0]


def test_shards_of_dropped_elements_are_released(three: Dask) -> None:
    def held() -> int:
        return sum([len(keys) for keys in three.client.has_what().values()])

    before = held()
    elements = row(three)
    three.wait(elements)
    assert held() == before + 3
    del elements
    end = time.monotonic() + 10
    while held() != before and time.monotonic() < end:
        time.sleep(0.02)
    assert held() == before


def test_dask_knows_how_large_a_shard_is() -> None:
    partition = Partition(Tiled.regular((1000, 100), (1, 100)), 1)
    shard = join(partition, 0, np.dtype("float64"), *[np.ones((1, 100))] * 1000)
    assert 800_000 <= sizeof(shard) < 801_000
    part = cut(partition, np.dtype("float64"), 0, [((3, 4), (0, 100))], shard)
    assert 800 <= sizeof(part) < 1800
    assert part[0].base.nbytes == 800  # it keeps nothing else alive


# -- writing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PARTITIONS)
def test_a_region_is_updated(three: Dask, kind: str) -> None:
    elements = three.run(Numbered((7, 6)), PARTITIONS[kind]((7, 6), 3), [])
    other = three.run(Numbered((7, 6), factor=100), PARTITIONS["rows"]((7, 6), 3), [])
    region = ((2, 7), (1, 5))
    three.update(elements, Mapped(lambda a, b: a + b, 2), region, [elements, other])
    expected = Numbered((7, 6)).all()
    expected[2:7, 1:5] *= 101
    np.testing.assert_array_equal(value(elements), expected)


def test_an_update_reads_what_was_there_before(runtime: Dask) -> None:
    elements = row(runtime)
    later = runtime.fetch_later(elements, whole(elements))
    runtime.update(elements, Reversed(20), ((0, 20),), [elements])
    runtime.update(elements, Reversed(20), ((0, 10),), [elements])
    expected = np.arange(20)[::-1].copy()
    expected[:10] = expected[10:][::-1].copy()
    np.testing.assert_array_equal(value(elements), expected)
    np.testing.assert_array_equal(later.result(20), np.arange(20))


def test_stores_and_additions_take_effect_in_order(runtime: Dask) -> None:
    elements, expected = row(runtime), np.arange(20)
    for low, high, by in [(0, 20, 1), (4, 9, 2), (8, 15, 3), (19, 20, 4)]:
        runtime.store(elements, ((low, high),), np.arange(low, high) * 10 * by)
        runtime.accumulate(elements, ((low, high),), np.full(high - low, by))
        expected[low:high] = np.arange(low, high) * 10 * by + by
    np.testing.assert_array_equal(value(elements), expected)


@pytest.mark.parametrize("kind", ["cyclic", "everywhere", "assigned"])
def test_boxes_are_stored_in_any_partition(three: Dask, kind: str) -> None:
    elements = three.run(Numbered((7, 6)), PARTITIONS[kind]((7, 6), 3), [])
    three.store(elements, ((1, 6), (2, 5)), np.arange(15).reshape(5, 3))
    three.accumulate(elements, ((0, 2), (0, 6)), np.array(1000))
    expected = Numbered((7, 6)).all()
    expected[1:6, 2:5] = np.arange(15).reshape(5, 3)
    expected[:2] += 1000
    np.testing.assert_array_equal(value(elements), expected)


def test_a_stored_array_may_be_changed_at_once(three: Dask) -> None:
    elements = row(three)
    array = np.full(20, 5)
    three.store(elements, ((0, 20),), array)
    array[...] = 6
    np.testing.assert_array_equal(value(elements), np.full(20, 5))


def test_stored_values_are_repeated_and_cast_as_by_numpy(three: Dask) -> None:
    elements = three.run(Numbered((7, 6)), PARTITIONS["rows"]((7, 6), 3), [])
    three.store(elements, ((0, 7), (0, 6)), np.array([[2.9]]))
    three.accumulate(elements, ((1, 3), (0, 6)), np.arange(6) + 0.5)
    expected = np.full((7, 6), 2)
    expected[1:3] += np.arange(6)
    np.testing.assert_array_equal(value(elements), expected)


def test_a_large_array_is_stored_in_several_messages(three: Dask) -> None:
    length = MESSAGE_NBYTES // 8 * 9 // 2  # 1.5 messages for each place
    elements = row(three, length, length // 3)
    array = np.arange(length)[::-1]
    assert counted(three, lambda: three.store(elements, ((0, length),), array)) == 6 + 3
    np.testing.assert_array_equal(value(elements), array)
    assert counted(three, lambda: three.store(elements, ((0, length),), np.array(1))) == 3
    assert value(elements).sum() == length


def test_additions_of_many_threads_are_all_there(three: Dask) -> None:
    elements = row(three, 20, factor=0)

    def add() -> None:
        for _ in range(5):
            three.accumulate(elements, ((3, 17),), np.ones(14, np.int64))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.zeros(20)
    expected[3:17] = 20
    np.testing.assert_array_equal(value(elements), expected)


def test_what_is_fetched_cannot_be_written(three: Dask) -> None:
    elements = row(three)
    for found in (value(elements), three.fetch(elements, ((2, 4),))):
        with pytest.raises(ValueError, match="read-only"):
            found[...] = 1
    assert three.here_boxes(elements) == []


def test_results_come_later(three: Dask) -> None:
    elements = three.run(Sleeping(0.2), Partition(Tiled((2, 2, 2)), 3), [])
    start = time.perf_counter()
    laters = [three.fetch_later(elements, ((n, n + 1),)) for n in range(6)]
    assert time.perf_counter() - start < 0.2
    assert [later.result(20).tolist() for later in laters] == [[1]] * 6


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [ZeroDivisionError, OwnError, ShapeError, FileNotFoundError, TimeoutError]
)
def test_an_error_of_a_recipe_is_its_own(three: Dask, error: type[Exception]) -> None:
    elements = three.run(Failing(lambda: error("as it is")), Partition(Tiled((3, 3, 3)), 3), [])
    again = three.run(Mapped(lambda a: a, 1), elements.partition, [elements])
    for wanted in (elements, again):
        with pytest.raises(Exception, match="as it is") as caught:
            three.wait(wanted)
        assert type(caught.value).__name__ == error.__name__
        assert isinstance(caught.value, error) or error is OwnError
        assert "compute" in [entry.name for entry in caught.traceback]
        assert "at place 1" in caught.value.__notes__[0]
    with pytest.raises(Exception, match="as it is"):
        three.fetch(elements, ((0, 9),))
    assert isinstance(three.fetch_later(elements, ((3, 6),)).exception(20), Exception)
    three.barrier()
    assert value(row(three)).sum() == 190


def test_an_error_that_dask_cannot_send_is_its_own_too(three: Dask) -> None:
    recipe = Failing(lambda: KernelError("a rule", 3, "what it says"))
    elements = three.run(recipe, Partition(Tiled((9,)), 3), [])
    with pytest.raises(KernelError, match="what it says") as caught:
        three.wait(elements)
    assert (caught.value.rule, caught.value.number) == ("a rule", 3)
    assert "compute" in [entry.name for entry in caught.traceback]
    assert "at place 0" in caught.value.__notes__[0]


ERRORS = [
    kind
    for kind in vars(onebuf.errors).values()
    if isinstance(kind, type) and issubclass(kind, OnebufError)
]


def made(kind: type[OnebufError]) -> OnebufError:
    return KernelError("a", 1, "text") if kind is KernelError else kind("text")


SENT: list[Exception] = [
    *[made(kind) for kind in ERRORS],
    FileNotFoundError(2, "not there", "/a/file"),
    UnicodeDecodeError("utf-8", b"a", 0, 1, "text"),
]


@pytest.mark.parametrize("error", SENT, ids=lambda error: type(error).__name__)
def test_every_error_can_be_sent_and_be_raised(error: Exception) -> None:
    following = ValueError("text")
    following.__cause__ = error
    for one in (error, following):
        sent = error_message(portable(one))
        packed = [sent[part].data for part in ("exception", "traceback")]  # type: ignore[literal-required]
        _, kept, _ = clean_exception(*packed)
        found = received(kept)
        assert found is not kept
        assert type(found) is type(one)
        assert str(found) == str(one)


def test_a_raised_error_keeps_no_elements_alive(client: Client) -> None:
    runtime = Dask(client, places=3)
    elements = runtime.run(Failing(ValueError), Partition(Tiled((3, 3, 3)), 3), [])
    with pytest.raises(ValueError):
        runtime.wait(elements)
    assert sum(runtime.memory_in_use()) == 48
    del elements
    gc.collect()
    assert sum(runtime.memory_in_use()) == 0
    runtime.close()


def test_a_failed_update_changes_nothing(runtime: Dask) -> None:
    elements = row(runtime, 9)
    with pytest.raises(ZeroDivisionError):
        runtime.update(elements, Failing(ZeroDivisionError), ((0, 9),), [])
    np.testing.assert_array_equal(value(elements), np.arange(9))


def test_failed_elements_take_no_memory(three: Dask) -> None:
    elements = three.run(Failing(ValueError), Partition(Tiled((9,)), 3), [])
    with pytest.raises(ValueError):
        three.wait(elements)
    assert three.memory_in_use() == [0, 0, 0]


@pytest.mark.parametrize("length", [1 << 50, 1 << 60])
def test_memory_that_is_not_there_is_an_error(three: Dask, length: int) -> None:
    elements = three.run(Numbered((length,)), Partition(Tiled((length,)), 3), [])
    with pytest.raises(OutOfMemory, match="place 0 has no memory"):
        three.wait(elements)


def test_a_recipe_may_not_read_what_it_did_not_name(three: Dask) -> None:
    elements = three.run(Greedy(), Partition(Tiled((3, 3, 3)), 3), [row(three, 9)])
    with pytest.raises(ArgumentError, match=r"needs\(\)"):
        three.wait(elements)


def test_a_recipe_may_not_write_to_its_inputs(three: Dask) -> None:
    one = row(three, 9)
    elements = three.run(Vandal(), Partition(Tiled((3, 3, 3)), 3), [one])
    with pytest.raises(ValueError, match="read-only"):
        three.wait(elements)
    np.testing.assert_array_equal(value(one), np.arange(9))


def test_arrays_and_boxes_have_to_fit(three: Dask) -> None:
    elements = row(three)
    for call in (three.store, three.accumulate):
        with pytest.raises(ShapeError, match=r"\(3,\)"):
            call(elements, ((0, 5),), np.zeros(3))
    for box in [((0, 21),), ((-1, 2),), ((3, 2),), (), ((0, 1), (0, 1))]:
        with pytest.raises(RegionError):
            three.fetch(elements, box)
    with pytest.raises(ArgumentError, match="4 places"):
        three.run(Numbered((8,)), Partition(Tiled((2, 2, 2, 2)), 4), [])
    assert value(elements).sum() == 190


def test_waiting_has_a_limit(three: Dask) -> None:
    elements = three.run(Sleeping(1.5), Partition(Tiled((1,)), 3), [])
    for wait in (lambda: three.wait(elements, 0.1), lambda: three.barrier(0.1)):
        start = time.perf_counter()
        with pytest.raises(TaskTimeout):
            wait()
        assert time.perf_counter() - start < 1
    three.wait(elements, 20)


def test_the_thread_of_the_client_does_not_wait_for_itself(three: Dask) -> None:
    elements = row(three)
    found: list[BaseException] = []
    heard = threading.Event()

    def callback(_: Any) -> None:
        try:
            value(elements)
        except TaskError as error:
            found.append(error)
        heard.set()

    three.fetch_later(elements, whole(elements)).add_done_callback(callback)
    assert heard.wait(20)
    assert len(found) <= 1  # it may have been done before, and then this thread called


def test_elements_stay_with_their_runtime(client: Client, three: Dask) -> None:
    other = Dask(client)
    with pytest.raises(ArgumentError, match="of its own"):
        other.fetch(row(three), ((0, 1),))
    other.close()


def test_arguments_are_checked(client: Client) -> None:
    for places in (0, -1, 1.5, True):
        with pytest.raises(ArgumentError, match="places"):
            Dask(client, places=places)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match=r"distributed\.Client"):
        Dask("tcp://127.0.0.1:8786")


def test_a_closed_runtime_says_so(client: Client) -> None:
    runtime = Dask(client)
    elements = row(runtime)
    runtime.wait(elements)
    runtime.close()
    runtime.close()
    array = np.zeros(20)
    for call in (
        lambda: runtime.run(Numbered((3,)), Partition(Tiled((3,)), 3), []),
        lambda: runtime.update(elements, Numbered((20,)), ((0, 20),), []),
        lambda: runtime.fetch(elements, ((0, 20),)),
        lambda: runtime.fetch_later(elements, ((0, 20),)),
        lambda: runtime.store(elements, ((0, 20),), array),
        lambda: runtime.accumulate(elements, ((0, 20),), array),
        lambda: runtime.here_boxes(elements),
        lambda: runtime.wait(elements),
        runtime.barrier,
        lambda: to_dask_array(elements),
        lambda: from_dask_array(dask.array.ones(3), runtime),
    ):
        with pytest.raises(RuntimeClosed, match="was closed"):
            call()
    assert client.status == "running"
    assert client.submit(int, 3).result() == 3


# -- arrays of Dask --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PARTITIONS)
def test_tiles_are_blocks_of_an_array_of_dask(three: Dask, kind: str) -> None:
    partition = PARTITIONS[kind]((7, 6), 3)
    elements = three.run(Numbered((7, 6)), partition, [])
    array = to_dask_array(elements)
    assert array.chunks == partition.tiling.axes
    np.testing.assert_array_equal(array.compute(), Numbered((7, 6)).all())
    del elements
    assert (array + 1).sum().compute() == 42 * 41 // 2 + 42


def test_blocks_share_memory_with_their_shard(client: Client) -> None:
    runtime = Dask(client, places=1)
    elements = row(runtime, 20, 5)
    array = client.persist(to_dask_array(elements))
    shards = elements.memory.shards[0]
    blocks = array.__dask_graph__()

    def address(array: Array) -> int:
        return array.__array_interface__["data"][0]  # type: ignore[no-any-return]

    first = client.submit(lambda shard: address(shard[0]), shards).result()
    found = [client.submit(address, block).result() for _, block in sorted(blocks.items())]
    assert found == [first, first + 40, first + 80, first + 120]
    runtime.close()


@pytest.mark.parametrize("chunks", [(3, 4), (9, 8), ((1, 0, 5, 3), (2, 6)), ((3, 3, 3), 8)])
def test_blocks_of_dask_become_tiles(three: Dask, chunks: Any) -> None:
    number = np.arange(72).reshape(9, 8)
    elements = from_dask_array(dask.array.from_array(number, chunks) * 2, three)
    assert elements.partition.tiling == Tiled(
        *[
            [n for n in sizes if n]
            for sizes in dask.array.core.normalize_chunks(chunks, number.shape)
        ]
    )
    np.testing.assert_array_equal(value(elements), number * 2)
    three.update(elements, Mapped(lambda a: a + 1, 1), ((0, 9), (0, 8)), [elements])
    np.testing.assert_array_equal(to_dask_array(elements).compute(), number * 2 + 1)


def test_a_block_that_is_a_shard_is_not_copied() -> None:
    partition = Partition(Tiled((3, 3)), 2)
    block = np.arange(3.0)
    (shard,) = join(partition, 1, np.dtype("float64"), block)
    assert np.shares_memory(shard, block)
    assert not shard.flags.writeable


def test_blocks_of_unknown_extents_are_refused(three: Dask) -> None:
    array = dask.array.arange(9, chunks=3)
    with pytest.raises(ArgumentError, match="compute_chunk_sizes"):
        from_dask_array(array[array > 3], three)


# -- tasks and plans -------------------------------------------------------------------------------


def test_pieces_are_views_where_one_array_has_them() -> None:
    partition = Partition(Tiled((4, 4)), 2)
    pieces = Pieces(partition, np.dtype("int64"), 0)
    left, right = np.arange(4), np.arange(4, 8)
    pieces.add(0, None, [left])
    pieces.add(1, [((4, 6),)], [right[:2]])
    assert np.shares_memory(pieces.array(((1, 3),)), left)
    np.testing.assert_array_equal(pieces.array(((2, 6),)), [2, 3, 4, 5])
    assert pieces.array(((3, 3),)).shape == (0,)
    with pytest.raises(LookupError):
        pieces.array(((5, 7),))


def test_a_write_copies_only_the_arrays_that_change() -> None:
    partition = Partition(Tiled((2, 2, 2, 2)), 2, Cyclic((2,)))
    shard = [np.arange(2), np.arange(4, 6)]
    todo = Write(partition, 0, (((5, 6),),), adds=True)
    found = write(todo, shard, [np.array([10])])
    assert found[0] is shard[0]
    np.testing.assert_array_equal(found[1], [4, 15])
    np.testing.assert_array_equal(shard[1], [4, 5])
    assert not found[1].flags.writeable


def test_places_keep_their_workers_where_they_can() -> None:
    assert assign(3, (), ["a", "b", "c"]) == ("a", "b", "c")
    assert assign(3, ("a", "b", "c"), ["c", "d", "a"]) == ("a", "d", "c")
    assert assign(3, ("a", "b", "c"), ["a", "c"]) == ("a", "a", "c")
    assert assign(2, ("a", "a"), ["a", "b"]) == ("a", "b")
    assert assign(2, ("a", "b"), []) == ()
