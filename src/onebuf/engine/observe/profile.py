"""Profiling: where the time of a block of code went, in Python and in kernels.

Two files come of it. One is for `pstats`: every function with its calls and seconds, and every
kernel as if it were a function. The other is a trace for Perfetto or chrome://tracing: what ran
when, what was copied, and how much memory was in use.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from cProfile import Profile
from dataclasses import dataclass
from pathlib import Path
from pstats import SortKey, Stats
from time import perf_counter
from types import TracebackType
from typing import Any, TypeAlias

from onebuf.errors import ArgumentError, ProfilingError
from onebuf.events import (
    KERNEL_FILE,
    Allocated,
    Compiled,
    Copied,
    Event,
    KernelRan,
    Moved,
    Realized,
    Searched,
    listening,
)
from onebuf.graph import here

Function: TypeAlias = tuple[str, int, str]
"""How `pstats` names a function: its file, its line, its name."""
SORT_KEYS = sorted(
    {*(key.value for key in SortKey), "tottime", "cumtime", "ncalls", "filename", "module"}
)
TRACE_SUFFIX = ".json"
"""What the name of the trace has more than that of the profile."""

_owner = threading.Lock()
"""Held while a profile runs: the interpreter can have one profiler at a time."""


class Profiling:
    """Profile a block of code: its Python functions, and each kernel as a function of its own.

    ``path`` becomes a file for `pstats.Stats`, and ``path`` + ".json" a trace for ui.perfetto.dev
    or chrome://tracing; both are written also if the block fails. None writes neither. So many
    ``lines`` are printed at the end, the first by ``sort``, as `pstats` spells it; 0 prints none.
    With ``enabled=False`` the block runs as if nothing stood around it.

    >>> from onebuf import Buffer
    >>> with Profiling(lines=0) as profiling:
    ...     x = Buffer([1.0, 2.0]) + 1
    >>> profiling.kernels["add"].calls
    1
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        sort: str = "cumulative",
        lines: int = 20,
        enabled: bool = True,
    ) -> None:
        if sort not in SORT_KEYS:
            raise ArgumentError(
                f"Profiling needs sort to be one of {', '.join(SORT_KEYS)}; got {sort!r}"
            )
        if type(lines) is not int or lines < 0:
            raise ArgumentError(f"Profiling needs lines of at least 0, got {lines!r}")
        self.path = None if path is None else Path(path)
        self.sort = sort
        self.lines = lines
        self.enabled = enabled
        self.kernels: dict[str, KernelTime] = {}
        """Calls and seconds of each kernel, by name; filled as they run."""
        self.stats: Stats | None = None
        """All functions and kernels, once the block has ended."""

    def __enter__(self) -> Profiling:
        if not self.enabled:
            return self
        if not _owner.acquire(blocking=False):
            raise _refusal("another Profiling block is open")
        try:
            if sys.getprofile() is not None:
                raise _refusal("another profiler is running")
            self.kernels, self.stats = {}, None
            self._trace = _Trace(self.kernels)
            self._hearing = listening(self._trace.hear)
            self._profile = _Profile()
            self._hearing.__enter__()
            try:
                self._profile.enable()
            except ValueError:
                self._hearing.__exit__(None, None, None)
                raise _refusal("another profiler is running") from None
        except BaseException:
            _owner.release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self.enabled:
            return
        try:
            self._profile.disable()
            self._hearing.__exit__(kind, error, traceback)
            self._trace.end()
        finally:
            _owner.release()
        self.stats = Stats(self._profile)
        if self.path is not None:
            self.stats.dump_stats(self.path)
            trace = Path(f"{self.path}{TRACE_SUFFIX}")
            trace.write_text(json.dumps({"traceEvents": self._trace.rows}))
        if self.lines:
            self.stats.sort_stats(self.sort).print_stats(self.lines)


@contextmanager
def profile(path: str | os.PathLike[str]) -> Iterator[None]:
    """Write a trace of a block of code to ``path``, for ui.perfetto.dev or chrome://tracing.

    It has kernels, compiles, schedules, copies, moves between places, and memory; it is written
    also if the block fails. `Profiling` looks at Python functions as well.

    >>> from tempfile import TemporaryDirectory
    >>> from onebuf import Buffer
    >>> with TemporaryDirectory() as folder:
    ...     with profile(f"{folder}/trace.json"):
    ...         x = Buffer([1.0, 2.0]) + 1
    ...     "traceEvents" in Path(f"{folder}/trace.json").read_text()
    True
    """
    trace = _Trace({})
    try:
        with listening(trace.hear):
            yield
    finally:
        trace.end()
        Path(path).write_text(json.dumps({"traceEvents": trace.rows}))


def _refusal(reason: str) -> ProfilingError:
    return ProfilingError(
        f"Profiling needs to be the only profiler, and {reason}; end that one first, or open one "
        f"Profiling around both blocks"
    )


@dataclass(slots=True)
class KernelTime:
    """How often a kernel ran, for how long in all, and how many bytes it read and wrote."""

    calls: int = 0
    seconds: float = 0.0
    bytes_moved: int = 0


class _Profile(Profile):
    """A profile in which compiled code counts as the kernel that calls it."""

    stats: dict[Function, Any]

    def create_stats(self) -> None:
        super().create_stats()
        merge_kernels(self.stats)


class _Trace:
    """Events in the trace-event format; times in microseconds since the block began."""

    def __init__(self, kernels: dict[str, KernelTime]) -> None:
        self.rows: list[dict[str, Any]] = []
        self.kernels = kernels
        self.start = perf_counter()

    def hear(self, event: Event) -> None:
        match event:
            case KernelRan(name=name, nbytes=nbytes, seconds=seconds, tier=tier):
                moved = event.bytes_read + nbytes
                time = self.kernels.setdefault(name, KernelTime())
                time.calls += 1
                time.seconds += seconds
                time.bytes_moved += moved
                args = {"bytes read": event.bytes_read, "bytes written": nbytes, "tier": tier}
                self._slice(name, "kernel", event.start, seconds, args)
            case Compiled(seconds=seconds, from_disk=from_disk, start=start):
                name = "load code" if from_disk else "compile"
                self._slice(name, "compile", start, seconds, {})
            case Realized(kernels=kernels, seconds=seconds, start=start):
                self._slice("realize", "schedule", start, seconds, {"kernels": kernels})
            case Searched(tried=tried, seconds=seconds, start=start):
                self._slice("search", "search", start, seconds, {"tried": tried})
            case Copied(nbytes=nbytes, reason=reason, origin=origin):
                more = {"bytes": nbytes, "reason": reason, "from": origin or here()}
                self._row("i", "copy", "copy", perf_counter(), {"s": "t", "args": more})
            case Moved(name=name, source=source, target=target, nbytes=nbytes):
                at = "the program" if target is None else target
                more = {"bytes": nbytes, "from place": source, "to place": at}
                start = event.start or perf_counter()
                self._slice(f"move for {name}", "move", start, event.seconds, more)
            case Allocated(in_use=in_use):
                self._row(
                    "C", "memory in use", "memory", perf_counter(), {"args": {"bytes": in_use}}
                )

    def end(self) -> None:
        """The slice of the whole block, around all others."""
        self._slice("Profiling", "block", self.start, perf_counter() - self.start, {})

    def _slice(
        self, name: str, category: str, start: float, seconds: float, args: dict[str, Any]
    ) -> None:
        self._row("X", name, category, start, {"dur": 1e6 * seconds, "args": args})

    def _row(self, phase: str, name: str, category: str, when: float, more: dict[str, Any]) -> None:
        row = {"ph": phase, "name": name, "cat": category, "ts": 1e6 * (when - self.start)}
        where = {"pid": os.getpid(), "tid": threading.get_ident() % 2**31}
        self.rows.append(row | more | where)


def merge_kernels(stats: dict[Function, Any]) -> None:
    """Make the time of compiled code, which a kernel calls, the time of that kernel.

    ``stats`` are those of `cProfile`: for each function (calls, all calls, own seconds, seconds,
    callers), where callers have four such numbers of their share each.
    """
    for function in [function for function in stats if _is_native(function)]:
        calls, all_calls, own, seconds, callers = stats[function]
        for caller in [caller for caller in callers if _is_kernel(caller)]:
            share = callers.pop(caller)
            calls, all_calls = calls - share[1], all_calls - share[0]
            own, seconds = own - share[2], seconds - share[3]
            kernel = stats[caller]
            stats[caller] = (*kernel[:2], kernel[2] + share[2], *kernel[3:])
        if calls > 0:  # also by code that is not profiled, which is no caller
            stats[function] = (calls, all_calls, own, seconds, callers)
        else:
            del stats[function]


def _is_kernel(function: Function) -> bool:
    return function[0] == KERNEL_FILE and function[2].startswith("<kernel ")


def _is_native(function: Function) -> bool:
    return function[0] == KERNEL_FILE and not _is_kernel(function)
