"""Explaining a plan: its steps, and what each of them moves, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod

from onebuf.placement import Everywhere
from onebuf.runtimes.compute.steps import Step

_SHOWN = 4
"""Pairs of places whose bytes are shown for a step."""


def explanation(steps: Sequence[Step], name: str) -> str:
    """What the steps of a plan do on the runtime ``name``."""
    total: Counter[tuple[int, int]] = sum([step.moves() for step in steps], Counter())
    places = steps[0].result.partition.places if steps else 1
    head = (
        f"{len(steps)} {'step' if len(steps) == 1 else 'steps'} on {name}, "
        f"{sum(total.values())} bytes moved between {places} places"
    )
    return "\n".join([head, *[_row(n, step, steps) for n, step in enumerate(steps, 1)]])


def _row(number: int, step: Step, steps: Sequence[Step]) -> str:
    names = {id(one.result): f"%{n}" for n, one in enumerate(steps, 1)}
    inputs = ", ".join(
        names.get(id(value), f"{value.dtype.name}{list(value.partition.shape)}")
        for value in step.inputs
    )
    result = f"{step.result.dtype.name}{list(step.result.partition.shape)}"
    lines = [f"  %{number} = {step.recipe.name}({inputs}) -> {result}"]
    moves = step.moves()
    total = sum(moves.values())
    detail = ", ".join(f"{a} to {b}: {nbytes}" for (a, b), nbytes in sorted(moves.items())[:_SHOWN])
    more = f", {len(moves) - _SHOWN} more" if len(moves) > _SHOWN else ""
    tiles = prod(step.result.partition.tiling.grid)
    held = (
        "held by every place"
        if isinstance(step.result.partition.assignment, Everywhere)
        else f"{tiles} {'tile' if tiles == 1 else 'tiles'}"
    )
    reason = f" ({step.reason})" if step.reason else ""
    lines.append(f"       {held}{reason}, {total} bytes moved")
    if total:
        lines.append(f"       {detail}{more}")
    if step.node is not None and step.node.origin is not None:
        lines.append(f"       from {step.node.origin}")
    return "\n".join(lines)
