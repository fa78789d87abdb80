"""Searching: the fastest way to run a kernel, found once, kept, and gone on with later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf.engine.cpu import autotune, launch
from onebuf.engine.cpu.autotune import Findings, from_bytes, to_bytes
from onebuf.engine.cpu.candidates import Choice, Workload
from onebuf.errors import ArgumentError
from onebuf.render.llvm.rendering import Rendering

PREPARED = launch.Single._prepared
X = np.random.default_rng(3).normal(size=(96, 320)).astype(np.float32)


def columns(x: Any) -> Any:
    return ob.sum(x * 1.5, axis=0)


class Clock:
    """Programs that take as long as the test says, which is what searching measures."""

    def __init__(self, seconds: Callable[[Choice], float]) -> None:
        self.seconds = seconds
        self.tried: list[Choice] = []
        self.ran: list[Choice] = []
        self.now = 0.0

    def relative(self, one: Any, two: Any) -> float:
        self.now += 0.1
        return one() / two()

    def prepared(self, single: Any, choice: Choice, words: int, compile: Any) -> Any:
        if compile is not launch.compiled:
            self.ran.append(choice)
            return PREPARED(single, choice, words, compile)
        self.tried.append(choice)
        return lambda: self.seconds(choice)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """Vectors of half the length take half the time, rows twice."""

    def seconds(choice: Choice) -> float:
        return choice.rendering.lanes / 16 * (2 if choice.rendering.strategy == "rows" else 1)

    clock = Clock(seconds)
    monkeypatch.setattr(autotune, "_relative", clock.relative)
    monkeypatch.setattr(autotune, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(launch.Single, "_prepared", lambda *args: clock.prepared(*args))
    yield clock
    autotune._findings.clear()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where findings are kept, with searching turned on."""
    with ob.config(
        eager_numel=0, tier="compile", cache_dir=str(tmp_path), search_seconds=60.0, threads=1
    ):
        yield tmp_path


def entries(folder: Path) -> dict[Path, Any]:
    """The findings on disk."""
    found = {}
    for path in folder.glob("*.object"):
        at = path.read_bytes().find(b'{"seconds"')
        if at >= 0:
            found[path] = json.loads(path.read_bytes()[at:])
    return found


def only_findings() -> Findings:
    (found,) = autotune._findings.values()
    return found


def test_nothing_is_tried_unless_asked_for(clock: Clock, tmp_path: Path) -> None:
    with ob.config(eager_numel=0, tier="compile", cache_dir=str(tmp_path)):
        columns(ob.asarray(X)).realize()
    assert clock.tried == []
    assert autotune._findings == {}
    assert entries(tmp_path) == {}


def test_the_fastest_is_found_and_then_used(clock: Clock, folder: Path) -> None:
    want = columns(ob.asarray(X))
    want.realize()
    tried = len(clock.tried)
    got = columns(ob.asarray(X)).realize()
    assert tried > 1
    assert len(clock.tried) == tried  # all was tried the first time
    assert [choice.rendering.lanes for choice in clock.ran] == [8, 8]
    assert only_findings().is_finished
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want))


def test_one_class_of_sizes_is_searched_once(clock: Clock, folder: Path) -> None:
    columns(ob.asarray(X)).realize()
    tried = len(clock.tried)
    columns(ob.asarray(X[:90, :300].copy())).realize()
    assert len(clock.tried) == tried
    columns(ob.asarray(X[:40].copy())).realize()
    assert len(clock.tried) > tried


def test_a_later_process_goes_on_where_the_time_was_spent(clock: Clock, folder: Path) -> None:
    with ob.config(search_seconds=0.15):  # each trial takes 0.1 on this clock
        columns(ob.asarray(X)).realize()
    first = dict(only_findings().times)
    assert len(first) == 2
    assert not only_findings().is_finished
    ((_, kept),) = entries(folder).items()
    assert len(kept["times"]) == 2
    assert kept["seconds"] == pytest.approx(0.2)

    autotune._findings.clear()  # as at the start of a process
    with ob.config(search_seconds=0.15):
        columns(ob.asarray(X)).realize()
    assert only_findings().times == first  # the time for it was spent already
    clock.tried.clear()
    columns(ob.asarray(X)).realize()
    assert only_findings().is_finished
    assert only_findings().times.items() > first.items()
    assert set(first) & set(clock.tried[1:]) == set()  # nothing is tried twice


def test_a_damaged_entry_does_not_count(clock: Clock, folder: Path) -> None:
    columns(ob.asarray(X)).realize()
    times = dict(only_findings().times)
    (path,) = entries(folder)
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    autotune._findings.clear()
    clock.tried.clear()
    columns(ob.asarray(X)).realize()
    assert len(clock.tried) == len(times) + 1  # all anew, and the usual one
    assert only_findings().times == times


def test_without_a_place_to_keep_them_findings_last_as_long_as_the_process(clock: Clock) -> None:
    with ob.config(
        eager_numel=0, tier="compile", cache_dir="/dev/null/nowhere", search_seconds=60.0
    ):
        columns(ob.asarray(X)).realize()
        tried = len(clock.tried)
        columns(ob.asarray(X)).realize()
    assert len(clock.tried) == tried > 1


def test_a_small_gain_may_be_chance(clock: Clock, folder: Path) -> None:
    clock.seconds = lambda choice: 1.0 - 0.04 * (choice.rendering.lanes == 8)
    columns(ob.asarray(X)).realize()
    assert only_findings().times
    call = Workload(*(next(iter(autotune._findings))[:1]), (320, 96), [0, 0], [(1, 320), (1, 0)])
    usual = next(iter(autotune._findings))[2]
    assert only_findings().best(call, usual) == usual


def test_what_is_not_right_for_a_call_is_not_used(clock: Clock, folder: Path) -> None:
    clock.seconds = lambda choice: 0.5 if choice.rendering.streamed else 1.0
    array = np.zeros((128, 256), np.float32)
    (ob.asarray(array) * 2).realize()
    ((nest, _, usual, *_), found), *_ = autotune._findings.items()
    strides = [(1,), (1,)]
    aligned = Workload(nest, (32768,), [0, 64], strides)
    beside = Workload(nest, (32768,), [0, 4], strides)
    assert found.best(aligned, usual).rendering.streamed
    assert found.best(beside, usual) == usual


def test_a_kernel_that_reads_what_it_writes_runs_once(
    clock: Clock, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch.Single, "_span", lambda *_: (0, 100))
    columns(ob.asarray(X)).realize()
    assert clock.tried == []


def test_checking_bounds_searches_nothing(clock: Clock, folder: Path) -> None:
    with ob.config(check_bounds=True):
        columns(ob.asarray(X)).realize()
    assert clock.tried == []


def test_explaining_says_what_was_found(clock: Clock, folder: Path) -> None:
    assert "found by search" not in columns(ob.asarray(X)).explain()
    columns(ob.asarray(X)).realize()
    text = columns(ob.asarray(X)).explain()
    assert "columns, 8 lanes: found by search, 2.00 times as fast as columns, 16 lanes" in text
    with ob.config(search_seconds=0):
        assert "found by search" not in columns(ob.asarray(X)).explain()


# -- with real clocks ------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_a_real_search_gives_the_same_bits(tmp_path: Path, threads: int) -> None:
    array = np.random.default_rng(4).normal(size=(300, 700)).astype(np.float32)
    made = [
        lambda x: ob.exp(x.T) * 2,
        lambda x: ob.sum(x[:, ::2], axis=0),
        lambda x: x - ob.max(x, axis=1, keepdims=True),
    ]
    for function in made:
        with ob.config(eager_numel=0, tier="compile", threads=threads, cache_dir=str(tmp_path)):
            want = np.asarray(function(ob.asarray(array)))
            with ob.config(search_seconds=0.15):
                for _ in range(3):
                    got = np.asarray(function(ob.asarray(array)))
                    np.testing.assert_array_equal(got, want)
    assert entries(tmp_path)
    autotune._findings.clear()


def test_a_search_is_part_of_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "out.prof"
    with (
        ob.config(eager_numel=0, tier="compile", cache_dir=str(tmp_path), search_seconds=0.05),
        ob.Profiling(path, lines=0),
    ):
        columns(ob.asarray(X)).realize()
    trace = json.loads(Path(f"{path}.json").read_text())["traceEvents"]
    (found,) = [event for event in trace if event.get("cat") == "search"]
    assert found["dur"] > 0
    assert found["args"]["tried"] >= 1
    autotune._findings.clear()


def test_times_are_the_least_of_several_in_turn() -> None:
    order: list[str] = []
    found = autotune._relative(lambda: order.append("a"), lambda: order.append("b"))
    assert found > 0
    assert order[1:] == ["a", "b"] * (len(order) // 2)
    assert len(order) >= 2 * autotune.ROUNDS


# -- on disk ---------------------------------------------------------------------------------------


def test_findings_come_back_as_they_were() -> None:
    found = Findings({Choice(Rendering(8, "cache_tiles", True, (0, 2), "stack"), 4096): 0.75}, 1.5)
    assert from_bytes(to_bytes(found)) == found


GOOD = [[8, "rows", False, [], "", False, 16384], 0.5]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\x00",
        b"[]",
        b"{}",
        json.dumps({"seconds": -1, "times": []}).encode(),
        json.dumps({"seconds": float("nan"), "times": []}).encode(),
        json.dumps({"seconds": 1, "times": [GOOD, [[8], 0.5]]}).encode(),
        json.dumps({"seconds": 1, "times": [[[*GOOD[0][:6], 7], 0.5]]}).encode(),
        json.dumps({"seconds": 1, "times": [[["8", *GOOD[0][1:]], 0.5]]}).encode(),
        json.dumps({"seconds": 1, "times": [[[8, [], *GOOD[0][2:]], 0.5]]}).encode(),
        json.dumps({"seconds": 1, "times": [[GOOD[0], "fast"]]}).encode(),
    ],
)
def test_other_content_is_as_if_nothing_was_known(content: bytes) -> None:
    assert from_bytes(content) == Findings()


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "1", True, None])
def test_the_option_needs_a_number_of_seconds(value: Any) -> None:
    with pytest.raises(ArgumentError, match="search_seconds"), ob.config(search_seconds=value):
        pass
