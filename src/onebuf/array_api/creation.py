"""Creation functions. Python's numbers become NumPy's types: float64, int64, complex128.

This module is longer than 400 lines because it is a section of the standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import (
    buffer_of,
    buffers_of,
    defaults,
    flag,
    number,
    public,
    read_number,
    whole,
)
from onebuf.array_api.memory_layout import alike_in_order, copying, laid_out, lying_as
from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import as_node
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.dtypes import DT
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    ProtocolError,
    ShapeError,
)
from onebuf.graph import Node
from onebuf.machine import Device, Tracer
from onebuf.machine import device as find_device
from onebuf.native import quick
from onebuf.ops.numpy import short_calls
from onebuf.options import options

Shape = int | Sequence[int]
Where = str | Device | None


@quick("asarray")
@public
def asarray(
    obj: Any,
    /,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Where = None,
    copy: bool | None = None,
    like: Any = None,
) -> Buffer:
    """A buffer on the memory of ``obj``, or with a copy of its elements.

    With ``copy=None`` memory is shared wherever that is possible, ``copy=True`` always copies,
    and ``copy=False`` raises where only a copy would do.

    >>> array = np.arange(3)
    >>> b = asarray(array)
    >>> array[0] = 7
    >>> b
    Buffer([7, 1, 2], shape=(3,), dtype=int64, device=CPU)
    """
    if copy is not None:
        copy = copying("asarray", copy)
    elif obj.__class__ is Buffer and order is None and _is_asked_for(obj._node, dtype, device):
        return obj
    node = as_node(obj, dtype, copy, defaults(), device)
    made = obj if isinstance(obj, Buffer) and node is obj._node else Buffer._place(node)
    return made if order is None else laid_out("asarray", made, order, copy)


def _is_asked_for(node: Node, dtype: Any, device: Where) -> bool:
    """Whether ``node``, which has axes, is already what `asarray` is to make of it."""
    home = node.device
    if not node.shape or not (dtype is None or dtype is node.dtype):
        return False
    if device is None:
        return not isinstance(find_device(), Tracer)
    return device is home or find_device(device) is home


@quick("zeros")
@public
def zeros(
    shape: Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Where = None,
    like: Any = None,
) -> Buffer:
    """Zeros."""
    made = Buffer.full(shape, 0, _float(dtype), device=device)
    return alike_in_order("zeros", made, order)


@quick("ones")
@public
def ones(
    shape: Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Where = None,
    like: Any = None,
) -> Buffer:
    """Ones."""
    made = Buffer.full(shape, 1, _float(dtype), device=device)
    return alike_in_order("ones", made, order)


@quick("empty")
@public
def empty(
    shape: Shape,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Where = None,
    like: Any = None,
) -> Buffer:
    """Elements of no particular value; memory is taken at the first use."""
    return alike_in_order("empty", Buffer.empty(shape, _float(dtype), device=device), order)


@quick("full")
@public
def full(
    shape: Shape,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Where = None,
    like: Any = None,
) -> Buffer:
    """One value everywhere, of a 0-d buffer its own; or a buffer, repeated to fill the shape.

    >>> full((2, 2), [1, 5]).to_python()
    [[1, 5], [1, 5]]
    """
    value = _number(fill_value)
    if isinstance(value, list | tuple | Buffer | np.ndarray):
        spread = buffer_of("full", value, "fill_value").expand(ops.as_shape(shape))
        made = spread.copy() if dtype is None else spread.astype(dtype)
        return laid_out("full", made.to_device(device) if device is not None else made, order)
    chosen = _dtype_of(fill_value) if dtype is None else dtype
    return alike_in_order("full", Buffer.full(shape, value, chosen, device=device), order)


@quick("arange")
@public
def arange(
    start: Any = None,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Where = None,
    like: Any = None,
) -> Buffer:
    """``start``, ``start + step``, ... up to but not including ``stop``.

    >>> arange(2, 8, 3)
    Buffer([2, 5], shape=(2,), dtype=int64, device=CPU)
    """
    where = find_device(device)
    if stop is None:
        start, stop = 0, start
    if not start.__class__ is stop.__class__ is step.__class__ is int:
        start, stop, step = _bound(start), _bound(stop), _bound(step)
    if stop is None:
        raise ArgumentTypeError("arange() requires stop to be specified: needed a bound, got None")
    start = 0 if start is None else start
    whole = isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)
    chosen = dtypes.int64 if whole else options().default_float
    return Buffer._value(ops.arange(start, stop, step, dtypes.as_dtype(dtype or chosen), where))


@quick("empty_like")
@public
def empty_like(
    x: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Where = None,
) -> Buffer:
    """Elements of no particular value in the shape and dtype of ``x``."""
    plain = dtype is None and shape is None and device is None
    if plain and x.__class__ is Buffer and order in ("C", "K"):
        array = x._node.array
        if array is not None and array.flags.c_contiguous:
            return Buffer._place(ops.empty(array.shape, x._node.dtype))
    x = buffer_of("empty_like", x)
    wanted = x.dtype if dtype is None else dtype
    extents = x.shape if shape is None else shape
    made = Buffer.empty(extents, dtypes.as_dtype(wanted), device=device or x.device)
    return lying_as(x, made, order, "empty_like")


@quick("eye")
@public
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Where = None,
    like: Any = None,
) -> Buffer:
    """Ones on diagonal ``k``, zeros elsewhere.

    >>> eye(2, 3, k=1)
    Buffer([[0., 1., 0.],
            [0., 0., 1.]], shape=(2, 3), dtype=float64, device=CPU)
    """
    where = find_device(device)
    rows = whole("eye", "N", N, 0)
    columns = rows if M is None else whole("eye", "M", M, 0)
    place, wanted = whole("eye", "k", k), _float(dtype)
    static = (rows, columns, place, wanted)
    node = ops.library(np.eye, (), static, (rows, columns), wanted, "eye", where)
    return laid_out("eye", Buffer._value(node), order) if order != "C" else Buffer._value(node)


@public
def from_dlpack(x: Any, /, *, device: Where = None, copy: bool | None = None) -> Buffer:
    """A buffer on the memory of an object that speaks DLPack."""
    if not hasattr(x, "__dlpack__"):
        raise ProtocolError(
            f"from_dlpack needs an object with __dlpack__, got {type(x).__name__}; "
            f"see onebuf.asarray"
        )
    return asarray(x, device=device, copy=copy)


@public
def full_like(
    x: Any,
    /,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Where = None,
) -> Buffer:
    """One value everywhere, in the shape and dtype of ``x``."""
    return _filled_like("full_like", x, fill_value, dtype, order, shape, device)


@public
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Where = None,
) -> Any:
    """``num`` numbers from ``start`` to ``stop`` at even distances; with ``retstep`` those too.

    >>> linspace(0, 1, 5)
    Buffer([0.  , 0.25, 0.5 , 0.75, 1.  ], shape=(5,), dtype=float64, device=CPU)
    """
    where = find_device(device)
    num = whole("linspace", "num", num, 0)
    endpoint = flag("linspace", "endpoint", endpoint)
    start, stop = _number(start), _number(stop)
    if isinstance(start, _SEVERAL) or isinstance(stop, _SEVERAL):
        named = {"endpoint": endpoint, "retstep": retstep, "dtype": dtype, "axis": axis}
        return on_arrays(Buffer, np.linspace, (start, stop, num), named)
    start, stop = (
        number("linspace", argument, value, (int, float, complex))
        for argument, value in (("start", start), ("stop", stop))
    )
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    default = dtypes.promote(options().default_float, dtypes.complex64) if is_complex else None
    wanted = dtypes.as_dtype(dtype or default or options().default_float)
    node = ops.library(
        _spaced,
        (),
        (start, stop, num, endpoint, dtypes.kind(wanted) in "iu"),
        (num,),
        dtypes.promote(wanted, dtypes.float64),
        "linspace",
        where,
    )
    made = Buffer._value(ops.cast(node, wanted))
    if not retstep:
        return made
    parts = num - 1 if endpoint else num
    return made, np.float64((stop - start) / parts if parts > 0 else np.nan)


_SEVERAL = (list, tuple, Buffer, np.ndarray)


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, floored: bool) -> Any:
    found = np.linspace(start, stop, num, endpoint)
    return np.floor(found) if floored else found


@public
def meshgrid(
    *arrays: Any, indexing: str = "xy", copy: bool = True, sparse: bool = False
) -> tuple[Buffer, ...]:
    """Coordinates of a grid from those of its axes.

    Views with ``copy=False``; with ``sparse`` extent 1 along all axes but their own.
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid needs indexing 'xy' or 'ij', got {indexing!r}")
    vectors = buffers_of("meshgrid", arrays)
    for x in vectors:
        if x.ndim > 1:
            raise ShapeError(f"meshgrid needs buffers of one dimension, got shape {x.shape}")
    order = list(range(len(vectors)))
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    shape = tuple([vectors[place].size for place in order])
    grids = []
    for place, x in enumerate(vectors):
        thin = [1] * len(vectors)
        thin[order.index(place)] = -1
        grid = x.reshape(thin) if sparse else x.reshape(thin).expand(shape)
        grids.append(grid.copy() if copy else grid)
    return tuple(grids)


@delegate(short_calls.tril)
@public
def tril(x: Any, /, k: int = 0) -> Buffer:
    """``x`` with zeros above diagonal ``k`` of the last two axes."""
    return _triangle("tril", x, k, below=True)


@delegate(short_calls.triu)
@public
def triu(x: Any, /, k: int = 0) -> Buffer:
    """``x`` with zeros below diagonal ``k`` of the last two axes."""
    return _triangle("triu", x, k, below=False)


def _triangle(name: str, x: Any, k: int, below: bool) -> Buffer:
    x, k = buffer_of(name, x), whole(name, "k", k)
    if x.ndim < 2:
        raise ShapeError(f"{name} needs at least 2 dimensions, got shape {x.shape}")
    node = x._node
    # Row r keeps column c where c - r <= k: a lower triangle; the upper one is its complement.
    *_, rows, columns = node.shape
    extent = (rows, columns, k if below else k - 1, dtypes.bool)
    low = ops.library(np.tri, (), extent, (rows, columns), dtypes.bool, name, x.device)
    zero = ops.as_operand(False, node.dtype, node.device)
    one, two = (node, zero) if below else (zero, node)
    return Buffer._value(ops.ternary_where(low, one, two))


@quick("zeros_like")
@public
def zeros_like(
    x: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Where = None,
) -> Buffer:
    """Zeros in the shape and dtype of ``x``."""
    return _filled_like("zeros_like", x, 0, dtype, order, shape, device)


@quick("ones_like")
@public
def ones_like(
    x: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Where = None,
) -> Buffer:
    """Ones in the shape and dtype of ``x``."""
    return _filled_like("ones_like", x, 1, dtype, order, shape, device)


def _filled_like(
    name: str, x: Any, value: Any, dtype: Any, order: str, shape: Shape | None, device: Where
) -> Buffer:
    x = buffer_of(name, x)
    wanted = x.dtype if dtype is None else dtype
    extents = x.shape if shape is None else shape
    made = full(extents, value, dtype=wanted, device=device or x.device)
    alike = not isinstance(_number(value), _SEVERAL)
    return lying_as(x, made, order, name, alike)


def _dtype_of(value: Any) -> DT:
    if isinstance(value, np.generic | Buffer):
        return dtypes.as_dtype(value.dtype)
    if isinstance(value, bool | int | float | complex):
        found = dtypes.type_of_scalar(type(value))
        return defaults().get(found, found)
    return defaults().get(dtypes.float64, dtypes.float64)


def _number(value: Any) -> Any:
    """A bound as a Python number, if a NumPy scalar or a 0-d buffer holds it, untraced."""
    if isinstance(value, Buffer) and isinstance(value._node.device, Tracer):
        return value
    is_scalar = isinstance(value, np.generic) or (isinstance(value, Buffer) and not value.shape)
    return value.item() if is_scalar else value


def _bound(value: Any) -> Any:
    is_single = isinstance(value, Buffer) and not value.shape
    return read_number("arange", value) if is_single else _number(value)


def _float(dtype: Any) -> DT:
    return options().default_float if dtype is None else dtypes.as_dtype(dtype)
