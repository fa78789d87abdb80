"""DLPack: memory handed to other libraries, and taken from them, in a capsule.

Capsules are made and destroyed by the C code of NumPy or of the foreign library; this module only
reads and patches the header inside. A destructor written in Python could run in the middle of a
consumer's error and replace it. Element types that NumPy does not know (bfloat16, the 8-bit
floats) travel as unsigned integers of the same width, with the type code rewritten.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.errors import ArgumentTypeError, DTypeError, ExportError
from onebuf.events import Copied, listeners, tell
from onebuf.memory import POOL

DEVICE = (1, 0)
"""The host's memory, as ``__dlpack_device__`` names it."""

_HOST_DEVICES = {1: "CPU", 3: "CUDA host", 11: "ROCm host", 13: "CUDA managed"}
_VERSION = (1, 1)
_READ_ONLY, _IS_COPIED = 1, 2
_MAX_NDIM = 64
_MAX_NBYTES = 2**63 - 1
_UNSIGNED = 1
_PLAIN = 0x1 | 0x400
"""NumPy's flags of arrays that are contiguous and writeable."""
_KIND_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_CODES = {dtype: _KIND_CODES[dtypes.kind(dtype)] for dtype in (*dtypes.STANDARD, dtypes.float16)}
_FOREIGN_CODES = {dtypes.bfloat16: 4, dtypes.float8_e4m3fn: 10, dtypes.float8_e5m2: 12}
_TYPES = {(code, dtype.itemsize * 8): dtype for dtype, code in (_CODES | _FOREIGN_CODES).items()}


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor: what a capsule named ``dltensor`` points to."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned: what a capsule named ``dltensor_versioned`` points to."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_HEADERS: dict[bytes | None, type[_Managed | _ManagedVersioned]] = {
    b"dltensor": _Managed,
    b"dltensor_versioned": _ManagedVersioned,
}

# Prototypes of our own: the attributes of ctypes.pythonapi are shared by the whole process.
_capsule_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def export(
    window: np.ndarray[Any, Any],
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A capsule with the memory of ``window``: the whole of ``__dlpack__``.

    The memory stays alive until the consumer lets go of it. It is copied where it must be and
    ``copy`` allows it: strides that run backwards, and read-only memory for a consumer whose
    version of DLPack cannot be told so.

    >>> export(np.arange(3), max_version=(1, 0))  # doctest: +ELLIPSIS
    <capsule object "dltensor_versioned" at ...>
    """
    versioned = _check_request(stream, max_version, dl_device)
    flags = window.flags.num & _PLAIN
    is_usual = flags == _PLAIN and window.dtype not in _FOREIGN_CODES
    if copy is None and is_usual and window.size and min(window.strides, default=0) >= 0:
        return window.__dlpack__(max_version=max_version)
    if copy is not None and not isinstance(copy, bool | np.bool):
        raise ArgumentTypeError(f"copy needs True, False or None, got {copy!r}")
    window = _without_idle_strides(window)
    reason = "copy=True was asked for" if copy else _copy_reason(window, versioned)
    if reason is not None:
        if copy is False:
            raise ExportError(f"copy=False needs memory that can be shared as it is, but {reason}")
        window = aligned_copy(window, f"DLPack: {reason}")
    code = _FOREIGN_CODES.get(window.dtype)
    carrier = window if code is None else window.view(f"u{window.itemsize}")
    capsule = carrier.__dlpack__(max_version=max_version)
    if code is not None or (reason is not None and versioned):
        header = _header(capsule)
        if code is not None:
            header.tensor.code = code
        if reason is not None and isinstance(header, _ManagedVersioned):
            header.flags |= _IS_COPIED
    return capsule


def aligned_copy(window: np.ndarray[Any, Any], reason: str) -> np.ndarray[Any, Any]:
    """The elements of ``window`` in memory of their own, in C order, on a 64-byte boundary."""
    copied = POOL.allocate(window.nbytes).window(window.shape, window.dtype)
    copied[...] = window
    if listeners():
        tell(Copied(window.nbytes, reason))
    return copied


def take(obj: Any) -> tuple[np.ndarray[Any, Any], str | None]:
    """The elements of an object with ``__dlpack__``, and why that was a copy, if it was.

    Memory of which the capsule does not say that it may be written comes in read-only.
    """
    device, device_id = obj.__dlpack_device__() if hasattr(obj, "__dlpack_device__") else DEVICE
    if device not in _HOST_DEVICES:
        raise ExportError(
            f"needed memory that the host can read, got a {type(obj).__name__} on the DLPack "
            f"device ({int(device)}, {device_id}); move it to the CPU first"
        )
    _refuse_pending(obj)
    try:
        capsule = obj.__dlpack__(max_version=_VERSION)
    except TypeError as error:
        if type(error) is not TypeError:  # the library's own refusal, not an unknown argument
            raise
        capsule = obj.__dlpack__()  # a producer from before DLPack 1.0
    header = _header(capsule)
    tensor = header.tensor
    dtype = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        raise DTypeError(
            f"needed one of the dtypes {', '.join(dtypes.BY_NAME)}; got elements of "
            f"{getattr(obj, 'dtype', 'unknown dtype')} (DLPack type code {tensor.code}, "
            f"{tensor.bits} bits, {tensor.lanes} lanes); convert them first"
        )
    _check_tensor(obj, tensor, dtype.itemsize)
    copied = isinstance(header, _ManagedVersioned) and bool(header.flags & _IS_COPIED)
    array: np.ndarray[Any, Any]
    if dtype in _FOREIGN_CODES:
        code, tensor.code = tensor.code, _UNSIGNED
        try:
            array = np.from_dlpack(_Carrier(capsule))
        finally:
            tensor.code = code  # its deleter finds the header as its maker left it
        array = array.view(dtype)
    else:
        array = np.from_dlpack(_Carrier(capsule))
    return array, f"{type(obj).__name__}.__dlpack__ made a copy" if copied else None


class _Carrier:
    """Hands NumPy a capsule that was already taken from its producer."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DEVICE


def _header(capsule: Any) -> _Managed | _ManagedVersioned:
    name = _capsule_name(capsule)
    kind = _HEADERS.get(name)
    if kind is None:
        raise ExportError(f"needed a DLPack capsule that was not taken yet, got {capsule!r}")
    header = kind.from_address(_capsule_pointer(capsule, name))
    if isinstance(header, _ManagedVersioned) and header.major > 1:
        raise ExportError(
            f"needed a DLPack capsule of version 1, got version {header.major}.{header.minor}"
        )
    return header


def _check_tensor(obj: Any, tensor: _Tensor, itemsize: int) -> None:
    """Raise for a header that no memory can have; NumPy reads through its pointers unasked."""
    ndim = tensor.ndim
    if not 0 <= ndim <= _MAX_NDIM or (ndim and not tensor.shape):
        raise ExportError(
            f"{type(obj).__name__}.__dlpack__ needs 0 to {_MAX_NDIM} axes with their extents, got "
            f"{ndim}{'' if tensor.shape else ' and no extents'}"
        )
    shape = _integers(tensor.shape, ndim)
    strides = _integers(tensor.strides, ndim) if tensor.strides else shape[1:]
    numel = prod(shape)
    steps = zip(strides, shape, strict=False) if numel else ()
    reach = sum(abs(step) * (extent - 1) for step, extent in steps)
    if min(shape, default=0) < 0 or max(numel, reach) * itemsize > _MAX_NBYTES:
        raise ExportError(
            f"{type(obj).__name__}.__dlpack__ claims elements that no memory can hold: shape "
            f"{shape}, strides {strides if tensor.strides else None}"
        )
    if numel and not tensor.data:
        raise ExportError(
            f"{type(obj).__name__}.__dlpack__ claims {numel} elements and has no memory for them"
        )


def _integers(address: int, count: int) -> tuple[int, ...]:
    return tuple((ctypes.c_int64 * count).from_address(address)) if count else ()


def _check_request(stream: Any, max_version: Any, dl_device: Any) -> bool:
    """Raise unless the host can answer the request; whether it is for a versioned capsule."""
    if stream is not None:
        raise ExportError(f"host memory has no streams: stream needs to be None, got {stream!r}")
    if dl_device is not None and (not isinstance(dl_device, tuple) or dl_device != DEVICE):
        raise ExportError(
            f"this memory is on the DLPack device {DEVICE}, the CPU, and is not moved by an "
            f"export; got dl_device={dl_device!r}: take it to the CPU, then move it there"
        )
    if max_version is None:
        return False
    if (
        not isinstance(max_version, tuple)
        or len(max_version) != 2
        or not all(isinstance(part, int) for part in max_version)
    ):
        raise ArgumentTypeError(f"max_version needs (major, minor) or None, got {max_version!r}")
    return bool(max_version[0] >= 1)


def _without_idle_strides(window: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same elements; axes of length one or none, where strides mean nothing, run forwards."""
    if not any(
        step < 0 and length <= 1 for length, step in zip(window.shape, window.strides, strict=True)
    ):
        return window
    return window[
        tuple(
            slice(None, None, -1 if step < 0 and length <= 1 else 1)
            for length, step in zip(window.shape, window.strides, strict=True)
        )
    ]


def _copy_reason(window: np.ndarray[Any, Any], versioned: bool) -> str | None:
    if min(window.strides, default=0) < 0:
        return (
            f"its strides {window.strides} run backwards, which some libraries do not survive; "
            f"allow a copy"
        )
    if any(step % window.itemsize for step in window.strides):
        return f"its strides {window.strides} are no multiples of {window.itemsize} bytes"
    if not window.flags.writeable and not versioned:
        return (
            "it is read-only, which a capsule without a version cannot say; "
            "ask for max_version=(1, 0) or allow a copy"
        )
    return None


_PENDING = (
    ("requires_grad", "requires gradients, which would be lost", "detach"),
    ("is_conj", "is conjugated lazily, so its memory holds other numbers", "resolve_conj"),
    ("is_neg", "is negated lazily, so its memory holds other numbers", "resolve_neg"),
)


def _refuse_pending(obj: Any) -> None:
    """Raise for a tensor whose memory is not its value; torch exports a negated one unasked."""
    for name, state, cure in _PENDING:
        value = getattr(obj, name, False)
        if value is True or (callable(value) and value() is True):
            raise ExportError(f"this {type(obj).__name__} {state}; pass .{cure}() of it")
