"""The device that interprets kernels in pure Python: slow, and it checks every access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf.backends.host_memory import HostMemoryDriver
from onebuf.backends.reference.interpreter import Memory, execute
from onebuf.dtypes import kind
from onebuf.graph import REDUCE, Op
from onebuf.kernel.linear import lower, verify
from onebuf.machine import Device, DeviceBlock, Facts, check_place
from onebuf.scheduler.fuse.group import Group

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]


def count() -> int:
    """There is one."""
    return 1


def open(device: Device) -> PythonDriver:
    """The driver; there may be any number of queues, as each does its work at once."""
    check_place(device, 1, None)
    return PythonDriver(device)


class PythonDriver(HostMemoryDriver):
    """Kernels, one work-item after another."""

    def facts(self) -> Facts:
        """What it is."""
        told = "kernels interpreted in Python, every access checked: for tests"
        return Facts(told, queues=None)

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whatever the linear form can say: no product of complex numbers, which has two parts."""
        return op is not REDUCE["prod"] or kind(result) != "c"

    def prepare(self, group: Group) -> PythonLaunch:
        """A kernel, lowered."""
        return PythonLaunch(group)


class PythonLaunch:
    """A kernel that is ready to be interpreted."""

    def __init__(self, group: Group) -> None:
        views = [reach.view for reach in group.reaches]
        self._program = verify(lower(group.nest, group.extents, views, group.scalars))
        self._dtypes = [slot.dtype for slot in group.nest.slots]

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Interpret it."""
        memories = {
            number: Memory(_elements(block, dtype))
            for number, (block, dtype) in enumerate(zip(blocks, self._dtypes, strict=True))
            if block is not None
        }
        execute(self._program, memories, scalars)


def _elements(block: DeviceBlock, dtype: DT) -> Array:
    nbytes = block.nbytes // dtype.itemsize * dtype.itemsize
    return block.memory[:nbytes].view(dtype)  # type: ignore[no-any-return]
