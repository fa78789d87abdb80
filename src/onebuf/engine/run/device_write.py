"""Writing on other devices: the new elements are computed there, then copied to their places.

The order is that of `onebuf.engine.run.write`: new elements, pending readers, write.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from onebuf.backends.protocols import Launch, holds_arrays
from onebuf.dtypes import DT, uint8, uint16, uint32, uint64
from onebuf.engine.run.realize import force, realize
from onebuf.engine.step.operand import native
from onebuf.errors import DeviceError
from onebuf.graph import CAST, Node, placed_block
from onebuf.kernel import LOAD, STORE, Nest, Slot, Step, stride_class
from onebuf.layout import View
from onebuf.machine import Device
from onebuf.ops import cast, copied, expand, full, reshape, view_of
from onebuf.scheduler import reading
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.trace.recorder import Reach


def prepared(target: Node, value: Node) -> Node:
    """The new elements of ``target``, computed where it is."""
    device = target.device
    if value.device is not None and value.device is not device:
        raise DeviceError(
            f"a write needs elements on the device of what is written, {device}, got {value.device}"
            f"; copy them first: x.to_device({str(device)!r})"
        )
    while len(value.shape) > len(target.shape):
        value = reshape(value, value.shape[1:])
    new = expand(cast(value, target.dtype), target.shape)
    assert device is not None
    if holds_arrays(device.driver):
        realize([new])
        return new
    if new.device is None:
        new = full(new.shape, new.base.arg, new.dtype, device)
    elif not _is_apart(new, target):
        new = copied(new)
    force(new)
    return new


def _is_apart(new: Node, target: Node) -> bool:
    """Whether ``new`` is stored without gaps, in memory that cannot be that of ``target``."""
    if not new.is_placed or new.block is target.base.block:
        return False
    return placed_block(new).keeps is None


def write(target: Node, new: Node) -> None:
    """Write ``new``, which `prepared` gave, to the elements of ``target``."""
    device = target.device
    assert device is not None
    base, view = target.base, view_of(target)
    driver: Any = device.driver
    if holds_arrays(driver):
        driver.write(placed_block(base), base.dtype, view, native(driver, reading(new)))
        placed_block(base).touched()
        return
    if not target.numel:
        return
    if target.numel == base.numel and view.is_contiguous:
        driver.copy(placed_block(new.base), placed_block(base))
        placed_block(base).touched()
        return
    launch = _copy(device, target.dtype, view, base.shape)
    launch.run([placed_block(new.base), placed_block(base)], [])
    placed_block(base).touched()


@lru_cache(1024)
def _copy(device: Device, dtype: DT, view: View, whole: tuple[int, ...]) -> Launch:
    """The kernel that copies elements without gaps to where a view of others has them."""
    dtype = _bits(device, dtype)
    shape = view.shape or (1,)
    to = view if view.shape else View((1,), (1,), view.offset)
    views = (View.contiguous(shape), to)
    slots = tuple([Slot(dtype, _classes(one)) for one in views])
    steps = (Step(LOAD, (), dtype, 0), Step(STORE, (0,), dtype, 1))
    nodes = [Node(LOAD, (), None, extents, dtype, None, device) for extents in (shape, whole)]
    reaches = tuple([Reach(node, one) for node, one in zip(nodes, views, strict=True)])
    nest = Nest(len(shape), slots, steps)
    group = Group(nest, shape, reaches, (), (), (nodes[1],), "written in place")
    return device.driver.prepare(group)  # type: ignore[no-any-return]


def _bits(device: Device, dtype: DT) -> DT:
    """A dtype of the same size that kernels can copy: one program does for all of them."""
    sizes: dict[int, DT] = {1: uint8, 2: uint16, 4: uint32, 8: uint64}
    whole = sizes.get(dtype.itemsize, dtype)
    return whole if device.driver.supports(CAST, (whole,), whole) else dtype


def _classes(view: View) -> tuple[int, ...]:
    pairs = zip(view.stride, view.shape, strict=True)
    return tuple([stride_class(step, extent) for step, extent in pairs])
