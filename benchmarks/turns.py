"""Taking turns: samples of all libraries, interleaved.

Libraries run one after the other, never at the same time, round after round. A turn is some samples
in a row, as many for each, so that a library finds the caches and threads as it left them itself;
the least of all its samples counts, because noise on a shared machine only adds. A library that
fails costs its own figure, not the others'.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

PAUSE = 0.003
"""Seconds between turns, for the last library's threads to fall asleep."""


@dataclass
class Samples:
    """Seconds of one library on one workload, or why there are none."""

    seconds: list[float] = field(default_factory=list)
    failure: str = ""

    @property
    def least(self) -> float | None:
        """The fastest sample, or None if it failed."""
        return min(self.seconds) if self.seconds and not self.failure else None

    @property
    def spread(self) -> float | None:
        """The middle sample over the least."""
        least = self.least
        return statistics.median(self.seconds) / least if least else None


@dataclass(frozen=True)
class Plan:
    """How long to measure."""

    rounds: int = 7
    seconds: float = 2.0
    """Rounds go on until this much time was measured."""
    slow: float = 0.3
    """A library whose sample takes longer has enough after three rounds."""
    timeout: float = 300.0
    """For one message to a process."""


def interleave(
    runs: Mapping[str, Callable[[], list[float]]], plan: Plan, pause: float = PAUSE
) -> dict[str, Samples]:
    """Samples of each, taken in turns; one that raises is out."""
    taken = {name: Samples() for name in runs}
    rounds, spent = 0, 0.0
    while rounds < plan.rounds or spent < plan.seconds:
        waiting = 0
        for name, run in runs.items():
            samples = taken[name]
            is_slow = rounds >= 3 and min(samples.seconds, default=0.0) > plan.slow
            if samples.failure or is_slow:
                continue
            time.sleep(pause)
            start = time.perf_counter()
            try:
                samples.seconds += run()
            except Exception as error:
                samples.failure = str(error).strip() or type(error).__name__
            waiting += 1
            spent += time.perf_counter() - start
        rounds += 1
        if not waiting:
            break
    return taken


def timed(run: Callable[[], object]) -> Callable[[], list[float]]:
    """Two samples of ``run`` in a row, which make a turn."""

    def samples() -> list[float]:
        found = []
        for _ in range(2):
            start = time.perf_counter()
            run()
            found.append(time.perf_counter() - start)
        return found

    return samples
