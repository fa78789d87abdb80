"""The device that interprets kernels in pure Python: slow, and it checks every access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf.backends.python import Memory, execute
from onebuf.dtypes import kind
from onebuf.errors import DeviceError
from onebuf.graph import REDUCE, Op
from onebuf.kernel import lower, verify
from onebuf.machine import CachingAllocator, Device, DeviceBlock, Facts
from onebuf.scheduler.groups import Group

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]


def count() -> int:
    """There is one."""
    return 1


def open(device: Device) -> PythonDriver:
    """The driver."""
    if device.parts.index:
        raise DeviceError(f"{device} is not there; there is one PYTHON device")
    return PythonDriver(device)


class Done:
    """Work that is over when the call returns."""

    is_done = True

    def wait(self) -> None:
        """Return at once."""

    def times(self) -> tuple[int, int]:
        """Nobody took the time."""
        return (0, 0)


DONE = Done()


def _get(nbytes: int) -> Array:
    return np.empty(nbytes, np.uint8)


def _drop(memory: Array) -> None:
    """Python lets go of it by itself."""


class HostMemoryDriver:
    """Memory of the host that belongs to a device: transfers are copies, done at once."""

    survives_fork = True

    def __init__(self, device: Device) -> None:
        self.allocator = CachingAllocator(device.name, _get, _drop)

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Done:
        """Copy bytes into a block."""
        block.memory[offset_bytes : offset_bytes + data.nbytes] = data.reshape(-1).view(np.uint8)
        return DONE

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Done:
        """Copy bytes out of a block."""
        out.reshape(-1).view(np.uint8)[:] = block.memory[offset_bytes : offset_bytes + out.nbytes]
        return DONE

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Done:
        """Copy a block."""
        target.memory[: source.nbytes] = source.memory[: source.nbytes]
        return DONE

    def synchronize(self) -> None:
        """Everything is over already."""


class PythonDriver(HostMemoryDriver):
    """Kernels, one work-item after another."""

    def facts(self) -> Facts:
        """What it is."""
        return Facts("kernels interpreted in Python, every access checked: for tests")

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
