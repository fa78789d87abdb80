"""Logic functions: comparisons within a tolerance, and tests of shape, dtype and memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import buffer_of, public
from onebuf.array_api.elementwise import abs, equal, isfinite, isnan
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import DTypeError
from onebuf.numpy_api.delegation import delegated
from onebuf.ops.numpy import short_calls


@delegate(short_calls.isclose)
@public
def isclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Buffer:
    """Whether elements are equal within ``atol + rtol * abs(b)``.

    >>> isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).to_python()
    [True, False]
    """
    x, y = buffer_of("isclose", a, "a"), buffer_of("isclose", b, "b")
    kinds: dict[Any, type] = {int: int, float: float}
    if b.__class__ in kinds:  # a Python number takes the type of what it meets
        y = y.astype(dtypes.meet_scalar(x.dtype, kinds[b.__class__]))
    elif a.__class__ in kinds:
        x = x.astype(dtypes.meet_scalar(y.dtype, kinds[a.__class__]))
    if dtypes.kind(y.dtype) not in "fc":
        y = y.astype(dtypes.float64)
    near = (abs(x - y) <= atol + rtol * abs(y)) & isfinite(y)
    result = near | equal(x, y)
    if equal_nan and dtypes.kind(x.dtype) in "fc":
        result = result | (isnan(x) & isnan(y))
    return result  # type: ignore[no-any-return]


@delegate(short_calls.allclose)
@public
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are equal within a tolerance; see `isclose`."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


@delegate(np.array_equal)
@public
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether two buffers have one shape and equal elements."""
    return bool(on_arrays(Buffer, np.array_equal, (a1, a2, equal_nan), {}))


@public
def array_equiv(a1: Any, a2: Any) -> bool:
    """Whether two buffers are equal after broadcasting."""
    return bool(on_arrays(Buffer, np.array_equiv, (a1, a2), {}))


@public
def iscomplex(x: Any) -> Buffer:
    """Which elements have an imaginary part other than zero."""
    buffer = buffer_of("iscomplex", x)
    if dtypes.kind(buffer.dtype) == "c":
        return buffer.imag != 0  # type: ignore[no-any-return]
    return Buffer.full(buffer.shape, False, dtypes.bool)


@public
def isreal(x: Any) -> Buffer:
    """Which elements have no imaginary part, or zero."""
    return ~iscomplex(x)


@public
def iscomplexobj(x: Any) -> bool:
    """Whether the type of ``x`` is complex, whatever its values."""
    return dtypes.kind(x.dtype) == "c" if isinstance(x, Buffer) else bool(np.iscomplexobj(x))


@public
def isrealobj(x: Any) -> bool:
    """Whether the type of ``x`` is not complex."""
    return not iscomplexobj(x)


@public
def isposinf(x: Any, out: Any = None) -> Buffer:
    """Which elements are positive infinity."""
    return equal(_ordered("isposinf", x), float("inf"), out)


@public
def isneginf(x: Any, out: Any = None) -> Buffer:
    """Which elements are negative infinity."""
    return equal(_ordered("isneginf", x), float("-inf"), out)


def _ordered(name: str, x: Any) -> Buffer:
    found = buffer_of(name, x)
    if dtypes.kind(found.dtype) == "c":
        raise DTypeError(f"{name} needs numbers that have an order, got {found.dtype.name}")
    return found


@public
def isscalar(element: Any) -> bool:
    """Whether ``element`` is a number or a text: also one that was read from a buffer.

    >>> isscalar(3.1), isscalar([3.1]), isscalar(Buffer([3.1])[0])
    (True, False, True)
    """
    return element._is_number if isinstance(element, Buffer) else np.isscalar(element)


@public
def isfortran(a: Any) -> bool:
    """Whether elements lie in column-major order and not in row-major order too."""
    return bool(a.flags.fnc)


@public
def shape(a: Any) -> tuple[int, ...]:
    """The extent of each axis."""
    return buffer_of("shape", a, "a").shape


@public
def ndim(a: Any) -> int:
    """The number of axes."""
    return buffer_of("ndim", a, "a").ndim


@public
def size(a: Any, axis: int | tuple[int, ...] | None = None) -> int:
    """The number of elements, or those along ``axis``."""
    buffer = buffer_of("size", a, "a")
    if axis is None:
        return buffer.size
    return int(
        np.prod([buffer.shape[one] for one in (axis if isinstance(axis, tuple) else (axis,))])
    )


@public
def iterable(y: Any) -> bool:
    """Whether one can iterate over ``y``."""
    return np.iterable(y)


may_share_memory = delegated(np.may_share_memory, only_reads=False)
shares_memory = delegated(np.shares_memory, only_reads=False)
