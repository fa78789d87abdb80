"""Profiles: `onebuf.Profiling`, with tinygrad's arguments and its one file."""

from __future__ import annotations

import os
from contextlib import ContextDecorator
from typing import Any

import onebuf


class Profiling(ContextDecorator):
    """Profile a block of code, or a function that it decorates.

    ``fn`` becomes a file for `pstats.Stats`. The first ``frac`` of all functions by ``sort`` are
    printed, with times in milliseconds divided by ``ts``, the number of rounds, say.
    """

    def __init__(
        self,
        enabled: bool = True,
        sort: str = "cumtime",
        frac: float = 0.2,
        fn: str | os.PathLike[str] | None = None,
        ts: float = 1,
    ) -> None:
        self.fn = fn
        self.frac = frac
        self.time_scale = 1e3 / ts
        self._profiling = onebuf.Profiling(sort=sort, lines=0, enabled=enabled)

    def __enter__(self) -> Profiling:
        self._profiling.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._profiling.__exit__(*error)
        stats: Any = self._profiling.stats
        if stats is None:
            return
        if self.fn:
            stats.dump_stats(self.fn)
        stats.strip_dirs().sort_stats(self._profiling.sort)
        for function in stats.fcn_list[: int(len(stats.fcn_list) * self.frac)]:
            _, calls, own, seconds, _ = stats.stats[function]
            file, line, name = function
            print(
                f"n:{calls:8d}  tm:{own * self.time_scale:7.2f}ms  "
                f"tot:{seconds * self.time_scale:7.2f}ms  {file}:{line}:{name}"
            )
