"""Every library in a process of its own, which answers one message at a time.

One that hangs or dies costs its own figure, not the others'. Garbage is not collected while a
sample runs.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import product
from multiprocessing.connection import Connection
from typing import Any

from libraries import LIBRARIES, Library
from limits import Machine
from workloads import BEFORE, COMPILED, WORKLOADS, Workload

LIMIT = "limit"
"""The process that measures what the machine can do at most."""


class Failed(Exception):
    """A library could not do what it was asked."""


class Process:
    """A process with one library in it, which answers one message at a time."""

    def __init__(self, name: str, threads: int, environment: Mapping[str, str]) -> None:
        self.name = name
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, name, threads))
        before = dict(os.environ)
        os.environ.update(environment)
        try:
            self.process.start()
        finally:
            os.environ.clear()
            os.environ.update(before)
        theirs.close()

    def ask(self, timeout: float, *message: Any) -> Any:
        """The answer to a message; an error if it says so, dies or takes too long."""
        try:
            self.line.send(message)
            if not self.line.poll(timeout):
                self.stop()
                raise Failed(f"no answer within {timeout:.0f} s")
            is_good, answer = self.line.recv()
        except (EOFError, OSError) as error:
            self.stop()
            raise Failed(f"its process ended with code {self.process.exitcode}") from error
        if not is_good:
            raise Failed(answer)
        return answer

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked more."""
        return self.process.is_alive()

    def stop(self) -> None:
        """End the process and wait for that; it goes by itself unless it hangs."""
        self.line.close()
        for insist in (self.process.terminate, self.process.kill):
            self.process.join(5)
            if self.process.is_alive():
                insist()
        self.process.join()


def serve(line: Connection, name: str, threads: int) -> None:
    """What a library's process does: answer until the line closes."""
    cpus = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(cpus)[:threads])
    server: Server | None = None
    while True:
        try:
            command, *arguments = line.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            server = server or Server(name, threads)
            answer = getattr(server, command)(*arguments)
        except Exception as error:
            last = traceback.format_exception_only(error)[-1].strip()
            line.send((False, " ".join(last.split())[:300]))
        else:
            line.send((True, answer))


class Server:
    """The messages that a library's process understands."""

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        self.threads = threads
        self.held = ExitStack()
        self.samples: list[Callable[[], float]] = []
        """One of a library; of the limit, one of each kernel that may be the fastest."""
        if name == LIMIT:
            self.machine = Machine(threads)

    def prepare(self, name: str, size: str, shape: tuple[int, ...], work: dict[str, int]) -> Any:
        """Get ready for a workload; the answer, warm."""
        self.drop()
        if self.name == LIMIT:
            self.samples = self.limit(work)
            return None
        workload = WORKLOADS[name]
        return self.ready(workload, size, shape)

    def ready(self, workload: Workload, size: str, shape: tuple[int, ...]) -> Any:
        """A fresh library's sample of a workload, called until it is warm."""
        library = LIBRARIES[self.name](self.threads)
        self.held.enter_context(library.settings(workload))
        names = library.bind(workload, workload.inputs(size), shape)
        sample, answer = library.program(workload, names)
        self.samples = [sample]
        start = time.perf_counter()
        for call in range(20):
            found = answer()
            if call >= 3 and time.perf_counter() - start > 0.2:
                break
        return found

    def limit(self, work: dict[str, int]) -> list[Callable[[], float]]:
        """Samples of the kernels that do as much as the workload has to, each on its own memory."""
        if "flops" in work:
            kernels = [self.machine.multiply(work["flops"])]
        else:
            moved = work["read"], work["written"]
            ways = product((False, True), repeat=2)
            kernels = [self.machine.stream(*moved, hint, alone) for hint, alone in ways]
        return [partial(self._timed, kernel) for kernel in kernels]

    def run(self, times: int) -> list[float]:
        """Seconds of a turn: of ``times`` samples in a row, of each kernel if this is the limit."""
        gc.collect(0)
        gc.disable()
        try:
            return [sample() for sample in self.samples for _ in range(times)]
        finally:
            gc.enable()

    def drop(self) -> None:
        """Let go of the last workload's memory."""
        self.samples = []
        self.held.close()
        if self.name == LIMIT:
            self.machine.engines.clear()
        gc.collect()

    def compile(self, position: int) -> dict[str, float]:
        """Seconds that new code takes: a new structure, and then the same with other shapes."""
        library = LIBRARIES[self.name](self.threads)
        self.first_calls(library, BEFORE, "full", None)
        workload, found = COMPILED[position], {}
        found["structure"], answer = self.first_calls(library, workload, "full", None)
        again = None if library.is_bound_to_shapes else answer
        found["shapes"], _ = self.first_calls(library, workload, "other", again)
        return found

    def first_calls(
        self, library: Library, workload: Workload, size: str, answer: Callable[[], Any] | None
    ) -> tuple[float, Callable[[], Any]]:
        """Seconds of the first three calls above three later ones; of a new program if None."""
        inputs = workload.inputs(size)
        names = library.bind(workload, inputs, workload.answer(inputs).shape)
        with library.settings(workload):
            start = time.perf_counter()
            if answer is None:
                _, answer = library.program(workload, names)
            for _ in range(3):
                answer()
            spent = time.perf_counter() - start
            later = min(self._timed(answer) for _ in range(10))
        return max(0.0, spent - 3 * later), answer

    @staticmethod
    def _timed(call: Callable[[], Any]) -> float:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start
