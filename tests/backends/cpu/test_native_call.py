"""Programs are called through the compiled bridge, or through ctypes where there is none."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from ctypes import ArgumentError
from typing import Any

import numpy as np
import pytest
from cpu_kernels import WAITING, Arguments, adding

from onebuf.backends.cpu import compile, native_call
from onebuf.backends.cpu.loader import load
from onebuf.backends.cpu.native_call import NativeCall, as_call
from onebuf.backends.cpu.object_code import generate
from onebuf.backends.cpu.target import host

BRIDGED = pytest.mark.parametrize("bridged", [True, False], ids=["bridge", "ctypes"])


def call_of(ir: str, name: str, *, bridged: bool, release: bool = True) -> NativeCall:
    """A call in the manner that is asked for."""
    code = load(generate(ir, name, host()), [name])
    return as_call(code.address(name), code, release=release, bridged=bridged)


@BRIDGED
@pytest.mark.parametrize("release", [True, False])
def test_calls_run_the_kernel(bridged: bool, release: bool) -> None:
    x = np.zeros(6, np.int64)
    call = call_of(adding(2), "add", bridged=bridged, release=release)
    args = Arguments(x)
    assert call(args.address, 1, 4) is None
    assert x.tolist() == [0, 2, 2, 2, 0, 0]


@BRIDGED
def test_minus_one_is_a_number_like_others(bridged: bool) -> None:
    x = np.zeros(3, np.int64)
    call = call_of(adding(4), "add", bridged=bridged)
    args = Arguments(x)
    call(args.address, -1, -1)
    assert x.tolist() == [0, 0, 0]


@BRIDGED
@pytest.mark.parametrize("arguments", [(), (0,), ("0", 0, 0), (0, None, 0), (0, 0, 1.5)])
def test_wrong_arguments_are_errors_and_nothing_runs(
    bridged: bool, arguments: tuple[Any, ...]
) -> None:
    call = call_of(adding(1), "add", bridged=bridged)
    with pytest.raises((TypeError, ArgumentError)):
        call(*arguments)


def test_an_integer_that_is_too_large_is_an_error() -> None:
    call = call_of(adding(1), "add", bridged=True)
    with pytest.raises(OverflowError):
        call(0, 1 << 64, 0)


def test_the_bridge_gives_back_what_it_took() -> None:
    x = np.zeros(1, np.int64)
    args = Arguments(x)
    call = call_of(adding(1), "add", bridged=True)
    for _ in range(100):
        call(args.address, 0, 1)
    before = sys.getrefcount(None), sys.getrefcount(args.address)
    for _ in range(10_000):
        call(args.address, 0, 1)
    after = sys.getrefcount(None), sys.getrefcount(args.address)
    assert abs(after[0] - before[0]) < 100
    assert after[1] == before[1]
    assert x[0] == 10_100


class Setter:
    """Another Python thread that sets ``x[0]`` once it may go and it is its turn."""

    def __init__(self) -> None:
        self.x = np.zeros(2, np.int64)
        self.args = Arguments(self.x)
        self.go = threading.Event()
        self.thread = threading.Thread(target=self._set)
        self.thread.start()

    def _set(self) -> None:
        self.go.wait()
        self.x[0] = 1


@pytest.fixture
def setter() -> Iterator[Setter]:
    """A setter that gets its turn only if somebody else lets go of theirs."""
    interval = sys.getswitchinterval()
    setter = Setter()
    sys.setswitchinterval(100)
    yield setter
    sys.setswitchinterval(interval)
    setter.thread.join()


@BRIDGED
def test_other_python_threads_run_during_a_call(bridged: bool, setter: Setter) -> None:
    call = call_of(WAITING, "wait", bridged=bridged)
    setter.go.set()
    call(setter.args.address, 0, 1 << 40)
    assert setter.x[1] == 1


@BRIDGED
def test_no_other_python_thread_runs_during_a_quick_call(bridged: bool, setter: Setter) -> None:
    call = call_of(WAITING, "wait", bridged=bridged, release=False)
    setter.go.set()
    call(setter.args.address, 0, 50_000_000)
    assert setter.x[1] == 0


def test_programs_use_the_bridge_where_there_is_one() -> None:
    assert (sys.implementation.name == "cpython") == native_call.CPYTHON
    program = compile(adding(1), "add")
    assert type(program.call) is type(program.quick) is type(len)
