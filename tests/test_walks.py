"""Walks: how many modules and Python calls a line of a program passes through, once it is warm.

A walk that becomes longer is a boundary that was crossed once more. Comprehensions are calls up to
Python 3.11 and not since, so later versions may only do with less.
"""

import pytest
from children import run

WALK = """
    import sys
    from collections import Counter
    import numpy as np
    import onebuf

    a = onebuf.asarray(np.arange(16, dtype="float32"), copy=True)
    b = a.copy()
    x = onebuf.asarray(np.ones((300, 300), "float32"), copy=True)
    lines = {
        "add": "c = a + b",
        "planned": "y = (x * 2 + 1).sum(axis=0); y.realize()",
        "in place": "a[2:5] += 1",
    }
    line = compile(lines[sys.argv[1]], "walk", "exec")
    calls = Counter()

    def count(frame, event, argument):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.partition(".")[0] == "onebuf":
            calls[module] += 1

    with onebuf.config(tier="compile"):
        for _ in range(20):
            exec(line)
        sys.setprofile(count)
        exec(line)
        sys.setprofile(None)
    print(len(calls), sum(calls.values()))
"""


@pytest.mark.parametrize(
    "name, modules, calls", [("add", 3, 4), ("planned", 21, 90), ("in place", 7, 14)]
)
def test_a_walk_is_no_longer_than_it_was(name: str, modules: int, calls: int) -> None:
    crossed, called = map(int, run(WALK, name).split())
    assert (crossed <= modules, called <= calls) == (True, True), (crossed, called)
