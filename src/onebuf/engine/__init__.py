"""The engine: makes pending nodes stored, and keeps writes and deferred reads in order."""

from onebuf.engine.counting import Counters, counters
from onebuf.engine.explaining import explain
from onebuf.engine.moving import moved, reinterpreted, shared, unwrapped, wrapped
from onebuf.engine.planning import items_for
from onebuf.engine.realizing import force, is_here, look, own, read, realize
from onebuf.engine.separation import settle_copies, taken
from onebuf.engine.small_writes import write_small
from onebuf.engine.writing import (
    assign,
    change,
    check_in_place,
    check_kind,
    new_elements,
    settle_readers,
    update,
    writable,
)

__all__ = [
    "Counters",
    "assign",
    "change",
    "check_in_place",
    "check_kind",
    "counters",
    "explain",
    "force",
    "is_here",
    "items_for",
    "look",
    "moved",
    "new_elements",
    "own",
    "read",
    "realize",
    "reinterpreted",
    "settle_copies",
    "settle_readers",
    "shared",
    "taken",
    "unwrapped",
    "update",
    "wrapped",
    "writable",
    "write_small",
]
