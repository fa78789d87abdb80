"""The schedule: which operations compute the wanted nodes, in which order, and why.

`onebuf.scheduler.fuse.fusion` fuses them into kernels.
"""

from onebuf.scheduler.items import NOTHING, Item, schedule
from onebuf.scheduler.read_through import is_readable, reading

__all__ = ["NOTHING", "Item", "is_readable", "reading", "schedule"]
