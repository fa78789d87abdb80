"""The engine: makes pending nodes stored, and keeps writes and deferred reads in order."""

from onebuf.engine.observe.counters import Counters, counters
from onebuf.engine.observe.explain import explain
from onebuf.engine.observe.terminal import show_on_terminal
from onebuf.engine.plan.decide import items_for
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

# fmt: off
__all__ = [
    "Counters", "assign", "change", "check_in_place", "check_kind", "compute_into",
    "compute_region", "counters",
    "explain", "force", "is_here", "is_large_and_on_demand", "is_part", "items_for", "look",
    "moved", "new_elements", "own", "put_at", "read", "realize", "reinterpreted", "settle_copies",
    "settle_readers", "shared", "show_on_terminal", "taken", "unwrapped", "update", "wrapped",
    "writable",
]
