"""Transfers: elements on their way between the host and devices, each one asked for and counted.

Everything here works on nodes that are computed already.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from onebuf.backends.protocols import copies_directly, holds_arrays
from onebuf.dtypes import Array
from onebuf.engine.step.error_context import line_of
from onebuf.engine.step.operand import native
from onebuf.events import Transferred, listeners, tell
from onebuf.graph import Node, on_block, placed_block
from onebuf.layout.box import full_box
from onebuf.layout.footprint import reach
from onebuf.machine import CPU, Device, Driver
from onebuf.ops import view_of


def upload(array: Array, device: Device, node: Node | None = None) -> Node:
    """A node on ``device`` with the elements of a host array, which are those of ``node``."""
    start = perf_counter()
    driver = device.driver
    array = np.asarray(array, order="C")
    if holds_arrays(driver):
        block = driver.put(array)
    else:
        block = driver.allocator.allocate(array.nbytes)
        if array.nbytes:
            driver.upload(array.reshape(-1).view(np.uint8), block)
    _told(array.nbytes, CPU, device, node, start)
    return on_block(block, array.shape, array.dtype, device)


def download(node: Node, source: Node, out: Array | None) -> Array:
    """The elements of ``node``, which ``source`` has on its device, in host memory.

    They are written to ``out``, or to memory of their own.
    """
    device = node.device
    assert device is not None
    driver = device.driver
    start = perf_counter()
    view = None if source.is_placed else view_of(source)
    if holds_arrays(driver):
        out = _into(out, driver.get(native(driver, source)))
    elif view is not None and not view.is_contiguous:
        out = _into(out, _picked(driver, source))
    else:
        out = np.empty(node.shape, node.dtype) if out is None else out
        if out.nbytes:
            offset_bytes = 0 if view is None else view.offset * node.dtype.itemsize
            flat = out.reshape(-1).view(np.uint8)
            driver.download(placed_block(source.base), flat, offset_bytes).wait()
    _told(out.nbytes, device, CPU, node, start)
    return out


def _into(out: Array | None, array: Array) -> Array:
    if out is None:
        return array
    np.copyto(out, array)
    return out


def _picked(driver: Driver, source: Node) -> Array:
    """The elements of a view on a device that cannot gather them.

    Everything between its first element and its last is downloaded, and the host gathers.
    """
    view, size = view_of(source), source.dtype.itemsize
    low, high = reach(view.stride, full_box(view.shape))
    flat = np.empty(high - low + 1, source.dtype)
    first_byte = (view.offset + low) * size
    driver.download(placed_block(source.base), flat.view(np.uint8), first_byte).wait()
    steps = [step * size for step in view.stride]
    return np.lib.stride_tricks.as_strided(flat[-low:], view.shape, steps).copy()


def can_copy(home: Device, device: Device) -> bool:
    """Whether elements go from one device to another without the host in between."""
    driver = device.driver
    return copies_directly(driver) and driver.is_related_to(home.driver)


def copy_between(node: Node, source: Node, device: Device) -> Node:
    """The elements of ``node``, which ``source`` has without gaps from its first byte on."""
    start = perf_counter()
    driver: Any = device.driver
    home = node.device or CPU
    block = driver.allocator.allocate(node.nbytes)
    if node.nbytes:
        driver.copy_from(home.driver, placed_block(source.base), block)
    _told(node.nbytes, home, device, node, start)
    return on_block(block, node.shape, node.dtype, device)


def _told(nbytes: int, source: Device, target: Device, node: Node | None, start: float) -> None:
    if listeners():
        seconds = perf_counter() - start
        line = None if node is None else line_of(node)
        tell(Transferred(nbytes, source.name, target.name, line, seconds, start))
