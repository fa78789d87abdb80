"""The three element types, each one a Python type.

The names promise 32 bits, the values do not: a ``float32`` element is a Python double, an ``int32``
element a Python integer of any size.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from enum import Enum
from typing import TypeAlias

from onebuf.errors import ArgumentError, ArgumentTypeError

Scalar: TypeAlias = bool | int | float
Real: TypeAlias = int | float


class DType(Enum):
    """The type of a buffer's elements; its value is the Python type that holds one.

    >>> list(DType)
    [<DType.float32: <class 'float'>>, <DType.int32: <class 'int'>>, <DType.bool: <class 'bool'>>]
    """

    float32 = builtins.float
    int32 = builtins.int
    bool = builtins.bool

    def cast(self, value: Scalar) -> Scalar:
        """``value`` as an element of this type, by Python's own conversion.

        >>> DType.int32.cast(2.9), DType.bool.cast(-1), DType.float32.cast(True)
        (2, True, 1.0)
        """
        convert: type[Scalar] = self.value
        return convert(value)

    @staticmethod
    def deduce_dtype(value: object) -> DType:
        """The type whose elements are exactly of ``value``'s class; a subclass is not enough.

        >>> DType.deduce_dtype(True), DType.deduce_dtype(1)
        (<DType.bool: <class 'bool'>>, <DType.int32: <class 'int'>>)
        """
        return deduce_from_class(type(value))


_BY_CLASS: dict[type, DType] = {dtype.value: dtype for dtype in DType}


def deduce_from_class(cls: type) -> DType:
    """The type whose elements are instances of exactly ``cls``.

    >>> deduce_from_class(int)
    <DType.int32: <class 'int'>>
    """
    try:
        return _BY_CLASS[cls]
    except KeyError:
        raise RuntimeError(
            f"Could not infer dtype of type {cls}: needed float, int or bool, or lists of them; "
            "convert the values first"
        ) from None


def widest_dtype(classes: Iterable[type]) -> DType:
    """The first of float32, int32, bool among the types of ``classes``.

    >>> widest_dtype({bool, int})
    <DType.int32: <class 'int'>>
    """
    order = list(DType)
    return min(map(deduce_from_class, classes), key=order.index)


def common_dtype(values: Iterable[object]) -> DType:
    """The type of which every one of the values is, exactly.

    >>> common_dtype([1.0, 2.5])
    <DType.float32: <class 'float'>>
    """
    first, *others = sorted({type(value) for value in values}, key=str)
    if others:
        raise ArgumentTypeError(
            f"needed values of one type, got {first.__name__} and {others[0].__name__}; "
            "convert them all to one type first"
        )
    return deduce_from_class(first)


def check_dtype(dtype: object) -> DType:
    """``dtype`` itself, if it is a DType.

    >>> check_dtype(DType.bool)
    <DType.bool: <class 'bool'>>
    """
    if not isinstance(dtype, DType):
        raise ArgumentError(
            f"dtype needs to be a DType, got {dtype!r}; pass one of {', '.join(map(str, DType))}"
        )
    return dtype
