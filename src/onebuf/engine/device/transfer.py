"""Transfers: elements on their way from one device to another, each one asked for and counted."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from onebuf.backends.protocols import (
    copies_directly,
    holds_arrays,
    runs_kernels,
)
from onebuf.engine.device.plan import native
from onebuf.engine.run.numpy_step import line_of
from onebuf.engine.run.realize import force, read, realize
from onebuf.events import Transferred, listeners, tell
from onebuf.graph import Kind, Node, on_block, placed_block
from onebuf.layout.box import full_box
from onebuf.layout.footprint import reach
from onebuf.machine import CPU, Device, Driver
from onebuf.ops import copied, full, place, view_of
from onebuf.scheduler import reading

Array = np.ndarray[Any, Any]


def moved(node: Node, device: Device) -> Node:
    """The elements of ``node`` on ``device``, which is another one than its own."""
    home = node.device or CPU
    base = node.strided_base
    if base.op.kind is Kind.CONSTANT and node.view.mask is None:
        return full(node.shape, base.arg, node.dtype, device)
    if device.is_host:
        new = place(node.shape, node.dtype, node.numel)
        download(node, new.array)
        return new
    if home.is_host:
        return placed(read(node), device, node)
    between = _shared(node, device)
    return placed(download(node), device, node) if between is None else between


def placed(array: Array, device: Device, node: Node | None = None) -> Node:
    """A node on ``device`` with the elements of a host array, which those of ``node`` are."""
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


def download(node: Node, out: Array | None = None) -> Array:
    """The elements of a node, on the host: in ``out``, or in memory of their own."""
    device = node.device
    assert device is not None
    driver = device.driver
    start = perf_counter()
    source = node if node.is_placed else _contiguous(node)
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
    """What a view sees of a block, from a device that cannot gather it: of all that lies between
    its first element and its last, the host takes what is wanted."""
    view, size = view_of(source), source.dtype.itemsize
    low, high = reach(view.stride, full_box(view.shape))
    flat = np.empty(high - low + 1, source.dtype)
    first_byte = (view.offset + low) * size
    driver.download(placed_block(source.base), flat.view(np.uint8), first_byte).wait()
    steps = [step * size for step in view.stride]
    return np.lib.stride_tricks.as_strided(flat[-low:], view.shape, steps).copy()


def _contiguous(node: Node) -> Node:
    """A node with the same elements that is stored without gaps, where somebody can close them;
    what an array driver has may have them, and what a device has that computes nothing."""
    realize([node])
    source = reading(node)
    driver = node.device.driver  # type: ignore[union-attr]
    if holds_arrays(driver):
        return source
    view, is_placed = view_of(source), source.strided_base.is_placed
    host_picks = view.mask is None and not runs_kernels(driver)
    if not is_placed or not (view.is_contiguous or host_picks):
        source = copied(source)
        force(source)
    return source


def _shared(node: Node, device: Device) -> Node | None:
    """The elements copied from one device to another without the host in between, if they can."""
    driver, home = device.driver, node.device.driver  # type: ignore[union-attr]
    if not copies_directly(driver) or not driver.is_related_to(home):
        return None
    start = perf_counter()
    source = _contiguous(node)
    if view_of(source).offset:
        source = copied(source)
        force(source)
    block = driver.allocator.allocate(node.nbytes)
    if node.nbytes:
        driver.copy_from(home, placed_block(source.base), block)
    _told(node.nbytes, node.device or CPU, device, node, start)
    return on_block(block, node.shape, node.dtype, device)


def _told(nbytes: int, source: Device, target: Device, node: Node | None, start: float) -> None:
    if listeners():
        seconds = perf_counter() - start
        line = None if node is None else line_of(node)
        tell(Transferred(nbytes, source.name, target.name, line, seconds, start))
