"""onebuf next to its peers, and all of them next to what this machine can do at most.

NumPy, numexpr, numba, torch, torch.compile, jax.jit and tinygrad do the same work in one run, in
turns, on the same number of threads, in float32; answers are checked against NumPy in float64. The
limit of a row is the time of a kernel that only moves the bytes (or only does the multiplications)
that the row cannot avoid, measured in the same turns. docs/benchmarks.md explains the columns. Run
with ``make bench-peers``, or::

    python benchmarks/peers.py [--only TEXT] [--peers numpy,torch] [--threads 2] [--quick]
                               [--json FILE] [--picture FILE.png] [--markdown] [--programs]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from compiling import Times, compile_times
from libraries import LIBRARIES, NAMES, environment
from limits import survey
from processes import LIMIT, Failed, Process
from table import OURS, Row, aligned, cells, compile_lines, heads, markdown
from turns import Plan, Samples, interleave
from workloads import WORKLOADS, Workload, distance

IN_A_ROW = 6
"""Samples of a turn. The first finds caches that the others have filled and threads asleep."""


class Field:
    """The processes of all libraries, started when first needed and again after they died."""

    def __init__(self, names: Sequence[str], threads: int, plan: Plan) -> None:
        self.names = names
        self.threads = threads
        self.plan = plan
        self.processes: dict[str, Process] = {}

    def ask(self, name: str, *message: Any) -> Any:
        """The answer of a library's process."""
        process = self.processes.get(name)
        if process is None or not process.is_alive:
            process = Process(name, self.threads, environment(self.threads))
            self.processes[name] = process
        return process.ask(self.plan.timeout, *message)

    def stop(self) -> None:
        """End all processes."""
        for process in self.processes.values():
            process.stop()

    def measure(self, workload: Workload, size: str) -> Row:
        """All libraries on one workload."""
        inputs = workload.inputs(size)
        answer = workload.answer(inputs)
        read, written = workload.traffic(inputs, answer)
        work = {"read": read, "written": written}
        if workload.flops is not None:
            work["flops"] = workload.flops(inputs)
        row = Row(workload.name, workload.group, workload.unit, {})
        row.work, row.tolerance = work, (workload.rtol, workload.atol)
        ready = {}
        for name in [LIMIT, *self.names] if workload.is_bounded else self.names:
            if name != LIMIT and name not in workload.programs:
                continue
            try:
                found = self.ask(name, "prepare", workload.name, size, answer.shape, work)
                if name != LIMIT:
                    check(np.asarray(found), answer, workload)
            except Failed as error:
                row.failures[name] = str(error)
            else:
                ready[name] = partial(self.ask, name, "run", IN_A_ROW)
        taken = interleave(ready, self.plan)
        self.fill(row, taken)
        for name in ready:
            if self.processes[name].is_alive:
                self.ask(name, "drop")
        return row

    @staticmethod
    def fill(row: Row, taken: dict[str, Samples]) -> None:
        """Put samples into a row."""
        for name, samples in taken.items():
            if samples.failure:
                row.failures[name] = samples.failure
            elif name == LIMIT:
                row.limit = samples.least
            else:
                row.seconds[name] = samples.least or 0.0
            row.spread[name] = samples.spread or 0.0


def check(found: np.ndarray[Any, Any], answer: np.ndarray[Any, Any], workload: Workload) -> None:
    """An error if an answer is outside its tolerance."""
    off = distance(found, answer, workload.rtol, workload.atol)
    if off > 1:
        raise Failed(
            f"wrong answer: {off:.3g} times the tolerance (relative {workload.rtol:g}, absolute "
            f"{workload.atol:g}), shape {found.shape}, needed {answer.shape}"
        )


def machine() -> dict[str, Any]:
    """What this machine is."""
    found = {"system": platform.system(), "machine": platform.machine(), "cpu": ""}
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        models = [line for line in facts.read_text().splitlines() if line.startswith("model name")]
        found["cpu"] = models[0].partition(":")[2].strip() if models else ""
    return {**found, "cpus": os.cpu_count(), "python": platform.python_version()}


def chosen(peers: str, notes: list[str]) -> list[str]:
    """onebuf and the peers asked for that can run here."""
    asked = [OURS, *(name for name in NAMES if name != OURS)]
    if peers:
        wanted = {name.strip() for name in peers.split(",")}
        unknown = sorted(wanted - set(NAMES))
        if unknown:
            sys.exit(f"--peers knows {', '.join(NAMES)}; got {', '.join(unknown)}")
        asked = [OURS, *(name for name in NAMES if name in wanted - {OURS})]
    found = []
    for name in asked:
        reason = LIBRARIES[name].missing()
        if reason:
            notes.append(f"{name} was left out: {reason}")
        else:
            found.append(name)
    return found


def show_programs(only: str) -> None:
    """Every program, as it is run."""
    for workload in WORKLOADS.values():
        if only in workload.name:
            print(f"=== {workload.name}  {dict(workload.sizes)}")
            for name in NAMES:
                for line in workload.programs.get(name, "").splitlines():
                    print(f"{name:14} {line}")


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="only workloads whose name or group holds this")
    parser.add_argument("--peers", default="", help="only these, separated by commas")
    parser.add_argument("--threads", type=int, default=2, help="for every library")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer samples")
    parser.add_argument("--json", help="also write all figures to this file")
    parser.add_argument("--picture", help="also draw the ratios to the limit into this .png")
    parser.add_argument("--markdown", action="store_true", help="write tables for a page")
    parser.add_argument("--programs", action="store_true", help="show the programs, run nothing")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one answer")
    return parser.parse_args()


def main() -> None:
    """Measure what was asked for and print it."""
    options = arguments()
    if options.programs:
        show_programs(options.only)
        return
    if options.picture and find_spec("matplotlib") is None:
        sys.exit("--picture needs matplotlib: pip install 'onebuf[bench]'")
    notes: list[str] = []
    names = chosen(options.peers, notes)
    plan = Plan(3, 0.3, timeout=options.timeout) if options.quick else Plan(timeout=options.timeout)
    show = markdown if options.markdown else aligned
    limits = survey(options.threads, (4,) if options.quick else (40, 400), plan.seconds / 2)
    print(f"{options.threads} threads, float32; {machine()['cpu']}")
    print("\n".join(show([["limit", ""], *([name, f"{v:.1f}"] for name, v in limits.items())])))
    rows, times = measure(options, names, plan, notes)
    print()
    print("\n".join(show([heads(names), *(cells(row, names) for row in rows)])))
    if times:
        print()
        print("\n".join(show(compile_lines(times))))
    for row in rows:
        notes += [f"{row.name}, {name}: {why}" for name, why in row.failures.items()]
    for note in notes:
        print(f"note: {note}")
    result = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "threads": options.threads,
        "versions": {name: LIBRARIES[name].version() for name in names},
        "limits": limits,
        "workloads": [row.as_json() for row in rows],
        "compile": times,
        "notes": notes,
    }
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.picture:
        from picture import draw

        draw(result["workloads"], names, options.picture)


def measure(
    options: argparse.Namespace, names: Sequence[str], plan: Plan, notes: list[str]
) -> tuple[list[Row], Times]:
    """All rows, with a word on stderr about each as it is done; and compile times."""
    rows = []
    field = Field(names, options.threads, plan)
    try:
        for workload in WORKLOADS.values():
            if options.only in workload.name or options.only == workload.group:
                print(f"{workload.group}: {workload.name}", file=sys.stderr, flush=True)
                rows.append(field.measure(workload, "quick" if options.quick else "full"))
    finally:
        field.stop()
    times = {}
    if options.only in ("", "compile"):
        print("compile times", file=sys.stderr, flush=True)
        times = compile_times(names, options.threads, plan.timeout, notes)
    return rows, times


if __name__ == "__main__":
    main()
