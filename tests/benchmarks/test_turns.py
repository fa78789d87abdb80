"""Samples of a benchmark: taken in turns, the least of them counted."""

import time
from collections.abc import Callable

import pytest
from turns import Plan, Samples, interleave

QUICK = Plan(rounds=4, seconds=0.0)


def recorder(name: str, log: list[str], seconds: list[float]) -> Callable[[], list[float]]:
    """A turn of two samples that writes down when it came."""
    values = iter(seconds)

    def run() -> list[float]:
        log.append(name)
        return [next(values), next(values)]

    return run


def test_libraries_take_turns() -> None:
    log: list[str] = []
    runs = {name: recorder(name, log, [0.1] * 8) for name in ("a", "b", "c")}
    interleave(runs, QUICK, pause=0)
    assert log == ["a", "b", "c"] * 4


def test_the_least_sample_counts_and_the_spread_is_the_middle_one_over_it() -> None:
    log: list[str] = []
    seconds = [0.5, 0.4, 0.2, 0.25, 0.3, 0.3, 0.1, 0.3]
    (samples,) = interleave({"a": recorder("a", log, seconds)}, QUICK, pause=0).values()
    assert samples.seconds == seconds
    assert samples.least == 0.1
    assert samples.spread == pytest.approx(3.0)


def test_a_failure_ends_a_librarys_turns_and_no_one_elses() -> None:
    log: list[str] = []

    def fail() -> list[float]:
        log.append("bad")
        raise RuntimeError(" it broke ")

    taken = interleave({"bad": fail, "good": recorder("good", log, [0.1] * 8)}, QUICK, pause=0)
    assert log == ["bad", *["good"] * 4]
    assert taken["bad"].failure == "it broke"
    assert taken["bad"].least is None
    assert taken["bad"].spread is None
    assert taken["good"].least == 0.1


def test_a_slow_library_has_enough_after_three_rounds() -> None:
    log: list[str] = []
    runs = {"slow": recorder("slow", log, [1.0] * 6), "fast": recorder("fast", log, [0.1] * 8)}
    taken = interleave(runs, QUICK, pause=0)
    assert log.count("slow") == 3
    assert log.count("fast") == 4
    assert taken["slow"].least == 1.0


def test_rounds_go_on_until_enough_time_was_measured() -> None:
    log: list[str] = []

    def run() -> list[float]:
        log.append("a")
        time.sleep(0.001)
        return [0.1, 0.1]

    interleave({"a": run}, Plan(1, seconds=0.01), pause=0)
    assert 1 < len(log) <= 10


def test_nothing_to_measure_ends_at_once() -> None:
    assert interleave({}, Plan(seconds=1e9), pause=0) == {}


def test_no_samples_have_no_least() -> None:
    assert Samples().least is None
