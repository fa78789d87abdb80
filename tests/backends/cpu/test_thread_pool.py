"""The pool of threads: every index once, whoever calls, and no way to hang."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from cpu_kernels import BOUNDS, MEETING, Arguments, adding
from hypothesis import given
from hypothesis import strategies as st

from onebuf import config
from onebuf.backends.cpu import compile, cores, host, parallel_for, run
from onebuf.backends.cpu.parallel_for import ThreadPool
from onebuf.backends.cpu.thread_pool import has_futex
from onebuf.errors import ArgumentError

PATIENCE = 1 << 40
"""More than any test waits: its time limit ends first."""


@pytest.fixture(scope="module")
def pools() -> dict[str, ThreadPool]:
    """A pool of each kind; there is no getting rid of one."""
    with config(cache_dir=os.devnull):
        return {kind: ThreadPool(kind == "futex") for kind in NAMES}


NAMES = ["futex", "condition"] if has_futex(host()) else ["condition"]
KINDS = pytest.mark.parametrize("kind", NAMES)


@given(count=st.integers(1, 5000), grain=st.integers(1, 700), threads=st.sampled_from([1, 2, 3, 5]))
def test_each_call_gets_a_multiple_of_the_grain(count: int, grain: int, threads: int) -> None:
    x = np.zeros(count, np.int64)
    args = Arguments(x)
    with config(threads=threads, cache_dir=os.devnull):
        run(compile(BOUNDS, "bounds"), args.address, count, grain)
    begins = np.flatnonzero(x)
    sizes = x[begins]
    assert begins.tolist() == [0, *np.cumsum(sizes)[:-1]]
    assert sizes.sum() == count
    assert (sizes[:-1] % grain == 0).all()


@pytest.mark.parametrize("count", [-3, 0])
def test_nothing_to_do_is_done(count: int) -> None:
    x = np.zeros(3, np.int64)
    args = Arguments(x)
    run(compile(adding(), "add"), args.address, count, 1)
    assert x.tolist() == [0, 0, 0]


def test_a_grain_of_nothing_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="grain of at least 1"):
        run(compile(adding(), "add"), 0, 10, 0)


def meet(run_it: Callable[[int, int], None], together: int, patience: int) -> int:
    """How many calls of a kernel were inside at once, if each waits for ``together``."""
    x = np.array([0, together, 0, patience])
    args = Arguments(x)
    run_it(compile(MEETING, "meet").address, args.address)
    assert x[0] == 0
    return int(x[2])


@KINDS
@pytest.mark.parametrize("together", [2, 4])
def test_threads_work_at_the_same_time(
    pools: dict[str, ThreadPool], kind: str, together: int
) -> None:
    pool = pools[kind]
    pool.grow(together)
    for pause in (0, 0, 0.2, 0):  # sleeping workers, and such as still look
        threading.Event().wait(pause)
        most = meet(lambda f, a: pool.run(f, a, 0, 16, 1, together), together, PATIENCE)
        assert most == together


@KINDS
def test_a_worker_that_starts_late_joins_the_job_that_is_there(kind: str) -> None:
    pool = ThreadPool(kind == "futex")
    caller = threading.Thread(
        target=lambda: meet(lambda f, a: pool.run(f, a, 0, 2, 1, 2), 2, PATIENCE), daemon=True
    )
    with config(cache_dir=os.devnull):
        compile(MEETING, "meet")
        caller.start()
        caller.join(0.1)
        assert caller.is_alive()
        pool.grow(2)
        caller.join(60)
        assert not caller.is_alive()


@KINDS
def test_no_more_threads_than_asked_for_work(pools: dict[str, ThreadPool], kind: str) -> None:
    pool = pools[kind]
    pool.grow(5)
    for _ in range(5):
        most = meet(lambda f, a: pool.run(f, a, 0, 8, 1, 2), 3, 5_000_000)
        assert 1 <= most <= 2


@pytest.mark.parametrize("count, grain, allowed", [(64, 64, 4), (64, 1, 1), (64, 1, 0)])
def test_the_caller_works_alone_if_there_is_one_chunk_or_one_thread(
    count: int, grain: int, allowed: int
) -> None:
    program = compile(MEETING, "meet")
    x = np.array([0, 2, 0, 1000])
    args = Arguments(x)
    with config(threads=allowed):
        run(program, args.address, count, grain)
    assert x[2] == 1


@KINDS
def test_callers_at_once_all_get_their_work_done(pools: dict[str, ThreadPool], kind: str) -> None:
    pool = pools[kind]
    pool.grow(3)
    program = compile(adding(), "add")

    def dispatch(_: int) -> np.ndarray[Any, Any]:
        x = np.zeros(500, np.int64)
        args = Arguments(x)
        for _ in range(2500):
            pool.run(program.address, args.address, 0, 500, 10, 3)
        return x

    with ThreadPoolExecutor(4) as callers:
        results = list(callers.map(dispatch, range(4)))
    assert [np.unique(x).tolist() for x in results] == [[2500]] * 4


def test_errors_in_one_thread_do_not_disturb_another() -> None:
    program = compile(adding(), "add")
    x = np.zeros(1000, np.int64)
    args = Arguments(x)
    stop = threading.Event()

    def fail() -> int:
        failures = 0
        while not stop.is_set():
            try:
                run(program, "address", 100, 1)  # type: ignore[arg-type]
            except TypeError:
                failures += 1
        return failures

    with ThreadPoolExecutor(1) as other, config(threads=2):
        failures = other.submit(fail)
        for _ in range(1000):
            run(program, args.address, 1000, 10)
        stop.set()
        assert failures.result() > 0
    assert np.unique(x).tolist() == [1000]


def test_without_new_threads_the_caller_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    pool = ThreadPool(has_futex(host()))
    monkeypatch.setattr(parallel_for.Thread, "start", refuse)
    pool.grow(4)
    assert pool.workers == 0
    x = np.zeros(100, np.int64)
    args = Arguments(x)
    pool.run(compile(adding(), "add").address, args.address, 0, 100, 1, 4)
    assert np.unique(x).tolist() == [1]


def test_cores_are_those_that_the_process_may_use() -> None:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert cores() == usable


BEGIN = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # forks of processes with threads
program = compile(adding(), "add")
x = np.zeros(1000, np.int64)
args = Arguments(x)

def use(times=1):
    for _ in range(times):
        with config(threads=3):
            run(program, args.address, 1000, 10)

def forked():
    pid = os.fork()
    if pid:
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        return
    try:
        x[:] = 0
        use(20)
        assert set(x) == {20}, set(x)
        assert set(compile(adding(2), "add").call.__self__)
        names = [each.name for each in threading.enumerate()]
        assert len(set(names) - {"onebuf-compiler"}) == 3, names
        os._exit(0)
    finally:
        os._exit(1)

"""


@pytest.mark.parametrize("seconds", [0, 0.2], ids=["awake", "asleep"])
def test_a_fork_has_a_pool_of_its_own(child: Callable[..., object], seconds: float) -> None:
    child(BEGIN + f"for _ in range(10):\n    use()\n    time.sleep({seconds})\n    forked()\nuse()")


def test_a_fork_before_the_first_use_has_a_pool_too(child: Callable[..., object]) -> None:
    child(BEGIN + "forked()\nuse()")


def test_a_fork_of_a_fork_has_a_pool_too(child: Callable[..., object]) -> None:
    child(
        BEGIN
        + """
use()
pid = os.fork()
use()
forked()
if pid == 0:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    )


@pytest.mark.parametrize("meanwhile", ["use(10)", "compile(adding(next(numbers)), 'add')"])
def test_a_fork_while_another_thread_is_busy_does_not_hang(
    child: Callable[..., object], meanwhile: str
) -> None:
    child(
        BEGIN
        + f"""
import itertools
numbers = itertools.count(100)
done = False
def work():
    while not done:
        {meanwhile}
worker = threading.Thread(target=work)
worker.start()
for _ in range(30):
    forked()
done = True
worker.join()
"""
    )


ENDS = {
    "workers awake": "use()",
    "workers asleep": "use()\ntime.sleep(0.2)",
    "a thread that dispatches": """
threading.Thread(target=lambda: use(1 << 60), daemon=True).start()
time.sleep(0.2)
""",
    "a thread in a long kernel": """
y = np.array([0, 5, 0, 1 << 60])
other = Arguments(y)
meeting = compile(MEETING, "meet")
def wait():
    with config(threads=3):
        run(meeting, other.address, 100, 1)
threading.Thread(target=wait, daemon=True).start()
while y[2] < 2:
    time.sleep(0.01)
""",
    "use while ending, next to a thread that dispatches": """
threading.Thread(target=lambda: use(1 << 60), daemon=True).start()
import atexit
atexit.register(use, 3)
""",
    "use at the very end": """
class Late:
    def __del__(self, use=use):
        use(3)
late = Late()
import atexit
atexit.register(use, 3)
""",
    "use in a thread that outlives the program": """
threading.Thread(target=lambda: (time.sleep(0.2), use(100))).start()
""",
}


@pytest.mark.parametrize("program", ENDS.values(), ids=ENDS)
def test_the_process_ends_when_it_should(child: Callable[..., Any], program: str) -> None:
    for _ in range(3):
        assert child(BEGIN + program, seconds=30).stderr == ""
