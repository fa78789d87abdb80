"""Profiling: what ran when, as a trace that Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from onebuf.events import Allocated, Copied, Event, KernelRan, listening


class _Trace:
    """Events in the order they happened, in the trace-event format; times in microseconds."""

    def __init__(self) -> None:
        self.start = perf_counter()
        self.rows: list[dict[str, Any]] = []

    def hear(self, event: Event) -> None:
        now = 1e6 * (perf_counter() - self.start)
        where = {"pid": os.getpid(), "tid": threading.get_ident() % 2**31}
        match event:
            case KernelRan(name=name, nbytes=nbytes, seconds=seconds, tier=tier):
                took = 1e6 * seconds
                row = {"ph": "X", "name": name, "cat": "kernel", "ts": now - took, "dur": took}
                row["args"] = {"bytes written": nbytes, "tier": tier}
            case Copied(nbytes=nbytes, reason=reason):
                row = {"ph": "i", "name": "copy", "cat": "copy", "ts": now, "s": "t"}
                row["args"] = {"bytes": nbytes, "reason": reason}
            case Allocated(in_use=in_use):
                row = {"ph": "C", "name": "memory in use", "ts": now, "args": {"bytes": in_use}}
            case _:
                return
        self.rows.append(row | where)


@contextmanager
def profile(path: str | os.PathLike[str]) -> Iterator[None]:
    """Write a trace of a block of code to ``path``, also if the block fails.

    Open it at ui.perfetto.dev or in chrome://tracing.
    """
    trace = _Trace()
    try:
        with listening(trace.hear):
            yield
    finally:
        Path(path).write_text(json.dumps({"traceEvents": trace.rows}))
