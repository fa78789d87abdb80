"""Creation functions. Python's numbers become NumPy's types: float64, int64, complex128."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.buffer.construction import as_node
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.machine import Device
from onebuf.machine import device as find_device
from onebuf.options import options

DT = np.dtype[Any]
Shape = int | Sequence[int]
Where = str | Device | None


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
    node = as_node(obj, dtype, copy, _defaults(), device)
    if isinstance(obj, Buffer) and node is obj._node:
        return obj
    return Buffer._value(node)


def zeros(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Zeros."""
    return full(shape, 0, dtype=_float(dtype), device=device)


def ones(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Ones."""
    return full(shape, 1, dtype=_float(dtype), device=device)


def empty(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Elements of no particular value; memory is taken at the first use."""
    find_device(device)
    return Buffer.empty(shape, _float(dtype))


def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: Where = None) -> Buffer:
    """One value everywhere."""
    find_device(device)
    if dtype is None:
        dtype = _dtype_of(fill_value)
    return Buffer.full(shape, fill_value, dtype)


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
    find_device(device)
    if stop is None:
        start, stop = 0, start
    whole = all(isinstance(bound, int) for bound in (start, stop, step))
    chosen = dtypes.int64 if whole else options().default_float
    return Buffer._value(ops.arange(start, stop, step, dtypes.as_dtype(dtype or chosen)))


def empty_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Elements of no particular value in the shape and dtype of ``x``."""
    return empty(x.shape, dtype=dtype or x.dtype, device=device)


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
    columns = n_rows if n_cols is None else n_cols
    shape = ops.as_shape((n_rows, columns))
    rows = arange(shape[0], device=device).expand_dims(1)
    return (arange(shape[1]) - rows == k).astype(_float(dtype))  # type: ignore[no-any-return]


def from_dlpack(x: Any, /, *, device: Where = None, copy: bool | None = None) -> Buffer:
    """A buffer on the memory of an object that speaks DLPack."""
    if not hasattr(x, "__dlpack__"):
        raise ArgumentTypeError(
            f"from_dlpack needs an object with __dlpack__, got {type(x).__name__}; "
            f"see onebuf.asarray"
        )
    return asarray(x, device=device, copy=copy)


def full_like(x: Buffer, /, fill_value: Any, *, dtype: Any = None, device: Where = None) -> Buffer:
    """One value everywhere, in the shape and dtype of ``x``."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


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
    find_device(device)
    if num < 0:
        raise ArgumentError(f"linspace needs a count of at least 0, got {num}")
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    default = dtypes.promote(options().default_float, dtypes.complex64) if is_complex else None
    wanted = dtypes.as_dtype(dtype or default or options().default_float)
    node = ops.library(
        _spaced,
        (),
        (start, stop, num, endpoint, dtypes.kind(wanted) in "iu"),
        (num,),
        dtypes.promote(wanted, dtypes.float64),
    )
    return Buffer._value(ops.cast(node, wanted))


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, whole: bool) -> Any:
    found = np.linspace(start, stop, num, endpoint)
    return np.floor(found) if whole else found


def meshgrid(*arrays: Buffer, indexing: str = "xy") -> tuple[Buffer, ...]:
    """Coordinates of a grid from those of its axes."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid needs indexing 'xy' or 'ij', got {indexing!r}")
    order = list(range(len(arrays)))
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    shape = tuple([arrays[place].shape[0] if arrays[place].shape else 1 for place in order])
    grids = []
    for place, x in enumerate(arrays):
        thin = [1] * len(arrays)
        thin[order.index(place)] = -1
        grids.append(x.reshape(thin).expand(shape).copy())
    return tuple(grids)


def tril(x: Buffer, /, *, k: int = 0) -> Buffer:
    """``x`` with zeros above diagonal ``k`` of the last two axes."""
    return _triangle(x, k, below=True)


def triu(x: Buffer, /, *, k: int = 0) -> Buffer:
    """``x`` with zeros below diagonal ``k`` of the last two axes."""
    return _triangle(x, k, below=False)


def _triangle(x: Buffer, k: int, below: bool) -> Buffer:
    if x.ndim < 2:
        raise ArgumentError(f"a triangle needs at least 2 dimensions, got shape {x.shape}")
    distance = arange(x.shape[-1]) - arange(x.shape[-2]).expand_dims(1)
    kept = distance <= k if below else distance >= k
    zero = full((), 0, dtype=x.dtype)
    return Buffer._value(ops.ternary_where(kept._node, x._node, zero._node))


def zeros_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Zeros in the shape and dtype of ``x``."""
    return full(x.shape, 0, dtype=dtype or x.dtype, device=device)


def ones_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Ones in the shape and dtype of ``x``."""
    return full(x.shape, 1, dtype=dtype or x.dtype, device=device)


def _dtype_of(value: Any) -> DT:
    if isinstance(value, np.generic):
        return dtypes.as_dtype(value.dtype)
    if isinstance(value, bool | int | float | complex):
        found = dtypes.type_of_scalar(type(value))
        return _defaults().get(found, found)
    return _defaults().get(dtypes.float64, dtypes.float64)


def _float(dtype: Any) -> DT:
    return options().default_float if dtype is None else dtypes.as_dtype(dtype)


def _defaults() -> dict[DT, DT]:
    default = options().default_float
    if default.itemsize == 8:
        return {}
    return {dtypes.float64: default, dtypes.complex128: dtypes.complex64}
