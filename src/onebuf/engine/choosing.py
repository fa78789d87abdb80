"""Choosing: which rendering of a nest suits the sizes of a call.

No choice changes a value; each was measured to be the faster one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import prod
from typing import Literal

from onebuf.kernel import ANY, FOLDS, LOAD, STORE, Nest
from onebuf.render.columns import has_columns
from onebuf.render.keeping import kept_steps, row_slot
from onebuf.render.rendering import KEPT_NBYTES, Rendering
from onebuf.render.tiles import has_tiles

ROWS = Rendering()
STREAMED_ROWS = Rendering(streamed=True)
COLUMNS = Rendering(strategy="columns")
TILES = Rendering(strategy="tiles")
STREAMED_TILES = Rendering(strategy="tiles", streamed=True)

SHORT = 32
"""Rows of fewer elements than this are folded many at a time."""
MANY = 16
"""Fewer rows than this are folded one by one."""

STREAMED_BYTES = 8 << 20
"""Results of more bytes than this are written past the caches, which they would only fill."""
LINE_NBYTES = 64
PACES = 4
"""Elements at most so far apart are picked from whole vectors."""
LEAST = 8
"""Fewer rows or columns than this are not worth turning round."""


def choose(
    nest: Nest, extents: tuple[int, ...], addresses: list[int], strides: list[tuple[int, ...]]
) -> Rendering:
    """The rendering to compile and run."""
    found = _strategy(nest, extents, addresses, strides)
    axis = -2 if found.strategy == "columns" else -1
    if found.strategy != "tiles" and _has_jumps(nest, axis):
        paces = tuple([stride[axis] if 1 < stride[axis] <= PACES else 0 for stride in strides])
        if any(paces):
            return replace(found, paces=paces)
    return found


def _strategy(
    nest: Nest, extents: tuple[int, ...], addresses: list[int], strides: list[tuple[int, ...]]
) -> Rendering:
    if _folds_columns(nest):
        return COLUMNS
    wide = len(extents) > 1
    if wide and extents[-1] < SHORT and extents[-2] >= MANY and _has_columns(nest):
        return COLUMNS
    streamed = prod(extents) >= _streamed_numel(nest) and is_aligned(nest, addresses, strides)
    if wide and min(extents[-2:]) >= LEAST and _has_tiles(nest):
        return STREAMED_TILES if streamed else TILES
    keep = _keep(nest, extents[-1])
    if keep:
        return Rendering(streamed=streamed and keep == "stack", keep=keep)
    return STREAMED_ROWS if streamed else ROWS


def _keep(nest: Nest, extent: int) -> Literal["", "stack", "output"]:
    kept = () if nest.partial else kept_steps(nest)
    if not kept:
        return ""
    if extent * len(kept) * max(nest.steps[n].dtype.itemsize for n in kept) <= KEPT_NBYTES:
        return "stack"
    return "output" if len(kept) == 1 and row_slot(nest, kept[0]) is not None else ""


@cache
def _has_jumps(nest: Nest, axis: int) -> bool:
    """Whether memory is read a few elements apart along an axis, perhaps."""
    slots = [nest.slots[step.arg] for step in nest.steps if step.op is LOAD]
    return any(slot.steps[axis] == ANY for slot in slots)


def is_aligned(nest: Nest, addresses: list[int], strides: list[tuple[int, ...]]) -> bool:
    """Whether every row that a call writes begins on a line of memory."""
    for number in nest.written:
        slot = nest.slots[number]
        nbytes = slot.dtype.itemsize
        outer = zip(slot.steps[:-1], strides[number][:-1], strict=True)
        if (
            slot.steps[-1] != 1
            or addresses[number] % LINE_NBYTES
            or any(not step or stride * nbytes % LINE_NBYTES for step, stride in outer)
        ):
            return False
    return True


@cache
def _streamed_numel(nest: Nest) -> int:
    """The least number of elements at which all results are large."""
    return max(STREAMED_BYTES // nest.slots[number].dtype.itemsize for number in nest.written)


_has_columns = cache(has_columns)
_has_tiles = cache(has_tiles)


@cache
def _folds_columns(nest: Nest) -> bool:
    """Whether the elements that a nest folds come from row to row."""
    if not has_columns(nest):
        return False
    if all(step.arg.sequential for step in nest.steps if step.op in FOLDS):
        return True
    slots = [nest.slots[step.arg] for step in nest.steps if step.op in (LOAD, STORE)]
    down = [slot for slot in slots if slot.steps[-2] == 1 and slot.steps[-1] not in (0, 1)]
    along = [slot for slot in slots if slot.steps[-1] == 1]
    return len(down) > len(along)
