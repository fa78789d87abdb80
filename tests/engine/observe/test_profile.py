"""Profiling: a file for pstats in which kernels are functions, and a trace for Perfetto."""

from __future__ import annotations

import cProfile
import json
import pstats
import re
import threading
import time

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, Profiling, config
from onebuf.engine.observe.profile import merge_kernels
from onebuf.errors import ArgumentError, OnebufError, ProfilingError

QUIET = {"lines": 0}


def events(path):
    trace = json.loads(path.with_name(path.name + ".json").read_text())
    assert isinstance(trace["traceEvents"], list)
    return trace["traceEvents"]


def slices(path, category):
    return [event for event in events(path) if event["ph"] == "X" and event["cat"] == category]


def kernel(name):
    return ("~", 0, f"<kernel {name}>")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.prof"


def work(count):
    x = Buffer([1.0, 2.0])
    for _ in range(count):
        x = x + 1
    return x


# -- the file for pstats ---------------------------------------------------------------------------


def test_functions_and_kernels_are_entries_of_their_own(path):
    with Profiling(path, **QUIET):
        work(7)
    entries = pstats.Stats(str(path)).stats
    calls, all_calls, own, seconds, callers = entries[kernel("add")]
    assert (calls, all_calls) == (7, 7)
    assert 0 < own <= seconds * 1.001
    assert callers
    (name,) = [key for key in entries if key[2] == "work"]
    assert entries[name][:2] == (1, 1)
    assert entries[name][3] >= seconds


@pytest.mark.parametrize("threads", [1, 2])
def test_the_time_of_compiled_code_is_that_of_its_kernel(path, threads):
    x = onebuf.asarray(np.ones((300, 400), np.float32))
    with config(eager_numel=0, tier="compile", threads=threads):
        onebuf.exp(x * 2).realize()
        with Profiling(path, **QUIET):
            for _ in range(3):
                onebuf.exp(x * 2).realize()
    entries = pstats.Stats(str(path)).stats
    name = kernel("multiply + exp")
    calls, _, own, _, _ = entries[name]
    assert calls == 3
    assert own > 0
    assert not [
        callee for callee, entry in entries.items() if name in entry[4] and callee[0] == "~"
    ]
    assert not [name for _, _, name in entries if "call of" in name]


def test_a_fold_of_everything_is_one_call(path):
    x = onebuf.asarray(np.ones(100_000, np.float32))
    with config(eager_numel=0, tier="compile"), Profiling(path, **QUIET):
        x.sum().realize()
    assert pstats.Stats(str(path)).stats[kernel("sum")][:2] == (1, 1)


def test_every_way_to_run_a_kernel_has_an_entry(path):
    x = Buffer([3.0, 1.0, 2.0])
    with Profiling(path, **QUIET):
        x[[0, 2]]
        x[0] = 1.0
        x[:] = Buffer([1.0, 2.0, 3.0])[::-1]
        x += 1
        onebuf.sort(x)
        x.sum()
        with config(eager_numel=0, tier="interpret"):
            (x * 2).realize()
    entries = pstats.Stats(str(path)).stats
    names = {name for file, _, name in entries if file == "~" and name.startswith("<kernel ")}
    wanted = {"pick", "assign", "add", "library", "sum", "multiply"}
    assert names == {f"<kernel {name}>" for name in wanted}


def test_time_is_counted_once():
    stats = {
        kernel("a"): (2, 2, 1.0, 6.0, {}),
        kernel("b"): (1, 1, 0.5, 2.5, {}),
        ("~", 0, "<built-in method call>"): (
            *(4, 4, 9.0, 9.0),
            {
                kernel("a"): (2, 2, 5.0, 5.0),
                kernel("b"): (1, 1, 2.0, 2.0),
                ("f.py", 1, "f"): (1, 1, 2.0, 2.0),
            },
        ),
        ("~", 0, "<built-in method other>"): (2, 2, 3.0, 3.0, {kernel("a"): (2, 2, 3.0, 3.0)}),
        ("f.py", 1, "f"): (1, 1, 1.0, 3.0, {}),
    }
    before = sum(entry[2] for entry in stats.values())
    merge_kernels(stats)
    assert stats == {
        kernel("a"): (2, 2, 9.0, 6.0, {}),
        kernel("b"): (1, 1, 2.5, 2.5, {}),
        ("~", 0, "<built-in method call>"): (1, 1, 2.0, 2.0, {("f.py", 1, "f"): (1, 1, 2.0, 2.0)}),
        ("f.py", 1, "f"): (1, 1, 1.0, 3.0, {}),
    }
    assert sum(entry[2] for entry in stats.values()) == before


def test_compiled_code_that_the_block_itself_calls_stays(path):
    # The function around the block is not profiled, so that nobody is known to call this.
    with Profiling(path, **QUIET):
        time.sleep(0)
    calls, all_calls, *_ = pstats.Stats(str(path)).stats["~", 0, "<built-in method time.sleep>"]
    assert (calls, all_calls) == (1, 1)


def test_lines_are_printed_in_the_order_asked_for(capsys):
    with Profiling(sort="ncalls", lines=2):
        work(50)
    said = capsys.readouterr().out
    assert "Ordered by: call count" in said
    assert len(re.findall(r"^ +\d+(?:/\d+)? +[\d.]+ ", said, re.MULTILINE)) == 2


def test_no_lines_are_printed_if_none_are_asked_for(capsys):
    with Profiling(**QUIET) as profiling:
        work(2)
    assert capsys.readouterr().out == ""
    assert kernel("add") in profiling.stats.stats


def test_kernels_are_counted_with_their_bytes():
    with Profiling(**QUIET) as profiling:
        work(3)
    found = profiling.kernels["add"]
    assert (found.calls, found.bytes_moved) == (3, 3 * 16)
    assert found.seconds > 0


# -- the trace -------------------------------------------------------------------------------------


@pytest.mark.parametrize("eager_numel", [4096, 0])
def test_the_trace_has_every_kernel(path, eager_numel):
    x = Buffer([1.0, 2.0])
    with config(eager_numel=eager_numel), Profiling(path, **QUIET):
        ((x + 1) * 2).sum().realize()
    found = slices(path, "kernel")
    assert [event["name"] for event in found] == ["add", "multiply", "sum"]
    assert [event["args"]["bytes written"] for event in found] == [8, 8, 4]
    assert [event["args"]["bytes read"] for event in found] == [8, 8, 8]


def test_every_event_has_what_the_format_needs(path):
    x = Buffer([[1.0, 2.0], [3.0, 4.0]])
    with config(eager_numel=0), Profiling(path, **QUIET):
        (x.T.copy() + 1).realize()
        x.T.copy().realize()
    found = events(path)
    assert {event["ph"] for event in found} == {"X", "i", "C"}
    for event in found:
        assert isinstance(event["name"], str)
        assert isinstance(event["ts"], float)
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        assert event["ph"] != "X" or event["dur"] > 0
        assert event["ph"] != "i" or event["s"] in ("g", "p", "t")
        assert event["ph"] != "C" or event["args"]["bytes"] >= 0


def test_slices_nest(path, tmp_path):
    x = onebuf.asarray(np.ones((70, 80)))
    with (
        config(eager_numel=0, tier="compile", cache_dir=str(tmp_path / "cache")),
        Profiling(path, **QUIET),
    ):
        for number in range(3):
            (onebuf.log1p(x * number) - onebuf.cosh(x + 5.0)).realize()
    within = {"block": None, "schedule": "block", "kernel": "schedule", "compile": "schedule"}
    for category, outer in within.items():
        inside = slices(path, category)
        assert inside
        for event in inside:
            around = [
                one
                for one in slices(path, outer or "block")
                if one["ts"] <= event["ts"]
                and event["ts"] + event["dur"] <= one["ts"] + one["dur"] + 1e-3
            ]
            assert len(around) == 1


def test_times_do_not_run_backwards(path):
    x = Buffer([1.0, 2.0])
    with config(eager_numel=0), Profiling(path, **QUIET):
        for _ in range(5):
            (x + 1).realize()
    found = slices(path, "kernel")
    ends = [event["ts"] + event["dur"] for event in found]
    assert len(ends) == 5
    assert all(end <= event["ts"] for end, event in zip(ends, found[1:], strict=False))
    assert found[0]["ts"] >= 0


@pytest.mark.parametrize("tier", ["interpret", "compile"])
def test_copies_have_their_bytes_reason_and_line(path, tier):
    x = Buffer([[1.0, 2.0], [3.0, 4.0]])
    with config(eager_numel=0, tier=tier), Profiling(path, **QUIET):
        x.T.copy().realize()
    (copy,) = [event for event in events(path) if event["name"] == "copy" and event["ph"] == "i"]
    line = copy["args"].pop("from")
    assert copy["args"] == {"bytes": 16, "reason": "asked for"}
    assert line.startswith(__file__)
    assert line.endswith(": x.T.copy().realize()")


# -- when it ends ----------------------------------------------------------------------------------


def test_both_files_are_written_also_if_the_block_fails(path):
    with pytest.raises(IndexError), Profiling(path, **QUIET):
        (Buffer([1.0]) + 1)[7]
    assert [event["name"] for event in slices(path, "kernel")] == ["add"]
    assert kernel("add") in pstats.Stats(str(path)).stats


def test_an_empty_block_has_only_itself(path):
    with Profiling(str(path), **QUIET):
        pass
    assert [event["name"] for event in events(path)] == ["Profiling"]


def test_nobody_listens_after_the_block(path):
    with Profiling(path, **QUIET):
        pass
    before = path.read_bytes()
    work(1)
    assert path.read_bytes() == before
    assert onebuf.events.listeners() == ()


def test_one_that_is_not_enabled_does_nothing(path, capsys):
    with Profiling(path, enabled=False) as profiling:
        assert onebuf.events.listeners() == ()
        work(2)
        with Profiling(enabled=False):
            work(1)
    assert profiling.stats is None
    assert profiling.kernels == {}
    assert not path.exists()
    assert capsys.readouterr().out == ""


def test_one_object_can_be_used_again(path):
    profiling = Profiling(path, **QUIET)
    for count in (2, 5):
        with profiling:
            work(count)
        assert profiling.kernels["add"].calls == count
        assert pstats.Stats(str(path)).stats[kernel("add")][0] == count


# -- what is refused -------------------------------------------------------------------------------


def test_a_block_within_a_block_is_refused_and_the_outer_one_goes_on(path):
    with Profiling(path, **QUIET):
        with pytest.raises(ProfilingError, match="another Profiling block"), Profiling():
            work(9)
        work(2)
    assert pstats.Stats(str(path)).stats[kernel("add")][0] == 2
    assert issubclass(ProfilingError, OnebufError)
    assert issubclass(ProfilingError, RuntimeError)


def test_a_block_in_another_thread_is_refused():
    failed = []

    def other():
        try:
            with Profiling(**QUIET):
                work(1)
        except ProfilingError as error:
            failed.append(error)

    with Profiling(**QUIET):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(failed) == 1


def test_another_profiler_is_left_alone():
    theirs = cProfile.Profile()
    theirs.enable()
    try:
        with pytest.raises(ProfilingError, match="another profiler"), Profiling(**QUIET):
            work(1)
    finally:
        theirs.disable()
    assert onebuf.events.listeners() == ()
    with Profiling(**QUIET) as profiling:
        work(1)
    assert profiling.kernels["add"].calls == 1


@pytest.mark.parametrize(
    "changes, says", [({"sort": "size"}, "'size'"), ({"lines": -1}, "-1"), ({"lines": 1.5}, "1.5")]
)
def test_wrong_arguments_are_refused(changes, says):
    with pytest.raises(ArgumentError, match=re.escape(says)):
        Profiling(**changes)


def test_a_trace_alone_is_written_where_it_was_asked_for(tmp_path):
    path = tmp_path / "trace.json"
    x = onebuf.ones(100_000)
    with pytest.raises(IndexError), onebuf.profile(path):
        x[(x * 2).sum()]
    events = json.loads(path.read_text())["traceEvents"]
    assert any(event["ph"] == "X" and event["dur"] > 0 for event in events)
    assert [one.name for one in tmp_path.iterdir()] == ["trace.json"]


def test_moves_between_places_are_in_the_trace_and_counted(tmp_path):
    with onebuf.runtime("threads", places=2):
        x = onebuf.arange(10.0).distribute(tiles=5)
        with onebuf.counters() as counted, onebuf.profile(tmp_path / "trace.json"):
            (x[1:] - x[:-1]).realize()
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    moves = [event["args"] for event in events if event["cat"] == "move"]
    assert [(one["bytes"], one["from place"], one["to place"]) for one in moves] == [(8, 0, 1)]
    assert (counted.moves, counted.bytes_between_places) == (1, 8)
