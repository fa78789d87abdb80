"""The engine: makes pending nodes stored, and keeps writes and deferred reads in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onebuf.engine.observe.terminal import show_on_terminal
from onebuf.engine.run.pending_readers import settle_readers
from onebuf.engine.run.realize import (
    compute_region,
    force,
    is_here,
    is_large_and_on_demand,
    is_part,
    look,
    own,
    read,
    realize,
)
from onebuf.engine.run.separation import settle_copies, taken
from onebuf.engine.run.small_write import write_at
from onebuf.engine.run.transfer import moved, reinterpreted, shared, unwrapped, wrapped
from onebuf.engine.run.write import (
    assign,
    change,
    compute_into,
    new_elements,
    put_at,
    update,
    writable,
)
from onebuf.engine.run.write_checks import check_in_place, check_kind
from onebuf.graph import Node
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.engine.observe import explain as explanations
else:
    explanations = Late("onebuf.engine.observe.explain")


def explain(nodes: Sequence[Node]) -> str:
    """Which passes over memory ``nodes`` still need, why, and how many bytes each moves."""
    return explanations.explain(nodes)


# fmt: off
__all__ = [
    "assign", "change", "check_in_place", "check_kind", "compute_into", "compute_region", "explain",
    "force", "is_here", "is_large_and_on_demand", "is_part", "look", "moved", "new_elements", "own",
    "put_at", "read", "realize", "reinterpreted", "settle_copies", "settle_readers", "shared",
    "show_on_terminal", "taken", "unwrapped", "update", "wrapped", "writable", "write_at",
]
