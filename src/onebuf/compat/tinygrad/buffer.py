"""tinygrad's ``Buffer``: elements of one dtype in memory that is taken and given back by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.compat.tinygrad.dtype import DType, to_dtype
from onebuf.compat.tinygrad.memory_views import flat_bytes, mv_address
from onebuf.compat.tinygrad.names import find
from onebuf.errors import ArgumentError, DeviceError, ReadOnlyError
from onebuf.machine import DeviceBlock, RawMemory


@dataclass(frozen=True, slots=True)
class BufferSpec:
    """How memory is to be had. Here, only where it is given by its address means something."""

    image: Any = None
    uncached: bool = False
    cpu_access: bool = False
    host: bool = False
    nolru: bool = False
    zero: bool = False
    external_ptr: int | None = None
    owner: Any = None
    """The owner of the memory at ``external_ptr``, kept alive as long as that is used."""


class Buffer:
    """``size`` elements on a device, to be allocated; they are zero then.

    >>> from onebuf.compat.tinygrad.dtype import dtypes
    >>> buffer = Buffer("CPU", 4, dtypes.int8, options=BufferSpec(cpu_access=False)).allocate()
    >>> buffer.is_allocated(), buffer.nbytes, bytes(buffer.as_buffer())
    (True, 4, b'\\x00\\x00\\x00\\x00')
    """

    def __init__(
        self,
        device: str,
        size: int,
        dtype: DType,
        opaque: Any = None,
        options: BufferSpec | None = None,
        initial_value: Any = None,
        base: Buffer | None = None,
        offset: int = 0,
        preallocate: bool = False,
    ) -> None:
        self.size = size
        self.dtype = to_dtype(dtype)
        self.options = options
        self.offset = offset
        """Bytes from the first one of the base."""
        self._base = base
        nbytes = size * self.dtype.itemsize
        home = find(device)
        self._memory: RawMemory
        if base is None:
            if offset != 0:
                raise ArgumentError(
                    f"a buffer without a base starts at byte 0 of its memory, got offset={offset}; "
                    "make a view of a larger one"
                )
            self._memory = RawMemory(home, nbytes)
        else:
            if home is not base._memory.device:
                raise DeviceError(
                    f"a view needs the device of its base, {base._memory.device}, got {home}; copy "
                    "the elements to another device"
                )
            if opaque is not None:
                raise ArgumentError("a view has the memory of its base; give opaque to that")
            self._memory = base._memory.view(nbytes, offset)
        self.device = self._memory.device.name
        if opaque is not None:
            self.allocate(opaque)
        if initial_value is not None:
            self.ensure_allocated().copyin(initial_value)
        if preallocate:
            self.ensure_allocated()

    @property
    def base(self) -> Buffer:
        """The buffer whose memory this is a part of, or itself."""
        return self if self._base is None else self._base

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._memory.nbytes

    def is_allocated(self) -> bool:
        """Whether there is memory; a view has that of its base."""
        return self.base._memory.is_allocated

    def is_initialized(self) -> bool:
        """Whether it can be read and written."""
        return self._memory.is_allocated

    def ensure_allocated(self) -> Buffer:
        """Take memory unless there is some."""
        return self if self.is_initialized() else self.allocate()

    def allocate(
        self, opaque: Any = None, external_ptr: int | None = None, owner: Any = None
    ) -> Buffer:
        """Take memory: of the device, or that of ``opaque``, or that at an address.

        ``opaque`` is a block of the device's allocator, or exports memory of the host, which it
        shares. Memory that may not be written can only be read.
        """
        spec = self.options or BufferSpec()
        if external_ptr is None:
            external_ptr, owner = spec.external_ptr, spec.owner if owner is None else owner
        if isinstance(opaque, DeviceBlock):
            self._memory.take(opaque)
        elif opaque is not None:
            shared = flat_bytes(opaque)
            self._memory.check_size(shared, "taken")
            self._memory.adopt(mv_address(shared), shared, writable=shared.flags.writeable)
        elif external_ptr is not None:
            self._memory.adopt(external_ptr, owner)
        else:
            self._memory.allocate()
        return self

    def deallocate(self) -> None:
        """Give the memory back; views on it cannot be used any more.

        A view only lets go of its base. What was given as ``opaque`` or by its address stays its
        owner's. The buffer can be allocated again.
        """
        self._memory.free()

    def copyin(self, mv: Any) -> Buffer:
        """Copy all bytes from ``mv``, which exports as many."""
        self._memory.write(flat_bytes(mv))
        return self

    def copyout(self, mv: Any) -> Any:
        """Copy all bytes to ``mv``, which exports as many, and may be written."""
        out = flat_bytes(mv)
        if not out.flags.writeable:
            raise ReadOnlyError(f"copyout needs memory that may be written, got {mv!r}")
        self._memory.read(out)
        return mv

    def copy_from(self, src: Buffer) -> Buffer:
        """Copy all bytes from a buffer of the same size on any device."""
        return self.copyin(src.as_buffer(allow_zero_copy=True))

    def as_buffer(self, allow_zero_copy: bool = False, force_zero_copy: bool = False) -> memoryview:
        """The bytes: copied, or shared if that is allowed and possible, or has to be."""
        share = force_zero_copy or (allow_zero_copy and self._memory.can_share)
        return (self._memory.share() if share else self._memory.read()).data

    as_memoryview = as_buffer

    def numpy(self) -> np.ndarray[Any, Any]:
        """The elements, copied."""
        return self._memory.read().view(self.dtype.numpy)

    def view(self, size: int, dtype: DType, offset: int) -> Buffer:
        """``size`` elements of the same memory, from byte ``offset`` on."""
        return Buffer(self.device, size, dtype, base=self.base, offset=self.offset + offset)

    @property
    def _buf(self) -> DeviceBlock:
        return self._memory.block

    def __repr__(self) -> str:
        told = (
            f"real:{self.is_allocated()} device:{self.device} size:{self.size} dtype:{self.dtype}"
        )
        return f"<buf {told}{f' offset:{self.offset}' if self._base else ''}>"
