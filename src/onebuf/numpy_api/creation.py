"""Creation functions, under NumPy's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, public, whole
from onebuf.array_api.creation import arange, asarray, eye
from onebuf.array_api.elementwise import isfinite
from onebuf.array_api.memory_layout import laid_out
from onebuf.array_api.searching import where
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import ArgumentError
from onebuf.machine import Device
from onebuf.native import quick
from onebuf.numpy_api.delegation import delegated
from onebuf.options import options

Where = str | Device | None


@quick("array")
@public
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 64,
    like: Any = None,
    device: Where = None,
) -> Buffer:
    """A new buffer with the elements of ``object``; with ``copy=None`` shared where possible.

    >>> array([1, 2, 3], float, ndmin=2)
    Buffer([[1., 2., 3.]], shape=(1, 3), dtype=float64, device=CPU)
    """
    if ndmax != 64:
        _check_ndmax(ndmin, ndmax)
    made = asarray(object, dtype=dtype, device=device, copy=copy)
    if made.ndim > ndmax:
        raise ArgumentError(
            f"setting an array element with a sequence. The requested array would exceed the "
            f"maximum number of dimension of {ndmax}: it has shape {made.shape}"
        )
    if order not in ("K", None):
        made = laid_out("array", made, order, copy)
    least = whole("array", "ndmin", ndmin, 0)
    return made if made.ndim >= least else made.reshape((1,) * (least - made.ndim) + made.shape)


def _check_ndmax(ndmin: int, ndmax: int) -> None:
    if not 0 <= whole("array", "ndmax", ndmax) <= 64:
        raise ArgumentError(f"ndmax must be in the range [0, 64], got {ndmax}")
    if ndmin > ndmax:
        raise ArgumentError(f"ndmin must be <= ndmax, got ndmin={ndmin} and ndmax={ndmax}")


@public
def asanyarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Where = None,
    copy: bool | None = None,
    like: Any = None,
) -> Buffer:
    """`asarray`: buffers of every kind are buffers already."""
    return asarray(a, dtype, order, device=device, copy=copy)


@public
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Buffer:
    """``a`` in row-major order, with at least one dimension."""
    x = asarray(a, dtype).contiguous()
    return x if x.ndim else x.reshape(1)


@public
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Buffer:
    """``a`` in column-major order."""
    return laid_out("asfortranarray", asarray(a, dtype), "F")


@public
def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None) -> Buffer:
    """`asarray`, or an error if an element is NaN or infinite."""
    x = asarray(a, dtype, order)
    if dtypes.kind(x.dtype) in "fc" and not isfinite(x).all():
        raise ArgumentError("asarray_chkfinite: the buffer must not contain infs or NaNs")
    return x


@public
def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Buffer:
    """``a`` with the properties named: "C", "F", "W" (may be written), "O" (own memory)."""
    wanted = {name[:1].upper() for name in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ArgumentError('require needs "C" or "F", got both')
    x = asarray(a, dtype)
    if "F" in wanted:
        x = laid_out("require", x, "F")
    elif "C" in wanted:
        x = x.contiguous()
    if not wanted & {"W", "O"}:
        return x
    flags = np.asarray(x).flags
    missing = ("W" in wanted and not flags.writeable) or ("O" in wanted and not flags.owndata)
    return x.copy() if missing else x


@public
def copy(a: Any, order: str = "K", subok: bool = False) -> Buffer:
    """The same elements in memory of their own."""
    return buffer_of("copy", a, "a").copy(order)


@quick("eye")
@public
def identity(n: int, dtype: Any = None, *, like: Any = None) -> Buffer:
    """A square matrix with ones on the diagonal."""
    return eye(n, dtype=dtype)


@public
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, *, like: Any = None) -> Buffer:
    """Ones at and below diagonal ``k``, zeros above.

    >>> tri(2, 3, dtype=int).to_python()
    [[1, 0, 0], [1, 1, 0]]
    """
    rows = whole("tri", "N", N, 0)
    columns = rows if M is None else whole("tri", "M", M, 0)
    wanted = options().default_float if dtype is None else dtypes.as_dtype(dtype)
    static = (rows, columns, whole("tri", "k", k), wanted)
    return Buffer._value(ops.library(np.tri, (), static, (rows, columns), wanted, "tri"))


@public
def diagflat(v: Any, k: int = 0) -> Buffer:
    """A matrix with the flat elements of ``v`` on diagonal ``k``."""
    x = buffer_of("diagflat", v, "v").reshape(-1)
    places = arange(x.size + abs(k), device=x.device)
    column = x.pad([(0, abs(k))]).expand_dims(1 if k >= 0 else 0)
    return where(places - places.expand_dims(1) == k, column, False)  # type: ignore[no-any-return]


@public
def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """``function`` of the indices of a grid, one buffer for each axis.

    >>> fromfunction(lambda i, j: i + j, (2, 2), dtype=int).to_python()
    [[0, 1], [1, 2]]
    """
    return function(*indices(shape, dtype), **kwargs)


@public
def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """The index of every element of a grid along each axis."""
    return on_arrays(Buffer, np.indices, (ops.as_shape(dimensions), dtype, sparse), {})


@public
def fromiter(iter: Iterable[Any], dtype: Any, count: int = -1, *, like: Any = None) -> Buffer:
    """The numbers of an iterable."""
    return Buffer(np.fromiter(iter, dtypes.as_dtype(dtype), count))


@public
def frombuffer(
    buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0, *, like: Any = None
) -> Buffer:
    """A buffer on memory that exports bytes.

    >>> frombuffer(b"\\x01\\x02", "uint8").to_python()
    [1, 2]
    """
    memory: Any = np.asarray(buffer) if isinstance(buffer, Buffer) else buffer
    return asarray(np.frombuffer(memory, dtypes.as_dtype(dtype), count, offset))


fromfile = delegated(np.fromfile, only_reads=False)
fromregex = delegated(np.fromregex)
fromstring = delegated(np.fromstring)
genfromtxt = delegated(np.genfromtxt)
geomspace = delegated(np.geomspace)
loadtxt = delegated(np.loadtxt)
logspace = delegated(np.logspace)
vander = delegated(np.vander)
