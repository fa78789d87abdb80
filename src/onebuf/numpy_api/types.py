"""NumPy's other names for types, the types that buffers cannot hold, and facts about both.

Arrays of text, dates, records and Python's objects are NumPy's: its classes are here so that a
program which only names them runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import dtypes, ops, scalar_types
from onebuf.array_api.arguments import public
from onebuf.array_api.creation import asarray
from onebuf.buffer import Buffer
from onebuf.numpy_api.delegation import delegated

if TYPE_CHECKING:
    from numpy import bool_ as bool_
    from numpy import byte as byte
    from numpy import cdouble as cdouble
    from numpy import csingle as csingle
    from numpy import double as double
    from numpy import half as half
    from numpy import int_ as int_
    from numpy import intc as intc
    from numpy import intp as intp
    from numpy import long as long
    from numpy import longlong as longlong
    from numpy import short as short
    from numpy import single as single
    from numpy import ubyte as ubyte
    from numpy import uint as uint
    from numpy import uintc as uintc
    from numpy import uintp as uintp
    from numpy import ulong as ulong
    from numpy import ulonglong as ulonglong
    from numpy import ushort as ushort

    ndarray = Buffer
else:

    def _same(theirs: type) -> Any:
        """Our type of as many bytes as NumPy's has on this machine."""
        return getattr(scalar_types, np.dtype(theirs).name)

    bool_, half, single, double = map(_same, (np.bool_, np.half, np.single, np.double))
    byte, short, intc, int_, intp = map(_same, (np.byte, np.short, np.intc, np.int_, np.intp))
    long, longlong = _same(np.long), _same(np.longlong)
    ubyte, ushort, uintc, uint = map(_same, (np.ubyte, np.ushort, np.uintc, np.uint))
    uintp, ulong, ulonglong = map(_same, (np.uintp, np.ulong, np.ulonglong))
    csingle, cdouble = _same(np.csingle), _same(np.cdouble)

    class ArrayType(type(Buffer)):
        """The class of `ndarray`: buffers of every kind are instances, and NumPy's arrays too."""

        def __instancecheck__(cls, x: Any) -> bool:
            return isinstance(x, Buffer | np.ndarray)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, Buffer | np.ndarray)

        def __call__(
            cls,
            shape: Any,
            dtype: Any = float,
            buffer: Any = None,
            offset: int = 0,
            strides: Any = None,
            order: str | None = None,
        ) -> Buffer:
            """A buffer on memory, or on none yet, by NumPy's low-level arguments."""
            if buffer is None and strides is None and order in (None, "C"):
                return Buffer._place(ops.empty(ops.as_shape(shape), dtypes.as_dtype(dtype)))
            memory = buffer.window() if isinstance(buffer, Buffer) else buffer
            return asarray(
                np.ndarray(shape, dtypes.as_dtype(dtype), memory, offset, strides, order)
            )

    class ndarray(Buffer, metaclass=ArrayType):
        """NumPy's name for `Buffer`, for programs that ask ``isinstance(x, np.ndarray)``."""

        __slots__ = ()


class UfuncType(type):
    """The class of `ufunc`: every function with the attributes of one is an instance."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, np.ufunc) or isinstance(getattr(x, "theirs", None), np.ufunc)


class ufunc(metaclass=UfuncType):
    """What element-wise functions are, for programs that ask ``isinstance(f, np.ufunc)``."""


complexfloating = scalar_types.complexfloating
floating = scalar_types.floating
generic = scalar_types.generic
inexact = scalar_types.inexact
integer = scalar_types.integer
number = scalar_types.number
signedinteger = scalar_types.signedinteger
unsignedinteger = scalar_types.unsignedinteger

ScalarType = np.ScalarType
bytes_, character, clongdouble = np.bytes_, np.character, np.clongdouble
datetime64, dtype, flexible = np.datetime64, np.dtype, np.flexible
longdouble, object_ = np.longdouble, np.object_
recarray, record = np.recarray, np.record
str_, timedelta64, void = np.str_, np.timedelta64, np.void
complex256 = getattr(np, "complex256", np.clongdouble)
float128 = getattr(np, "float128", np.longdouble)
False_, True_ = np.False_, np.True_
sctypeDict, typecodes = np.sctypeDict, np.typecodes
little_endian = np.little_endian

base_repr, binary_repr = np.base_repr, np.binary_repr
busdaycalendar, datetime_data = np.busdaycalendar, np.datetime_data
mintypecode, promote_types, typename = np.mintypecode, np.promote_types, np.typename


@public
def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether one type is a kind of another.

    >>> issubdtype("float32", floating), issubdtype(int, floating)
    (True, False)
    """
    return np.issubdtype(arg1, arg2)


busday_count = delegated(np.busday_count)
busday_offset = delegated(np.busday_offset)
common_type = delegated(np.common_type)
datetime_as_string = delegated(np.datetime_as_string)
is_busday = delegated(np.is_busday)
min_scalar_type = delegated(np.min_scalar_type)
