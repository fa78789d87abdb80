"""Sharing: the same memory, known to another library, to another device, or as another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.backends.protocols import holds_arrays, uses_host_memory
from onebuf.engine.device.plan import native as native_of
from onebuf.engine.run.realize import force, own, realize
from onebuf.errors import CopyError, DeviceError, LayoutError
from onebuf.graph import Node, on_block, placed_block
from onebuf.layout import View
from onebuf.machine import Device, provider
from onebuf.machine import device as find_device
from onebuf.ops import seen, view_of
from onebuf.scheduler import reading


def shared(node: Node, device: Device) -> Node:
    """The elements of ``node``, which are the host's, on ``device`` in the same memory.

    An error where that cannot be. What one side writes the other sees after `synchronize`.
    """
    array, driver = own(node), device.driver
    block = node.block
    if block is None or not uses_host_memory(driver):
        raise CopyError(
            f"copy=False needs a device that uses memory of the host, and {device} has its own; "
            f"leave out copy=False"
        )
    offset_bytes = view_of(node).offset * array.itemsize
    window = block.window(array.shape, array.dtype, array.strides, offset_bytes)
    there = driver.from_host(window)
    there.readers = block.readers
    return on_block(there, array.shape, array.dtype, device)


def wrapped(native: Any, kind: str) -> Node:
    """A node on the memory of another library's array."""
    device = find_device(provider(kind).device_name(native))  # type: ignore[attr-defined]
    block = device.driver.wrap(native)
    return on_block(block, tuple(native.shape), device.driver.dtype_of(native), device)


def unwrapped(node: Node) -> Any:
    """The array of the library that holds ``node``, or the handle of its memory.

    A handle is of memory without an offset and without gaps.
    """
    driver = node.device.driver  # type: ignore[union-attr]
    realize([node])
    if holds_arrays(driver):
        return native_of(driver, reading(node))
    view = view_of(node)
    if not view.is_contiguous or view.offset:
        raise LayoutError(
            f"{node.device} has a handle for memory from its first byte on, without gaps, got "
            f"strides {view.stride} from element {view.offset} on; unwrap a copy(), or the base"
        )
    force(node)
    return driver.unwrap(placed_block(node.base))


def reinterpreted(node: Node, dtype: np.dtype[Any]) -> Node:
    """The bytes of ``node`` read as another dtype, in the same memory."""
    device, view, size = node.device, view_of(node), node.dtype.itemsize
    assert device is not None
    if holds_arrays(device.driver):
        raise DeviceError(
            f"bytes on {device} belong to the library's arrays; read them as {dtype.name} there: "
            f"x.unwrap()"
        )
    nbytes = node.shape[-1] * size if node.shape else size
    if not view.is_contiguous or nbytes % dtype.itemsize or view.offset * size % dtype.itemsize:
        raise LayoutError(
            f"bytes of shape {node.shape} and dtype {node.dtype.name} cannot be read as "
            f"{dtype.name}: rows have {nbytes} bytes each, strides are {view.stride}; make it "
            f"contiguous() first, or reshape"
        )
    force(node)
    block = placed_block(node.base)
    whole = on_block(block, (block.nbytes // dtype.itemsize,), dtype, device)
    shape = (*node.shape[:-1], nbytes // dtype.itemsize) if node.shape else ()
    rows = View.contiguous(shape)
    return seen(whole, View(shape, rows.stride, view.offset * size // dtype.itemsize))
