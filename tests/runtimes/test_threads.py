"""The runtime of threads: the contract, and that all places share memory and may wait at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Barrier
from typing import Any, ClassVar

import numpy as np
import pytest

from onebuf.dtypes import DT, Array, as_dtype
from onebuf.errors import ArgumentError, RuntimeClosed
from onebuf.placement import Box, Cyclic, Everywhere, Partition
from onebuf.runtimes.protocols import Elements, Fetch, Need
from onebuf.runtimes.threads import MOST_PLACES, Threads
from onebuf.shapes import Tiled
from onebuf.testing.comparison import assert_same
from onebuf.testing.runtimes import RuntimeContract, check_runtime
from onebuf.testing.runtimes.oracle import hearing, memory_in_use, numbered
from onebuf.testing.runtimes.recipes import Copy, Failing, whole

INT = as_dtype("int64")


class TestThreads(RuntimeContract):
    @pytest.fixture(scope="class", params=[1, 2, 3, 4])
    @classmethod
    def runtime(cls, request: pytest.FixtureRequest) -> Iterator[Threads]:
        made = Threads(places=request.param)
        yield made
        made.close()


@dataclass(frozen=True)
class Meeting:
    """Zeros, once all boxes are being made."""

    together: Barrier
    dtype: DT = INT
    fails: bool = False
    name: ClassVar[str] = "meeting"
    waits: ClassVar[bool] = True

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        self.together.wait(30)
        if self.fails:
            raise ValueError(f"failed at {box}")
        out[...] = 0


def rows(places: int, count: int = 6) -> Partition:
    return Partition(Tiled.regular((count, 4), (1, 4)), places)


def test_there_may_be_more_places_than_elements() -> None:
    assert check_runtime(Threads(50)) > 20


def test_a_recipe_that_waits_runs_at_all_places_at_once() -> None:
    runtime = Threads(3)
    found = runtime.run(Meeting(Barrier(3)), rows(3), [])
    assert_same(runtime.fetch(found, whole((6, 4))), np.zeros((6, 4), np.int64))
    runtime.update(found, Meeting(Barrier(3)), whole((6, 4)), [])


def test_the_error_of_a_recipe_that_waits_is_that_of_the_first_box() -> None:
    with pytest.raises(ValueError, match=r"failed at \(\(0, 2\)"):
        Threads(3).run(Meeting(Barrier(3), fails=True), rows(3), [])


def test_a_fetch_is_the_memory_itself() -> None:
    runtime = Threads(3)
    elements, wanted = numbered(runtime, rows(3))
    [(box, everything)] = runtime.here_boxes(elements)
    assert box == whole((6, 4))
    assert everything.flags.writeable
    part = runtime.fetch(elements, ((1, 5), (1, 3)))
    assert np.shares_memory(part, everything)
    assert not part.flags.writeable
    everything[...] = 7
    assert_same(part, np.full((4, 2), 7))
    later = runtime.fetch_later(elements, ((1, 5), (1, 3))).result(0)
    assert not np.shares_memory(later, everything)
    del wanted


def test_memory_that_is_here_outlives_its_elements() -> None:
    runtime = Threads(2)
    elements, wanted = numbered(runtime, rows(2))
    [(_, everything)] = runtime.here_boxes(elements)
    del elements
    others = [runtime.run(Failing((9, 9), INT), rows(2), []) for _ in range(3)]
    assert_same(everything, wanted)
    del others


def test_memory_is_counted_at_place_0() -> None:
    runtime = Threads(3)
    before = memory_in_use(runtime)
    elements, _ = numbered(runtime, rows(3, 100))
    after = runtime.memory_in_use()
    assert after[0] - before[0] >= 100 * 4 * 8
    assert before[1:] == after[1:] == [0, 0]
    del elements


def test_what_all_places_hold_is_told_to_be_read_by_all_of_them() -> None:
    runtime = Threads(3)
    elements, _ = numbered(runtime, rows(3))
    everywhere = Partition(rows(3).tiling, 3, Everywhere())
    with hearing(runtime) as moves:
        runtime.run(Copy(INT), everywhere, [elements])
    found = sorted([(move.source, move.target, move.nbytes) for move in moves])
    nbytes = 2 * 4 * 8
    wanted = [(one, other, nbytes) for one in range(3) for other in range(3) if one != other]
    assert found == wanted


def test_an_error_of_a_fetch_comes_with_its_future() -> None:
    runtime = Threads(2)
    elements, _ = numbered(runtime, rows(2))
    runtime.close()
    with pytest.raises(RuntimeClosed):
        runtime.fetch_later(elements, whole((6, 4))).result(0)


CALLS: dict[str, Callable[[Threads, Elements], Any]] = {
    "run": lambda runtime, x: runtime.run(Copy(INT), rows(2), [x]),
    "update": lambda runtime, x: runtime.update(x, Copy(INT), whole((6, 4)), [x]),
    "fetch": lambda runtime, x: runtime.fetch(x, whole((6, 4))),
    "store": lambda runtime, x: runtime.store(x, whole((6, 4)), np.zeros((6, 4))),
    "accumulate": lambda runtime, x: runtime.accumulate(x, whole((6, 4)), np.zeros((6, 4))),
    "here_boxes": lambda runtime, x: runtime.here_boxes(x),
    "wait": lambda runtime, x: runtime.wait(x),
    "barrier": lambda runtime, x: runtime.barrier(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_closed_runtime_does_nothing_any_more(name: str) -> None:
    runtime = Threads(2)
    elements, _ = numbered(runtime, rows(2))
    CALLS[name](runtime, elements)
    runtime.close()
    runtime.close()
    with pytest.raises(RuntimeClosed, match="was closed"):
        CALLS[name](runtime, elements)


@pytest.mark.parametrize("places", [0, -1, MOST_PLACES + 1, True, 2.0, "2", None])
def test_a_number_of_places_that_cannot_be(places: Any) -> None:
    with pytest.raises(ArgumentError, match=f"1 to {MOST_PLACES} places, got"):
        Threads(places)


@pytest.mark.parametrize("places", [1, 2, 4])
def test_a_partition_over_other_places_is_refused(places: int) -> None:
    with pytest.raises(ArgumentError, match=f"3 places .* over {places}"):
        Threads(3).run(Failing((0, 0), INT), rows(places), [])


def test_a_refused_cyclic_partition_says_the_places() -> None:
    columns = Partition(Tiled((1, 1), (2, 2)), 4, Cyclic((2, 2)))
    with pytest.raises(ArgumentError, match="over 4"):
        Threads(2).run(Failing((0, 0), INT), columns, [])


def test_the_command_says_how_many_checks_passed() -> None:
    command = [sys.executable, "-m", "onebuf.testing.runtimes", "threads", "--places", "2"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert (ended.returncode, ended.stderr) == (0, "")
    count = check_runtime(Threads(1))
    assert ended.stdout == f"{count} checks passed\n"
