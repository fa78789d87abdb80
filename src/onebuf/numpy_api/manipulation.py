"""Joining and splitting, under NumPy's names; each a line on top of `concat` and of slices."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_int
from typing import Any

import numpy as np

from onebuf import ops
from onebuf.array_api.arguments import buffer_of, buffers_of, public
from onebuf.array_api.manipulation import concat, moveaxis
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import ArgumentError, AxisError
from onebuf.layout import normalize_axis
from onebuf.native import quick
from onebuf.numpy_api.delegation import delegated


@quick("concat")
@public
def concatenate(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Buffer:
    """`concat` under NumPy's first name.

    >>> concatenate([[1, 2], [3]]).to_python()
    [1, 2, 3]
    """
    return concat(arrays, axis, out, dtype=dtype, casting=casting)


@public
def atleast_1d(*arys: Any) -> Any:
    """Buffers of at least one dimension; views where they had fewer."""
    return _each("atleast_1d", arys, lambda x: x if x.ndim else x.reshape(1))


@public
def atleast_2d(*arys: Any) -> Any:
    """Buffers of at least two dimensions: vectors become rows."""
    return _each("atleast_2d", arys, lambda x: x if x.ndim > 1 else x.reshape(1, -1))


@public
def atleast_3d(*arys: Any) -> Any:
    """Buffers of at least three dimensions; new axes come first and last."""
    return _each("atleast_3d", arys, _solid)


def _solid(x: Buffer) -> Buffer:
    if x.ndim < 2:
        return x.reshape(1, -1, 1)
    return x if x.ndim > 2 else x.expand_dims(2)


def _each(name: str, arys: Sequence[Any], change: Any) -> Any:
    found = tuple([change(x) for x in buffers_of(name, arys)])
    return found[0] if len(found) == 1 else found


@delegate(np.vstack)
@public
def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Buffer:
    """Buffers one below another; vectors are rows.

    >>> vstack([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    parts = [atleast_2d(x) for x in buffers_of("vstack", tup, "tup")]
    return concat(parts, 0, dtype=dtype, casting=casting)


row_stack = vstack


@delegate(np.hstack)
@public
def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Buffer:
    """Buffers side by side: along the second axis, vectors along their only one."""
    parts = buffers_of("hstack", tup, "tup")
    if not all(x._node.shape for x in parts):
        parts = [atleast_1d(x) for x in parts]
    along = 0 if parts and parts[0].ndim == 1 else 1
    return concat(parts, along, dtype=dtype, casting=casting)


@delegate(np.dstack)
@public
def dstack(tup: Sequence[Any]) -> Buffer:
    """Buffers behind one another, along the third axis."""
    return concat([_solid(x) for x in buffers_of("dstack", tup, "tup")], 2)


@delegate(np.column_stack)
@public
def column_stack(tup: Sequence[Any]) -> Buffer:
    """Vectors as the columns of a matrix; matrices as they are."""
    parts = buffers_of("column_stack", tup, "tup")
    return concat([x if x.ndim > 1 else x.reshape(-1, 1) for x in parts], 1)


@public
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Buffer]:
    """Views of ``ary`` cut into equal parts, or at places.

    >>> [part.to_python() for part in split(Buffer([1, 2, 3, 4]), 2)]
    [[1, 2], [3, 4]]
    """
    x = buffer_of("split", ary, "ary")
    axis = normalize_axis(axis, x.ndim, "split")
    if not _is_several(indices_or_sections):
        sections = as_int(indices_or_sections)
        if sections <= 0 or x.shape[axis] % sections:
            raise ArgumentError(
                f"split needs a number of sections that divides {x.shape[axis]} equally, got "
                f"{sections}; an equal division is not asked of array_split"
            )
    return array_split(x, indices_or_sections, axis)


@public
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Buffer]:
    """`split` into parts that may differ by one element."""
    x = buffer_of("array_split", ary, "ary")
    axis = normalize_axis(axis, x.ndim, "array_split")
    extent = x.shape[axis]
    if _is_several(indices_or_sections):
        cuts = [0, *[as_int(cut) for cut in indices_or_sections], extent]
    else:
        sections = as_int(indices_or_sections)
        if sections <= 0:
            raise ArgumentError(f"array_split needs at least 1 section, got {sections}")
        each, more = divmod(extent, sections)
        cuts = [part * each + min(part, more) for part in range(sections + 1)]
    front = (slice(None),) * axis
    return [x[(*front, slice(cuts[n], cuts[n + 1]))] for n in range(len(cuts) - 1)]


def _is_several(sections: Any) -> bool:
    return isinstance(sections, list | tuple) or bool(getattr(sections, "shape", ()))


@public
def hsplit(ary: Any, indices_or_sections: Any) -> list[Buffer]:
    """`split` along the second axis, or the only one."""
    x = buffer_of("hsplit", ary, "ary")
    if not x.ndim:
        raise ArgumentError("hsplit needs at least 1 dimension, got 0")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


@public
def vsplit(ary: Any, indices_or_sections: Any) -> list[Buffer]:
    """`split` along the first of two axes or more."""
    x = buffer_of("vsplit", ary, "ary")
    if x.ndim < 2:
        raise ArgumentError(f"vsplit needs at least 2 dimensions, got {x.ndim}")
    return split(x, indices_or_sections, 0)


@public
def dsplit(ary: Any, indices_or_sections: Any) -> list[Buffer]:
    """`split` along the third of three axes or more."""
    x = buffer_of("dsplit", ary, "ary")
    if x.ndim < 3:
        raise ArgumentError(f"dsplit needs at least 3 dimensions, got {x.ndim}")
    return split(x, indices_or_sections, 2)


@delegate(np.append)
@public
def append(arr: Any, values: Any, axis: int | None = None) -> Buffer:
    """``values`` after ``arr``, both flat if ``axis`` is None.

    >>> append([1, 2], [[3]]).to_python()
    [1, 2, 3]
    """
    parts = buffers_of("append", (arr, values))
    if axis is None:
        return concat([x.reshape(-1) for x in parts], 0)
    return concat(parts, axis)


@delegate(np.insert)
@public
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Buffer:
    """A copy of ``arr`` with ``values`` before index ``obj`` along ``axis``; flat if that is None.

    >>> insert([1, 2, 3], 1, 9).to_python()
    [1, 9, 2, 3]
    """
    x = buffer_of("insert", arr, "arr")
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = normalize_axis(axis, x.ndim, "insert")
    if not isinstance(obj, int | np.integer) or isinstance(obj, bool):
        return on_arrays(Buffer, np.insert, (x, obj, values, axis), {})  # type: ignore[no-any-return]
    extent = x.shape[axis]
    if not -extent <= obj <= extent:
        raise IndexError(f"insert: index {obj} is out of bounds for axis {axis} of extent {extent}")
    place = int(obj) + extent if obj < 0 else int(obj)
    new = buffer_of("insert", values, "values").astype(x.dtype, copy=False)
    if new.ndim == 0 or (x.ndim > 1 and new.ndim < x.ndim):
        new = new.expand_dims(0) if new.ndim == 0 else new
    new = moveaxis(_rows(new, x.ndim), 0, axis)
    new = new.expand((*x.shape[:axis], new.shape[axis], *x.shape[axis + 1 :]))
    front = (slice(None),) * axis
    return concat([x[(*front, slice(0, place))], new, x[(*front, slice(place, None))]], axis)


def _rows(new: Buffer, ndim: int) -> Buffer:
    """Values with as many axes as what they are inserted in, that of insertion first."""
    return new.reshape((1,) * (ndim - new.ndim) + new.shape) if new.ndim < ndim else new


@public
def flipud(m: Any) -> Buffer:
    """A view with the first axis reversed."""
    return buffer_of("flipud", m, "m").flip(0)


@public
def fliplr(m: Any) -> Buffer:
    """A view with the second axis reversed."""
    x = buffer_of("fliplr", m, "m")
    if x.ndim < 2:
        raise ArgumentError(f"fliplr needs at least 2 dimensions, got {x.ndim}")
    return x.flip(1)


@public
def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Buffer:
    """A view turned by ``k`` quarters in the plane of two axes, from the first to the second.

    >>> rot90([[1, 2], [3, 4]]).to_python()
    [[2, 4], [1, 3]]
    """
    x = buffer_of("rot90", m, "m")
    one, two = (normalize_axis(axis, x.ndim, "rot90") for axis in axes)
    if one == two:
        raise ArgumentError(f"rot90 needs two different axes, got {tuple(axes)}")
    turns = as_int(k) % 4
    order = list(range(x.ndim))
    order[one], order[two] = two, one
    if turns == 0:
        return x[...]
    if turns == 2:
        return x.flip((one, two))
    return x.flip(two).permute(order) if turns == 1 else x.permute(order).flip(two)


@public
def swapaxes(a: Any, axis1: int, axis2: int) -> Buffer:
    """A view with two axes exchanged."""
    return buffer_of("swapaxes", a, "a").swapaxes(axis1, axis2)


@public
def transpose(a: Any, axes: Sequence[int] | None = None) -> Buffer:
    """A view with the axes in another order; reversed if that is None."""
    return buffer_of("transpose", a, "a").transpose(axes)


@public
def rollaxis(a: Any, axis: int, start: int = 0) -> Buffer:
    """A view with ``axis`` moved in front of the one at ``start``."""
    x = buffer_of("rollaxis", a, "a")
    axis = normalize_axis(axis, x.ndim, "rollaxis")
    place = start + x.ndim if start < 0 else start
    if not 0 <= place <= x.ndim:
        raise AxisError(f"rollaxis needs a start in 0..{x.ndim}, got {start}; out of bounds")
    return moveaxis(x, axis, place - 1 if axis < place else place)


@public
def ravel(a: Any, order: str = "C") -> Buffer:
    """The elements in a row; a view where strides allow."""
    x = buffer_of("ravel", a, "a")
    return x.T.reshape(-1) if order in ("F", "f") else x.reshape(-1)


@delegate(np.resize)
@public
def resize(a: Any, new_shape: Any) -> Buffer:
    """The elements under another shape, repeated or cut off as it needs.

    >>> resize([1, 2, 3], (2, 2)).to_python()
    [[1, 2], [3, 1]]
    """
    return on_arrays(Buffer, np.resize, (buffer_of("resize", a, "a"), ops.as_shape(new_shape)), {})  # type: ignore[no-any-return]


block = delegated(np.block)
delete = delegated(np.delete)
pad = delegated(np.pad)
trim_zeros = delegated(np.trim_zeros, only_reads=False)
