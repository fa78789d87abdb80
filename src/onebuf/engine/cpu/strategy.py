"""Strategies: which rendering of a nest suits the sizes of a call.

No choice changes a value; each was measured to be the faster one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from math import prod
from typing import NamedTuple

from onebuf.backends.numpy.small_folds import SHORT
from onebuf.graph import RANDOM_WORDS
from onebuf.kernel import ANY, FOLDS, LANES, LOAD, SCANS, STORE, Nest
from onebuf.render.llvm.element.elementwise import FLOATS_ONLY, widest
from onebuf.render.llvm.loop.cache_tiles import has_cache_tiles, transposed_slots
from onebuf.render.llvm.loop.columns import has_columns
from onebuf.render.llvm.loop.padding import bounds_positions
from onebuf.render.llvm.loop.prefetch import FOLLOWED_ROWS, gathered_rows
from onebuf.render.llvm.loop.register_tiles import has_register_tiles
from onebuf.render.llvm.loop.row_cache import cached_steps, output_row_slot
from onebuf.render.llvm.loop.scans import column_lanes, has_scans
from onebuf.render.llvm.memory.masked_access import has_vector_tail
from onebuf.render.llvm.rendering import (
    CACHE_LINE_NBYTES,
    ROW_CACHE_NBYTES,
    VECTOR_NBYTES,
    Rendering,
    RowCache,
    Strategy,
)

RANDOM_LANES = 32
"""Lanes of kernels with random bits, of which several share a counter."""
SHORT_OF_BYTES = 32
"""The same where what is left over of a row is no vector."""
LONG = 64
"""Rows of this many elements and more may have longer vectors."""
MANY = 16
"""Fewer rows than this are folded one by one."""

STREAMED_BYTES = 12 << 20
"""Results of more bytes than this are written past the caches, which they would only fill."""
UNCACHED_NBYTES = 24 << 20
"""Columns of so many bytes and more are prefetched: their rows come from memory. That saves 10 to
60 % of the time; where the third level of the cache has them still, it takes up to a tenth more."""
MANY_ROWS = 256
"""Of fewer rows than this, too many would be prefetched that are not read."""
MOST_SMALL_STRIDE = 4
"""Elements at most so far apart are picked from whole vectors."""
PREFETCHED_NBYTES = 512
"""Rows of at least so many bytes are asked for ahead where indices point to them."""
LEAST = 8
"""Fewer rows or columns than this are not worth turning round."""
BLOCK_TILES = 4
"""Register tiles of a block, where rows are in each other's way (`_tiles`)."""


def choose(
    nest: Nest, extents: tuple[int, ...], addresses: list[int], strides: list[tuple[int, ...]]
) -> Rendering:
    """The rendering to compile and run."""
    facts = _facts(nest)
    if facts.has_scans:
        return _rendering("scans", column_lanes(nest, facts.lanes))
    wide = len(extents) > 1
    is_short = wide and facts.has_columns and extents[-1] < facts.short and extents[-2] >= MANY
    if facts.folds_columns or is_short:
        lanes = min(facts.lanes, LANES)
        small_strides = _small_strides(facts.jumps_down, -2, strides)
        found = _rendering("columns", lanes, small_strides=small_strides)
        is_large = prod(extents) * facts.read_nbytes >= UNCACHED_NBYTES
        return _with_prefetch(found) if is_large and extents[-1] >= MANY_ROWS else found
    streamed = prod(extents) >= facts.streamed_numel and is_aligned(nest, addresses, strides)
    if facts.has_cache_tiles and min(extents[-2:]) >= LEAST:
        if facts.has_register_tiles:
            tiles = _tiles(nest, facts.lanes, strides) if streamed else 1
            return _rendering("register_tiles", facts.lanes, streamed, tiles=tiles)
        return _rendering("cache_tiles", facts.lanes, streamed)
    small_strides = _small_strides(facts.jumps_along, -1, strides)
    row_cache = _row_cache(nest, facts.cached, extents[-1]) if facts.cached else ""
    lanes = facts.lanes if extents[-1] < LONG else facts.many_lanes
    if facts.narrows:
        lanes = fitting_lanes(lanes, extents[-1])
    found = _rendering("rows", lanes, streamed and row_cache != "output", small_strides, row_cache)
    return _with_prefetch(found) if facts.row_nbytes and _is_long(facts, extents) else found


def fitting_lanes(lanes: int, extent: int) -> int:
    """So many lanes that a vector is no longer than a row, which is otherwise gone over one by one.

    >>> fitting_lanes(16, 100), fitting_lanes(16, 12), fitting_lanes(16, 1)
    (16, 8, 1)
    """
    return min(lanes, 1 << extent.bit_length() - 1) if extent else lanes


@cache
def checked(rendering: Rendering) -> Rendering:
    """The same with every address checked; memory is then touched in no other way."""
    row_cache: RowCache = "" if rendering.row_cache == "output" else rendering.row_cache
    return replace(rendering, row_cache=row_cache, checked=True)


@cache
def _with_prefetch(rendering: Rendering) -> Rendering:
    return replace(rendering, prefetch=True)


def _is_long(facts: Facts, extents: tuple[int, ...]) -> bool:
    """Whether rows that indices point to are worth asking for ahead."""
    return extents[-1] * facts.row_nbytes >= PREFETCHED_NBYTES


@cache
def _rendering(
    strategy: Strategy,
    lanes: int,
    streamed: bool = False,
    small_strides: tuple[int, ...] = (),
    row_cache: RowCache = "",
    tiles: int = 1,
) -> Rendering:
    return Rendering(lanes, strategy, streamed, small_strides, row_cache, tiles=tiles)


def _tiles(nest: Nest, lanes: int, strides: list[tuple[int, ...]]) -> int:
    """How many register tiles make a block.

    If rows of results are a multiple of 2048 bytes apart, the lines that a tile writes go to few
    banks of memory, and longer runs are written faster. But a block reads many rows at the same
    time. That is slower, unless those are as far apart: then the hardware, which cannot follow so
    many rows, does not try to. (Measured on Zen 4, as for 1024 bytes.)
    """
    if lanes > FOLLOWED_ROWS:
        return 1
    pitches = {abs(strides[n][-2]) * nest.slots[n].dtype.itemsize for n in nest.written}
    pitches |= {abs(strides[n][-1]) * nest.slots[n].dtype.itemsize for n in transposed_slots(nest)}
    return 1 if any(pitch % 2048 for pitch in pitches - {1024}) else BLOCK_TILES


def _small_strides(jumps: bool, axis: int, strides: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The distances between elements along an axis, as far as they are small; () if none is."""
    if not jumps:
        return ()
    small_strides = tuple(
        [stride[axis] if 1 < stride[axis] <= MOST_SMALL_STRIDE else 0 for stride in strides]
    )
    return small_strides if any(small_strides) else ()


def _row_cache(nest: Nest, cached: tuple[int, ...], extent: int) -> RowCache:
    """Where to keep what two loops over a row need."""
    if extent * len(cached) * max(nest.steps[n].dtype.itemsize for n in cached) <= ROW_CACHE_NBYTES:
        return "stack"
    return "output" if len(cached) == 1 and output_row_slot(nest, cached[0]) is not None else ""


def row_caches_of(nest: Nest, extent: int) -> tuple[RowCache, ...]:
    """Where what two loops over a row of so many elements need may be kept, "" if nowhere."""
    cached = facts_of(nest).cached
    row_cache = _row_cache(nest, cached, extent) if cached else ""
    if row_cache != "stack":
        return ("", row_cache) if row_cache else ("",)
    has_row = len(cached) == 1 and output_row_slot(nest, cached[0]) is not None
    return ("", "stack", "output") if has_row else ("", "stack")


def small_strides_of(
    nest: Nest, strategy: Strategy, strides: list[tuple[int, ...]]
) -> tuple[int, ...]:
    """The small distances between elements along the axis of a strategy's lanes."""
    facts = facts_of(nest)
    if strategy == "columns":
        return _small_strides(facts.jumps_down, -2, strides)
    return _small_strides(facts.jumps_along, -1, strides)


def is_aligned(nest: Nest, addresses: list[int], strides: list[tuple[int, ...]]) -> bool:
    """Whether every row that a call writes begins on a line of memory.

    What has one element for each row is written element by element, past no cache.
    """
    rows = [number for number in nest.written if nest.slots[number].steps[-1]]
    for number in rows:
        slot = nest.slots[number]
        nbytes = slot.dtype.itemsize
        outer = zip(slot.steps[:-1], strides[number][:-1], strict=True)
        if (
            slot.steps[-1] != 1
            or addresses[number] % CACHE_LINE_NBYTES
            or any(not step or stride * nbytes % CACHE_LINE_NBYTES for step, stride in outer)
        ):
            return False
    return bool(rows)


class Facts(NamedTuple):
    """What can be said of a nest without its sizes."""

    lanes: int
    many_lanes: int
    """For long rows."""
    narrows: bool
    """Whether rows shorter than a vector need fewer lanes: they are not masked, nor folded."""
    has_columns: bool
    short: int
    folds_columns: bool
    has_cache_tiles: bool
    has_register_tiles: bool
    jumps_along: bool
    jumps_down: bool
    has_scans: bool
    cached: tuple[int, ...]
    row_nbytes: int
    """The size of the elements of rows that indices point to; 0 if there are none."""
    read_nbytes: int
    """The size of the widest elements that are read."""
    streamed_numel: int
    """The least number of elements at which all results are large."""


@lru_cache(1024)
def _facts(nest: Nest) -> Facts:
    loads = [nest.slots[step.arg] for step in nest.steps if step.op is LOAD]
    return Facts(
        lanes=_lanes(nest),
        many_lanes=_lanes(nest) * (2 if _waits(nest) else 1),
        narrows=_narrows(nest),
        has_columns=has_columns(nest),
        short=SHORT if has_vector_tail(nest, range(len(nest.steps)), True) else SHORT_OF_BYTES,
        folds_columns=has_columns(nest) and _folds_columns(nest),
        has_cache_tiles=has_cache_tiles(nest),
        has_register_tiles=has_register_tiles(nest),
        jumps_along=any(slot.steps[-1] == ANY for slot in loads),
        jumps_down=nest.ndim > 1 and any(slot.steps[-2] == ANY for slot in loads),
        has_scans=has_scans(nest),
        cached=() if nest.partial else cached_steps(nest),
        row_nbytes=max((nest.slots[n].dtype.itemsize for _, n in gathered_rows(nest)), default=0),
        read_nbytes=max((slot.dtype.itemsize for slot in loads), default=0),
        streamed_numel=max(
            STREAMED_BYTES // nest.slots[number].dtype.itemsize for number in nest.written
        ),
    )


facts_of = _facts


def _lanes(nest: Nest) -> int:
    """Lanes that fill two registers of the usual size with the widest elements."""
    if any(step.op in RANDOM_WORDS for step in nest.steps):
        return RANDOM_LANES
    here = [n for n, depth in enumerate(nest.depths) if depth == nest.ndim]
    return VECTOR_NBYTES // widest(nest, [n for n in here if n not in bounds_positions(nest)])


def _narrows(nest: Nest) -> bool:
    others = (FOLDS, SCANS, RANDOM_WORDS)
    if nest.ndim < 2 or any(step.op in kind for step in nest.steps for kind in others):
        return False
    return not has_vector_tail(nest, range(len(nest.steps)), False)


def _waits(nest: Nest) -> bool:
    """Whether functions of floats are computed, whose steps wait for one another: then more of
    them at a time are faster, though registers do not suffice. Of doubles, they are not always."""
    if _lanes(nest) * 4 != VECTOR_NBYTES:
        return False
    depths = zip(nest.steps, nest.depths, strict=True)
    return any(step.op in FLOATS_ONLY for step, depth in depths if depth == nest.ndim)


def _folds_columns(nest: Nest) -> bool:
    """Whether the elements that a nest folds come from row to row."""
    if all(step.arg.sequential for step in nest.steps if step.op in FOLDS):
        return True
    slots = [nest.slots[step.arg] for step in nest.steps if step.op in (LOAD, STORE)]
    down = [slot for slot in slots if slot.steps[-2] == 1 and slot.steps[-1] not in (0, 1)]
    along = [slot for slot in slots if slot.steps[-1] == 1]
    return len(down) > len(along)
