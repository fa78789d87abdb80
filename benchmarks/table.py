"""The table of results: a row for each workload, with its ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

OURS = "onebuf"
HEADS = {"torch.compile": "compile", "jax.jit": "jax.jit"}
"""Short names for narrow columns."""
ABSENT = "-"


@dataclass
class Row:
    """One workload: seconds of each library that answered rightly, and of the limit."""

    name: str
    group: str
    unit: str
    seconds: dict[str, float]
    limit: float | None = None
    spread: dict[str, float] = field(default_factory=dict)
    """The middle sample of each over its least."""
    work: dict[str, int] = field(default_factory=dict)
    """Bytes read and written at least, or operations on floats."""
    tolerance: tuple[float, float] = (0.0, 0.0)
    """Relative and absolute."""
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str | None:
        """The fastest library but ours."""
        peers = {name: time for name, time in self.seconds.items() if name != OURS}
        return min(peers, key=peers.__getitem__) if peers else None

    @property
    def to_best(self) -> float | None:
        """Our time over the best peer's: below 1 we are faster."""
        best = self.best
        return ratio(self.seconds.get(OURS), self.seconds.get(best) if best else None)

    def to_limit(self, name: str | None) -> float | None:
        """A library's time over the limit."""
        return ratio(self.seconds.get(name) if name else None, self.limit)

    def as_json(self) -> dict[str, Any]:
        """All that is known, and what follows from it."""
        return {
            **asdict(self),
            "best": self.best,
            "to_best": self.to_best,
            "to_limit": {name: self.to_limit(name) for name in self.seconds if self.limit},
        }


def ratio(above: float | None, below: float | None) -> float | None:
    """A quotient, or None where a part is missing or nothing.

    >>> ratio(3.0, 2.0)
    1.5
    """
    return above / below if above is not None and below else None


def digits(value: float | None) -> str:
    """A number in at most six characters, three digits of it telling.

    >>> [digits(v) for v in (None, 0.01234, 1.234, 12.34, 123.4, 12345.6)]
    ['-', '0.012', '1.23', '12.3', '123', '12346']
    """
    if value is None:
        return ABSENT
    if value < 0.1:
        return f"{value:.3f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def cells(row: Row, names: Sequence[str]) -> list[str]:
    """A row's columns: workload, limit, each library, best peer and three ratios, spread."""
    scale = 1e3 if row.unit == "ms" else 1e6
    times = []
    for name in names:
        seconds = row.seconds.get(name)
        wrong = "wrong" if row.failures.get(name, "").startswith("wrong") else "failed"
        times.append(
            wrong if name in row.failures else digits(scale * seconds) if seconds else ABSENT
        )
    return [
        f"{row.name}, {row.unit}",
        digits(scale * row.limit if row.limit else None),
        *times,
        row.best or ABSENT,
        digits(row.to_best),
        digits(row.to_limit(row.best)),
        digits(row.to_limit(OURS)),
        digits(row.spread.get(OURS)),
    ]


def heads(names: Sequence[str]) -> list[str]:
    """What stands above `cells`."""
    columns = [HEADS.get(name, name) for name in names]
    return ["workload", "limit", *columns, "best peer", "to best", "best/lim", "ours/lim", "spread"]


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width: the first to the left, the others to the right.

    >>> aligned([["a", "b"], ["long", "1.0"]])
    ['a       b', 'long  1.0']
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    found = []
    for first, *others in lines:
        rest = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        found.append("  ".join([first.ljust(widths[0]), *rest]).rstrip())
    return found


def markdown(lines: Sequence[Sequence[str]]) -> list[str]:
    """The same for a page."""
    head, *body = (f"| {' | '.join(line)} |" for line in lines)
    rule = "|---|" + "---:|" * (len(lines[0]) - 1)
    return [head, rule, *body]


def compile_lines(times: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[list[str]]:
    """A line for each program and library: milliseconds cold, from disk, and for other shapes."""
    lines = [["new code, ms", "library", "cold", "from disk", "other shapes"]]
    for program, libraries in times.items():
        for name, found in libraries.items():
            figures = [found.get(key) for key in ("cold", "disk", "shapes")]
            lines.append(
                [program, name, *(digits(None if f is None else 1e3 * f) for f in figures)]
            )
    return lines


def by_group(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Rows that have a limit, by group."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["to_limit"]:
            groups.setdefault(row["group"], []).append(row)
    return groups


def halves(groups: Mapping[str, Sequence[Any]]) -> list[list[str]]:
    """Groups in two columns whose heights differ least, in order.

    >>> halves({"a": [1, 2, 3], "b": [4], "c": [5, 6]})
    [['a'], ['b', 'c']]
    """
    names = list(groups)
    heights = [len(groups[name]) + 1 for name in names]
    cut = min(range(len(names) + 1), key=lambda k: max(sum(heights[:k]), sum(heights[k:])))
    return [column for column in (names[:cut], names[cut:]) if column]
