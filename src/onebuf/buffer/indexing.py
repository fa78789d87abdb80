"""Indexing: parts of a buffer, read and written.

Basic keys (whole numbers, slices, None, an ellipsis) give views. Arrays of indices and masks pick
elements one by one, so reading with them makes a new buffer and writing goes straight to memory.
"""

from __future__ import annotations

from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from onebuf.dtypes import typed_scalar
from onebuf.engine import assign, change, check_kind, read, writable
from onebuf.errors import IndexRangeError, ShapeError
from onebuf.events import KernelRan, listeners, tell
from onebuf.graph import SOURCE, Leaf, Node
from onebuf.ops import SCALARS, Scalar, index, new_array, quietly

_SCALARS = frozenset(SCALARS)
_BASIC = frozenset((int, slice, NoneType, EllipsisType))


def is_basic(key: Any) -> bool:
    """Whether ``key`` gives a view.

    >>> is_basic((0, slice(1, 3))), is_basic([0, 2])
    (True, False)
    """
    if key.__class__ is not tuple:
        return key.__class__ in _BASIC
    for part in key:  # noqa: SIM110 - half the time of all(...)
        if part.__class__ not in _BASIC:
            return False
    return True


def plain(key: Any) -> Any:
    """``key`` with buffers turned into arrays, and whatever counts as a whole number into one."""
    if isinstance(key, tuple):
        return tuple([plain(part) for part in key])
    node = getattr(key, "_node", None)
    if isinstance(node, Node):
        array = read(node)
        return int(array) if array.ndim == 0 and array.dtype.kind in "iu" else array
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, list):
        return _array_of_indices(key)
    return key


def get(node: Node, key: Any) -> tuple[Node, bool]:
    """The elements that ``key``, which is not basic as it stands, selects; and if as a view."""
    key = plain(key)
    if is_basic(key):
        return index(node, key), True
    array = read(node)
    _check_key(key)
    try:
        picked = np.asarray(array[key])
    except IndexError as error:
        raise IndexRangeError(f"{error}; the buffer has shape {array.shape}") from None
    out, block = new_array(picked.shape, node.dtype)
    out[...] = picked
    if listeners():
        tell(KernelRan("pick", out.nbytes, 0.0, 0))
    return Leaf(out, block), False


def put(node: Node, key: Any, value: Node | Scalar) -> None:
    """Write ``value`` to the elements that ``key`` selects."""
    if not is_basic(key):
        key = plain(key)
    if is_basic(key):
        if value.__class__ in _SCALARS and _put_number(node, key, value):
            return
        if node.base.op is not SOURCE:
            writable(node)
        assign(index(node, key), value)
        return
    new = np.asarray(read(value) if isinstance(value, Node) else typed_scalar(value, node.dtype))
    _check_key(key)
    check_kind(new, node)
    change("put", node, lambda array: _put_array(array, key, new))


def _put_array(array: np.ndarray[Any, Any], key: Any, new: np.ndarray[Any, Any]) -> None:
    try:
        array[key] = new
    except IndexError as error:
        raise IndexRangeError(f"{error}; the buffer has shape {array.shape}") from None
    except (ValueError, TypeError) as error:  # NumPy says either of a mask
        raise ShapeError(f"{error}; the value has shape {new.shape}") from None


def _put_number(node: Node, key: Any, value: Any) -> bool:
    """Write one number to stored elements the short way, if there is nothing in the way.

    Whatever NumPy refuses is left to the long way, whose errors say more.
    """
    array = node.array
    if array is None or not array.flags.c_contiguous or not array.flags.writeable or node.readers:
        return False
    try:
        quietly(array.__setitem__, key, value)
    except (IndexError, TypeError, ValueError, OverflowError):
        return False
    if listeners():
        tell(KernelRan("assign", array.itemsize, 0.0, 0))
    return True


def _array_of_indices(key: list[Any]) -> Any:
    try:
        return np.asarray(key, dtype=None if key else np.int64)
    except ValueError as error:
        raise IndexRangeError(
            f"a list of indices needs rows of one length at every level, got {key!r} ({error})"
        ) from None


def _check_key(key: Any) -> None:
    """Say what a key may be, before NumPy says it in fewer words."""
    for part in key if isinstance(key, tuple) else (key,):
        kind = getattr(part, "dtype", np.dtype(int)).kind
        if isinstance(part, float | complex | str) or kind not in "iub":
            raise IndexRangeError(
                f"an index needs to be a whole number, a slice, None, an ellipsis, or an array or "
                f"list of whole numbers or bools; got {part!r}"
            )
