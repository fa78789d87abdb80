"""Distributed buffers next to what one would use instead: MPI by hand, Heat, Dask, one process.

Four parts, each of which compares within itself:

``mpi``
    two processes: ``a*b+c``, its sum, and new tiles for a matrix, next to mpi4py and NumPy by hand
    and to Heat, all on one thread for each process. *Local, by hand* is mpi4py with a buffer in
    each process: the ratio is the price of the runtime.
``dask``
    a cluster of two workers on this machine: the same arithmetic as in `dask.array`, with few large
    and with many small tiles.
``plan``
    no process: how long it takes to place and plan for many places and tiles, and how large the
    plan is that is sent.
``threads``
    places in this process, next to local buffers; and what a small distributed operation costs.

Contenders take turns; the least time of each counts, and the range is that of the middle half of
the ratios of all rounds. Run with::

    make bench-runtimes
    python benchmarks/runtimes.py [--part mpi] [--repeats 15] [--quick]
"""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import onebuf
from onebuf.placement import Box, Partition
from onebuf.runtimes.compute.plan import Planner
from onebuf.runtimes.protocols import Elements, Recipe
from onebuf.runtimes.registry import OpenRuntime
from onebuf.shapes import Tiled

PARTS = ("mpi", "dask", "plan", "threads")
PLACES = 2
Run = Callable[[], Any]
Timer = Callable[[Run], float]


@dataclass(frozen=True)
class Sizes:
    """How much each part does."""

    mpi_elements: tuple[int, ...] = (10**7, 2 * 10**7)
    """At each place."""
    matrix: int = 4096
    dask_elements: int = 10**8
    small_tiles: int = 10_000
    small_extent: int = 1000
    plan_places: int = 1000
    plan_tiles: tuple[int, ...] = (10**4, 10**5, 10**6)
    threads_elements: int = 10**7


QUICK = Sizes(
    mpi_elements=(10**5,),
    matrix=256,
    dask_elements=10**6,
    small_tiles=100,
    small_extent=100,
    plan_places=100,
    plan_tiles=(10**3, 10**4),
    threads_elements=10**5,
)


# -- measuring -------------------------------------------------------------------------------------


def timed(run: Run) -> float:
    """Seconds that ``run`` takes; what it made is dropped within them."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def rounds(runs: Mapping[str, Run], repeats: int, timer: Timer = timed) -> dict[str, list[float]]:
    """Seconds of each, taken in turns; each runs twice before, unmeasured.

    Everyone in a round takes two samples in a row, of which the lesser counts, so that it finds the
    caches as it left them itself.
    """
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        timer(run)
        timer(run)
    with _without_collector():
        for _ in range(repeats):
            for name, run in runs.items():
                taken[name].append(min(timer(run), timer(run)))
    return taken


@contextmanager
def _without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def say_head(title: str) -> None:
    """Print the head of a part's table."""
    say(f"\n{title}")
    columns = f"{'ours ms':>9} {'peer ms':>9} {'ratio':>7} {'range':>13} {'target':>9}"
    say(f"{'operation':40} {'peer':16} {columns}")


def say_ratios(
    name: str, taken: Mapping[str, Sequence[float]], targets: Mapping[str, float]
) -> None:
    """A line for each peer: ours over its time, and whether that is within the target."""
    ours = taken["onebuf"]
    for peer, times in taken.items():
        if peer == "onebuf":
            continue
        each = sorted([one / two for one, two in zip(ours, times, strict=True)])
        quarter = len(each) // 4
        ratio = min(ours) / min(times)
        target = targets.get(peer)
        wanted = "-" if target is None else f"<= {target:.2f}"
        said = "" if target is None else "  met" if ratio <= target else "  MISSED"
        say(
            f"{name:40} {peer:16} {min(ours) * 1e3:9.2f} {min(times) * 1e3:9.2f} {ratio:7.2f} "
            f"{each[quarter]:6.2f}-{each[-1 - quarter]:<6.2f} {wanted:>9}{said}"
        )


def check(name: str, answers: Mapping[str, float]) -> None:
    """Raise unless all contenders give the same number."""
    expected = next(iter(answers.values()))
    for peer, answer in answers.items():
        if not np.isclose(answer, expected, rtol=1e-9):
            raise AssertionError(f"{name}: {peer} gives {answer}, others give {expected}")


# -- processes of MPI ------------------------------------------------------------------------------


def mpi_part(sizes: Sizes, repeats: int, arguments: Sequence[str]) -> None:
    """Start two processes that run `mpi_places`, unless this is one of them."""
    if _is_place():
        mpi_places(sizes, repeats)
        return
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [str(mpiexec), "-n", str(PLACES), sys.executable, __file__, "--part", "mpi"]
    one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    finished = subprocess.run([*command, *arguments], env={**os.environ, **one_thread})
    if finished.returncode:
        sys.exit(f"the processes of MPI failed with {finished.returncode}")


def _is_place() -> bool:
    """Whether mpiexec has started this process."""
    return any(name in os.environ for name in ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"))


def mpi_places(sizes: Sizes, repeats: int) -> None:
    """What each of the processes measures; the first one prints."""
    from raw_mpi import COMM, import_heat

    heat = import_heat()
    if COMM.rank:
        global say
        say = lambda text: None  # noqa: E731
    say_head(f"MPI, {COMM.size} processes with one thread each, against by hand (mpi4py, NumPy)")
    if isinstance(heat, str):
        say(heat)
        heat = None
    with onebuf.runtime("mpi"), onebuf.config(threads=1):
        for count in sizes.mpi_elements:
            _mpi_arithmetic(count, repeats, heat)
        _mpi_reshard(sizes.matrix, repeats, heat)


def _together(run: Run) -> float:
    """Seconds from when all processes are here to when the last one is done."""
    from raw_mpi import COMM

    COMM.Barrier()
    start = time.perf_counter()
    run()
    mine = time.perf_counter() - start
    return max(COMM.allgather(mine))


def _mpi_arithmetic(count: int, repeats: int, heat: Any) -> None:
    from raw_mpi import COMM, ByHand, WithHeat

    a, b, c = [
        onebuf.distributed((count * COMM.size,), lambda i, p=prime: (i % p) / p)
        for prime in (7, 11, 13)
    ]
    operands = [np.array(one.local_buffer()) for one in (a, b, c)]
    by_hand = ByHand(COMM, *operands)
    d, e, f = [onebuf.asarray(one) for one in operands]
    sums: dict[str, Run] = {
        "onebuf": lambda: (a * b + c).sum().item(),
        "by hand": by_hand.sum,
        "local, by hand": lambda: COMM.allreduce((d * e + f).sum().item()),
    }
    stores: dict[str, Run] = {
        "onebuf": lambda: (a * b + c).realize(),
        "by hand": by_hand.store,
        "local, by hand": lambda: (d * e + f).realize(),
    }
    targets = {"by hand": 1.3, "Heat": 1.0}
    if heat is not None:
        with_heat = WithHeat(heat, COMM, *operands)
        sums["Heat"], stores["Heat"] = with_heat.sum, with_heat.store
    check("a*b+c, sum", {name: run() for name, run in sums.items()})
    size = f"{count:.0e}".replace("e+0", "e")
    say_ratios(f"a*b+c, sum, {size} a place", rounds(sums, repeats, _together), targets)
    say_ratios(f"d = a*b+c, {size} a place", rounds(stores, repeats, _together), targets)


def _mpi_reshard(extent: int, repeats: int, heat: Any) -> None:
    from raw_mpi import COMM, Transposer, transposed_by_heat

    x = onebuf.distributed(
        (extent, extent), lambda i, j: i * 1.0 + j / extent, tiles=(extent // COMM.size, None)
    )
    rows = np.asarray(x.local_buffer()).copy()
    by_hand = Transposer(COMM, rows)
    width = extent // COMM.size
    runs: dict[str, Run] = {
        "onebuf": lambda: x.redistribute(tiles=(None, width)),
        "by hand": by_hand.columns,
    }
    if heat is not None:
        runs["Heat"] = transposed_by_heat(heat, rows)
    found = np.asarray(runs["onebuf"]().local_buffer())
    np.testing.assert_array_equal(found, by_hand.columns())
    name = f"rows to columns, ({extent}, {extent})"
    say_ratios(name, rounds(runs, repeats, _together), {"by hand": 1.5, "Heat": 1.0})


# -- workers of Dask -------------------------------------------------------------------------------


def dask_part(sizes: Sizes, repeats: int) -> None:
    """A cluster of this machine, for both."""
    import dask
    from distributed import Client, LocalCluster

    say_head(f"Dask, {PLACES} workers with one thread each, against dask.array on the same cluster")
    dask.config.set({"distributed.worker.memory.target": False})
    with (
        LocalCluster(
            n_workers=PLACES, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        few = 24
        large = sizes.dask_elements
        name = f"{large:.0e}".replace("e+0", "e")
        _dask_arithmetic(client, f"{name} elements, {few} tiles", large, -(-large // few), repeats)
        tiles, extent = sizes.small_tiles, sizes.small_extent
        several = min(repeats, 3)  # of many tasks the time varies little
        name = f"{tiles} tiles of {extent}"
        _dask_arithmetic(client, name, tiles * extent, extent, several)


def _dask_arithmetic(client: Any, name: str, count: int, tile: int, repeats: int) -> None:
    import dask.array as da

    def vectors(chunks: Any) -> list[Any]:
        index = da.arange(count, dtype="float64", chunks=chunks)
        return [_persisted((index % prime) / prime) for prime in (7, 11, 13)]

    a, b, c = vectors(tile)
    with onebuf.runtime("dask", client):
        x, y, z = [
            onebuf.distributed((count,), lambda i, p=prime: (i % p) / p, tiles=tile)
            for prime in (7, 11, 13)
        ]
        sums: dict[str, Run] = {
            "onebuf": lambda: (x * y + z).sum().item(),
            "dask.array": lambda: (a * b + c).sum().compute(),
        }
        stores: dict[str, Run] = {
            "onebuf": lambda: (x * y + z).realize(),
            "dask.array": lambda: _persisted(a * b + c),
        }
        if tile * 8 > (1 << 20):
            d, e, f = vectors("auto")
            sums["dask, its chunks"] = lambda: (d * e + f).sum().compute()
            stores["dask, its chunks"] = lambda: _persisted(d * e + f)
        check(name, {peer: float(run()) for peer, run in sums.items()})
        targets = {"dask.array": 0.5, "dask, its chunks": 0.5}
        timer = _from_rest(client)
        say_ratios(f"a*b+c, sum, {name}", rounds(sums, repeats, timer), targets)
        say_ratios(f"d = a*b+c, {name}", rounds(stores, repeats, timer), targets)


def _from_rest(client: Any) -> Timer:
    """A timer that begins when the scheduler has forgotten what was dropped: of an array that it
    still has, Dask would compute nothing again."""

    def count() -> int:
        found: int = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        return found

    time.sleep(1.0)
    at_rest = count()

    def timer(run: Run) -> float:
        while count() > at_rest:
            time.sleep(0.01)
        return timed(run)

    return timer


def _persisted(array: Any) -> Any:
    """An array that the workers have."""
    from distributed import wait

    found = array.persist()
    wait(found)
    return found


# -- plans without processes -----------------------------------------------------------------------


class Nowhere:
    """A runtime that holds nothing, for plans; see `onebuf.runtimes.protocols.Runtime`."""

    name = "nowhere"
    mode: Literal["driver", "spmd"] = "driver"
    here: int | None = None

    def __init__(self, places: int) -> None:
        self.places = places

    def run(self, recipe: Recipe, partition: Partition, inputs: Sequence[Elements]) -> Elements:
        """Elements that are not there."""
        return Elements(partition, recipe.dtype, self, None)

    def wait(self, elements: Elements, timeout: float | None = None) -> None:
        """Return."""

    def close(self) -> None:
        """Nothing is held."""

    def _refuse(self, *arguments: Any) -> Any:
        raise NotImplementedError("plans are made here, and nothing else")

    update = fetch = fetch_later = store = accumulate = _refuse
    here_boxes = barrier = memory_in_use = _refuse


def plan_part(sizes: Sizes, repeats: int) -> None:
    """Place and plan for many tiles, with targets for time and size."""
    places = sizes.plan_places
    say(f"\nPlans for {places} places: a*b+c, stored, and its sum")
    head = f"{'tiles':>9} {'boxes ms':>9} {'plan ms':>9} {'explain ms':>11} {'steps':>6}"
    say(f"{head} {'recipes':>10} {'partitions':>11}   (pickled bytes)")
    nbytes = []
    for tiles in sizes.plan_tiles:
        taken = [_planned(tiles, places) for _ in range(min(repeats, 3))]
        boxes, plan, explain = np.min([seconds for seconds, *_ in taken], axis=0)
        _, steps, recipes, partitions = taken[0]
        nbytes.append(recipes + partitions)
        say(
            f"{tiles:9} {boxes * 1e3:9.1f} {plan * 1e3:9.1f} {explain * 1e3:11.1f} {steps:6} "
            f"{recipes:10} {partitions:11}"
        )
    _say_target("boxes and plan of the most tiles, s", boxes + plan, 1.0)
    _say_target("size of the plan, for ten times the tiles", nbytes[-1] / nbytes[-2], 1.5)


def _say_target(name: str, value: float, target: float) -> None:
    said = "met" if value <= target else "MISSED"
    say(f"{name:57} {value:9.3f} {f'<= {target:.2f}':>31}  {said}")


def _planned(tiles: int, places: int) -> tuple[tuple[float, float, float], int, int, int]:
    """Seconds for the boxes of all places, for the plan, and for what it moves; its sizes."""
    start = time.perf_counter()
    tiling = Tiled.regular((tiles * 1000,), (1000,))
    partition = Partition(tiling, places)
    held: list[tuple[Box, ...]] = [partition.boxes(place) for place in range(places)]
    boxes = time.perf_counter() - start
    assert all(held)
    with OpenRuntime(Nowhere(places)):
        a, b, c = [onebuf.zeros(tiling.extents).distribute(tiling) for _ in range(3)]
        d = a * b + c
        total = d.sum()
        start = time.perf_counter()
        planner = Planner(places)
        planner.want([total._node, d._node])
        plan = time.perf_counter() - start
        start = time.perf_counter()
        for step in planner.steps:
            step.moves()
        explain = time.perf_counter() - start
    recipes = sum([len(pickle.dumps(step.recipe)) for step in planner.steps])
    where = sum([len(pickle.dumps(step.result.partition)) for step in planner.steps])
    return (boxes, plan, explain), len(planner.steps), recipes, where


# -- places in this process ------------------------------------------------------------------------


def threads_part(sizes: Sizes, repeats: int) -> None:
    """The same arithmetic here, in one buffer and in tiles of several places."""
    count = sizes.threads_elements
    generator = np.random.default_rng(0)
    arrays = [generator.random(count) for _ in range(3)]
    a, b, c = [onebuf.asarray(one) for one in arrays]
    say_head(f"Threads, {PLACES} places in this process, against local buffers")
    with onebuf.runtime("threads", places=PLACES):
        x, y, z = [onebuf.asarray(one).distribute() for one in arrays]
        size = f"{count:.0e}".replace("e+0", "e")
        sums: dict[str, Run] = {
            "onebuf": lambda: (x * y + z).sum().item(),
            "local": lambda: (a * b + c).sum().item(),
        }
        stores: dict[str, Run] = {
            "onebuf": lambda: (x * y + z).realize(),
            "local": lambda: (a * b + c).realize(),
        }
        check("threads", {name: run() for name, run in sums.items()})
        say_ratios(f"a*b+c, sum, {size}", rounds(sums, repeats), {})
        say_ratios(f"d = a*b+c, {size}", rounds(stores, repeats), {})
        x, y, z = [onebuf.asarray(one[:1000]).distribute() for one in arrays]
        small: dict[str, Run] = {
            "x + y, stored": lambda: (x + y).realize(),
            "x*y + z, stored": lambda: (x * y + z).realize(),
            "x.sum() of 24 tiles": lambda: x.sum().item(),
            "x[1:] - x[:-1], stored": lambda: (x[1:] - x[:-1]).realize(),
            "x[5] = 1": lambda: x.__setitem__(5, 1.0),
        }
        for name, times in rounds(small, max(repeats, 20)).items():
            spread = statistics.median(times) / min(times)
            say(f"{name:40} {'1000 elements':16} {min(times) * 1e6:9.0f} us, median {spread:.2f} x")


def main() -> None:
    """Measure, and print a table for each part."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=PARTS, help="this one alone")
    parser.add_argument("--repeats", type=int, default=15, help="rounds for each figure")
    parser.add_argument("--quick", action="store_true", help="small: to see that it works")
    options = parser.parse_args()
    sizes = QUICK if options.quick else Sizes()
    if options.quick and not _is_place():
        say("Small sizes: to see that it works. Targets are for the full ones.")
    repeats = min(options.repeats, 3) if options.quick else options.repeats
    arguments = ["--repeats", str(repeats), *(["--quick"] if options.quick else [])]
    for part in PARTS if options.part is None else [options.part]:
        if part == "mpi":
            mpi_part(sizes, repeats, arguments)
        else:
            {"dask": dask_part, "plan": plan_part, "threads": threads_part}[part](sizes, repeats)


if __name__ == "__main__":
    main()
