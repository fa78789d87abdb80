"""The schedule: which operations compute the wanted nodes, in which order, and why.

`onebuf.scheduler.fuse.fusion` fuses them into kernels.
"""

from typing import TYPE_CHECKING, Any

from onebuf.late import load
from onebuf.scheduler.read_through import is_readable, reading

if TYPE_CHECKING:
    from onebuf.scheduler.items import NOTHING, Item, schedule


def __getattr__(name: str) -> Any:
    if name not in ("NOTHING", "Item", "schedule"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(load("onebuf.scheduler.items"), name)


__all__ = ["NOTHING", "Item", "is_readable", "reading", "schedule"]
