"""Autotuning: which way of running a kernel is the fastest here, found by trying.

The usual choice (`onebuf.engine.cpu.strategy`) is measured against its neighbours, then the best
one against its own, until none is faster or the time for it is spent. What was found is kept for
this processor, kernel and class of sizes, in memory and on disk: the next process continues where
this one stopped. No choice changes a value.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from onebuf.engine.cpu.candidates import GRAINS, Choice, Workload, is_legal, neighbours
from onebuf.events import Searched, listeners, tell
from onebuf.kernel import Nest
from onebuf.late import Late
from onebuf.options import options
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering

if TYPE_CHECKING:
    from onebuf.backends import cpu
else:
    cpu = Late("onebuf.backends.cpu")

ROUNDS = 5
"""How often two choices take turns, at least."""
MOST_ROUNDS = 50
ROUND_SECONDS = 2e-3
"""Short kernels take turns until this much time has gone by."""
LEAST_GAIN = 0.05
"""By how much a choice has to be faster to be worth it: less may be chance."""
MOST_FINDINGS = 4096
VERSION = "onebuf search 2"

Prepare = Callable[[Choice], Callable[[], Any]]
"""From a choice to a function that runs the kernel once in that way."""


@dataclass(slots=True)
class Findings:
    """What is known about one kernel at one class of sizes."""

    times: dict[Choice, float] = field(default_factory=dict)
    """How long each choice took that was tried, as a part of the time of the usual one."""
    seconds: float = 0.0
    """What trying them took."""
    is_finished: bool = False
    """Whether there is nothing left to try."""

    def best(self, call: Workload, usual: Choice) -> Choice:
        """The fastest choice that is right for a call; the usual one if none is much faster."""
        fast = [choice for choice, time in self.times.items() if time < 1 - LEAST_GAIN]
        for choice in sorted(fast, key=self.times.__getitem__):
            if is_legal(call, choice.rendering):
                return choice
        return usual

    def untried(self, call: Workload, usual: Choice, shared: bool) -> Choice | None:
        """What to try next, if anything."""
        for choice in neighbours(call, self.best(call, usual), shared):
            if choice not in self.times and choice != usual:
                return choice
        return None


_findings: dict[tuple[Any, ...], Findings] = {}


def findings_of(nest: Nest, extents: tuple[int, ...], usual: Choice) -> Findings:
    """What is known about a kernel at sizes like these, here or from earlier processes."""
    now = options()
    sizes = tuple([extent.bit_length() for extent in extents])
    key = (nest, sizes, usual, now.threads, now.cache_dir)
    found = _findings.get(key)
    if found is None:
        if len(_findings) >= MOST_FINDINGS:
            _findings.clear()
        content = cpu.here().get(_disk_key(nest, sizes, usual))
        found = _findings[key] = Findings() if content is None else from_bytes(content)
    return found


def search(call: Workload, usual: Choice, shared: bool, prepare: Prepare) -> Choice:
    """The choice to run a call with, after looking for a faster one if there is time left.

    The kernel must not read what it writes, because it may run many times.
    """
    found = findings_of(call.nest, call.extents, usual)
    budget = options().search_seconds
    if not found.is_finished and found.seconds < budget:
        start, before = perf_counter(), len(found.times)
        _try_all(found, call, usual, shared, prepare, budget)
        if len(found.times) > before:
            sizes = tuple([extent.bit_length() for extent in call.extents])
            cpu.here().put(_disk_key(call.nest, sizes, usual), to_bytes(found))
        if listeners():
            tell(Searched(len(found.times) - before, perf_counter() - start, start))
    return found.best(call, usual)


def _try_all(
    found: Findings, call: Workload, usual: Choice, shared: bool, prepare: Prepare, budget: float
) -> None:
    run_usual = prepare(usual)
    run_usual()
    while found.seconds < budget:
        choice = found.untried(call, usual, shared)
        if choice is None:
            found.is_finished = True
            return
        start = perf_counter()
        run = prepare(choice)
        time = _relative(run, run_usual)
        if time < 1 - LEAST_GAIN:  # once more: the first time may have been chance
            time = max(time, _relative(run, run_usual))
        found.times[choice] = time
        found.seconds += perf_counter() - start


def _relative(one: Callable[[], Any], two: Callable[[], Any]) -> float:
    """How long ``one`` takes, as a part of what ``two`` does: the least of several, in turn."""
    one()
    times = [float("inf"), float("inf")]
    start = perf_counter()
    for round_number in range(MOST_ROUNDS):
        for number, run in enumerate((one, two)):
            before = perf_counter()
            run()
            times[number] = min(times[number], perf_counter() - before)
        if round_number + 1 >= ROUNDS and perf_counter() - start > ROUND_SECONDS:
            break
    return times[0] / max(times[1], 1e-9)


# -- on disk ---------------------------------------------------------------------------------------


def _disk_key(nest: Nest, sizes: tuple[int, ...], usual: Choice) -> bytes:
    """Kernel, processor, versions, sizes, threads and the usual choice, as one short key.

    The kernel's text stands for it: a new way to write kernels is searched anew.
    """
    threads = options().threads
    text = render(nest, "kernel", usual.rendering)
    where = f"{sizes} {cpu.cores() if threads is None else threads} {_plain(usual)}"
    key: bytes = cpu.digest(VERSION, cpu.key_of(text, cpu.host()), where)
    return key


def _plain(choice: Choice) -> list[Any]:
    """What distinguishes the choices that are tried."""
    rendering, grain = choice
    found = (rendering.lanes, rendering.strategy, rendering.streamed, rendering.small_strides)
    return [*found, rendering.row_cache, rendering.tiles, grain]


def to_bytes(found: Findings) -> bytes:
    """Findings as they are kept on disk."""
    times = [[_plain(choice), time] for choice, time in found.times.items()]
    return json.dumps({"seconds": found.seconds, "times": times}).encode()


def from_bytes(content: bytes) -> Findings:
    """Findings read back; what is not exactly as it should be does not count."""
    try:
        kept = json.loads(content)
        times = {_choice(*plain): _positive(time) for plain, time in kept["times"]}
        return Findings(times, _positive(kept["seconds"]))
    except (ValueError, TypeError, KeyError):
        return Findings()


def _choice(
    lanes: Any,
    strategy: Any,
    streamed: Any,
    small_strides: Any,
    row_cache: Any,
    tiles: Any,
    grain: Any,
) -> Choice:
    rendering = Rendering(lanes, strategy, streamed, tuple(small_strides), row_cache, tiles=tiles)
    choice = Choice(rendering, grain)
    if grain not in GRAINS or type(lanes) is not int or type(tiles) is not int:
        raise ValueError(f"{choice} is no choice")
    if type(streamed) is not bool or any(type(pace) is not int for pace in small_strides):
        raise ValueError(f"{choice} is no choice")
    return choice


def _positive(number: Any) -> float:
    if not (isinstance(number, int | float) and 0 <= number < float("inf")):
        raise ValueError(f"{number!r} is no time")
    return float(number)
