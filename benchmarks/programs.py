"""Whole programs next to NumPy: the same text, with another module under the name ``np``.

A program gets the module, ``numpy`` or ``onebuf``, and data that NumPy has made; its results become
arrays of NumPy's, so that nothing stays pending. Both modules take turns in this one process; the
least time of each counts, because noise on a shared machine only adds. Results are compared before
anything is timed. Run with::

    python benchmarks/programs.py [NAME ...] [--group small|large] [--json FILE] [--seconds S]

Targets: small arrays at most NumPy's time on average, and no program above 1.5 times that; large
arrays half of NumPy's time, and no program above it. Exit status 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy
from table import aligned, digits
from turns import Plan, interleave, timed
from whole_programs import PROGRAMS, Program, distance, on_host

import onebuf

TARGETS = {"small": (1.0, 1.5), "large": (0.5, 1.0)}
"""Of each group the geometric mean of its ratios, and the largest, at most."""
WARMING = 4
"""Runs before the first sample, which compile what is to be compiled."""


@dataclass(frozen=True)
class Measured:
    """Seconds of one program, and how far the answers are apart."""

    name: str
    group: str
    numpy: float
    onebuf: float
    apart: float
    is_right: bool

    @property
    def ratio(self) -> float:
        """Our time over NumPy's: below 1 we are faster."""
        return self.onebuf / self.numpy


def answers(program: Program, module: Any, data: tuple[Any, ...]) -> list[Any]:
    """The results of one run, in memory of NumPy's."""
    return on_host(program.run(module, *data))


def measure(program: Program, plan: Plan) -> Measured:
    """Compare the results of a program, then its times."""
    data = program.data(program.size)
    wanted, found = answers(program, numpy, data), answers(program, onebuf, data)
    for _ in range(WARMING):
        answers(program, onebuf, data)
    runs = {
        module.__name__: timed(lambda module=module: answers(program, module, data))  # type: ignore[misc]
        for module in (numpy, onebuf)
    }
    taken = interleave(runs, plan)
    theirs, ours = taken["numpy"].least, taken["onebuf"].least
    assert theirs is not None, taken["numpy"].failure
    assert ours is not None, taken["onebuf"].failure
    apart = distance(found, wanted)
    return Measured(program.name, program.group, theirs, ours, apart, apart <= program.rtol)


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios.

    >>> geometric_mean([0.5, 2.0])
    1.0
    """
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(rows: Sequence[Measured]) -> list[str]:
    """A line for each group: the mean, the worst, and the targets."""
    lines = []
    for group, (mean, most) in TARGETS.items():
        found = [row for row in rows if row.group == group]
        if found:
            worst = max(found, key=lambda row: row.ratio)
            lines.append(
                f"{group}: geometric mean {geometric_mean([row.ratio for row in found]):.2f}x "
                f"NumPy's time (target {mean}), worst {worst.name} {worst.ratio:.2f}x "
                f"(target {most}), of {len(found)}"
            )
    return lines


def chosen(names: Sequence[str], group: str | None) -> list[Program]:
    """The programs with these names, all without any; of one group, if one is given."""
    unknown = sorted(set(names) - set(PROGRAMS))
    if unknown:
        raise SystemExit(f"no program {unknown[0]!r}; there are {', '.join(PROGRAMS)}")
    asked = [PROGRAMS[name] for name in names or PROGRAMS]
    return [program for program in asked if group in (None, program.group)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--group", choices=sorted(TARGETS), help="only programs of this group")
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="of measuring each, 2 by default"
    )
    parser.add_argument(
        "--rounds", type=int, default=7, help="turns of each at least, 7 by default"
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    asked = parser.parse_args(arguments)
    plan = Plan(rounds=asked.rounds, seconds=asked.seconds)
    rows, lines = [], [["program", "arrays", "NumPy ms", "onebuf ms", "ratio", "apart", ""]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for program in chosen(asked.names, asked.group):
            row = measure(program, plan)
            rows.append(row)
            times = [digits(1e3 * row.numpy), digits(1e3 * row.onebuf), f"{row.ratio:.2f}"]
            mark = "" if row.is_right else "WRONG"
            lines.append([row.name, row.group, *times, f"{row.apart:.0e}", mark])
            print(f"{row.name} {row.ratio:.2f}", file=sys.stderr, flush=True)
    print("\n".join([*aligned(lines), "", *summary(rows)]))
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump([{**asdict(row), "ratio": row.ratio} for row in rows], file, indent=2)
    return int(any(not row.is_right for row in rows))


if __name__ == "__main__":
    sys.exit(main())
