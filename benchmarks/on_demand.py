"""What a fused on-demand expression costs, next to the same expression written out.

Each row is one computation, done with an on-demand buffer, with the expression of index ranges in
its place, and with elements that were stored beforehand. Samples of the three take turns, so that a
busy machine makes all of them longer alike; the least of each counts. ``--check`` fails above the
limit of 1.1 for the first ratio. ``make bench-on-demand``, or::

    python benchmarks/on_demand.py [--samples N] [--check]
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import onebuf as ob
from onebuf import Buffer

LIMIT = 1.1
Make = Callable[[Buffer, Buffer], Buffer]
Use = Callable[[Buffer], Buffer]


class Row(NamedTuple):
    """One computation: how elements are made from their indices, and what is done with them."""

    name: str
    shape: tuple[int, int]
    make: Make
    use: Use


WEIGHTS = {n: ob.asarray(np.random.default_rng(n).random((n, n))) for n in (300, 2000)}


def rows() -> list[Row]:
    """The computations, small and large."""
    found = []
    for n in (300, 2000):
        shape, weights = (n, n), WEIGHTS[n]
        found += [
            Row("i * 10 + j, stored", shape, lambda i, j: i * 10 + j, lambda x: x + 1),
            Row("i * 10 + j, sum", shape, lambda i, j: i * 10 + j, lambda x: x.sum()),
            Row(
                "1 / (i + j + 1), times weights, sum of columns",
                shape,
                lambda i, j: 1.0 / (i + j + 1),
                lambda x, weights=weights: (x * weights).sum(axis=0),  # type: ignore[misc]
            ),
            Row("sin(i) * cos(j), sum of rows", shape, _wave, lambda x: x.sum(axis=1)),
        ]
    return found


def _wave(i: Buffer, j: Buffer) -> Buffer:
    return ob.sin(i * 0.01) * ob.cos(j * 0.01)


def measure(row: Row, samples: int) -> tuple[float, float, float]:
    """The least seconds with the buffer on demand, with its expression, and with its elements."""
    height, width = row.shape
    i, j = ob.arange(height)[:, None], ob.arange(width)[None, :]
    made = ob.on_demand(row.shape, row.make)
    stored = made.copy()
    ways: list[Callable[[], Buffer]] = [
        lambda: row.use(made),
        lambda: row.use(row.make(i, j)),
        lambda: row.use(stored),
    ]
    least = [float("inf")] * len(ways)
    gc.collect()
    gc.disable()
    try:
        for _ in range(samples):
            for number, way in enumerate(ways):
                start = time.perf_counter()
                way().realize()
                least[number] = min(least[number], time.perf_counter() - start)
    finally:
        gc.enable()
    return least[0], least[1], least[2]


def main() -> int:
    """Measure and print; 1 if a ratio is above the limit, and that was asked about."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--check", action="store_true", help=f"fail above {LIMIT}")
    arguments = parser.parse_args()
    print(f"{'':48} {'shape':>12} {'on demand':>11} {'written out':>11} {'stored':>9} {'ratio':>6}")
    worst = 0.0
    with ob.config(tier="compile", eager_numel=0):
        for row in rows():
            made, written, stored = measure(row, arguments.samples)
            ratio = made / written
            worst = max(worst, ratio)
            times = f"{made * 1e6:8.0f} us {written * 1e6:8.0f} us {stored * 1e6:6.0f} us"
            print(f"{row.name:48} {row.shape!s:>12} {times} {ratio:6.2f}")
    print(f"worst ratio {worst:.2f}, limit {LIMIT}")
    return int(arguments.check and worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
