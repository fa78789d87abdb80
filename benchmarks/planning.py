"""What planning costs: microseconds a node, for graphs of 10^2 to 10^5 nodes.

Each row builds a graph of small arrays, so that computing takes next to nothing, and realises it
twice: with kernels that are compiled already but no plan known (cold), and with every plan known
(warm). A cost that does not grow from column to column is linear. The time of a plain Python loop
stands below, because a busy machine makes all of them longer alike. ``make bench-planning``, or::

    python benchmarks/planning.py [--most NODES]
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable

import numpy as np

import onebuf as ob
from onebuf import Buffer
from onebuf.engine.plan import decide
from onebuf.graph import Node

RNG = np.random.default_rng(0)
NODES = (100, 1_000, 10_000, 100_000)


def small(*shape: int) -> Buffer:
    """A few numbers in memory."""
    return ob.asarray(RNG.normal(size=shape), copy=True)


WEIGHTS = [small(16, 16) for _ in range(3)]


def chain(steps: int) -> Buffer:
    """One addition after another."""
    y = small(64)
    for _ in range(steps):
        y = y + 1.0
    return y


def concats(steps: int) -> Buffer:
    """Joins of joins."""
    x, y = small(8), small(64)
    for _ in range(steps):
        y = ob.concat([x * 2.0, y])[:64]
    return y


def life(steps: int) -> Buffer:
    """The game of life, by rolling the grid."""
    grid = ob.asarray((RNG.random((16, 16)) < 0.3).astype(np.uint8), copy=True)
    around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    for _ in range(steps):
        neighbours = sum(ob.roll(ob.roll(grid, i, axis=0), j, axis=1) for i, j in around)
        grid = ob.astype((neighbours == 3) | ((neighbours == 2) & (grid == 1)), ob.uint8)
    return grid


def mlp(steps: int) -> Buffer:
    """Two layers and a softmax, again and again."""
    x = small(8, 16)
    for _ in range(steps):
        x = ob.maximum(x @ WEIGHTS[0] + WEIGHTS[1][0], 0.0) @ WEIGHTS[2]
        x = ob.exp(x - ob.max(x, axis=1, keepdims=True))
        x = x / ob.sum(x, axis=1, keepdims=True)
    return x


def attention(steps: int) -> Buffer:
    """Attention of one head, again and again."""
    x = small(8, 16)
    for _ in range(steps):
        q, k, v = [x @ weight for weight in WEIGHTS]
        s = q @ k.T / 4.0
        s = ob.exp(s - ob.max(s, axis=-1, keepdims=True))
        x = x + s / ob.sum(s, axis=-1, keepdims=True) @ v
    return x


ROWS: tuple[Callable[[int], Buffer], ...] = (chain, concats, life, mlp, attention)


def count(node: Node) -> int:
    """How many nodes a graph has."""
    seen: set[int] = set()
    todo = [node]
    while todo:
        here = todo.pop()
        if id(here) not in seen:
            seen.add(id(here))
            todo.extend(here.srcs)
    return len(seen)


def realized(build: Callable[[int], Buffer], steps: int) -> tuple[int, float]:
    """The nodes of a graph, and the microseconds for each that realising it took."""
    y = build(steps)
    nodes = count(y._node)
    gc.collect()
    start = time.process_time()
    y.realize()
    return nodes, (time.process_time() - start) / nodes * 1e6


def measure(build: Callable[[int], Buffer], nodes: int) -> str:
    """Cold and warm microseconds a node for a graph of about so many nodes."""
    per_step = count(build(8)._node) / 8
    steps = max(1, round(nodes / per_step))
    with ob.config(tier="compile"):
        realized(build, steps)
        decide.forget_plans()
        cold = realized(build, steps)[1]
        warm = min(realized(build, steps)[1] for _ in range(2))
    return f"{cold:7.1f} / {warm:5.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=NODES[-1], help="the largest graph, in nodes")
    sizes = [nodes for nodes in NODES if nodes <= parser.parse_args().most]
    print("us a node, cold / warm" + "".join([f"{nodes:>17,}" for nodes in sizes]))
    with ob.config(eager_numel=0):
        for build in ROWS:
            cells = [measure(build, nodes) for nodes in sizes]
            print(f"{build.__name__:22}" + "".join([f"{cell:>17}" for cell in cells]), flush=True)
    start = time.process_time()
    for _ in range(1_000_000):
        pass
    print(f"a turn of an empty loop: {(time.process_time() - start) * 1e3:.0f} ns")


if __name__ == "__main__":
    main()
