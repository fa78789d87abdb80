"""Candidates: the renderings of a nest that are legal for one call, the usual one among them.

All of them compute the same bits. Legality depends on the call: non-temporal stores need rows that
begin on cache lines, a row cache on the stack needs rows that fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from onebuf.engine.cpu.strategy import (
    BLOCK_TILES,
    Facts,
    facts_of,
    fitting_lanes,
    is_aligned,
    row_caches_of,
    small_strides_of,
)
from onebuf.kernel import LANES, Nest
from onebuf.render.llvm.rendering import Rendering, RowCache, Strategy

VECTOR_SIZES = (32, 64, 128)
"""Bytes that a vector may have."""
GRAIN = 16384
"""About as many elements as a thread usually takes at a time."""
GRAINS = (GRAIN // 4, GRAIN, GRAIN * 4)
"""What it may take instead; with vectors and lines of memory, these are multiples of 64."""


class Choice(NamedTuple):
    """A way to run a nest: how it is rendered, and how many elements a thread takes at a time."""

    rendering: Rendering
    grain: int = GRAIN

    def __str__(self) -> str:
        rendering, grain = self
        parts = [rendering.strategy, f"{rendering.lanes} lanes"]
        if rendering.streamed:
            parts.append("streamed")
        if rendering.tiles > 1:
            parts.append(f"{rendering.tiles} tiles a block")
        if any(rendering.small_strides):
            parts.append("spaced")
        if rendering.row_cache:
            parts.append(f"kept in {rendering.row_cache}")
        return ", ".join(parts) + ("" if grain == GRAIN else f", {grain} at a time")


@dataclass(frozen=True, slots=True)
class Workload:
    """A nest with the sizes, addresses and strides of one call of it."""

    nest: Nest
    extents: tuple[int, ...]
    addresses: list[int]
    strides: list[tuple[int, ...]]


def is_legal(call: Workload, rendering: Rendering) -> bool:
    """Whether a rendering is right for a call."""
    nest, facts = call.nest, facts_of(call.nest)
    if rendering.strategy not in _strategies(facts):
        return False
    if rendering.lanes not in _lanes(facts, rendering.strategy, call.extents[-1]):
        return False
    if rendering.tiles not in _tiles(rendering.strategy):
        return False
    if rendering.small_strides not in _small_strides(call, rendering.strategy):
        return False
    if rendering.strategy != "rows" and rendering.row_cache:
        return False
    if rendering.row_cache not in row_caches_of(nest, call.extents[-1]):
        return False
    if not rendering.streamed:
        return True
    plain = rendering.strategy != "columns" and rendering.row_cache != "output"
    return plain and is_aligned(nest, call.addresses, call.strides)


def candidates(call: Workload) -> list[Rendering]:
    """All renderings that are right for a call."""
    facts = facts_of(call.nest)
    row_caches: tuple[RowCache, ...] = ("", "stack", "output")
    found = [
        Rendering(lanes, strategy, streamed, small_strides, row_cache, tiles=tiles)
        for strategy in _strategies(facts)
        for lanes, streamed, small_strides, row_cache, tiles in product(
            *(_lanes(facts, strategy, call.extents[-1]), (False, True)),
            _small_strides(call, strategy),
            *(row_caches, _tiles(strategy)),
        )
    ]
    return [rendering for rendering in found if is_legal(call, rendering)]


def neighbours(call: Workload, choice: Choice, shared: bool) -> Iterator[Choice]:
    """The choices that differ from one in a single respect.

    ``shared``: whether threads share the call, so that the grain matters.
    """
    rendering, grain = choice
    for other in candidates(call):
        if _distance(rendering, other) == 1:
            yield Choice(other, grain)
    for size in GRAINS if shared else ():
        if size != grain:
            yield Choice(rendering, size)


def _distance(one: Rendering, two: Rendering) -> int:
    """In how many respects two renderings differ; going over memory otherwise is one alone, if
    everything else is as plain as can be."""
    if one.strategy != two.strategy:
        return 1 if two == Rendering(two.lanes, two.strategy) else 2
    names = ("lanes", "streamed", "small_strides", "row_cache", "tiles")
    return sum(getattr(one, name) != getattr(two, name) for name in names)


def _lanes(facts: Facts, strategy: Strategy, extent: int) -> tuple[int, ...]:
    counts = [nbytes * facts.lanes // 64 for nbytes in VECTOR_SIZES]
    if facts.narrows and strategy == "rows":
        counts = [fitting_lanes(count, extent) for count in counts]
    if strategy == "columns":
        counts = [min(count, LANES) for count in counts]
    return tuple(sorted(set(counts)))


def _tiles(strategy: Strategy) -> tuple[int, ...]:
    return (1, BLOCK_TILES) if strategy == "register_tiles" else (1,)


def _strategies(facts: Facts) -> tuple[Strategy, ...]:
    found: tuple[Strategy, ...] = ("rows",)
    if facts.has_columns:
        found = (*found, "columns")
    if facts.has_cache_tiles:
        found = (*found, "cache_tiles")
    if facts.has_register_tiles:
        found = (*found, "register_tiles")
    return found


def _small_strides(call: Workload, strategy: Strategy) -> tuple[tuple[int, ...], ...]:
    if strategy in ("cache_tiles", "register_tiles"):
        return ((),)
    small_strides = small_strides_of(call.nest, strategy, call.strides)
    return ((), small_strides) if small_strides else ((),)
