"""The schedule: which passes over memory compute the wanted nodes, in which order, and why."""

from onebuf.scheduler.grouping import Group, group, single
from onebuf.scheduler.items import NOTHING, Item, schedule
from onebuf.scheduler.reading import is_readable, reading

__all__ = [
    "NOTHING",
    "Group",
    "Item",
    "group",
    "is_readable",
    "reading",
    "schedule",
    "single",
]
