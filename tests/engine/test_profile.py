"""Profiling: a trace that Perfetto and chrome://tracing open."""

from __future__ import annotations

import json

import pytest

import onebuf
from onebuf import Buffer, config, profile


def events(path):
    trace = json.loads(path.read_text())
    assert isinstance(trace["traceEvents"], list)
    return trace["traceEvents"]


@pytest.mark.parametrize("eager_numel", [4096, 0])
def test_the_trace_has_every_kernel(tmp_path, eager_numel):
    path = tmp_path / "trace.json"
    x = Buffer([1.0, 2.0])
    with config(eager_numel=eager_numel), profile(path):
        ((x + 1) * 2).sum().realize()
    kernels = [event for event in events(path) if event.get("cat") == "kernel"]
    assert [event["name"] for event in kernels] == ["add", "multiply", "sum"]


def test_every_event_has_what_the_format_needs(tmp_path):
    path = tmp_path / "trace.json"
    x = Buffer([[1.0, 2.0], [3.0, 4.0]])
    with config(eager_numel=0), profile(path):
        (x.T.copy() + 1).realize()
        x.T.copy().realize()
    found = events(path)
    assert {event["ph"] for event in found} == {"X", "i", "C"}
    for event in found:
        assert isinstance(event["name"], str)
        assert isinstance(event["ts"], float)
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        assert event["ph"] != "X" or event["dur"] >= 0
        assert event["ph"] != "i" or event["s"] in ("g", "p", "t")
        assert event["ph"] != "C" or event["args"]["bytes"] >= 0


def test_times_do_not_run_backwards(tmp_path):
    path = tmp_path / "trace.json"
    x = Buffer([1.0, 2.0])
    with config(eager_numel=0), profile(path):
        for _ in range(5):
            (x + 1).realize()
    kernels = [event for event in events(path) if event["ph"] == "X"]
    ends = [event["ts"] + event["dur"] for event in kernels]
    assert ends == sorted(ends)
    assert all(event["ts"] >= 0 for event in kernels)


def test_copies_have_their_bytes_and_reason(tmp_path):
    path = tmp_path / "trace.json"
    x = Buffer([[1.0, 2.0], [3.0, 4.0]])
    with config(eager_numel=0), profile(path):
        x.T.copy().realize()
    (copy,) = [event for event in events(path) if event["name"] == "copy" and event["ph"] == "i"]
    assert copy["args"] == {"bytes": 16, "reason": "asked for"}


def test_the_trace_is_written_also_if_the_block_fails(tmp_path):
    path = tmp_path / "trace.json"
    with pytest.raises(IndexError), profile(path):
        (Buffer([1.0]) + 1)[7]
    assert [event["name"] for event in events(path) if event["ph"] == "X"] == ["add"]


def test_an_empty_block_is_an_empty_trace(tmp_path):
    path = tmp_path / "trace.json"
    with profile(str(path)):
        pass
    assert events(path) == []


def test_nobody_listens_after_the_block(tmp_path):
    path = tmp_path / "trace.json"
    with profile(path):
        pass
    before = path.read_text()
    Buffer([1.0]) + 1
    assert path.read_text() == before
    assert onebuf.events.listeners() == ()
