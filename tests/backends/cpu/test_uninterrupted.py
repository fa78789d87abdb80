"""What touches LLVM comes to its end, whatever interrupts the main thread."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from children import run

from onebuf import config
from onebuf.backends.cpu.loader import lock
from onebuf.backends.cpu.uninterrupted import uninterrupted
from onebuf.options import options

WAIT_SECONDS = 30.0

INTERRUPTED = """
import random, signal, tempfile, threading
import numpy as np, onebuf
from onebuf.backends.cpu.loader import lock

armed = False
def stop(*_):
    if armed:
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
draw = random.Random(1)
x = onebuf.asarray(np.ones(1000))
came = 0
with onebuf.config(tier="compile", eager_numel=0, cache_dir=tempfile.mkdtemp()):
    (x * 2).realize()
    for _ in range(120):
        e = x
        for _ in range(8):
            e = draw.choice([e + 1, e * 2, onebuf.exp(e), e - x, onebuf.sin(e), abs(e), e / 3])
        try:
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, draw.random() * 0.02 + 1e-4)
                e.realize()
            finally:
                armed = False
        except KeyboardInterrupt:
            came += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    y = x * 5 - 2
    thread = threading.Thread(target=y.realize)  # which no lock may keep waiting
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
assert came > 5, came
print("survived")
"""


def test_ctrl_c_while_kernels_are_compiled_ends_no_process():
    assert run(INTERRUPTED, timeout=120).strip() == "survived"


def test_a_result_comes_back():
    @uninterrupted
    def add(a: int, b: int = 1) -> tuple[int, str]:
        return a + b, threading.current_thread().name

    assert add(2, b=3) == (5, "onebuf-compiler")


def test_an_error_comes_back():
    @uninterrupted
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()


def test_the_options_of_the_caller_hold():
    with config(cache_dir="/somewhere"):
        assert uninterrupted(lambda: options().cache_dir)() == "/somewhere"


def test_uninterrupted_work_may_need_more_of_it():
    inner = uninterrupted(lambda: threading.current_thread().name)
    assert uninterrupted(inner)() == "onebuf-compiler"


def test_other_threads_do_their_work_themselves():
    names: list[str] = []
    work = uninterrupted(lambda: names.append(threading.current_thread().name))
    thread = threading.Thread(target=work, name="mine")
    thread.start()
    thread.join()
    assert names == ["mine"]


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_later(collects: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        assert uninterrupted(gc.isenabled)() is False
        assert gc.isenabled() is collects
    finally:
        (gc.enable if was else gc.disable)()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises, also in a process that was started to ignore it, as a shell's ``&`` does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_caller_leaves_work_that_ends() -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    @uninterrupted
    def work() -> None:
        with lock:
            begun.set()
            assert may_end.wait(WAIT_SECONDS)
        ended.set()

    def interrupt() -> None:
        assert begun.wait(WAIT_SECONDS)
        os.kill(os.getpid(), signal.SIGINT)

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    other.join()
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(WAIT_SECONDS)
    assert uninterrupted(lambda: 7)() == 7
    assert lock.acquire(timeout=WAIT_SECONDS)
    lock.release()


def test_a_signal_handler_may_need_the_worker_while_its_program_waits() -> None:
    got: list[Any] = []
    may_end = threading.Event()

    def handle(*_: Any) -> None:
        may_end.set()
        got.append(uninterrupted(lambda: "inner")())

    def interrupt() -> None:
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        threading.Thread(target=interrupt).start()
        got.append(uninterrupted(lambda: may_end.wait(WAIT_SECONDS) and "outer")())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert got == ["inner", "outer"]


def test_the_child_of_a_fork_has_a_worker_of_its_own() -> None:
    done = run(
        """
import os
import numpy as np, onebuf
x = onebuf.asarray(np.ones(1000))
with onebuf.config(tier="compile", eager_numel=0):
    (x * 2).realize()
    child = os.fork()
    if not child:
        os._exit(0 if (x * 3 - 1).sum().item() == 2000 else 1)
    assert os.waitpid(child, 0)[1] == 0
    print((x * 4).sum().item())
"""
    )
    assert done.strip() == "4000.0"
