"""Placement: which elements are at which place, as pure functions from a region to places.

A *place* is a number, 0 and up: a process, or a part of one. Nothing here knows memory, processes
or messages; a runtime asks these functions who holds what.
"""

from onebuf.placement.box import Box, boxes_between, intersection, is_empty, numel_of, shifted
from onebuf.placement.partition import Assigned, Blocked, Cyclic, Everywhere, Partition
from onebuf.placement.tiles import default_tiles, tiles_of

# fmt: off
__all__ = [
    "Assigned", "Blocked", "Box", "Cyclic", "Everywhere", "Partition", "boxes_between",
    "default_tiles", "intersection", "is_empty", "numel_of", "shifted", "tiles_of",
]
