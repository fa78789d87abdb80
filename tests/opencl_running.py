"""Nests run on the device, on memory that a test chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import onebuf
from onebuf.backends.opencl.launch import ClLaunch
from onebuf.kernel import LOAD, STORE, Nest, Slot, Step
from onebuf.kernel.linear import Opt
from onebuf.layout import View
from onebuf.machine import DeviceBlock

Array = np.ndarray[Any, Any]
DEVICE = "OPENCL"


def driver() -> Any:
    return onebuf.device(DEVICE).driver


def upload(array: Array) -> DeviceBlock:
    block = driver().allocator.allocate(array.nbytes)
    driver().upload(np.ascontiguousarray(array), block)
    return block


def download(block: DeviceBlock, shape: tuple[int, ...], dtype: Any) -> Array:
    out = np.empty(shape, dtype)
    driver().download(block, out.reshape(-1).view(np.uint8)).wait()
    return out


def launched(
    nest: Nest,
    extents: Any,
    views: Any,
    scalars: Any,
    memory: dict[int, Array],
    opts: Sequence[Opt] | None,
) -> dict[int, Array]:
    """What is in the memory of all slots that are written afterwards."""
    launch = ClLaunch(driver().queue, nest, extents, views, scalars, opts)
    blocks = [upload(memory[n]) if n in memory else None for n in range(len(nest.slots))]
    launch.run(blocks, scalars)
    return {
        n: download(blocks[n], memory[n].shape, memory[n].dtype)  # type: ignore[arg-type]
        for n in nest.written
    }


class Bundle:
    """Many operations on vectors of one length, in one kernel: compilers take their time."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.slots: list[Slot] = []
        self.steps: list[Step] = []
        self.memory: dict[int, Array] = {}
        self.expected: list[tuple[Any, int, Array]] = []

    def load(self, array: Array) -> int:
        slot = self._slot(np.resize(array, self.length))
        self.steps.append(Step(LOAD, (), array.dtype, slot))
        return len(self.steps) - 1

    def _slot(self, array: Array) -> int:
        self.slots.append(Slot(array.dtype, (1,)))
        self.memory[len(self.slots) - 1] = array
        return len(self.slots) - 1

    def add(self, op: Any, args: tuple[int, ...], dtype: Any, arg: Any = None) -> int:
        self.steps.append(Step(op, args, np.dtype(dtype), arg))
        return len(self.steps) - 1

    def expect(self, what: Any, number: int, expected: Array) -> None:
        slot = self._slot(np.zeros(self.length, self.steps[number].dtype))
        self.steps.append(Step(STORE, (number,), self.steps[number].dtype, slot))
        self.expected.append((what, slot, np.resize(expected, self.length)))

    def run(self) -> list[tuple[Any, Array, Array]]:
        """What was expected to be what, and the two."""
        nest = Nest(1, tuple(self.slots), tuple(self.steps))
        views = [View.contiguous((self.length,))] * len(self.slots)
        found = launched(nest, (self.length,), views, (), self.memory, ())
        return [(what, found[slot], expected) for what, slot, expected in self.expected]
