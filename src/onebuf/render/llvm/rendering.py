"""Rendering: the choices left open by a nest that change its code, though never its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Strategy = Literal["rows", "columns", "squares", "tiles", "scans"]
Keep = Literal["", "stack", "output"]


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a nest becomes text."""

    lanes: int = 16
    """Elements in a vector."""
    strategy: Strategy = "rows"
    """How the two innermost loops go over memory."""
    streamed: bool = False
    """Whether results are written past the caches: for this each has to begin on a line of 64
    bytes, and so does each of its rows."""
    paces: tuple[int, ...] = ()
    """For each slot the distance of its elements along the axis of the lanes, if it is small and
    more than 1; otherwise 0. Empty: all are 0."""
    keep: Keep = ""
    """Where dear results of a row wait for the next loop over it: for rows of at most KEPT_NBYTES
    bytes on the stack, for others where the row's results will be."""
    checked: bool = False
    """Whether every address is compared with the bounds of its slot first. For this two words for
    each slot follow the scalars, its first byte and the byte after its last, and then one word,
    which becomes 1 more than the number of a slot that would be left."""
    ahead: bool = False
    """Whether rows that are picked by index are asked for some rows ahead."""


KEPT_NBYTES = 65536
