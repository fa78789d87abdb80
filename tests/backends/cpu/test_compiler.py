"""IR becomes programs; what cannot be compiled is an error that shows it and breaks nothing."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from cpu_kernels import Arguments, adding

from onebuf.backends.cpu import Program, compile, loader
from onebuf.errors import CompileError, OnebufError
from onebuf.events import Compiled, Event, listening
from onebuf.options import config


def result(program: Program) -> list[int]:
    """What ``program`` makes of three zeros, the last of which is none of its business."""
    x = np.zeros(3, np.int64)
    args = Arguments(x)
    program.call(args.address, 0, 2)
    return x.tolist()


def test_a_program_runs_from_begin_to_end() -> None:
    x = np.zeros(6, np.int64)
    args = Arguments(x)
    compile(adding(7), "add").call(args.address, 2, 5)
    assert x.tolist() == [0, 0, 7, 7, 7, 0]


def test_equal_ir_is_one_program_while_somebody_holds_it() -> None:
    program = compile(adding(1), "add")
    assert compile(adding(1), "add") is program
    assert compile(adding(2), "add") is not program


def test_kernels_of_the_same_name_are_different_programs() -> None:
    programs = [compile(adding(number), "add") for number in range(20)]
    assert [result(program) for program in programs] == [[n, n, 0] for n in range(20)]


def test_the_code_lives_as_long_as_its_call() -> None:
    x = np.zeros(3, np.int64)
    args = Arguments(x)
    call = compile(adding(30), "add").call
    gc.collect()
    for number in range(50):  # these would take its place
        compile(adding(100 + number), "add")
    call(args.address, 0, 3)
    assert x.tolist() == [30, 30, 30]


def test_code_that_nobody_holds_is_unloaded_by_the_next_who_compiles() -> None:
    compile(adding(1000), "add")
    gc.collect()
    compile(adding(1001), "add")
    dead = list(loader._dead)  # a finaliser takes no lock: it only lists what to unload
    assert dead
    compile(adding(1002), "add")
    assert all(library.closed for library in dead)


def test_compiling_again_and_again_takes_no_more_memory(child: Callable[..., object]) -> None:
    child(
        """
def pages():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0])

def compile_many(times):
    for number in range(times):
        compile(adding(number % 50), "add")

compile_many(100)
before = pages()
compile_many(1000)
assert pages() - before < 1000, pages() - before
"""
    )


def test_events_tell_where_code_came_from_and_nothing_of_memory() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        program = compile(adding(3), "add")
        assert compile(adding(3), "add") is program
        del program
        gc.collect()
        compile(adding(3), "add")
    assert [type(event) for event in heard] == [Compiled, Compiled]
    first, second = (event for event in heard if isinstance(event, Compiled))
    assert (first.name, first.from_disk) == ("add", False)
    assert (second.name, second.from_disk) == ("add", True)
    assert second.seconds > 0


BROKEN = {
    "text": ("define void @add(ptr %args", "expected"),
    "type": ("define void @add(ptr %x) {\n  %y = add float %x, %x\n  ret void\n}", "%x"),
    "no function": ("define void @other() {\n  ret void\n}", "does not define"),
    "only declared": ("declare void @add(ptr, i64, i64)", "does not define"),
    "not verified": (
        "define i64 @add(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  %x = add i64 1, 2\n"
        "  br label %b\nb:\n  ret i64 %x\n}",
        "dominate",
    ),
    "unknown symbol": (
        "declare void @no_such_function()\n"
        "define void @add() {\n  call void @no_such_function()\n  ret void\n}",
        "Failed to materialize",
    ),
}


@pytest.mark.parametrize("ir, reason", BROKEN.values(), ids=BROKEN)
def test_ir_that_cannot_be_compiled_is_shown(ir: str, reason: str) -> None:
    with pytest.raises(CompileError) as raised:
        compile(ir, "add")
    assert isinstance(raised.value, OnebufError)
    assert isinstance(raised.value, RuntimeError)
    message = str(raised.value)
    assert reason in message
    assert "'add'" in message
    assert all(line in message for line in ir.splitlines())
    assert result(compile(adding(11), "add")) == [11, 11, 0]


def test_a_failure_is_not_kept() -> None:
    for _ in range(2):
        with pytest.raises(CompileError):
            compile("define void @add(", "add")


def test_many_threads_compile_at_once() -> None:
    numbers = [i % 40 for i in range(160)]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda n: result(compile(adding(n), "add")), numbers))
    assert results == [[n, n, 0] for n in numbers]


def test_without_a_cache_everything_works(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with config(cache_dir=str(file)):
        assert result(compile(adding(77), "add")) == [77, 77, 0]
