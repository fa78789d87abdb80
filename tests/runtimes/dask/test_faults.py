"""The runtime of Dask where something is lost: workers, the scheduler, the client.

Every case is a process of its own with a time limit, as what goes wrong here is a hang.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(120)

BEGIN = """
    import gc, logging, os, signal, subprocess, sys, threading, time
    from concurrent.futures import wait as wait_for_futures
    from dataclasses import dataclass
    from typing import Any
    import numpy as np
    from distributed import Client, LocalCluster
    from onebuf.errors import PlaceError, RuntimeClosed, TaskTimeout
    from onebuf.placement import Partition
    from onebuf.runtimes.dask.runtime import Dask
    from onebuf.shapes import Tiled

    logging.getLogger("distributed").setLevel(logging.CRITICAL)

    @dataclass(frozen=True)
    class Numbered:
        seconds: float = 0
        dtype: Any = np.dtype("int64")
        name: str = "numbered"

        def needs(self, box):
            return []

        def compute(self, box, fetch, out):
            time.sleep(self.seconds)
            out[...] = np.arange(*box[0])

    @dataclass(frozen=True)
    class Deadly(Numbered):
        def compute(self, box, fetch, out):
            if box[0][0] == 0:
                os._exit(1)

    @dataclass(frozen=True)
    class Reversed:
        length: int
        seconds: float = 0
        dtype: Any = np.dtype("int64")
        name: str = "reversed"

        def needs(self, box):
            return [(0, ((self.length - box[0][1], self.length - box[0][0]),))]

        def compute(self, box, fetch, out):
            time.sleep(self.seconds)
            out[...] = fetch(0, self.needs(box)[0][1])[::-1]

    def row(length, places):
        return Partition(Tiled.regular((length,), (-(-length // places),)), places)

    def local(workers):
        return LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
        )

    def raised(call, *kinds):
        start = time.monotonic()
        try:
            call()
        except kinds as error:
            assert time.monotonic() - start < 5, "it took too long"
            return error
        raise AssertionError("no error")
"""


def run(program: str, timeout: float = 60, **environment: str) -> str:
    """What a program printed; it has to end well, and in time."""
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(BEGIN) + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        env={**os.environ, **environment},
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "Warning" not in finished.stderr, finished.stderr
    return finished.stdout


def test_what_a_killed_worker_had_is_computed_anew() -> None:
    program = """
        length = 100_000
        with local(2) as cluster, Client(cluster) as client:
            runtime = Dask(client, timeout=40)
            one = runtime.run(Numbered(), row(length, 2), [])
            two = runtime.run(Reversed(length), row(length, 2), [one])
            runtime.store(two, ((0, 3),), np.array([-1, -2, -3]))
            expected = np.arange(length)[::-1].copy()
            expected[:3] = -1, -2, -3
            runtime.wait(two)
            del one  # so that it is gone, too

            def kill(number):
                pids = sorted(client.run(os.getpid).items())
                os.kill(pids[number % len(pids)][1], signal.SIGKILL)

            kill(0)
            np.testing.assert_array_equal(runtime.fetch(two, ((0, length),)), expected)
            print("between two computations")

            client.wait_for_workers(2)
            three = runtime.run(Reversed(length, seconds=1), row(length, 2), [two])
            later = runtime.fetch_later(three, ((5, 10),))
            time.sleep(0.4)
            kill(1)
            np.testing.assert_array_equal(runtime.fetch(three, ((0, length),)), expected[::-1])
            np.testing.assert_array_equal(later.result(30), expected[::-1][5:10])
            print("during a computation")

            client.wait_for_workers(2)
            time.sleep(2.1)  # the list of workers is read again
            assert set(runtime._connection._preferred_workers()) == set(client.nthreads())
            runtime.update(three, Reversed(length), ((0, length),), [three])
            np.testing.assert_array_equal(runtime.fetch(three, ((0, length),)), expected)
            runtime.close()
            print("after it")
    """
    assert run(program).splitlines() == [
        "between two computations",
        "during a computation",
        "after it",
    ]


def test_the_only_worker_may_be_lost() -> None:
    program = """
        import psutil
        raised(lambda: Dask(places=1, timeout=0), TaskTimeout)
        workers = [one for one in psutil.Process().children() if "spawn_main" in one.cmdline()[-2]]
        assert not workers, workers  # what could not be opened is closed

        with local(1):  # another cluster on this machine
            runtime = Dask(places=1, timeout=30)
        one = runtime.run(Numbered(), row(10, 1), [])
        two = runtime.run(Reversed(10), row(10, 1), [one])
        runtime.wait(two)
        (pid,) = runtime.client.run(os.getpid).values()
        os.kill(pid, signal.SIGKILL)
        while runtime.client.nthreads():
            time.sleep(0.01)
        three = runtime.run(Reversed(10), row(10, 1), [two])  # while there is no worker
        print(runtime.fetch(two, ((0, 3),)), runtime.fetch(three, ((0, 3),)))
        runtime.close()
    """
    assert run(program) == "[9 8 7] [0 1 2]\n"


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from onebuf.runtimes.dask.runtime import Dask\nDask(places=1)\n", encoding="utf-8"
    )
    finished = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=60, check=False
    )
    assert finished.returncode != 0
    last = finished.stderr.strip().splitlines()[-1]
    assert last.startswith("onebuf.errors.PlaceError")
    assert "__main__" in last


def test_work_that_kills_its_workers_is_given_up() -> None:
    program = """
        runtime = Dask(places=2, timeout=40)
        elements = runtime.run(Deadly(), row(10, 2), [])
        try:
            runtime.wait(elements)
        except PlaceError as error:
            print(type(error).__name__, error.place, "workers died" in str(error))
        print(runtime.fetch(runtime.run(Numbered(), row(10, 2), []), ((0, 10),)).sum())

        lost = runtime.run(Numbered(), row(10, 2), [])
        runtime.wait(lost)
        runtime.client.restart()
        print(type(raised(lambda: runtime.fetch(lost, ((0, 10),)), PlaceError)).__name__)
        print(runtime.fetch(runtime.run(Numbered(), row(10, 2), []), ((0, 10),)).sum())
        # Dask may not know of a worker that died soon after it came.
        runtime._connection._cluster.scheduler_info["workers"].clear()
        runtime.close()
        del runtime
        gc.collect()
        print("closed")
    """
    found = run(program, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0").splitlines()
    assert found == ["PlaceError 0 True", "45", "PlaceError", "45", "closed"]


EVERY_CALL = """
    def check_every_call(runtime, elements, later):
        assert isinstance(later.exception(5), PlaceError), later
        array = np.zeros(10)
        for call in (
            lambda: runtime.run(Numbered(), row(10, 1), []),
            lambda: runtime.run(Reversed(10), row(10, 1), [elements]),
            lambda: runtime.update(elements, Numbered(), ((0, 10),), []),
            lambda: runtime.fetch(elements, ((0, 10),)),
            lambda: runtime.fetch_later(elements, ((0, 10),)).result(5),
            lambda: runtime.store(elements, ((0, 10),), array),
            lambda: runtime.accumulate(elements, ((0, 10),), array),
            lambda: runtime.wait(elements),
            lambda: runtime.barrier(),
        ):
            raised(call, PlaceError)
        runtime.memory_in_use()
        runtime.close()
        raised(lambda: runtime.wait(elements), RuntimeClosed)

    def waiting(runtime, elements):
        found = []
        def wait():
            try:
                runtime.wait(elements)
            except PlaceError as error:
                found.append(error)
        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        time.sleep(0.3)
        return thread, found
"""


def test_a_killed_scheduler_is_an_error_within_seconds() -> None:
    program = (
        textwrap.dedent(EVERY_CALL)
        + '''
SCHEDULER = """
import asyncio
from distributed import Scheduler
async def main():
    async with Scheduler(port=0, dashboard=False, host="127.0.0.1") as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()
asyncio.run(main())
"""
WORKER = """
import asyncio, sys
from distributed import Worker
async def main():
    async with Worker(sys.argv[1], nthreads=1, dashboard=False) as worker:
        await worker.finished()
asyncio.run(main())
"""
def start(program, *arguments, **options):
    return subprocess.Popen([sys.executable, "-c", program, *arguments],
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **options)
scheduler = start(SCHEDULER, stdout=subprocess.PIPE, text=True)
address = scheduler.stdout.readline().strip()
worker = start(WORKER, address)
try:
    client = Client(address)
    client.wait_for_workers(1)
    runtime = Dask(client)
    elements = runtime.run(Numbered(), row(10, 1), [])
    runtime.wait(elements)
    slow = runtime.run(Numbered(seconds=30), row(10, 1), [])
    later = runtime.fetch_later(slow, ((0, 10),))
    thread, found = waiting(runtime, slow)
    scheduler.kill()
    scheduler.wait()
    thread.join(5)
    assert isinstance(found[0], PlaceError), found
    check_every_call(runtime, elements, later)
    print("typed errors")
finally:
    for process in (scheduler, worker):
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
os._exit(0)  # the client would wait for the scheduler
'''
    )
    finished = run_flat(program)
    assert finished == "typed errors\n"


def run_flat(program: str) -> str:
    return run(program.replace("os._exit(0)", "sys.stdout.flush(); os._exit(0)"))


def test_a_client_that_its_owner_closed_is_an_error() -> None:
    program = (
        textwrap.dedent(EVERY_CALL)
        + """
with local(1) as cluster:
    client = Client(cluster)
    runtime = Dask(client)
    elements = runtime.run(Numbered(), row(10, 1), [])
    runtime.wait(elements)
    slow = runtime.run(Numbered(seconds=3), row(10, 1), [])
    later = runtime.fetch_later(slow, ((0, 10),))
    thread, found = waiting(runtime, slow)
    client.close()
    thread.join(5)
    assert isinstance(found[0], RuntimeClosed), found
    check_every_call(runtime, elements, later)
    print("typed errors")
"""
    )
    assert run(program) == "typed errors\n"


def test_memory_of_thousands_of_dropped_elements_is_given_back() -> None:
    program = """
        import psutil
        runtime = Dask(places=1, timeout=40)
        workers = [int(pid) for pid in runtime.client.run(os.getpid).values()]

        def tasks():
            return runtime.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))

        def held():
            return sum(psutil.Process(pid).memory_info().rss for pid in workers) / 1e6

        partition, start = row(20_000, 1), time.monotonic()
        for number in range(3_000):
            elements = runtime.run(Numbered(), partition, [])
            if number == 500:
                runtime.wait(elements)
                before = held()
            if number % 500 == 499:
                runtime.wait(elements)
        runtime.wait(elements)
        assert runtime.memory_in_use() == [160_000]
        del elements
        end = time.monotonic() + 10
        while tasks() and time.monotonic() < end:
            time.sleep(0.05)
        print(tasks(), runtime.memory_in_use())
        # The elements are 480 MB together; Dask itself keeps some records of each task.
        assert held() - before < 60, (before, held())
        runtime.close()
        runtime.close()
        end = time.monotonic() + 10
        while any(map(psutil.pid_exists, workers)) and time.monotonic() < end:
            time.sleep(0.05)
        print([pid for pid in workers if psutil.pid_exists(pid)], runtime.client.status)
        raised(lambda: runtime.barrier(), RuntimeClosed)
        print(round(time.monotonic() - start), round(before), file=sys.stderr)
    """
    assert run(program).splitlines() == ["0 [0]", "[] closed"]
