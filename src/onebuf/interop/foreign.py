"""Foreign memory: the elements of another library's object as a NumPy array on the same memory.

Nothing is copied here. Where memory cannot be shared, the result says why, and the caller makes a
copy in memory of its own. Read-only memory stays read-only, and the foreign owner
stays alive as long as the array does.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from onebuf.dtypes import ALL, as_dtype
from onebuf.errors import CopyError, DTypeError, ExportError, OnebufError
from onebuf.interop import dlpack
from onebuf.memory import address_of, is_writable

_DTYPES = {dtype: dtype for dtype in ALL}
"""The one object that stands for each dtype; looking up its name would cost 3 us."""
_BUILTINS = frozenset((list, tuple, str, int, float, complex, bool, type(None), range, dict, set))
_REFUSALS = (BufferError, TypeError, ValueError, RuntimeError, AttributeError)

_FORMAT_KINDS = {
    **dict.fromkeys("bhilqn", "i"),
    **dict.fromkeys("cBHILQNP", "u"),
    **dict.fromkeys("efd", "f"),
    **dict.fromkeys(("Zf", "Zd", "F", "D"), "c"),
    "?": "b",
}


class Foreign(NamedTuple):
    """The elements of a foreign object.

    ``array`` is on the object's own memory, unless ``copy_reason`` says why that memory cannot
    be used as it is; then its elements are to be copied.
    """

    array: np.ndarray[Any, Any]
    copy_reason: str | None


def view_foreign(obj: Any, *, copy: bool | None = None) -> Foreign | None:
    """The elements of ``obj`` without copying them, or None if it exports no memory.

    Asked in this order: NumPy's arrays, DLPack, the array interfaces, the buffer protocol, and
    ``__array__``. With ``copy=True`` there always is a reason to copy; with ``copy=False`` a
    reason raises `CopyError`.

    >>> view_foreign(bytearray(b"abc"))
    Foreign(array=array([97, 98, 99], dtype=uint8), copy_reason=None)
    >>> view_foreign(np.array([1, 2], ">i4")).copy_reason
    "its bytes are not in this machine's order"
    >>> view_foreign([1, 2]) is None
    True
    """
    if type(obj) in _BUILTINS or isinstance(obj, type):
        return None
    found = _find(obj)
    if found is None:
        return None
    array, reason = found
    dtype = _DTYPES.get(array.dtype)
    if dtype is None:
        _check_swapped(obj, array.dtype)
        reason = reason or "its bytes are not in this machine's order"
    elif array.dtype is not dtype:
        array = array.view(dtype)
    reason = reason or _layout_reason(array)
    if reason is not None and copy is False:
        raise CopyError(
            f"copy=False needs memory that can be shared, but for this {type(obj).__name__} "
            f"{reason}; allow the copy with copy=None"
        )
    return Foreign(array, "copy=True was asked for" if copy else reason)


def _check_swapped(obj: Any, dtype: np.dtype[Any]) -> None:
    """Raise unless ``dtype`` is a supported one in the other byte order."""
    try:
        as_dtype(dtype)
    except DTypeError as error:
        raise DTypeError(f"{type(obj).__name__}: {error}; convert its elements first") from None


def _layout_reason(array: np.ndarray[Any, Any]) -> str | None:
    """Why a view in whole elements cannot describe ``array``, if so."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned:
        return None
    steps = zip(array.shape, array.strides, strict=True)
    if array.size and any(length > 1 and step % array.itemsize for length, step in steps):
        return f"its strides {array.strides} are no multiples of {array.itemsize} bytes"
    if not flags.aligned:
        return f"its address is no multiple of the {array.dtype.alignment} bytes that it needs"
    return None


Found = tuple[np.ndarray[Any, Any], str | None]


def _find(obj: Any) -> Found | None:
    """The first protocol that works; an error if there are some and none does."""
    if isinstance(obj, np.ndarray):
        return _plain(obj), None
    if isinstance(obj, np.generic):
        return np.asarray(obj), "a NumPy scalar is a value without memory of its own"
    _refuse_nulls(obj)
    refusals = []
    for protocol in _PROTOCOLS:
        try:
            found = protocol(obj)
        except (OnebufError, RecursionError):
            raise
        except _REFUSALS as error:
            refusals.append(error)
        else:
            if found is not None:
                return found
    if hasattr(obj, "__cuda_array_interface__"):
        raise ExportError(
            f"needed memory that the host can read, got a {type(obj).__name__} on a GPU; "
            f"move it to the CPU first"
        )
    if refusals:
        told = "; ".join(dict.fromkeys(str(error) for error in refusals))
        kind = next(kind for base, kind in _REFUSED if isinstance(refusals[0], base))
        raise kind(f"{type(obj).__name__} does not hand out its memory: {told}") from refusals[0]
    return None


class NotImplementedRefusal(ExportError, NotImplementedError):
    """What an object says to being asked for its memory, also as the error that it raised."""


class RuntimeRefusal(ExportError, RuntimeError):
    """The same, for an object that raises a RuntimeError."""


class TypeRefusal(ExportError, TypeError):
    """The same, for an object that raises a TypeError."""


class ValueRefusal(ExportError, ValueError):
    """The same, for an object that raises a ValueError."""


_REFUSED: tuple[tuple[type[Exception], type[ExportError]], ...] = (
    (NotImplementedError, NotImplementedRefusal),
    (RuntimeError, RuntimeRefusal),
    (TypeError, TypeRefusal),
    (ValueError, ValueRefusal),
    (Exception, ExportError),
)
"""Which error is raised for the one that a protocol raised: programs catch that one."""


def _plain(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """``array`` without what a subclass adds to it, and read only if it should be."""
    if not is_writable(array):
        array = array.view()
        array.flags.writeable = False
    if type(array) is np.ndarray:
        return array
    if np.ma.is_masked(array):
        raise ExportError(
            "needed elements that are all there, got a masked array with masked ones; "
            "pass .filled(value) of it, or .compressed()"
        )
    return array.view(np.ndarray)


def _refuse_nulls(obj: Any) -> None:
    """Raise for an Arrow array with nulls; its ``__array__`` would turn integers to floats."""
    if hasattr(obj, "__arrow_c_array__") or hasattr(obj, "__arrow_c_stream__"):
        count = getattr(obj, "null_count", 0)
        count = count() if callable(count) else count
        if isinstance(count, int) and count:
            raise ExportError(
                f"needed elements that are all there, got a {type(obj).__name__} with {count} "
                f"nulls; pass .fill_null(value) of it, or .drop_null()"
            )


def _from_dlpack(obj: Any) -> Found | None:
    return dlpack.take(obj) if hasattr(obj, "__dlpack__") else None


def _from_interface(obj: Any) -> Found | None:
    if not (hasattr(obj, "__array_struct__") or hasattr(obj, "__array_interface__")):
        return None
    if not hasattr(obj, "__array_struct__"):
        _check_interface(obj, obj.__array_interface__)
    return _if_shared(lambda: np.asarray(obj), f"{type(obj).__name__}.__array_interface__ copies")


def _check_interface(obj: Any, interface: Any) -> None:
    """Raise if elements are outside the memory that is named, or are said to be missing.

    NumPy checks neither: it reads past the end of a buffer that is too short. What is given by its
    address has no known end.
    """
    if not isinstance(interface, dict):
        return
    if interface.get("mask") is not None:
        raise ExportError(
            f"needed elements that are all there, got a {type(obj).__name__} whose array interface "
            f"has a mask; fill in what is missing first"
        )
    data, shape, typestr = map(interface.get, ("data", "shape", "typestr"))
    if isinstance(data, tuple) or not isinstance(shape, tuple) or 0 in shape or typestr is None:
        return  # NumPy refuses what is missing
    strides = interface.get("strides")
    available = memoryview(obj if data is None else data).nbytes
    itemsize = np.dtype(typestr).itemsize
    if strides is None:
        low, high = 0, prod(shape) * itemsize
    else:
        spans = [step * (extent - 1) for step, extent in zip(strides, shape, strict=True)]
        low, high = sum(min(span, 0) for span in spans), sum(max(span, 0) for span in spans)
        high += itemsize
    offset_bytes = interface.get("offset", 0)
    if offset_bytes + low < 0 or offset_bytes + high > available:
        raise ExportError(
            f"the array interface of this {type(obj).__name__} claims bytes {offset_bytes + low} "
            f"to {offset_bytes + high} of memory that has {available}"
        )


def _from_buffer(obj: Any) -> Found | None:
    try:
        view = memoryview(obj)
    except TypeError:
        return None
    dtype = _dtype_of(view.format, view.itemsize)
    if view.c_contiguous:
        # np.ndarray(buffer=view) would let go of the view, and a bytearray could then shrink.
        return np.frombuffer(view, np.uint8).view(dtype).reshape(view.shape), None
    return np.asarray(view).view(dtype), None


def _dtype_of(letters: str, itemsize: int) -> np.dtype[Any]:
    """The dtype of a buffer's format; the width is the item size, whatever the letter's is."""
    order, letter = (letters[0], letters[1:]) if letters[:1] in "@=<>!^" else ("=", letters)
    kind = _FORMAT_KINDS.get(letter)
    if kind is None:
        raise DTypeError(
            f"needed numbers, got a buffer of {itemsize}-byte elements of format {letters!r}; "
            f"for its bytes pass memoryview(...).cast('B')"
        )
    dtype = np.dtype(f"{kind}{itemsize}")
    return dtype.newbyteorder("<" if order == "<" else ">" if order in ">!" else "=")


def _from_array_method(obj: Any) -> Found | None:
    method = getattr(obj, "__array__", None)
    if method is None:
        return None
    name = f"{type(obj).__name__}.__array__ copies"
    try:
        return _plain(method(copy=False)), None
    except ValueError as error:
        return _plain(method()), f"{name}: {error}"
    except TypeError:  # from before NumPy 2: no way to ask
        return _if_shared(lambda: _plain(method()), name)


def _if_shared(fetch: Callable[[], np.ndarray[Any, Any]], reason: str) -> Found:
    """What ``fetch`` gives; it shares memory if it gives the same memory twice."""
    first, second = fetch(), fetch()
    return first, None if not first.size or address_of(first) == address_of(second) else reason


_PROTOCOLS = (_from_dlpack, _from_interface, _from_buffer, _from_array_method)
