"""Blocks: contiguous memory, its owner, and the windows that pin it.

Blocks know bytes, not elements. Memory lives exactly as long as its block, and a block lives as
long as anything holds it: the nodes that view it, and every *window* handed out to foreign code.
A window is an ordinary NumPy array whose base is the block's pin, so that no window can outlive
its memory and memory that has a window is never reused.

Foreign memory can be taken twice, and memory that was handed out can come back. Blocks on the same
bytes find each other by address (`onebuf.memory.territory`).
"""

from __future__ import annotations

import mmap
import pickle
import weakref
from collections.abc import Callable, Sequence
from gc import get_referents
from typing import Any

import numpy as np

from onebuf.memory.address import address_of
from onebuf.memory.process_maps import mapped_from
from onebuf.memory.territory import MEMORY, Territory, file_territory, introduce


class Pin(np.ndarray[Any, Any]):
    """The bytes of a block as an array that keeps the block alive: the base of its windows."""

    block: Block


class Hold(Pin):
    """A pin that is no window: it keeps a block alive while code inside the package reads it."""


def _owner(array: np.ndarray[Any, Any]) -> Any:
    """The object at the end of a chain of views, which every array on its memory leads to."""
    owner: Any = array
    below: Any
    while not isinstance(owner, Pin):
        if isinstance(owner, np.ndarray):
            below = owner.base
        elif isinstance(owner, memoryview):
            below = owner.obj
        elif owner.__class__.__name__ == "_buffer_wrapper":  # around what a `__buffer__` returned
            below = next((x for x in get_referents(owner) if isinstance(x, memoryview)), None)
        else:
            break
        if below is None:
            break
        owner = below
    return owner


def _no_pin() -> None:
    """In place of a reference to a pin, for blocks that are in a territory without one."""


_WARN_ON_WRITE = 1 << 31


def is_writable(array: np.ndarray[Any, Any]) -> bool:
    """Whether ``array`` may be written to.

    NumPy still lets the results of ``broadcast_arrays`` be written, with a warning that they will
    be read only; here they are, because one element of memory stands in several places.
    """
    flags = array.flags
    return not flags.num & _WARN_ON_WRITE and flags.writeable


class Block:
    """Flat memory from ``address`` on, ``nbytes`` long.

    ``memory`` is any object with the buffer protocol; the block starts ``offset_bytes`` into it.
    ``readers`` belongs to pending work: weak references to the nodes that must be computed before
    the memory is written.
    """

    __slots__ = (
        *("memory", "offset_bytes", "nbytes", "address", "writable", "readers"),
        *("territory", "_pin", "__weakref__"),
    )

    def __init__(
        self, memory: Any, offset_bytes: int, nbytes: int, address: int, writable: bool
    ) -> None:
        self.memory = memory
        self.offset_bytes = offset_bytes
        self.nbytes = nbytes
        self.address = address
        self.writable = writable
        self.readers: dict[Any, Any] = {}
        self.territory: Territory | None = None
        self._pin: Callable[[], Pin | None] | None = None

    @staticmethod
    def foreign(array: np.ndarray[Any, Any]) -> Block:
        """The memory under a foreign array, which stays alive as long as the block.

        >>> array = np.arange(6)[::-2]
        >>> Block.foreign(array).nbytes  # from element 1 to element 5
        40
        """
        owner = _owner(array)
        if isinstance(owner, Pin) and owner.block._is_described_by(array):
            return owner.block  # a window of ours has come back
        flat = _flat_bytes(array)
        block = ForeignBlock(flat, 0, flat.size, address_of(flat), is_writable(array))
        block._pin = _no_pin
        if not block.nbytes:
            return block
        MEMORY.enter(block, block.address, block.nbytes)
        for other in MEMORY.overlapping(block.address, block.nbytes):
            if isinstance(other, Block) and other._takes_back(block, array):
                return other  # a window whose owner was lost on its way
            if other is not block:
                introduce(block, other)
        if isinstance(owner, mmap.mmap):
            block.settle_in_file()
        return block

    @staticmethod
    def beside(array: np.ndarray[Any, Any], readers: dict[Any, Any]) -> Block:
        """One more block on memory that is known already, with a table of readers that exists.

        ``array`` has no gaps, and keeps the memory alive. Other blocks on it become neighbours.

        >>> first = Block.foreign(np.arange(6))
        >>> second = Block.beside(first.window((6,), np.dtype(int)), {})
        >>> second is first, second.address == first.address
        (False, True)
        """
        flat = array.reshape(-1).view(np.uint8)
        block = ForeignBlock(flat, 0, flat.size, address_of(flat), is_writable(array))
        block._pin = _no_pin
        block.readers = readers
        MEMORY.settle(block, block.address)
        return block

    def settle_in_file(self) -> None:
        """Get to know the blocks on other mappings of the file that this memory is mapped from."""
        if self.territory is None:
            place = mapped_from(self.address)
            if place is not None:
                self.territory = file_territory(place.file)
                self.territory.settle(self, place.position)

    def _takes_back(self, block: Block, array: np.ndarray[Any, Any]) -> bool:
        """Whether ``array``, whose bytes are those of ``block``, is on memory of this one's."""
        end = self.address + self.nbytes
        is_inside = self.address <= block.address and block.address + block.nbytes <= end
        return is_inside and self._is_described_by(array)

    def _is_described_by(self, window: np.ndarray[Any, Any]) -> bool:
        """Whether ``window`` may be written as this block may, and starts at a whole element."""
        distance = address_of(window) - self.address
        return is_writable(window) == self.writable and distance % window.itemsize == 0

    @property
    def is_shared(self) -> bool:
        """Whether others can write to this memory without asking."""
        return self.has_window

    @property
    def has_window(self) -> bool:
        """Whether foreign code holds a window on this block's memory.

        Foreign memory is kept alive by its owner, so windows on it are not counted.
        """
        return self._pin is not None and self._pin() is not None

    def pin(self) -> Pin:
        """The base of all windows, for as long as there is one."""
        if self._pin is None:
            MEMORY.enter(self, self.address, self.nbytes)
            pin = None
        else:
            pin = self._pin()
        if pin is None:
            pin = Pin((self.nbytes,), np.uint8, self.memory, self.offset_bytes)
            pin.block = self
            if not self.writable:
                pin.flags.writeable = False
            self._pin = weakref.ref(pin)
        return pin

    def window(
        self,
        shape: Sequence[int],
        dtype: np.dtype[Any],
        stride_bytes: Sequence[int] | None = None,
        offset_bytes: int = 0,
    ) -> np.ndarray[Any, Any]:
        """A NumPy array on this memory that is safe to hand out."""
        pin = self.pin()
        if 0 in shape:
            return _empty_window(pin, shape, dtype)
        return np.ndarray(shape, dtype, pin, offset_bytes, stride_bytes)

    def held(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """``array``, which lies on this block, as one that keeps the block alive: to be read."""
        if not array.size:
            return array
        hold = Hold((self.nbytes,), np.uint8, self.memory, self.offset_bytes)
        hold.block = self
        distance = address_of(array) - self.address
        return np.ndarray(array.shape, array.dtype, hold, distance, array.strides)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        flat = self.window((self.nbytes,), np.dtype(np.uint8))
        if protocol < 5:
            return _restore, (flat.tobytes(), self.writable)
        return _restore, (pickle.PickleBuffer(flat.data), self.writable)

    def array(self, shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """A contiguous NumPy array on this memory that does *not* keep the block alive.

        For use inside onebuf, next to a reference to the block.
        """
        return np.ndarray(shape, dtype, self.memory, self.offset_bytes)


def _restore(content: Any, writable: bool) -> Block:
    """A block from a pickle: on the buffer it travelled in, unless that is read only."""
    flat = np.frombuffer(content, np.uint8)
    return Block.foreign(flat.copy() if writable and isinstance(content, bytes) else flat)


def _empty_window(pin: Pin, shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A window on nothing; NumPy would refuse strides and offsets beyond the end."""
    return np.ndarray(shape, dtype, pin)


class ForeignBlock(Block):
    """Memory with a foreign owner."""

    __slots__ = ()
    is_shared = True

    def _takes_back(self, block: Block, array: np.ndarray[Any, Any]) -> bool:
        return False


class _Bytes:
    """A stretch of memory, described to NumPy; keeps the array that it belongs to."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: np.ndarray[Any, Any], address: int, nbytes: int) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, not is_writable(owner)),
            "shape": (nbytes,),
            "typestr": "|u1",
        }


def _flat_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Every byte between the first and the last element of ``array``, sharing its memory."""
    if array.flags.c_contiguous or array.size == 0:
        return array.reshape(-1).view(np.uint8)
    if array.flags.f_contiguous:
        return array.T.reshape(-1).view(np.uint8)
    address = address_of(array)
    nbytes = array.itemsize
    for length, step in zip(array.shape, array.strides, strict=True):
        reach = (length - 1) * step
        nbytes += abs(reach)
        address += min(reach, 0)
    return np.asarray(_Bytes(array, address, nbytes))
