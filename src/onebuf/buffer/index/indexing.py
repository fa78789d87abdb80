"""Indexing: parts of a buffer, read and written.

Basic keys (integers, slices, None, an ellipsis) give views. Arrays of indices and masks pick
elements one by one, so reading with them makes a new buffer and writing goes straight to memory.
"""

from __future__ import annotations

from contextvars import Context, copy_context
from time import perf_counter
from types import EllipsisType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import events
from onebuf.buffer.index import traced
from onebuf.buffer.index.element import element, names_one
from onebuf.buffer.index.take import taken
from onebuf.dtypes import bool as bool_
from onebuf.dtypes import float64, int64, typed_scalar
from onebuf.errors import IndexRangeError, ShapeError
from onebuf.events import directly, kernel_frame, listeners, tell
from onebuf.graph import Element, Fresh, Loose, LooseBlock, Node, Number
from onebuf.late import Late
from onebuf.machine import Tracer
from onebuf.memory import PoolBlock, address_of
from onebuf.ops import SCALARS, Scalar, adopted, index, quietly
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.buffer.index import on_demand, on_device
    from onebuf.engine.run.pick import indices, masks
    from onebuf.ops.einstein import labels
else:
    labels = Late("onebuf.ops.einstein.labels")
    on_demand = Late("onebuf.buffer.index.on_demand")
    on_device = Late("onebuf.buffer.index.on_device")
    engine = Late("onebuf.engine")
    indices = Late("onebuf.engine.run.pick.indices")
    masks = Late("onebuf.engine.run.pick.masks")

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
    """``key`` with buffers turned into arrays, and whatever counts as an integer into one."""
    if isinstance(key, tuple):
        return tuple([plain(part) for part in key])
    node = getattr(key, "_node", None)
    if isinstance(node, Node):
        array = engine.read(node)
        return int(array) if array.ndim == 0 and array.dtype.kind in "iu" else array
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, list):
        return _array_of_indices(key)
    return key


def get(node: Node, key: Any) -> tuple[Node, bool]:
    """The elements that ``key`` selects, and whether as a view of ``node``."""
    if key.__class__ is tuple and not isinstance(node.device, Tracer):
        key = _with_integers(key)
    if not is_basic(key):
        if traced.is_traced(node, key):
            found = traced.picked(node, key)
            if found is not None:
                return found, False
        key = _whole(key)
    if is_basic(key):
        return _seen(node, key)
    quick = _picked_at_once(node, key)
    if quick is not None:
        return quick, False
    key = _with_arrays(key)
    if not engine.is_here(node):
        return on_device.pick(node, key), False
    later = taken(node, key)
    if later is not None:
        return later, False
    key = plain(key)
    if is_basic(key):
        return _seen(node, key)
    _check_key(key)
    if node.on_demand is not None:
        return adopted(on_demand.pick(node, key)), False
    array = engine.read(node)
    start = perf_counter()
    result = masks.pick(array, key)
    if result is None:
        result = indices.pick(array, key)
    if result is None:
        result = _picked(array, key)
    if listeners():
        nbytes = result.nbytes
        tell(events.KernelRan("pick", nbytes, perf_counter() - start, 0, nbytes, start))
    return result, False


def _with_integers(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """``key`` with numbers that were read from buffers turned into Python's."""
    parts = list(key)
    for place, part in enumerate(key):
        if part.__class__ not in _BASIC:
            number = getattr(part, "_node", None)
            if isinstance(number, Number) and number.dtype.kind in "iu":
                parts[place] = int(number.scalar)
    return tuple(parts)


def _picked_at_once(node: Node, key: Any) -> Node | None:
    """The elements picked by a few stored indices or bools; None of anything else."""
    array = node.array
    if array is None or listeners():
        return None
    limit = options().eager_numel
    if key.__class__ is tuple:
        parts = [_stored_part(part) for part in key]
        if array.size > limit or any(part is None for part in parts):
            return None
        places: Any = tuple([None if part is _NEW_AXIS else part for part in parts])
    else:
        places = _stored_part(key)
        if places.__class__ is not np.ndarray:
            return None
        if places.dtype is bool_:
            numel, limit = array.size, min(limit, masks.LEAST)  # no more than there are
        else:
            numel = places.size * (array.size // (array.shape[0] or 1)) if array.ndim else 0
        if numel > limit:
            return None
    try:
        return adopted(array[places])
    except IndexError:
        return None  # the long way says more


_NEW_AXIS = object()
_WHERE = frozenset((int64, bool_))


def _stored_part(part: Any) -> Any:
    """A part of a key: of a buffer its array, if that is stored; None if NumPy is not to have it.

    A part that is None itself, a new axis, is `_NEW_AXIS`.
    """
    if part.__class__ in _BASIC:
        return _NEW_AXIS if part is None else part
    node = getattr(part, "_node", None)
    if not isinstance(node, Node) or not node.shape or node.dtype not in _WHERE:
        return None
    return node.array


def _seen(node: Node, key: Any) -> tuple[Node, bool]:
    """The elements that a basic ``key`` selects: a view, or one number."""
    return (element(node, key), False) if names_one(node, key) else (index(node, key), True)


def _picked(array: np.ndarray[Any, Any], key: Any) -> Node:
    try:
        picked = kernel_frame("pick")(array.__getitem__, key) if listeners() else array[key]
    except IndexError as error:
        raise IndexRangeError(f"{error}; the buffer has shape {array.shape}") from None
    return adopted(np.asarray(picked))


def put(node: Node, key: Any, value: Node | Scalar) -> None:
    """Write ``value`` to the elements that ``key`` selects."""
    basic = is_basic(key)
    if not basic:
        if isinstance(key, str):
            raise labels.unlabelled("a number or a buffer without any")
        if traced.is_traced(node, key) and traced.written(node, key, value):
            return
        if engine.is_here(node):
            key = _stored_key(key, node)
            basic = is_basic(key)
        else:
            key = _whole(_with_arrays(key))
            if not is_basic(key):
                on_device.put(node, key, value)
                return
    if value.__class__ in _NUMBERS and basic:
        _check_number(value, node.dtype)
    if _put_stored(node, key, value):
        return
    if basic or not engine.is_here(node):
        if node.has_places and engine.is_here(node):
            engine.writable(node)
        engine.assign(index(node, key), value)
        return
    new = np.asarray(
        engine.read(value) if isinstance(value, Node) else typed_scalar(value, node.dtype)
    )
    engine.check_kind(new, node)
    if not node.has_strides:
        _put_through(node, key, new)
        return
    here = copy_context()  # options are those of the caller, NumPy's warnings are not
    engine.change("put", node, lambda array: _put_array(array, key, new, here))


def _put_through(node: Node, key: Any, new: np.ndarray[Any, Any]) -> None:
    """Write to the elements that ``key`` picks of a buffer with a layout."""
    shape = node.shape
    try:
        axes = []
        for axis, extent in enumerate(shape):
            along = np.arange(extent).reshape([-1 if n == axis else 1 for n in range(len(shape))])
            axes.append(np.broadcast_to(along, shape)[key])
        values = np.broadcast_to(new, axes[0].shape)
    except IndexError as error:
        raise IndexRangeError(f"{error}; the buffer has shape {shape}") from None
    except ValueError:
        raise ShapeError(
            f"an assignment needs one value, or as many as the index picks places, "
            f"{axes[0].shape}, got values of shape {new.shape}"
        ) from None
    engine.put_at(node, tuple(axes), values)


_NUMBERS = (Number, Element)


def _check_number(number: Any, dtype: np.dtype[Any]) -> None:
    """Raise, as NumPy does, for a number of another type that a signed integer cannot hold."""
    if number.dtype is not dtype and dtype.kind == "i":
        scalar = number.scalar
        typed_scalar(scalar.item() if isinstance(scalar, np.generic) else scalar, dtype)


def _stored_key(key: Any, node: Node) -> Any:
    """``key`` as NumPy takes it to write to ``node``, while the caller holds the buffers in it."""
    found = []
    for part in key if key.__class__ is tuple else (key,):
        stored = _stored_part(part)
        if stored is None or (stored.__class__ is np.ndarray and not _is_apart(node, part._node)):
            key = plain(key)
            _check_key(key)
            return key
        found.append(None if stored is _NEW_AXIS else stored)
    return tuple(found) if key.__class__ is tuple else found[0]


def _put_array(
    array: np.ndarray[Any, Any], key: Any, new: np.ndarray[Any, Any], here: Context
) -> None:
    try:
        if not here.run(masks.put, array, key, new):
            array[key] = new
    except IndexError as error:
        raise IndexRangeError(f"{error}; the buffer has shape {array.shape}") from None
    except (ValueError, TypeError) as error:
        raise ShapeError(
            f"an assignment needs one value, or as many as the index picks places: {error}; the "
            f"value has shape {new.shape}"
        ) from None


def _put_stored(node: Node, key: Any, value: Any) -> bool:
    """Write to stored elements the short way, if there is nothing in the way.

    Programs fill arrays number by number and mask by mask, so the usual case is short: both sides
    are stored, no pending node reads the old elements, and each side has memory of its own.
    Whatever NumPy refuses is left to the long way, whose errors say more.
    """
    array = node.array
    if array is None or not array.flags.carray or node.readers:
        return False
    told = listeners()
    if value.__class__ not in _SCALARS:
        if value.dtype is not node.dtype:
            return False
        if isinstance(value, Number):
            value = value.scalar
        elif value.array is None:
            return False
        elif _is_apart(node, value):
            value = value.array
        else:
            return False
    quiet = node.dtype is float64 or node.dtype is int64  # of which nothing is lost
    if quiet and not told and key.__class__ is not np.ndarray:
        try:
            array[key] = value
        except (IndexError, TypeError, ValueError, OverflowError):
            return False
        return True
    start = perf_counter() if told else 0.0
    try:
        if key.__class__ is not np.ndarray or not masks.put(array, key, value):
            write = kernel_frame("assign") if told else directly
            quietly(write, array.__setitem__, key, value)
    except (IndexError, TypeError, ValueError, OverflowError):
        return False
    if told:
        seconds, nbytes = perf_counter() - start, array[key].nbytes
        tell(events.KernelRan("assign", nbytes, seconds, 0, getattr(value, "nbytes", 0), start))
    return True


def is_there(node: Node, key: Any, value: Node) -> bool:
    """Whether ``value`` is the very part of ``node`` that a basic ``key`` names.

    ``x[a:b] += y`` ends with an assignment of such a view, and then there is nothing to do.
    """
    array, part = node.array, value.array
    if array is None or part is None or value.dtype is not node.dtype or not is_basic(key):
        return False
    try:
        named: Any = array[key]
    except IndexError:
        return False
    return (
        named.__class__ is np.ndarray
        and named.flags.writeable
        and named.shape == part.shape
        and named.strides == part.strides
        and address_of(named) == address_of(part)
    )


def _is_apart(node: Node, value: Node) -> bool:
    """Whether two stored nodes share no memory; short where that is memory of our own."""
    kind = value.__class__
    if (kind is Loose or kind is Fresh) and not value.is_shared:  # type: ignore[attr-defined]
        return value is not node
    one, two = node.block, value.block
    if isinstance(one, _OWN) and isinstance(two, _OWN):
        return one is not two
    if node.array is None or value.array is None:
        return False
    return value.array.size == 1 or not np.may_share_memory(node.array, value.array)


_OWN = (PoolBlock, LooseBlock)
"""Blocks on memory that no other block has."""


def _with_arrays(key: Any) -> Any:
    """``key`` with lists turned into arrays."""
    if key.__class__ is list:
        return _array_of_indices(key)
    if key.__class__ is tuple:
        return tuple([_array_of_indices(part) if part.__class__ is list else part for part in key])
    return key


def _whole(key: Any) -> Any:
    """``key`` with NumPy's integers, and buffers of one, turned into Python's."""
    if key.__class__ is tuple:
        return tuple([part if part.__class__ in _BASIC else _whole(part) for part in key])
    node = getattr(key, "_node", None)
    if isinstance(node, Node) and not node.shape and node.dtype.kind in "iu":
        return int(node.scalar if isinstance(node, Number) else engine.read(node))
    is_one = isinstance(key, np.integer | np.ndarray) and not key.ndim and key.dtype.kind in "iu"
    return int(key) if is_one else key


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
            hint = "; labels are one text, as in x['i,j']" if isinstance(part, str) else ""
            raise IndexRangeError(
                f"only integers, slices, ellipsis, None and integer or boolean arrays are valid "
                f"indices: an index needs to be an integer, a slice, None, an ellipsis, or an "
                f"array or list of integers or bools; got {part!r}{hint}"
            )
