"""What new code costs: compiled for the first time, found on disk, and for other shapes.

Each library starts in a fresh process with an empty cache directory, compiles a small program to
have its compiler loaded, and then the program that counts. A second fresh process, with the
directory as the first one left it, shows what the cache on disk is worth. Times are those of the
first three calls less three later ones, because TinyJit records during the first and the second.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from libraries import environment
from processes import Failed, Process
from workloads import COMPILED

COMPILERS = ("onebuf", "numexpr", "numba", "torch.compile", "jax.jit", "tinygrad")
"""Libraries with something to compile."""
CACHELESS = ("numexpr",)
"""Those of them that keep nothing on disk."""

Times = dict[str, dict[str, dict[str, float]]]
"""Seconds by program, library and kind."""


def compile_times(names: Iterable[str], threads: int, timeout: float, notes: list[str]) -> Times:
    """Seconds that each program takes in each library."""
    found: Times = {}
    for position, workload in enumerate(COMPILED):
        found[workload.name] = {}
        for name in names:
            if name not in COMPILERS:
                continue
            with tempfile.TemporaryDirectory(prefix="onebuf-benchmark-") as cache:
                try:
                    cold = asked(name, position, threads, Path(cache), timeout)
                    disk = {}
                    if name not in CACHELESS:
                        disk = asked(name, position, threads, Path(cache), timeout)
                except Failed as error:
                    notes.append(f"compile {workload.name}, {name}: {error}")
                    continue
            found[workload.name][name] = {"cold": cold["structure"], "shapes": cold["shapes"]}
            if disk:
                found[workload.name][name]["disk"] = disk["structure"]
    return found


def asked(name: str, position: int, threads: int, cache: Path, timeout: float) -> dict[str, float]:
    """What a fresh process says."""
    process = Process(name, threads, environment(threads, cache))
    try:
        return process.ask(timeout, "compile", position)  # type: ignore[no-any-return]
    finally:
        process.stop()
