"""Types of elements that can be called, as NumPy's are: ``onebuf.float32(3)`` is a value.

Each is a class derived from NumPy's class of that name, with the attributes, the equality and the
hash of its ``np.dtype``: ``x.dtype == onebuf.float32`` both ways, ``{onebuf.float32: 1}[x.dtype]``,
``onebuf.float32.itemsize``. NumPy itself takes them wherever it takes a dtype. Values are NumPy's
own: the classes have no instances of theirs.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.creation import asarray
from onebuf.buffer import Buffer

_ATTRIBUTES = (
    *("alignment", "base", "byteorder", "char", "descr", "fields", "flags", "hasobject"),
    *("isalignedstruct", "isbuiltin", "isnative", "itemsize", "kind", "metadata", "name", "names"),
    *("ndim", "newbyteorder", "num", "shape", "str", "subdtype", "type"),
)


def _forwarded(name: str) -> Any:
    """An attribute of the class that is one of its dtype."""
    return property(lambda cls: getattr(cls.dtype, name), doc=f"The dtype's ``{name}``.")


class AbstractType(type):
    """The class of kinds of types, such as ``onebuf.floating``."""

    _type: type
    """NumPy's own class."""

    def __instancecheck__(cls, value: Any) -> builtins.bool:
        if isinstance(value, Buffer):
            return not value.shape and issubclass(value.dtype.type, cls._type)
        return isinstance(value, cls._type)

    def __subclasscheck__(cls, other: type) -> builtins.bool:
        return issubclass(other._type if isinstance(other, AbstractType) else other, cls._type)

    def __eq__(cls, other: object) -> builtins.bool:
        return cls is other or cls._type is other

    def __hash__(cls) -> int:
        return hash(cls._type)

    def __repr__(cls) -> str:
        return f"<class 'onebuf.{cls.__name__}'>"


class ScalarType(AbstractType):
    """The class of the types of elements: what ``onebuf.float32`` itself can do."""

    _dtype: np.dtype[Any]
    _hash: int

    @property
    def dtype(cls) -> np.dtype[Any]:
        """The type as NumPy's dtype, which NumPy asks for."""
        return cls._dtype

    def __call__(cls, value: Any = 0, *args: Any) -> Any:
        """``value`` in this type: a number as NumPy's scalar, anything else as a buffer.

        >>> float32(3), int64("7"), uint8([1, 2]).dtype
        (np.float32(3.0), np.int64(7), dtype('uint8'))
        """
        if isinstance(value, Buffer | list | tuple) or np.ndim(value):
            return asarray(value).astype(cls._dtype)
        return cls._type(value, *args)

    def __eq__(cls, other: object) -> builtins.bool:
        return cls is other or cls._dtype == other

    def __hash__(cls) -> int:
        return cls._hash

    def __repr__(cls) -> str:
        return repr(cls._dtype)

    def __str__(cls) -> str:
        return str(cls._dtype)


for _name in _ATTRIBUTES:
    setattr(ScalarType, _name, _forwarded(_name))


def _type_of(dtype: np.dtype[Any]) -> Any:
    theirs = dtype.type
    bases = () if theirs is np.bool else (theirs,)  # nothing may derive from this one
    own = {"_type": theirs, "_dtype": dtype, "_hash": hash(dtype), "__module__": "onebuf"}
    return ScalarType(dtype.name, bases, own)


def _kind_of(theirs: type) -> Any:
    own = {"_type": theirs, "__module__": "onebuf"}
    return AbstractType(theirs.__name__, (theirs,), own)


if TYPE_CHECKING:
    from ml_dtypes import bfloat16 as bfloat16
    from ml_dtypes import float8_e4m3fn as float8_e4m3fn
    from ml_dtypes import float8_e5m2 as float8_e5m2
    from numpy import bool as bool
    from numpy import complex64 as complex64
    from numpy import complex128 as complex128
    from numpy import complexfloating as complexfloating
    from numpy import float16 as float16
    from numpy import float32 as float32
    from numpy import float64 as float64
    from numpy import floating as floating
    from numpy import generic as generic
    from numpy import inexact as inexact
    from numpy import int8 as int8
    from numpy import int16 as int16
    from numpy import int32 as int32
    from numpy import int64 as int64
    from numpy import integer as integer
    from numpy import number as number
    from numpy import signedinteger as signedinteger
    from numpy import uint8 as uint8
    from numpy import uint16 as uint16
    from numpy import uint32 as uint32
    from numpy import uint64 as uint64
    from numpy import unsignedinteger as unsignedinteger
else:
    bool = _type_of(dtypes.bool)  # noqa: A001
    int8, int16 = _type_of(dtypes.int8), _type_of(dtypes.int16)
    int32, int64 = _type_of(dtypes.int32), _type_of(dtypes.int64)
    uint8, uint16 = _type_of(dtypes.uint8), _type_of(dtypes.uint16)
    uint32, uint64 = _type_of(dtypes.uint32), _type_of(dtypes.uint64)
    float16, bfloat16 = _type_of(dtypes.float16), _type_of(dtypes.bfloat16)
    float32, float64 = _type_of(dtypes.float32), _type_of(dtypes.float64)
    float8_e4m3fn = _type_of(dtypes.float8_e4m3fn)
    float8_e5m2 = _type_of(dtypes.float8_e5m2)
    complex64, complex128 = _type_of(dtypes.complex64), _type_of(dtypes.complex128)
    generic, number, integer = (_kind_of(t) for t in (np.generic, np.number, np.integer))
    signedinteger, unsignedinteger = _kind_of(np.signedinteger), _kind_of(np.unsignedinteger)
    inexact, floating = _kind_of(np.inexact), _kind_of(np.floating)
    complexfloating = _kind_of(np.complexfloating)
