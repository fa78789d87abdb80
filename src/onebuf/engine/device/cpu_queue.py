"""The host as a device among others: replicas on CPU queues run the same compiled kernels.

Elements of plain ``CPU`` buffers are NumPy's as well and need none of this. A context over several
queues of the host, ``CPU@1`` and so on, holds its replicas in blocks like those of any device.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onebuf.backends.host import HostDriver
from onebuf.backends.protocols import Seen
from onebuf.dtypes import DT, Array
from onebuf.engine.cpu.launch import prepare
from onebuf.engine.cpu.program import scalar_words
from onebuf.engine.cpu.supports import supports
from onebuf.engine.step.error_context import OutsideError
from onebuf.engine.step.numpy_step import compute
from onebuf.graph import Node, Op
from onebuf.machine import Device, DeviceBlock, check_place
from onebuf.memory import address_of
from onebuf.scheduler.fuse.group import Group


def count() -> int:
    """There is one."""
    return 1


def open(device: Device) -> CompilingDriver:
    """The driver of the host, or of a queue of it."""
    check_place(device, 1, None)
    return CompilingDriver(device)


class CompilingDriver(HostDriver):
    """Compiled kernels on memory of the host."""

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whatever has a compiled kernel."""
        return supports(op, operands, result)

    def prepare(self, group: Group) -> HostLaunch:
        """A kernel, compiled."""
        return HostLaunch(group)

    def interpret(self, node: Node, operands: Sequence[Array | Seen], block: DeviceBlock) -> None:
        """Compute what has no kernel on NumPy's loops, into a block."""
        arrays = tuple([_elements(x) if isinstance(x, Seen) else x for x in operands])
        found, _ = compute(node, arrays)
        self.upload(np.ascontiguousarray(found), block)


def _elements(seen: Seen) -> Array:
    """NumPy's array of the elements that are seen of a block."""
    size, view = seen.dtype.itemsize, seen.view
    stride = tuple([step * size for step in view.stride])
    return np.ndarray(view.shape, seen.dtype, seen.block.memory, view.offset * size, stride)


class HostLaunch:
    """A compiled kernel that is ready to run."""

    def __init__(self, group: Group) -> None:
        self._launch = prepare(group)
        self._offsets = [
            reach.view.offset * (1 if reach.is_index else reach.node.dtype.itemsize)
            for reach in group.reaches
        ]

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Run it."""
        addresses = [
            offset if block is None else address_of(block.memory) + offset
            for block, offset in zip(blocks, self._offsets, strict=True)
        ]
        if self._launch.run(addresses, scalar_words(scalars)):
            raise OutsideError(())  # the step adds the nodes that gather
