"""Distributing what is on the host: the partition that a user asks for, and the elements in it."""

from __future__ import annotations

from typing import Any

from onebuf.graph import Node
from onebuf.placement import Cyclic, Partition, tiles_of
from onebuf.runtimes.registry import OpenRuntime, current_runtime


def partition_for(shape: tuple[int, ...], tiles: Any, grid: Any, places: int) -> Partition:
    """The partition that a user asked for."""
    tiling = tiles_of(shape, tiles, places)
    if grid is None:
        return Partition(tiling, places)
    return Partition(tiling, places, Cyclic(tuple(grid)))


def distribute_node(node: Node, tiles: Any, grid: Any, runtime: OpenRuntime | None) -> Node:
    """The elements of a node of the host at the places of a runtime."""
    opened = runtime or current_runtime()
    where = partition_for(node.shape, tiles, grid, opened.places)
    found: Node = opened.device.driver.distributed(node, partition=where)
    return found
