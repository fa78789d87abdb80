"""The engine: makes pending nodes stored, and keeps writes and deferred reads in order."""

from onebuf.engine.observe.counters import Counters, counters
from onebuf.engine.observe.explain import explain
from onebuf.engine.plan.decide import items_for
from onebuf.engine.run.realize import force, is_here, look, own, read, realize
from onebuf.engine.run.separation import settle_copies, taken
from onebuf.engine.run.small_write import write_small
from onebuf.engine.run.transfer import moved, reinterpreted, shared, unwrapped, wrapped
from onebuf.engine.run.write import (
    assign,
    change,
    check_in_place,
    check_kind,
    new_elements,
    settle_readers,
    update,
    writable,
)

# fmt: off
__all__ = [
    "Counters", "assign", "change", "check_in_place", "check_kind", "counters", "explain", "force",
    "is_here", "items_for", "look", "moved", "new_elements", "own", "read", "realize",
    "reinterpreted", "settle_copies", "settle_readers", "shared", "taken", "unwrapped", "update",
    "wrapped", "writable", "write_small",
]
