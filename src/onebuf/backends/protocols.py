"""Drivers that compute: the interfaces that the engine uses, besides memory and transfers.

There are two families. *Kernel drivers* have flat memory and run kernels: the scheduler's groups,
lowered to the linear form and rendered for the device. *Array drivers* hold the arrays of a library
and run operations on them one by one. A driver may also do neither, and only store elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.graph import Node, Op
from onebuf.layout import View
from onebuf.machine import DeviceBlock, Driver, Event

if TYPE_CHECKING:
    from onebuf.scheduler.fuse.group import Group


class Launch(Protocol):
    """A compiled kernel, for any memory of the sizes that it was prepared for."""

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Queue it, with a block for each slot of the group's nest (None for slots without memory)
        and the values of the group's scalars.

        Slot ``n`` is reached through ``group.reaches[n].view``, from the first byte of its block.
        Raises `IndexRangeError` if an index that the kernel reads is out of range.
        """


class Seen(NamedTuple):
    """The elements of a block that a view selects."""

    block: DeviceBlock
    dtype: DT
    view: View


@runtime_checkable
class KernelDriver(Driver, Protocol):
    """A device that runs kernels on flat memory."""

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whether a kernel may contain ``op`` on operands of these dtypes."""

    def unwrap(self, block: DeviceBlock) -> Any:
        """The memory of a block, as an object of the device's own library."""

    def prepare(self, group: Group) -> Launch:
        """A kernel, lowered, rendered and compiled; kernels of one structure share a program."""


@runtime_checkable
class ArrayDriver(Driver, Protocol):
    """A device whose blocks hold arrays of a library: ``block.memory`` has the node's shape."""

    def dtype_of(self, native: Any) -> DT:
        """The dtype of one of the library's arrays."""

    def wrap(self, native: Any) -> DeviceBlock:
        """A block on an array of the library, whose memory is shared."""

    def native(self, block: DeviceBlock, dtype: DT, view: View | None) -> Any:
        """The elements of a block that a view selects (None: all), as the library's array."""

    def put(self, array: Array) -> DeviceBlock:
        """A block with the elements of a host array, copied."""

    def get(self, native: Any) -> Array:
        """The elements of the library's array on the host."""

    def compute(
        self, op: Op, operands: tuple[Any, ...], arg: Any, shape: tuple[int, ...], dtype: DT
    ) -> DeviceBlock:
        """The result of an operation on the library's arrays."""

    def write(self, block: DeviceBlock, dtype: DT, view: View | None, value: Any) -> None:
        """Write the library's array ``value``, broadcast, to the elements that a view selects.

        In place if the library's arrays can be written; else ``block.memory`` is a new array.
        """


@runtime_checkable
class InterpretingDriver(KernelDriver, Protocol):
    """A device whose memory NumPy can use: operations without a kernel run on NumPy's loops."""

    def interpret(self, node: Node, operands: Sequence[Array | Seen], block: DeviceBlock) -> None:
        """Compute a node into a block, from elements of other blocks or from arrays of the host."""


@runtime_checkable
class DirectDriver(Driver, Protocol):
    """A device that copies from related ones without a detour over the host."""

    def is_related_to(self, other: Any) -> bool:
        """Whether blocks of another driver can be copied directly."""

    def copy_from(self, home: Any, source: DeviceBlock, target: DeviceBlock) -> Event:
        """Begin to copy a block of a related driver into one of ours that is no smaller."""


@runtime_checkable
class NearDriver(Driver, Protocol):
    """A device that can use memory of the host without a copy."""

    def from_host(self, array: Array) -> DeviceBlock:
        """A block on the memory of a host array, which it keeps alive; an error if it cannot be."""


_families: dict[tuple[type, type], bool] = {}
"""Whether drivers of a class have an interface; isinstance of a Protocol is slow."""


def holds_arrays(driver: Any) -> TypeGuard[ArrayDriver]:
    """Whether a driver holds the arrays of a library."""
    return _is_of(driver, ArrayDriver)


def runs_kernels(driver: Any) -> TypeGuard[KernelDriver]:
    """Whether a driver runs kernels on flat memory."""
    return _is_of(driver, KernelDriver)


def interprets(driver: Any) -> TypeGuard[InterpretingDriver]:
    """Whether a driver runs operations without a kernel on NumPy's loops."""
    return _is_of(driver, InterpretingDriver)


def copies_directly(driver: Any) -> TypeGuard[DirectDriver]:
    """Whether a driver may copy without a detour over the host."""
    return _is_of(driver, DirectDriver)


def uses_host_memory(driver: Any) -> TypeGuard[NearDriver]:
    """Whether a driver may use memory of the host without a copy."""
    return _is_of(driver, NearDriver)


def _is_of(driver: Any, family: type) -> bool:
    key = (driver.__class__, family)
    found = _families.get(key)
    if found is None:
        found = _families[key] = isinstance(driver, family)
    return found
