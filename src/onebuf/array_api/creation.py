"""Creation functions. Python's numbers become NumPy's types: float64, int64, complex128."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, buffers_of, flag, number, public, whole
from onebuf.buffer import Buffer
from onebuf.buffer.construction import as_node
from onebuf.errors import ArgumentError, ProtocolError, ShapeError
from onebuf.machine import Device
from onebuf.machine import device as find_device
from onebuf.options import options

DT = np.dtype[Any]
Shape = int | Sequence[int]
Where = str | Device | None


@public
def asarray(
    obj: Any, /, *, dtype: Any = None, device: Where = None, copy: bool | None = None
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
        copy = flag("asarray", "copy", copy)
    node = as_node(obj, dtype, copy, _defaults(), device)
    if isinstance(obj, Buffer) and node is obj._node:
        return obj
    return Buffer._place(node)


@public
def zeros(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Zeros."""
    return full(shape, 0, dtype=_float(dtype), device=device)


@public
def ones(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Ones."""
    return full(shape, 1, dtype=_float(dtype), device=device)


@public
def empty(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Elements of no particular value; memory is taken at the first use."""
    return Buffer.empty(shape, _float(dtype), device=device)


@public
def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: Where = None) -> Buffer:
    """One value everywhere; of a 0-d buffer, its own."""
    if dtype is None:
        dtype = _dtype_of(fill_value)
    return Buffer.full(shape, _number(fill_value), dtype, device=device)


@public
def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Where = None,
) -> Buffer:
    """``start``, ``start + step``, ... up to but not including ``stop``.

    >>> arange(2, 8, 3)
    Buffer([2, 5], shape=(2,), dtype=int64, device=CPU)
    """
    where = find_device(device)
    if stop is None:
        start, stop = 0, start
    start, stop, step = _number(start), _number(stop), _number(step)
    whole = all(isinstance(bound, int) for bound in (start, stop, step))
    chosen = dtypes.int64 if whole else options().default_float
    return Buffer._value(ops.arange(start, stop, step, dtypes.as_dtype(dtype or chosen), where))


@public
def empty_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Elements of no particular value in the shape and dtype of ``x``."""
    x = buffer_of("empty_like", x)
    return empty(x.shape, dtype=x.dtype if dtype is None else dtype, device=device or x.device)


@public
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Where = None,
) -> Buffer:
    """Ones on diagonal ``k``, zeros elsewhere.

    >>> eye(2, 3, k=1)
    Buffer([[0., 1., 0.],
            [0., 0., 1.]], shape=(2, 3), dtype=float64, device=CPU)
    """
    where = find_device(device)
    rows = whole("eye", "n_rows", n_rows, 0)
    columns = rows if n_cols is None else whole("eye", "n_cols", n_cols, 0)
    place, wanted = whole("eye", "k", k), _float(dtype)
    static = (rows, columns, place, wanted)
    return Buffer._value(ops.library(np.eye, (), static, (rows, columns), wanted, "eye", where))


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
def full_like(x: Buffer, /, fill_value: Any, *, dtype: Any = None, device: Where = None) -> Buffer:
    """One value everywhere, in the shape and dtype of ``x``."""
    return _filled_like("full_like", x, fill_value, dtype, device)


@public
def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Where = None,
    endpoint: bool = True,
) -> Buffer:
    """``num`` numbers from ``start`` to ``stop`` at even distances.

    >>> linspace(0, 1, 5)
    Buffer([0.  , 0.25, 0.5 , 0.75, 1.  ], shape=(5,), dtype=float64, device=CPU)
    """
    where = find_device(device)
    num = whole("linspace", "num", num, 0)
    endpoint = flag("linspace", "endpoint", endpoint)
    start, stop = (
        number("linspace", argument, _number(value), (int, float, complex))
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
    return Buffer._value(ops.cast(node, wanted))


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, floored: bool) -> Any:
    found = np.linspace(start, stop, num, endpoint)
    return np.floor(found) if floored else found


@public
def meshgrid(*arrays: Buffer, indexing: str = "xy") -> tuple[Buffer, ...]:
    """Coordinates of a grid from those of its axes."""
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
        grids.append(x.reshape(thin).expand(shape).copy())
    return tuple(grids)


@public
def tril(x: Buffer, /, *, k: int = 0) -> Buffer:
    """``x`` with zeros above diagonal ``k`` of the last two axes."""
    return _triangle("tril", x, k, below=True)


@public
def triu(x: Buffer, /, *, k: int = 0) -> Buffer:
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


@public
def zeros_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Zeros in the shape and dtype of ``x``."""
    return _filled_like("zeros_like", x, 0, dtype, device)


@public
def ones_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Ones in the shape and dtype of ``x``."""
    return _filled_like("ones_like", x, 1, dtype, device)


def _filled_like(name: str, x: Any, value: Any, dtype: Any, device: Where) -> Buffer:
    x = buffer_of(name, x)
    wanted = x.dtype if dtype is None else dtype
    return full(x.shape, value, dtype=wanted, device=device or x.device)


def _dtype_of(value: Any) -> DT:
    if isinstance(value, np.generic | Buffer):
        return dtypes.as_dtype(value.dtype)
    if isinstance(value, bool | int | float | complex):
        found = dtypes.type_of_scalar(type(value))
        return _defaults().get(found, found)
    return _defaults().get(dtypes.float64, dtypes.float64)


def _number(value: Any) -> Any:
    """A bound as a Python number, if a NumPy scalar or a 0-d buffer holds it."""
    is_scalar = isinstance(value, np.generic) or (isinstance(value, Buffer) and not value.shape)
    return value.item() if is_scalar else value


def _float(dtype: Any) -> DT:
    return options().default_float if dtype is None else dtypes.as_dtype(dtype)


def _defaults() -> dict[DT, DT]:
    default = options().default_float
    if default.itemsize == 8:
        return {}
    return {dtypes.float64: default, dtypes.complex128: dtypes.complex64}
