"""Switch points: each is somewhere, each is listed, and none costs anything without a hook."""

import itertools
import re
from pathlib import Path

import pytest

import onebuf
from onebuf import switch
from onebuf.testing.faults.interleaving import Interleaving, at_point

SOURCE = Path(onebuf.__file__).parent


def test_every_point_is_in_the_source_and_listed():
    found = set()
    for path in SOURCE.rglob("*.py"):
        if path.name != "switch.py":
            found.update(re.findall(r'switch\.point\(\s*"([^"]+)"', path.read_text()))
    assert found == set(switch.POINTS)


def test_a_point_is_behind_the_flag():
    for path in SOURCE.rglob("*.py"):
        lines = path.read_text().splitlines()
        for above, line in itertools.pairwise(lines):
            if "switch.point(" in line and path.name != "switch.py":
                assert above.strip() == "if switch.on:", f"{path}: {line}"


def test_hooks_are_taken_away_again():
    with switch.hooked(lambda name: None):
        assert switch.on
        with switch.hooked(lambda name: None):
            assert switch.on
        assert switch.on
    assert not switch.on


def test_threads_run_in_the_order_that_is_said():
    order = []

    def work(name):
        def run():
            order.append(name + " begins")
            onebuf.ones(100_000).realize()
            order.append(name + " ends")

        return run

    with Interleaving(one=work("one"), two=work("two")) as threads:
        threads.run("one", to="graph.make")
        threads.run("two")
        threads.run("one")
    assert order == ["one begins", "two begins", "two ends", "one ends"]


def test_the_error_of_a_thread_is_raised():
    def work():
        raise ValueError("so")

    with pytest.raises(ValueError, match="so"), Interleaving(one=work):
        pass


def test_an_error_at_a_point_comes_out_there():
    def fail():
        raise MemoryError

    x = onebuf.ones(100_000) + 1
    with at_point("plan.step", fail) as called, pytest.raises(MemoryError):
        x.realize()
    assert called == [1]
    assert x.max().item() == 2
