"""Drivers of array libraries: blocks that hold a library's own arrays.

A block's ``memory`` is an array of the library, and positions in it count its elements in row-major
order, whatever its strides. So a user's tensor becomes a block without a copy, and comes out again
as the same object. Operations run one by one, in the library's functions.
"""

from __future__ import annotations

import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from onebuf.backends.host_memory import DONE, Done
from onebuf.backends.libraries.namespace import ArrayApi
from onebuf.dtypes import DT, Array
from onebuf.errors import (
    CopyError,
    DeviceError,
    DTypeError,
    OnebufError,
    OutOfMemory,
    ReadOnlyError,
)
from onebuf.graph import LIBRARY, Op
from onebuf.layout import View
from onebuf.machine import Device, DeviceBlock, Stats, negative_size

Shape = tuple[int, ...]

_LIBRARY_ERRORS = (RuntimeError, TypeError, ValueError, MemoryError)
_NO_MEMORY = ("alloc", "out of memory", "resource_exhausted")


class CountingAllocator:
    """The allocator of a library, which has its own: this one counts the bytes of blocks.

    Arrays of users that blocks share are not counted.
    """

    def __init__(self, driver: LibraryDriver) -> None:
        self._driver = weakref.ref(driver)
        self._lock = threading.RLock()
        self._in_use = self._peak = 0
        self.blocks: weakref.WeakSet[DeviceBlock] = weakref.WeakSet()

    def allocate(self, nbytes: int) -> DeviceBlock:
        """A block of bytes with undefined content."""
        if nbytes < 0:
            raise negative_size(nbytes)
        driver = self._driver()
        assert driver is not None
        return self.block(driver.bare(nbytes), nbytes)

    def block(self, memory: Any, nbytes: int) -> DeviceBlock:
        """A block on a new array."""
        with self._lock:
            self._in_use += nbytes
            self._peak = max(self._peak, self._in_use)
        block = DeviceBlock(memory, nbytes, lambda memory: self._freed(nbytes))
        self.blocks.add(block)
        return block

    def _freed(self, nbytes: int) -> None:
        with self._lock:
            self._in_use -= nbytes

    def stats(self) -> Stats:
        """Bytes in use, cached by the library, and at the peak."""
        driver = self._driver()
        return Stats(self._in_use, driver.cached() if driver is not None else 0, self._peak)

    def trim(self) -> int:
        """Free the library's cache; returns how many bytes that were."""
        driver = self._driver()
        return driver.trim() if driver is not None else 0


class LibraryDriver(ABC):
    """A device of an array library. A subclass has what differs between libraries.

    The library orders its work itself: queues of one device only differ in the arrays they hold.
    """

    survives_fork = False
    """Libraries have threads, which do not exist in a forked child."""
    library: str

    def __init__(self, device: Device, api: ArrayApi) -> None:
        self.name = device.name
        self.api = api
        self.allocator = CountingAllocator(self)

    # -- arrays in and out -------------------------------------------------------------------------

    def dtype_of(self, native: Any) -> DT:
        """The dtype of one of the library's arrays."""
        return self.api.dtype_of(native)

    def wrap(self, native: Any) -> DeviceBlock:
        """A block on an array of the library, whose memory is shared."""
        self.check(native)
        dtype = self.api.dtype_of(native)
        return DeviceBlock(native, prod(native.shape) * dtype.itemsize, keeps=native)

    def from_host(self, array: Array) -> DeviceBlock:
        """A block on the memory of a host array; an error where the library cannot share it."""
        raise CopyError(f"{self.name} cannot use this memory of the host where it is")

    def put(self, array: Array) -> DeviceBlock:
        """A block with the elements of a host array, copied."""
        return self._new(self._from_host(array), array.nbytes)

    def _from_host(self, array: Array) -> Any:
        """The elements of a host array, copied."""
        return self._typed(
            "a copy from the host", (), self.api.from_host, np.array(array, order="C")
        )

    def _new(self, native: Any, nbytes: int) -> DeviceBlock:
        return self.allocator.block(native, nbytes)

    def native(self, block: DeviceBlock, dtype: DT, view: View | None = None) -> Any:
        """The library's array of what a view sees of a block; None: all of it.

        It shares the memory of the block where strides can express the view.
        """
        memory = self._elements(block, dtype)
        if view is None or view == View.contiguous(tuple(memory.shape)):
            return memory
        assert view.mask is None, "padding has no elements"
        if not view.numel:
            return self._typed("a view", (), self.api.empty, view.shape, dtype)
        return self._typed("a view", (memory,), self.seen, memory, view)

    def _elements(self, block: DeviceBlock, dtype: DT) -> Any:
        """The array of a block; the bytes of one with another dtype are reinterpreted."""
        memory = block.memory
        if self.api.dtype_of(memory) == dtype:
            return memory
        return self.reinterpreted(memory, block.nbytes // dtype.itemsize, dtype)

    # -- computing ---------------------------------------------------------------------------------

    def compute(
        self, op: Op, operands: tuple[Any, ...], arg: Any, shape: Shape, dtype: DT
    ) -> DeviceBlock:
        """The result of an operation on the library's arrays."""
        if op is LIBRARY:
            name = getattr(arg, "name", "") or "this function"
            raise DeviceError(
                f"{self.name} has no {name}, which is computed in the memory of the host; move its "
                f"operands there first, with to_device('CPU')"
            )
        result = self._typed(op.name, operands, self.run, op, operands, arg, shape, dtype)
        assert tuple(result.shape) == shape, f"{op} came out with shape {tuple(result.shape)}"
        return self._new(result, prod(shape) * dtype.itemsize)

    def run(self, op: Op, operands: tuple[Any, ...], arg: Any, shape: Shape, dtype: DT) -> Any:
        """The library's array of a result, in memory that no operand has."""
        return self.api.run(op, operands, arg, shape, dtype)

    def write(self, block: DeviceBlock, dtype: DT, view: View | None, value: Any) -> None:
        """Write the library's array ``value`` to what a view sees of a block.

        ``block.memory`` is another array afterwards if the library's arrays are immutable.
        """
        memory = self._elements(block, dtype)
        view = View.contiguous(tuple(memory.shape)) if view is None else view
        if view.overlaps_itself:
            raise ReadOnlyError(
                f"a write needs a place for each element, got a view of shape {view.shape} and "
                f"strides {view.stride}, in which some share theirs; write to a copy"
            )
        if view.numel:
            self._typed("a write", (memory, value), self._fitted, block, memory, view, value)

    def _fitted(self, block: DeviceBlock, memory: Any, view: View, value: Any) -> None:
        value = self.api.cast(value, self.api.dtype_of(memory))
        self.store(block, memory, view, self.api.namespace.broadcast_to(value, view.shape))

    def _typed(self, what: str, operands: Sequence[Any], function: Any, *args: Any) -> Any:
        """Call the library, and turn its errors into ours."""
        try:
            return function(*args)
        except OnebufError:
            raise
        except _LIBRARY_ERRORS as error:
            raise self._refusal(what, operands, error) from error

    def _refusal(self, what: str, operands: Sequence[Any], error: Exception) -> OnebufError:
        text = f"{self.name}: {self.library} could not compute {what}"
        if operands:
            text += " of " + " and ".join(self.api.dtype_of(one).name for one in operands)
        text += f" ({str(error).strip().splitlines()[0] if str(error).strip() else error!r})"
        if isinstance(error, MemoryError) or any(w in str(error).lower() for w in _NO_MEMORY):
            return OutOfMemory(f"{text}; delete buffers that are no longer needed")
        if isinstance(error, NotImplementedError | TypeError):
            return DTypeError(
                f"{text}; convert with astype(...), or compute after to_device('CPU')"
            )
        return DeviceError(f"{text}; compute it on the host, after to_device('CPU')")

    # -- bytes -------------------------------------------------------------------------------------

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Done:
        """Copy bytes into a block."""
        block.check_range(offset_bytes, data.nbytes)
        host = self.get(block.memory)
        part = host.reshape(-1).view(np.uint8)[offset_bytes : offset_bytes + data.nbytes]
        part[:] = data.reshape(-1).view(np.uint8)
        self.write(block, host.dtype, None, self._from_host(host))
        return DONE

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Done:
        """Copy bytes out of a block."""
        block.check_range(offset_bytes, out.nbytes)
        host = np.ascontiguousarray(self.peek(block.memory)).reshape(-1).view(np.uint8)
        out.reshape(-1).view(np.uint8)[:] = host[offset_bytes : offset_bytes + out.nbytes]
        return DONE

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Done:
        """Copy a block."""
        return self.upload(np.ascontiguousarray(self.peek(source.memory)), target)

    def get(self, native: Any) -> Array:
        """The elements of the library's array on the host, in memory of their own."""
        return np.array(self._typed("a copy to the host", (), self.peek, native), order="C")

    # -- what differs between libraries ------------------------------------------------------------

    @abstractmethod
    def check(self, native: Any) -> None:
        """Raise if an array cannot be wrapped."""

    @abstractmethod
    def peek(self, native: Any) -> Array:
        """The elements of the library's array on the host, copied only if they have to be."""

    @abstractmethod
    def bare(self, nbytes: int) -> Any:
        """A new array of bytes."""

    @abstractmethod
    def reinterpreted(self, memory: Any, count: int, dtype: DT) -> Any:
        """The bytes of an array as ``count`` elements of ``dtype``."""

    @abstractmethod
    def seen(self, memory: Any, view: View) -> Any:
        """What a view without padding, which has elements, sees of an array."""

    @abstractmethod
    def store(self, block: DeviceBlock, memory: Any, view: View, value: Any) -> None:
        """Write to what a view sees of the array of a block."""

    def cached(self) -> int:
        """Bytes in the library's cache."""
        return 0

    def trim(self) -> int:
        """Free them; returns how many bytes that were."""
        return 0
