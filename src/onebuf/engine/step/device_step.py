"""Device steps: kernels and operations that the driver of a device runs.

A kernel is queued, and the step does not wait for it: memory is allocated, the launch is prepared
once for a plan, and a run hands blocks and scalars over. Devices that hold a library's arrays run
operations one by one. An operation without operands and without a kernel is computed on the host
and uploaded; any other work that a device cannot do is an error, never a hidden transfer.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from onebuf.backends.numpy.loops import run_into
from onebuf.backends.protocols import (
    ArrayDriver,
    KernelDriver,
    Launch,
    Seen,
    interprets,
)
from onebuf.dtypes import Array
from onebuf.engine.step.error_context import OutsideError, say_where
from onebuf.engine.step.operand import native
from onebuf.engine.step.plan import Given, Held, Numbers
from onebuf.errors import DeviceError, DTypeError
from onebuf.events import KernelRan, listeners, tell
from onebuf.graph import EMPTY, LIBRARY, Kind, Node, place_on, placed_block
from onebuf.machine import Device, DeviceBlock
from onebuf.ops import quietly, view_of
from onebuf.scheduler import Item, reading
from onebuf.scheduler.fuse.concat import ConcatKernel
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.trace.recorder import Giver, Read


class LaunchStep:
    """A kernel on a device with flat memory, in one part or in several."""

    __slots__ = ("done", "_device", "_name", "_bytes", "_inputs", "_outputs", "_calls")

    def __init__(self, device: Device, kernel: Group | ConcatKernel, numbers: Numbers) -> None:
        self.done: tuple[int, ...] = ()
        self._device = device
        driver = device.driver
        self._name = kernel.name
        self._bytes = (kernel.bytes_read, kernel.bytes_written)
        self._inputs = tuple([numbers[id(node)] for node in kernel.inputs])
        self._outputs = tuple([(numbers[id(node)], node.nbytes) for node in kernel.outputs])
        places = {id(node): at for at, node in enumerate((*kernel.inputs, *kernel.outputs))}
        try:
            self._calls = [DeviceCall(driver, part, places, numbers) for part in kernel.parts]
        except Exception as error:
            say_where(error, kernel.name, kernel.node)
            raise

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Queue it; the results are placed, whenever the device will have computed them."""
        told = listeners()
        start = perf_counter() if told else 0.0
        blocks: list[Any] = [held[n].block for n in self._inputs]  # type: ignore[union-attr]
        allocate = self._device.driver.allocator.allocate  # a child process is told here
        for _, nbytes in self._outputs:
            blocks.append(allocate(nbytes))
        try:
            for call in self._calls:
                call.run(blocks, held)
        except Exception as error:
            node = held[self._outputs[0][0]]
            assert node is not None
            say_where(error, self._name, node)
            raise
        for at, (number, _) in enumerate(self._outputs, len(self._inputs)):
            place_on(held[number], blocks[at])  # type: ignore[arg-type]
        if told:
            read, written = self._bytes
            tell(KernelRan(self._name, written, perf_counter() - start, 2, read, start))


class DeviceCall:
    """One launch, on blocks that are found among those of a step."""

    __slots__ = ("_launch", "_places", "_scalars", "_picks")

    def __init__(
        self, driver: KernelDriver, part: Group, places: dict[int, int], numbers: Numbers
    ) -> None:
        self._launch: Launch = driver.prepare(part)
        where = [None if reach.is_index else places[id(reach.node)] for reach in part.reaches]
        self._places = None if where == list(range(len(places))) else where
        """Which block each slot has; None: each its own."""
        pairs = zip(part.scalars, part.givers, strict=True)
        self._scalars = tuple([(value, *_giver(giver, numbers)) for value, giver in pairs])
        self._picks = tuple([numbers[id(node)] for node in part.picks])

    def run(self, blocks: Sequence[DeviceBlock | None], held: Held) -> None:
        """Queue it."""
        scalars = [
            value if read is None else read(held[number].arg)  # type: ignore[union-attr]
            for value, read, number in self._scalars
        ]
        if self._places is not None:
            blocks = [None if at is None else blocks[at] for at in self._places]
        try:
            self._launch.run(blocks, scalars)
        except OutsideError:
            raise OutsideError(tuple([held[number] for number in self._picks])) from None  # type: ignore[misc]


def _giver(giver: Giver | None, numbers: Numbers) -> tuple[Read | None, int]:
    """How a scalar is read from the argument of a node, and the number of that node."""
    return (None, -1) if giver is None else (giver.read, numbers[id(giver.node)])


class ArrayStep:
    """An operation on a library's arrays."""

    __slots__ = ("done", "_device", "_number")

    def __init__(self, device: Device, item: Item, numbers: Numbers) -> None:
        self.done: tuple[int, ...] = ()
        self._device = device
        self._number = numbers[id(item.node)]

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Compute it."""
        node = held[self._number]
        assert node is not None
        driver: ArrayDriver = self._device.driver
        start = perf_counter()
        try:
            if node.op is LIBRARY and node.srcs:
                raise _no_kernel(self._device, node)
            operands = [native(driver, reading(src)) for src in node.srcs]
            if node.op is LIBRARY:
                block = driver.put(_on_host(node))
            else:
                block = driver.compute(node.op, tuple(operands), node.arg, node.shape, node.dtype)
        except Exception as error:
            say_where(error, node.op.name, node)
            raise
        if listeners():
            read = sum(src.nbytes for src in node.srcs)
            tell(KernelRan(node.op.name, node.nbytes, perf_counter() - start, 1, read, start))
        place_on(node, block)


class HostStep:
    """What has no kernel: nothing, undefined elements, or elements that come from the host.

    A device whose memory NumPy can reach computes there whatever else has no kernel.
    """

    __slots__ = ("done", "_device", "_number")

    def __init__(self, device: Device, item: Item, numbers: Numbers) -> None:
        self.done: tuple[int, ...] = ()
        self._device = device
        self._number = numbers[id(item.node)]
        node = item.node
        is_given = all(
            not src.numel or src.strided_base.op.kind is Kind.CONSTANT for src in node.srcs
        )
        if node.numel and not is_given and not interprets(device.driver):
            error = _no_kernel(device, node)
            say_where(error, node.op.name, node)
            raise error

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Make it."""
        node = held[self._number]
        assert node is not None
        driver = self._device.driver
        block = driver.allocator.allocate(node.nbytes)
        if node.op is not EMPTY and node.numel:
            if all(src.strided_base.op.kind is Kind.CONSTANT or not src.numel for src in node.srcs):
                driver.upload(_on_host(node), block)
            else:
                self._interpret(node, block)
        place_on(node, block)

    def _interpret(self, node: Node, block: DeviceBlock) -> None:
        operands = [_seen(reading(src)) for src in node.srcs]
        start = perf_counter()
        try:
            self._device.driver.interpret(node, operands, block)
        except Exception as error:
            say_where(error, node.op.name, node)
            raise
        if listeners():
            read = sum(src.nbytes for src in node.srcs)
            tell(KernelRan(node.op.name, node.nbytes, perf_counter() - start, 1, read, start))


def _seen(node: Node) -> Array | Seen:
    """What an operation reads: the elements of a constant, or a block and what is seen of it."""
    if node.strided_base.op.kind is Kind.CONSTANT or not node.numel:
        return _of_nothing(node)
    return Seen(placed_block(node.strided_base), node.dtype, view_of(node))


def _on_host(node: Node) -> Array:
    """The elements of a node that needs none of its device."""
    operands = tuple([_of_nothing(src) for src in node.srcs])
    if node.op is LIBRARY:
        return np.asarray(quietly(node.arg, *operands), node.dtype, order="C")
    out = np.empty(node.shape, node.dtype)
    quietly(run_into, node.op, operands, node.arg, out)
    return out


def _of_nothing(src: Node) -> Array:
    if src.strided_base.op.kind is Kind.CONSTANT:
        return np.broadcast_to(np.asarray(src.strided_base.arg), src.shape)
    return np.empty(src.shape, src.dtype)


def _no_kernel(device: Device, node: Node) -> Exception:
    what = getattr(node.arg, "name", "") or node.op.name
    dtypes = " and ".join(dict.fromkeys([src.dtype.name for src in node.srcs])) or node.dtype.name
    message = (
        f"{device} has no kernel for {what} of {dtypes}; convert to another dtype, or compute it "
        f"on the host: x.to_device('CPU')"
    )
    return DTypeError(message) if node.op is not LIBRARY else DeviceError(message)
