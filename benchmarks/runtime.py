"""What running compiled code costs: compiling, calling and sharing out, next to the usual ways.

A sample is a short burst; samples of all ways alternate, and the least one counts, because noise on
a shared machine only adds. The last column is the ratio to the first row of each group. Run with::

    python benchmarks/runtime.py [--json FILE]
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from ctypes import CFUNCTYPE, c_int64
from itertools import count
from time import perf_counter

import numpy as np

from onebuf import config
from onebuf.backends.cpu import compile, cores, host, run
from onebuf.backends.cpu.object_code import generate

SAMPLES = 60
MOST_SECONDS = 10.0
UNITS = (("ms", 1e3), ("us", 1e6), ("ns", 1e9))
EMPTY = "define void @empty(i64 %args, i64 %begin, i64 %end) nounwind {\n  ret void\n}\n"
MEETING = """
define void @meet(ptr %args, i64 %begin, i64 %end) nounwind {
  %counter = load ptr, ptr %args
  %before = atomicrmw add ptr %counter, i64 1 seq_cst, align 8
  %odd = or i64 %before, 1
  br label %look
look:
  %now = load atomic i64, ptr %counter acquire, align 8
  %alone = icmp sle i64 %now, %odd
  br i1 %alone, label %look, label %done
done:
  ret void
}
"""

Rows = dict[str, float]
"""Seconds by name; the first one is what the others are compared with."""


def chain(number: int, operations: int = 30) -> str:
    """A kernel of about 60 lines: a chain of operations on two arrays, a vector at a time."""
    lanes = host().vector_nbytes // 4
    vector = f"<{lanes} x float>"
    lines = []
    for i in range(operations):
        operand = "%y" if i % 2 else f"splat (float {float(number + i)})"
        lines.append(f"  %v{i + 1} = {('fadd', 'fmul')[i % 2]} {vector} %v{i}, {operand}")
    return f"""
define void @chain(ptr %args, i64 %begin, i64 %end) nounwind {{
entry:
  %x = load ptr, ptr %args
  %y.at = getelementptr ptr, ptr %args, i64 1
  %other = load ptr, ptr %y.at
  br label %look
look:
  %i = phi i64 [%begin, %entry], [%next, %step]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %step, label %done
step:
  %at = getelementptr float, ptr %x, i64 %i
  %v0 = load {vector}, ptr %at, align 4
  %with = getelementptr float, ptr %other, i64 %i
  %y = load {vector}, ptr %with, align 4
{chr(10).join(lines)}
  store {vector} %v{operations}, ptr %at, align 4
  %next = add i64 %i, {lanes}
  br label %look
done:
  ret void
}}
"""


def burst(function: Callable[[], object], times: int) -> Callable[[], float]:
    """A function that calls another ``times`` times and returns the seconds for one."""

    def sample() -> float:
        start = perf_counter()
        for _ in range(times):
            function()
        return (perf_counter() - start) / times

    return sample


def least(ways: dict[str, Callable[[], float]], samples: int = SAMPLES) -> Rows:
    """The least sample of each, taken in turns, until there are enough or it takes too long."""
    best = dict.fromkeys(ways, float("inf"))
    end = perf_counter() + MOST_SECONDS
    for i in range(samples):
        if i and perf_counter() > end:
            break
        for name, sample in ways.items():
            best[name] = min(best[name], sample())
    return best


def compiling() -> Rows:
    """A new kernel, one that another process has compiled, and one that this one holds."""
    numbers = count()
    start = perf_counter()
    held = compile(chain(next(numbers)), "chain")
    first = perf_counter() - start
    known = chain(next(numbers))
    compile(known, "chain")
    held_ir = chain(0)
    assert compile(held_ir, "chain") is held
    gc.collect()
    ways = {
        "a new kernel": burst(lambda: compile(chain(next(numbers)), "chain"), 1),
        "its machine code alone": burst(lambda: generate(chain(next(numbers)), "chain", host()), 1),
        "from disk": burst(lambda: compile(known, "chain"), 5),
        "from memory": burst(lambda: compile(held_ir, "chain"), 100),
    }
    return {"the first in the process": first, **least(ways, 20)}


def calling() -> Rows:
    """An empty kernel; each row is net of an empty loop's turn."""
    program = compile(EMPTY, "empty")
    address = np.zeros(4, np.int64).ctypes.data
    plain = CFUNCTYPE(None, c_int64, c_int64, c_int64)(program.address)
    times = 2000
    best = least(
        {
            "nothing": burst(lambda: None, times),
            "ctypes": burst(lambda: plain(address, 0, 1 << 20), times),
            "call": burst(lambda: program.call(address, 0, 1 << 20), times),
            "quick": burst(lambda: program.quick(address, 0, 1 << 20), times),
        }
    )
    nothing = best.pop("nothing")
    return {name: seconds - nothing for name, seconds in best.items()}


def sharing() -> Rows:
    """A kernel of two calls that wait for each other: from asking until both are done.

    If the system lets both threads have one core only, each meeting takes milliseconds.
    """
    meeting = compile(MEETING, "meet")
    empty = compile(EMPTY, "empty")
    counter = np.zeros(1, np.int64)
    args = np.array([counter.ctypes.data])
    address = args.ctypes.data
    with ThreadPoolExecutor(2) as executor, config(threads=2):

        def by_executor() -> None:
            wait([executor.submit(meeting.call, address, i, i + 1) for i in range(2)])

        return least(
            {
                "ThreadPoolExecutor": burst(by_executor, 50),
                "run, two threads that meet": burst(lambda: run(meeting, address, 2, 1), 100),
                "run, one thread, empty": burst(lambda: run(empty, address, 1, 1), 500),
            }
        )


def show(title: str, rows: Rows) -> None:
    """Print one group."""
    print(f"\n{title:28} {'time':>12} {'ratio':>8}")
    reference = next(iter(rows.values()))
    for name, seconds in rows.items():
        unit, scale = next(pair for pair in UNITS if seconds * pair[1] >= 1)
        print(f"  {name:26} {seconds * scale:9.2f} {unit} {seconds / reference:8.4f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write seconds to this file")
    arguments = parser.parse_args()
    print(f"{host().cpu}, {cores()} cores, vectors of {host().vector_nbytes} bytes")
    groups = {}
    with tempfile.TemporaryDirectory() as folder, config(cache_dir=folder):
        for name, measure in {
            "compiling": compiling,
            "calling an empty kernel": calling,
            "sharing out a kernel": sharing,
        }.items():
            groups[name] = measure()
            show(name, groups[name])
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(groups, file, indent=2)


if __name__ == "__main__":
    main()
