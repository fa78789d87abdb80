"""Manipulation functions: other shapes, orders and combinations of the same elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import ops
from onebuf.array_api.arguments import (
    ArrayLike,
    buffer_of,
    buffers_of,
    check_cast,
    flag,
    in_order,
    into,
    public,
    sequence,
    whole,
)
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.dtypes import as_dtype, float64, kind, meet_scalar, promote
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from onebuf.events import listeners
from onebuf.graph import Node
from onebuf.layout import broadcast_shapes as broadcast_two_or_more
from onebuf.layout import normalize_axes, normalize_axis
from onebuf.native import quick
from onebuf.ops.numpy import short_calls
from onebuf.options import options

Axes = int | tuple[int, ...] | None


@public
def broadcast_arrays(*arrays: Any, subok: bool = False) -> tuple[Buffer, ...]:
    """Views of all ``arrays`` in the shape that they broadcast to."""
    given = buffers_of("broadcast_arrays", arrays)
    shape = broadcast_two_or_more((), *[x.shape for x in given])
    return tuple([x.expand(shape) for x in given])


@public
def broadcast_shapes(*shapes: int | tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    >>> broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return broadcast_two_or_more((), *[ops.as_shape(shape) for shape in shapes])


@public
def broadcast_to(x: ArrayLike, /, shape: int | tuple[int, ...], subok: bool = False) -> Buffer:
    """A view of ``x`` in ``shape``, storing nothing twice."""
    return buffer_of("broadcast_to", x).expand(ops.as_shape(shape))


@quick("concat")
@public
def concat(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Buffer:
    """Buffers one after another along ``axis``; flattened first if it is None.

    >>> concat([Buffer([1, 2]), Buffer([3])])
    Buffer([1, 2, 3], shape=(3,), dtype=int32, device=CPU)
    """
    nodes = _parts("concat", arrays, out, dtype, casting)
    joined = Buffer._value(ops.concat(nodes, axis))
    return joined if out is None else into("concat", out, joined, casting)


def _parts(name: str, arrays: Any, out: Any, dtype: Any, casting: str) -> list[Node]:
    """What is to be joined, each part in the type asked for if ``casting`` allows it."""
    nodes = [x._node for x in buffers_of(name, arrays)]
    if isinstance(arrays, list | tuple) and any([x.__class__ is not Buffer for x in arrays]):
        nodes = _with_weak_numbers(arrays, nodes)
    if dtype is None and out is None and casting == "same_kind":
        return nodes
    if dtype is not None and out is not None:
        raise ArgumentTypeError(f"{name} needs dtype or out, got both; out has a dtype of its own")
    if dtype is not None:
        wanted = as_dtype(dtype)
    else:
        types = [node.dtype for node in nodes]
        wanted = getattr(out, "dtype", None) or (promote(*types) if types else float64)
    for node in nodes:
        check_cast(name, node.dtype, wanted, casting)
    return nodes if out is not None else [ops.cast(node, wanted) for node in nodes]


def _with_weak_numbers(arrays: Sequence[Any], nodes: list[Node]) -> list[Node]:
    """``nodes``, those of Python's numbers in the type that they take next to the others."""
    weak = [x.__class__ in ops.SCALARS for x in arrays]
    types = [node.dtype for node, is_weak in zip(nodes, weak, strict=True) if not is_weak]
    if not types or len(types) == len(nodes):
        return nodes
    strong = promote(*types)
    return [
        ops.cast(node, meet_scalar(strong, x.__class__)) if is_weak else node
        for node, x, is_weak in zip(nodes, arrays, weak, strict=True)
    ]


@public
def expand_dims(x: ArrayLike, /, axis: int | tuple[int, ...] = 0) -> Buffer:
    """A view with a new axis of extent 1."""
    if axis is None:
        raise ArgumentTypeError("expand_dims needs an axis or a tuple of them, got None")
    return buffer_of("expand_dims", x).expand_dims(axis)


@public
def flip(x: ArrayLike, /, axis: Axes = None) -> Buffer:
    """A view with the order along ``axis`` reversed; along all axes if None."""
    x = buffer_of("flip", x)
    return x.flip(normalize_axes(axis, x.ndim, "flip"))


@public
def moveaxis(
    x: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int], /
) -> Buffer:
    """A view with axes moved to new places; the others keep their order.

    >>> moveaxis(Buffer.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = buffer_of("moveaxis", x)
    origin = normalize_axes(source, x.ndim, "moveaxis, source")
    target = normalize_axes(destination, x.ndim, "moveaxis, destination")
    if len(origin) != len(target):
        raise ArgumentError(
            f"moveaxis needs as many places as axes, got {len(origin)} axes {source} and "
            f"{len(target)} places {destination}"
        )
    order = [axis for axis in range(x.ndim) if axis not in origin]
    for place, axis in sorted(zip(target, origin, strict=True)):
        order.insert(place, axis)
    return x.permute(order)


@public
def permute_dims(x: ArrayLike, /, axes: Sequence[int] | None = None) -> Buffer:
    """A view with the axes in another order."""
    x = buffer_of("permute_dims", x)
    return x.T if axes is None else x.permute(sequence("permute_dims", "axes", axes))


@delegate(short_calls.repeat)
@public
def repeat(x: ArrayLike, repeats: Any, /, axis: int | None = None) -> Buffer:
    """Each element, or each slice along ``axis``, several times in a row.

    >>> repeat(Buffer([1, 2]), 2)
    Buffer([1, 1, 2, 2], shape=(4,), dtype=int32, device=CPU)
    """
    x = buffer_of("repeat", x)
    if axis is None:
        return repeat(x.reshape(-1), repeats, axis=0)
    axis = normalize_axis(axis, x.ndim, "repeat")
    if isinstance(repeats, Buffer | np.ndarray | list | tuple):
        repeats = buffer_of("repeat", repeats, "repeats")
        return x[(slice(None),) * axis + (_positions(repeats, x.shape[axis]),)]
    repeats = whole("repeat", "repeats", repeats, 0)
    before, extent, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
    spread = x.expand_dims(axis + 1).expand((*before, extent, repeats, *after))
    shape = (*before, extent * repeats, *after)
    return Buffer._value(ops.reshape(ops.copied(spread._node), shape))


def _positions(repeats: Buffer, extent: int) -> list[int]:
    """Which slice each slice of the result comes from."""
    if kind(repeats.dtype) not in "iu":
        raise DTypeError(f"repeat needs integers as repeats, got {repeats.dtype.name}")
    if repeats.ndim > 1 or repeats.size not in (1, extent):
        raise ShapeError(
            f"repeat needs 1 count or one for each of {extent} elements, got repeats of shape "
            f"{repeats.shape}"
        )
    counts = repeats.expand((extent,)).to_python()
    if any(count < 0 for count in counts):
        raise ArgumentError(f"repeat needs counts of at least 0, got {min(counts)}")
    return [place for place, count in enumerate(counts) for _ in range(count)]


@public
def reshape(
    x: ArrayLike, /, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None
) -> Buffer:
    """The elements in row-major order under another shape; a view where strides allow.

    In column-major order if ``order`` is "F".
    """
    if x.__class__ is Buffer and order == "C" and copy is None and _is_of_integers(shape):
        return x.reshape(shape)
    x = buffer_of("reshape", x)
    if copy is not None:
        copy = flag("reshape", "copy", copy)
    extents = _extents("reshape", shape)
    if in_order("reshape", order, "ACF"):
        return x.T.reshape(extents[::-1], copy=copy).T
    return x.reshape(extents, copy=copy)


def _is_of_integers(shape: Any) -> bool:
    """Whether a shape is an integer of Python's, or a tuple of them."""
    if shape.__class__ is not tuple:
        return shape.__class__ is int
    for extent in shape:  # noqa: SIM110 - half the time of all(...)
        if extent.__class__ is not int:
            return False
    return True


def _extents(name: str, shape: Any) -> tuple[int, ...]:
    """A shape in which -1 may stand for what is left."""
    given = (shape,) if isinstance(shape, int) else sequence(name, "shape", shape)
    return tuple([whole(name, "shape", extent) for extent in given])


@quick("roll")
@public
def roll(x: ArrayLike, /, shift: Any, axis: Axes = None) -> Buffer:
    """The elements shifted along ``axis``, those that fall off coming in at the other end.

    >>> roll(Buffer([1, 2, 3, 4]), 1)
    Buffer([4, 1, 2, 3], shape=(4,), dtype=int32, device=CPU)
    """
    x = buffer_of("roll", x)
    if axis.__class__ is shift.__class__ is int:
        place = normalize_axis(axis, len(x._node.shape), "roll")
        turned = _rolled(x._node, shift, place)
        return Buffer._value(ops.copied(turned) if turned is x._node else turned)
    if axis is None:
        flat = roll(x.reshape(-1), shift, axis=0)
        return Buffer._value(ops.reshape(flat._node, x.shape))
    axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    several = isinstance(shift, tuple | list)
    shifts = [whole("roll", "shift", n) for n in (shift if several else (shift,))]
    shifts = shifts if several else shifts * len(axes)
    axes = axes * len(shifts) if len(axes) == 1 else axes
    if len(shifts) != len(axes):
        raise ArgumentError(f"roll needs one shift for each axis, got {shift} for axes {axis}")
    result = x._node
    for step, one in zip(shifts, axes, strict=True):
        result = _rolled(result, step, normalize_axis(one, x.ndim, "roll"))
    return Buffer._value(ops.copied(result) if result is x._node else result)


def _rolled(x: Node, shift: int, axis: int) -> Node:
    extent = x.shape[axis]
    cut = (extent - shift) % extent if extent else 0
    if cut == 0:
        return x
    front = (slice(None),) * axis
    array = x.array
    if array is not None and array.nbytes <= options().eager_nbytes and not listeners():
        result = ops.place(x.shape, x.dtype, array.size)
        out: Any = result.array
        end = extent - cut
        if axis:
            out[(*front, slice(end))] = array[(*front, slice(cut, None))]
            out[(*front, slice(end, None))] = array[(*front, slice(cut))]
        else:
            out[:end] = array[cut:]
            out[end:] = array[:cut]
        return result
    parts = [ops.index(x, (*front, part)) for part in (slice(cut, None), slice(None, cut))]
    return ops.concat(parts, axis)


@public
def squeeze(x: ArrayLike, /, axis: Axes = None) -> Buffer:
    """A view without the axes named, which need extent 1; without all such axes if None."""
    return buffer_of("squeeze", x).squeeze(axis)


@quick("stack")
@public
def stack(
    arrays: Sequence[Any],
    /,
    axis: int = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Buffer:
    """Buffers of one shape along a new axis."""
    nodes = _parts("stack", arrays, out, dtype, casting)
    joined = Buffer._value(ops.stack(nodes, axis))
    return joined if out is None else into("stack", out, joined, casting)


@delegate(np.tile)
@public
def tile(x: ArrayLike, repetitions: int | Sequence[int], /) -> Buffer:
    """``x`` laid out several times along each axis.

    >>> tile(Buffer([1, 2]), (2,))
    Buffer([1, 2, 1, 2], shape=(4,), dtype=int32, device=CPU)
    """
    x = buffer_of("tile", x)
    single = isinstance(repetitions, int | np.integer)
    given = (repetitions,) if single else sequence("tile", "repetitions", repetitions)
    counts = tuple([whole("tile", "repetitions", count, 0) for count in given])
    ndim = max(len(counts), x.ndim)
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - x.ndim) + x.shape
    thin = [extent for pair in zip((1,) * ndim, shape, strict=True) for extent in pair]
    wide = [extent for pair in zip(counts, shape, strict=True) for extent in pair]
    spread = x.reshape(thin).expand(wide)
    final = tuple([count * extent for count, extent in zip(counts, shape, strict=True)])
    return Buffer._value(ops.reshape(ops.copied(spread._node), final))


@public
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Buffer, ...]:
    """The slices along ``axis``: views, or numbers if ``x`` has no other axis."""
    x = buffer_of("unstack", x)
    axis = normalize_axis(axis, x.ndim, "unstack")
    front: tuple[Any, ...] = (slice(None),) * axis
    return tuple([x[(*front, place)] for place in range(x.shape[axis])])
