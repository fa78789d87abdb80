"""tinygrad's helpers between ``memoryview`` and ctypes.

What they give keeps the memory's owner alive; sizes are bytes and are checked; read-only and empty
memory can be read. A memory view here is a ``memoryview``, a `Window`, or anything that exports
its memory.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from onebuf.errors import ArgumentError, ArgumentTypeError, ExportError
from onebuf.interop import view_foreign


def from_mv(mv: Any, to_type: Any = ctypes.c_char) -> Any:
    """A ctypes array of ``to_type`` on all the bytes of ``mv``.

    ctypes does not know read-only memory: writing through an array on it is undefined.

    >>> list(from_mv(memoryview(bytearray(b"\\1\\0\\2\\0")), ctypes.c_uint16))
    [1, 2]
    """
    memory = flat_bytes(mv)
    itemsize = ctypes.sizeof(to_type)
    if not itemsize or memory.size % itemsize:
        raise ArgumentError(
            f"needed a multiple of the {itemsize} bytes of {to_type.__name__}, "
            f"got {memory.size} bytes; pass a slice that fits"
        )
    array = (to_type * (memory.size // itemsize)).from_address(_address(memory))
    array._owner = memory
    return array


def to_mv(ptr: int, sz: int, owner: Any = None) -> memoryview:
    """The ``sz`` bytes at address ``ptr`` as a writable ``memoryview`` of format "B".

    An address does not say whose memory it is: pass ``owner`` to keep that alive too.

    >>> memory = (ctypes.c_int32 * 2)(1, 2)
    >>> to_mv(ctypes.addressof(memory), 8, owner=memory).tolist()
    [1, 0, 0, 0, 2, 0, 0, 0]
    """
    if sz < 0 or (sz > 0 and ptr <= 0):
        raise ArgumentError(f"needed an address and a size of at least 0, got {ptr} and {sz}")
    if sz == 0:
        return memoryview(bytearray())
    memory: Any = (ctypes.c_uint8 * sz).from_address(ptr)
    memory._owner = owner
    return memoryview(memory).cast("B")


def mv_address(mv: Any) -> int:
    """The address of the first element of ``mv``.

    >>> array = np.arange(4)
    >>> mv_address(array.data) == array.ctypes.data
    True
    """
    return _address(flat_bytes(mv))


def flat_mv(mv: Any) -> memoryview:
    """All the bytes of ``mv`` in a row, as a ``memoryview`` of format "B".

    >>> flat_mv(np.zeros((2, 3), "float16").data).shape
    (12,)
    """
    return flat_bytes(mv).data


def flat_bytes(mv: Any) -> np.ndarray[Any, Any]:
    """Every byte of ``mv``, on the same memory, which the array keeps alive."""
    try:
        return np.frombuffer(mv, np.uint8)
    except (TypeError, ValueError, BufferError):  # no buffer protocol, or none for this dtype
        foreign = view_foreign(mv)
    if foreign is None:
        raise ArgumentTypeError(f"needed an object that exports its memory, got {mv!r}")
    if foreign.copy_reason is not None or not foreign.array.flags.c_contiguous:
        raise ExportError(
            f"needed contiguous memory, got strides {foreign.array.strides} bytes for the shape "
            f"{foreign.array.shape}; copy the elements first"
        )
    return foreign.array.reshape(-1).view(np.uint8)


def _address(memory: np.ndarray[Any, Any]) -> int:
    return int(memory.__array_interface__["data"][0])
