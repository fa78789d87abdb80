"""Operands: the elements of nodes that need no computing, as the next operation takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.backends.numpy.gather import gather
from onebuf.dtypes import Array
from onebuf.engine.step.region import read_region
from onebuf.graph import Kind, Node, placed_block, settle
from onebuf.scheduler import reading

if TYPE_CHECKING:
    from onebuf.backends.protocols import ArrayDriver


def fetch(node: Node) -> Array:
    """The elements of a node that needs no computing: stored, constant, or read on demand."""
    array = settle(node)
    if array is not None:
        return array
    base = node.strided_base
    if base.op.kind is Kind.CONSTANT:
        return np.broadcast_to(np.asarray(base.arg), node.shape)
    if node.on_demand is not None:
        return read_region(node)
    assert base.is_view, f"{node} is still to be computed"
    return gather(base.layout, *[fetch(reading(source)) for source in base.srcs])


def native(driver: ArrayDriver, node: Node) -> Any:
    """The library's array of a node that is at hand on its device."""
    base = node.strided_base
    if base.op.kind is Kind.CONSTANT:
        block = driver.compute(base.op, (), base.arg, node.shape, node.dtype)
        return driver.native(block, node.dtype, None)
    return driver.native(placed_block(base), base.dtype, node.view if node.is_view else None)
