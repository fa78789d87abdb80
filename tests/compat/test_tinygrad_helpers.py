"""tinygrad's progress bars, profiles and counters."""

from __future__ import annotations

import os
import pstats
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import onebuf
from onebuf.compat import tinygrad
from onebuf.compat.tinygrad import GlobalCounters, helpers
from onebuf.events import listening


@pytest.fixture(autouse=True)
def nobody_else_is_counted() -> Iterator[None]:
    """Counters that a test starts end with it."""
    with listening(lambda event: None):
        yield


# Progress


def test_the_document_s_bar_runs(capsys: pytest.CaptureFixture[str]) -> None:
    # fmt: off
    iterable=[_ for _ in range(10)]
    tqdm=tinygrad.helpers.tqdm(iterable=iterable, desc="list iterations", unit='  iterations', unit_scale=True)  # noqa: E501
    for n in range(len(iterable)): tqdm.update(n=1,close=True)  # noqa: E701, B007
    # fmt: on
    assert tqdm.n == 10
    said = capsys.readouterr().err
    lines = [line.rpartition("\r")[2] for line in said.rstrip("\n").split("\n")]
    assert len(lines) == 10
    assert lines[0].startswith("list iterations:  10%|")
    assert lines[-1].startswith("list iterations: 100%|")
    assert "| 1.00/10.0 [00:00" in lines[0]
    assert lines[-1].endswith("  iterations/s]")


def test_a_bar_goes_around_an_iterable(capsys: pytest.CaptureFixture[str]) -> None:
    bar = helpers.tqdm(["a", "b", "c"], desc="letters")
    assert list(bar) == ["a", "b", "c"]
    said = capsys.readouterr().err
    assert "letters: 100%|" in said
    assert "| 3/3 [" in said
    assert said.endswith("\n")
    assert list(helpers.trange(3, disable=True)) == [0, 1, 2]


def test_a_bar_is_closed_by_its_block(capsys: pytest.CaptureFixture[str]) -> None:
    with helpers.tqdm(total=4) as bar:
        bar.update(3)
        bar.set_description("four")
    assert bar.n == 3
    assert "four:  75%|" in capsys.readouterr().err


@pytest.mark.parametrize("disable", [True, None])
def test_a_bar_that_nobody_sees_counts(
    disable: bool | None, capsys: pytest.CaptureFixture[str]
) -> None:
    bar = helpers.tqdm(total=4, disable=disable)
    bar.update(1)
    bar.update(2, close=True)
    bar.update(1)
    assert bar.n == 4
    assert capsys.readouterr().err == ""


def test_a_bar_counts_its_updates(capsys: pytest.CaptureFixture[str]) -> None:
    bar = helpers.tqdm(total=10)
    assert (bar.i, bar.n, bar.t) == (0, 0, 10)
    bar.update(3)
    bar.update()
    bar.update(2, close=True)
    assert (bar.i, bar.n) == (3, 5)
    iterated = helpers.tqdm("abc", disable=True)
    assert list(iterated) == ["a", "b", "c"]
    assert (iterated.i, iterated.n, helpers.tqdm(disable=True).t) == (4, 3, 0)
    capsys.readouterr()
    with pytest.raises(TypeError, match="pass one"):
        list(helpers.tqdm(disable=True))


def test_a_bar_is_closed_once_by_its_loop_and_its_block(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with helpers.tqdm("ab") as bar:
        for _ in bar:
            pass
    assert capsys.readouterr().err.count("\n") == 1


def test_a_loop_that_is_left_closes_its_bar(capsys: pytest.CaptureFixture[str]) -> None:
    for letter in helpers.tqdm("abc"):
        if letter == "b":
            break
    said = capsys.readouterr().err
    assert said.endswith("\n")
    assert "| 1/3 [" in said


@pytest.mark.parametrize("columns", [40, 60, 120])
def test_a_bar_is_as_wide_as_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    bar = helpers.tqdm(total=4, desc="wide")
    assert len(capsys.readouterr().err.rpartition("\r")[2]) == 80
    monkeypatch.setenv("COLUMNS", str(columns))
    bar.update(4, close=True)
    assert len(capsys.readouterr().err.rpartition("\r")[2].rstrip()) == columns


def test_lines_are_written_above_the_bars(capsys: pytest.CaptureFixture[str]) -> None:
    with helpers.tqdm(total=2) as bar:
        bar.update(1)
        helpers.tqdm.write("a line")
        bar.write("another")
        bar.update(1)
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = [line.rpartition("\r")[2] for line in captured.err.split("\n")]
    assert lines[:2] == ["a line", "another"]
    assert lines[2].startswith("100%|")


def test_no_thread_watches_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    bar = helpers.tqdm(total=2)
    bar.update(2, close=True)
    assert threading.active_count() == before
    assert "100%" in capsys.readouterr().err


@pytest.mark.parametrize(
    "number, text",
    [(0, "0.00"), (999, "999"), (1000, "1.00k"), (1234567, "1.23M"), (10, "10.0")],
)
def test_numbers_are_told_by_thousands(number: float, text: str) -> None:
    assert helpers.tqdm.SI(number) == text


@pytest.mark.parametrize("seconds, text", [(0, "00:00"), (61, "01:01"), (36_061, "10:01:01")])
def test_times_are_told_by_sixties(seconds: float, text: str) -> None:
    assert helpers.tqdm.HMS(seconds) == text


# Profiles


def test_the_document_s_profile_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # fmt: off
    PROFILE_FN="out.proc"
    with helpers.Profiling(enabled=True, fn=(fn:=os.path.join(os.getcwd(),PROFILE_FN) if PROFILE_FN else None)): time.sleep(1)  # noqa: E501, E701
    pstats.Stats(PROFILE_FN).strip_dirs().sort_stats("tottime").print_stats(1)
    # fmt: on
    assert fn == str(tmp_path / "out.proc")
    assert "{built-in method time.sleep}" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["out.proc"]


def test_a_profile_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with helpers.Profiling(frac=1.0, sort="tottime", ts=10):
        time.sleep(0.1)
    lines = capsys.readouterr().out.splitlines()
    assert "time.sleep" in lines[0]
    count, _, own = lines[0].partition("tm:")
    assert count.split() == ["n:", "1"]
    assert 10 <= float(own.partition("ms")[0]) < 50


def test_a_profile_decorates_functions(tmp_path: Path) -> None:
    @helpers.Profiling(frac=0, fn=tmp_path / "f")
    def work() -> int:
        return sum([1, 2, 3])

    assert work() == 6
    assert work() == 6
    names = [name for _, _, name in pstats.Stats(str(tmp_path / "f")).stats]  # type: ignore[attr-defined]
    assert any("sum" in name for name in names)


def test_a_profile_that_is_off_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with helpers.Profiling(enabled=False, fn=tmp_path / "f"):
        sum([1])
    assert not (tmp_path / "f").exists()
    assert capsys.readouterr().out == ""


# Counters


def test_kernels_are_counted_from_a_reset_on() -> None:
    x = onebuf.asarray(np.ones(4, "f4"))
    GlobalCounters.reset()
    y = x + 1
    assert GlobalCounters.kernel_count == 1
    assert GlobalCounters.global_mem == 32
    assert GlobalCounters.time_sum_s > 0
    with onebuf.counters() as counted:
        (y * y).sum()
    assert GlobalCounters.kernel_count == 1 + counted.kernels
    GlobalCounters.reset()
    assert (GlobalCounters.kernel_count, GlobalCounters.global_mem) == (0, 0)
    assert GlobalCounters.time_sum_s == 0
    assert np.isnan(GlobalCounters.global_ops)


def test_counting_that_began_in_a_block_goes_on_after_it() -> None:
    told: list[int] = []

    def work() -> None:  # a thread of its own, in which nobody has counted yet
        x = onebuf.asarray(np.ones(4, "f4"))
        with onebuf.counters():
            GlobalCounters.reset()
            x + 1
        told.append(GlobalCounters.kernel_count)
        x + 1
        told.append(GlobalCounters.kernel_count)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert told == [1, 2]


def test_memory_in_use_is_that_of_all_devices() -> None:
    before = GlobalCounters.mem_used
    x = onebuf.asarray(np.ones(100_000, "f4")) + 1
    x.realize()
    assert GlobalCounters.mem_used >= before + 400_000
    assert GlobalCounters.mem_used == sum(GlobalCounters.mem_used_per_device.values())
    del x
