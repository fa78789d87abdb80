"""Nodes on other devices: moved there, or known there by the memory that they have already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.engine.run.realize import downloaded, force, own, read, realize, without_gaps
from onebuf.engine.step.operand import native
from onebuf.errors import CopyError, DeviceError, LayoutError
from onebuf.graph import Kind, Node, on_block, placed_block
from onebuf.late import Late
from onebuf.layout import View
from onebuf.machine import CPU, Cluster, Device, Tracer, home_of, provider
from onebuf.machine import device as find_device
from onebuf.ops import copied, expanded, full, place, seen, view_of
from onebuf.ops.structured.upload import install_upload
from onebuf.scheduler import reading

if TYPE_CHECKING:
    from onebuf.backends import protocols
    from onebuf.engine.device import transfer
    from onebuf.ops.structured import nodes as structured_nodes
else:
    protocols = Late("onebuf.backends.protocols")
    structured_nodes = Late("onebuf.ops.structured.nodes")
    transfer = Late("onebuf.engine.device.transfer")


def moved(node: Node, device: Device) -> Node:
    """The elements of ``node`` on ``device``: the node itself if they are there."""
    home = node.device or CPU
    if home is device:
        return node
    if isinstance(device, Tracer) or isinstance(home, Tracer):
        return _moved_in_trace(node, home, device)
    if isinstance(device, Cluster):
        here = node if home.is_host else moved(node, CPU)
        return device.driver.distributed(here)  # type: ignore[no-any-return]
    if isinstance(home, Cluster) and not device.is_host:
        return moved(moved(node, CPU), device)
    if not node.has_strides:
        part = structured_nodes.structured(node)
        if part is not None:
            return part.seen(moved(part.storage, device))
        node = expanded(node)
    base = node.strided_base
    if base.op.kind is Kind.CONSTANT and node.view.mask is None:
        return full(node.shape, base.arg, node.dtype, device)
    if device.is_host:
        new = place(node.shape, node.dtype, node.numel)
        downloaded(node, new.array)
        return new
    if home.is_host:
        return transfer.upload(read(node), device, node)
    if not transfer.can_copy(home, device):
        return transfer.upload(downloaded(node), device, node)
    source = without_gaps(node)
    if view_of(source).offset:
        source = copied(source)
        force(source)
    return transfer.copy_between(node, source, device)


def _moved_in_trace(node: Node, home: Device, device: Device) -> Node:
    """The same in a function that is being traced, where ``node`` or ``device`` may be real."""
    real = home_of(device)
    if isinstance(home, Tracer):
        return node if home_of(home) is real else home.trace.moved(node, real)
    assert isinstance(device, Tracer)
    return device.lifted(moved(node, real))  # type: ignore[no-any-return]


install_upload(moved)


def shared(node: Node, device: Device) -> Node:
    """The elements of ``node``, which are the host's, on ``device`` in the same memory.

    An error where that cannot be. What one side writes the other sees after `synchronize`.
    """
    array, driver = own(node), device.driver
    block = node.block
    if block is None or not protocols.uses_host_memory(driver):
        raise CopyError(
            f"copy=False needs a device that uses memory of the host, and {device} has its own; "
            f"leave out copy=False"
        )
    offset_bytes = view_of(node).offset * array.itemsize
    window = block.window(array.shape, array.dtype, array.strides, offset_bytes)
    there = driver.from_host(window)
    there.readers = block.readers
    return on_block(there, array.shape, array.dtype, device)


def wrapped(array: Any, kind: str) -> Node:
    """A node on the memory of another library's array, on a device of that kind."""
    device = find_device(provider(kind).device_name(array))  # type: ignore[attr-defined]
    block = device.driver.wrap(array)
    return on_block(block, tuple(array.shape), device.driver.dtype_of(array), device)


def unwrapped(node: Node) -> Any:
    """The array of the library that holds ``node``, or the handle of its memory.

    A handle is of memory without an offset and without gaps.
    """
    driver = node.device.driver  # type: ignore[union-attr]
    realize([node])
    if protocols.holds_arrays(driver):
        return native(driver, reading(node))
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
    if protocols.holds_arrays(device.driver):
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
