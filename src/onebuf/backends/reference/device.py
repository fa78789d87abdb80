"""The reference device: kernels interpreted in pure Python, every access checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onebuf.backends.host_memory import HostMemoryDriver
from onebuf.backends.kernel_launch import linear_program
from onebuf.backends.reference.interpreter import SlotMemory, execute
from onebuf.dtypes import DT, Array, kind
from onebuf.graph import REDUCE, Op
from onebuf.machine import Device, DeviceBlock, Facts, check_place
from onebuf.scheduler.fuse.group import Group


def count() -> int:
    """There is one."""
    return 1


def open(device: Device) -> PythonDriver:
    """The driver of any queue: each runs its work at once."""
    check_place(device, 1, None)
    return PythonDriver(device)


class PythonDriver(HostMemoryDriver):
    """Kernels, one work-item after another."""

    def facts(self) -> Facts:
        """Its purpose."""
        told = "kernels interpreted in Python, every access checked: for tests"
        return Facts(told, queues=None)

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Every operation of the linear form, which has no reduction of complex products."""
        return op is not REDUCE["prod"] or kind(result) != "c"

    def prepare(self, group: Group) -> PythonLaunch:
        """A kernel, lowered."""
        return PythonLaunch(group)


class PythonLaunch:
    """A kernel as a linear program."""

    def __init__(self, group: Group) -> None:
        self._program = linear_program(group)
        self._dtypes = [slot.dtype for slot in group.nest.slots]

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Interpret it."""
        memories = {
            number: SlotMemory(_elements(block, dtype))
            for number, (block, dtype) in enumerate(zip(blocks, self._dtypes, strict=True))
            if block is not None
        }
        execute(self._program, memories, scalars)


def _elements(block: DeviceBlock, dtype: DT) -> Array:
    nbytes = block.nbytes // dtype.itemsize * dtype.itemsize
    return block.memory[:nbytes].view(dtype)  # type: ignore[no-any-return]
