"""Choosing: which rendering of a nest suits the sizes of a call.

No choice changes a value; each was measured to be the faster one.
"""

from __future__ import annotations

from functools import cache

from onebuf.kernel import FOLDS, LOAD, Nest
from onebuf.render.columns import has_columns
from onebuf.render.rendering import Rendering

ROWS = Rendering()
COLUMNS = Rendering(strategy="columns")

SHORT = 64
"""Rows of fewer elements than this are folded many at a time."""
MANY = 16
"""Fewer rows than this are folded one by one."""


def choose(nest: Nest, extents: tuple[int, ...]) -> Rendering:
    """The rendering to compile and run."""
    if _folds_columns(nest):
        return COLUMNS
    if extents[-1] < SHORT and len(extents) > 1 and extents[-2] >= MANY and has_columns(nest):
        return COLUMNS
    return ROWS


@cache
def _folds_columns(nest: Nest) -> bool:
    """Whether the elements that a nest folds come from row to row."""
    if not has_columns(nest):
        return False
    if all(step.arg.sequential for step in nest.steps if step.op in FOLDS):
        return True
    slots = [nest.slots[step.arg] for step in nest.steps if step.op is LOAD]
    down = [slot for slot in slots if slot.steps[-2] == 1 and slot.steps[-1] not in (0, 1)]
    along = [slot for slot in slots if slot.steps[-1] == 1]
    return len(down) > len(along)
