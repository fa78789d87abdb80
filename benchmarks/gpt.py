"""Training a GPT: onebuf next to torch and torch.compile, interleaved in one run.

The model is that of examples/gpt.py, in float32: 8 x 128 tokens, 4 layers, 256 wide, 4 heads, 65
tokens. Every library lives in a process of its own, so that their threads do not meet; the
processes take turns, and the least sample counts, because noise on a shared machine only adds.
Ratios are what counts. Run with ``make bench-gpt``, or::

    python benchmarks/gpt.py [--quick] [--threads N] [--json FILE] [--seconds S]

``--quick`` leaves torch.compile out, which takes most of the time, and takes fewer samples. The
kernels of a step are compared with tinygrad's if that is installed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from timeit import repeat
from typing import Any

from gpt_models import BURST, MODELS
from libraries import environment
from table import ABSENT, aligned, digits, ratio
from turns import Plan, interleave

WARM = 4
"""Calls before the first sample."""
LATENCIES = {"ten": "10 operations, 16 elements, us", "add": "1 of 1,000 adds, ns"}
LATENCIES["guard"] = "guards of 5 arguments, us"


@dataclass
class Row:
    """One figure of each library, and what ours may be at most, as a ratio."""

    name: str
    figures: dict[str, float]
    target: str
    spread: dict[str, float] = field(default_factory=dict)
    """The middle sample of each over its least."""

    def to(self, peer: str) -> float | None:
        """Ours over that of a peer."""
        return ratio(self.figures.get("onebuf"), self.figures.get(peer))


# -- in a process of its own -----------------------------------------------------------------------


class Worker:
    """What a process does when it is asked."""

    def __init__(self, name: str, threads: int) -> None:
        self.name, self.threads = name, threads
        self.model: Any = None

    def make(self) -> None:
        """The model."""
        self.model = MODELS[self.name](self.threads)

    def warm(self, what: str) -> float:
        """Some calls before the first sample; the loss of the first one, if it has any."""
        found = [self.run(what) for _ in range(WARM)]
        return float(found[0] or 0.0)

    def run(self, what: str) -> Any:
        """One call."""
        if what == "decode":
            self.model.rewind()
        return getattr(self.model, what)()

    def samples(self, what: str) -> list[float]:
        """Seconds of two samples; of a token among several, when decoding."""
        found = []
        for _ in range(2):
            calls = 1
            if what == "decode":
                self.model.rewind()
                calls = BURST
            call = getattr(self.model, what)
            start = perf_counter()
            for _ in range(calls):
                call()
            found.append((perf_counter() - start) / calls)
        return found

    def first_step(self) -> float:
        """Seconds of the first step in this process, compiling included."""
        start = perf_counter()
        self.model.step()
        return perf_counter() - start

    def peak(self) -> float:
        """Bytes that steps of training need at most, above those after importing the library."""
        __import__("onebuf.optim" if self.name == "onebuf" else "torch")
        before = resident("VmRSS")
        self.make()
        self.warm("step")
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins again
        self.warm("step")
        return resident("VmHWM") - before

    def kernels(self) -> int:
        """Passes over memory of one step."""
        return int(self.model.kernels())

    def latency(self) -> dict[str, float]:
        """Seconds of small calls of captured functions."""
        import onebuf

        x, y = (onebuf.full(16, value, dtype="float32").realize() for value in (1.0, 0.5))

        @onebuf.jit
        def ten(a: Any, b: Any) -> Any:
            for _ in range(5):
                a = a * b + b
            return a

        @onebuf.jit
        def adds(a: Any, b: Any) -> Any:
            for _ in range(1000):
                a = a + b
            return a

        @onebuf.jit
        def five(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
            return a + b + c + d + e

        arguments = (x, y, x, 2.0, y)
        for call in (lambda: ten(x, y), lambda: adds(x, y), lambda: five(*arguments)):
            call()
        bind = five._entries[0].bind
        return {
            "ten": least(lambda: ten(x, y)),
            "add": least(lambda: adds(x, y), 100) / 1000,
            "guard": least(lambda: bind(arguments, {})),
        }


def least(call: Callable[[], Any], number: int = 2000) -> float:
    """The least seconds of one call."""
    return min(repeat(call, number=number, repeat=9)) / number


def resident(name: str) -> float:
    """Bytes in memory of this process: now as VmRSS, at most as VmHWM.

    The figure of `resource.getrusage` begins with that of the process that started this one.
    """
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return 1024.0 * int(found[1])


def serve(line: Connection, name: str, threads: int) -> None:
    """Answer until the line closes."""
    worker = Worker(name, threads)
    while True:
        try:
            method, *arguments = line.recv()
        except EOFError:
            return
        try:
            line.send((True, getattr(worker, method)(*arguments)))
        except Exception as error:
            line.send((False, f"{type(error).__name__}: {error}"))


# -- measuring -------------------------------------------------------------------------------------


class Process:
    """A process with one library in it."""

    def __init__(self, name: str, threads: int, cache: Path) -> None:
        self.name = name
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, name, threads), daemon=True)
        before = dict(os.environ)
        os.environ.update(environment(threads, cache), XDG_CACHE_HOME=str(cache))
        try:
            self.process.start()
        finally:
            os.environ.clear()
            os.environ.update(before)
        theirs.close()

    def ask(self, *message: Any) -> Any:
        """The answer to a message."""
        self.line.send(message)
        is_good, answer = self.line.recv()
        if not is_good:
            raise RuntimeError(f"{self.name}: {answer}")
        return answer

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        self.line.close()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def alone(name: str, threads: int, *methods: str) -> Any:
    """The answer to the last message of a fresh process, with an empty cache of compiled code."""
    with (
        tempfile.TemporaryDirectory(prefix="onebuf-benchmark-") as cache,
        Process(name, threads, Path(cache)) as process,
    ):
        return [process.ask(method) for method in methods][-1]


def times(names: Sequence[str], threads: int, plan: Plan) -> list[Row]:
    """Seconds of what is done again and again, in turns."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="onebuf-benchmark-") as cache:
        processes = [Process(name, threads, Path(cache, name)) for name in names]
        try:
            for process in processes:
                process.ask("make")
            for what, title, target in (
                ("forward", "forward, ms", "0.6, 1.0"),
                ("step", "training step, ms", "0.6, 1.0"),
                ("decode", "decode a token, ms", "1.0"),
            ):
                # torch.compile is not for decoding: it would compile for every length.
                asked = [p for p in processes if what != "decode" or p.name != "torch.compile"]
                losses = [process.ask("warm", what) for process in asked]
                if max(losses) - min(losses) > 1e-3 * max(losses):
                    raise SystemExit(f"{what}: libraries disagree on the loss: {losses}")
                runs = {p.name: lambda p=p, what=what: p.ask("samples", what) for p in asked}
                taken = interleave(runs, plan)
                for name, samples in taken.items():
                    if samples.failure:
                        raise SystemExit(f"{what}, {name}: {samples.failure}")
                rows.append(
                    Row(
                        title,
                        {name: 1e3 * (s.least or 0.0) for name, s in taken.items()},
                        target,
                        {name: s.spread or 0.0 for name, s in taken.items()},
                    )
                )
        finally:
            for process in processes:
                process.__exit__()
    return rows


def measure(names: Sequence[str], threads: int, plan: Plan) -> list[Row]:
    """All rows."""
    rows = times(names, threads, plan)
    firsts = {name: alone(name, threads, "make", "first_step") for name in names}
    rows.append(Row("first step, s", firsts, "3 s"))
    peaks = {name: alone(name, threads, "peak") / 1e6 for name in names}
    rows.append(Row("peak memory of a step, MB", peaks, "1.0"))
    kernels = {"onebuf": float(alone("onebuf", threads, "make", "kernels"))}
    if "torch.compile" in names and find_spec("tinygrad"):
        kernels["tinygrad"] = tinygrad_kernels()
    rows.append(Row("kernels of a step", kernels, "0.6"))
    latency = alone("onebuf", threads, "latency")
    for key, scale, target in (("ten", 1e6, "3 us"), ("add", 1e9, "20 ns"), ("guard", 1e6, "1 us")):
        rows.append(Row(LATENCIES[key], {"onebuf": scale * latency[key]}, target))
    return rows


def tinygrad_kernels() -> float:
    """Kernels of the same step in tinygrad."""
    program = Path(__file__).with_name("gpt_tinygrad.py")
    finished = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    return float(finished.stdout)


def lines(rows: Sequence[Row], names: Sequence[str]) -> list[list[str]]:
    """The table: figures, our ratio to each peer, and what is asked of us."""
    names = [*names, *[name for name in ("tinygrad",) if any(name in r.figures for r in rows)]]
    peers = [name for name in names if name != "onebuf"]
    found = [["", *names, *[f"ours/{peer}" for peer in peers], "at most", "spread"]]
    for row in rows:
        figures = [digits(row.figures.get(name)) for name in names]
        ratios = [digits(row.to(peer)) for peer in peers]
        spread = digits(row.spread["onebuf"]) if row.spread else ABSENT
        found.append([row.name, *figures, *ratios, row.target, spread])
    return found


def main() -> None:
    """Measure, and show."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="without torch.compile, few samples")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=6.0, help="of measuring, for each row")
    parser.add_argument("--json", help="a file for the figures")
    options = parser.parse_args()
    names = [name for name in MODELS if name != "torch.compile" or not options.quick]
    plan = Plan(5, 1.0) if options.quick else Plan(9, options.seconds)
    rows = measure(names, options.threads, plan)
    print("\n".join(aligned(lines(rows, names))))
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
