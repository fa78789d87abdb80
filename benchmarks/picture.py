"""A picture of the results: every library's time over the limit, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter
from table import by_group, halves

COLOURS = {
    "onebuf": "#d62728",
    "numpy": "#1f4e79",
    "numexpr": "#5b9bd5",
    "numba": "#2a9d8f",
    "torch": "#e9a03b",
    "torch.compile": "#b5651d",
    "jax.jit": "#8e6bbf",
    "tinygrad": "#9a9a9a",
}
BAR = 0.11
"""Inches of one bar."""


def bars(axes: Axes, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    """One group: for each workload, a bar of each library."""
    step = 0.84 / len(names)
    for position, name in enumerate(names):
        found = [
            (k, row["to_limit"][name]) for k, row in enumerate(rows) if name in row["to_limit"]
        ]
        places = [k - 0.42 + (position + 0.5) * step for k, _ in found]
        values = [value for _, value in found]
        axes.barh(places, values, step * 0.9, color=COLOURS[name], label=name, zorder=2)
        if name == "onebuf":
            for place, value in zip(places, values, strict=True):
                axes.annotate(
                    f"{value:.3g}",
                    (value, place),
                    (3, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7,
                    fontweight="bold",
                    color=COLOURS[name],
                )
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows], fontsize=9)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for k in range(len(rows) - 1):
        axes.axhline(k + 0.5, color="#e4e4e4", linewidth=0.8, zorder=0)
    axes.set_title(rows[0]["group"], fontsize=11, loc="left", fontweight="bold")


def scale(axes: Axes, low: float, high: float) -> None:
    """The same logarithmic axis for all groups."""
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="x", which="major", color="#c8c8c8", linewidth=0.7, zorder=0)
    axes.grid(axis="x", which="minor", color="#ececec", linewidth=0.5, zorder=0)
    axes.axvline(1, color="black", linewidth=1.2, zorder=3)
    axes.tick_params(axis="x", labelsize=8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def draw(rows: Sequence[Mapping[str, Any]], names: Sequence[str], filename: str) -> None:
    """Draw all workloads that have a limit."""
    groups = by_group(rows)
    if not groups:
        raise SystemExit("there is nothing to draw: no workload with a limit was measured")
    columns = halves(groups)
    ratios = [r for group in groups.values() for row in group for r in row["to_limit"].values()]
    low, high = min(0.7, 0.8 * min(ratios)), 1.6 * max(ratios)
    each = BAR * len(names) + 0.1
    tallest = max(sum(len(groups[name]) * each + 0.55 for name in column) for column in columns)
    figure = pyplot.figure(figsize=(7.2 * len(columns), tallest + 1.1), layout="constrained")
    for part, column in zip(
        figure.subfigures(1, len(columns), squeeze=False)[0], columns, strict=True
    ):
        heights = [len(groups[name]) * each + 0.55 for name in column]
        rest = tallest - sum(heights)
        spare = [rest] if rest > 0.5 else []
        grid = part.add_gridspec(len(column) + len(spare), 1, height_ratios=heights + spare)
        for k, name in enumerate(column):
            axes = part.add_subplot(grid[k])
            bars(axes, groups[name], names)
            scale(axes, low, high)
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=COLOURS[name]) for name in names]
    figure.legend(
        handles,
        names,
        loc="outside upper center",
        ncols=len(names),
        frameon=False,
        title="Time over this machine's limit (1x: nothing could be faster)",
        title_fontsize=13,
    )
    figure.savefig(filename, dpi=110)
    pyplot.close(figure)
