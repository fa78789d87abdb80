"""Element by element: a Python function over columns of values, with the results Python gives.

The results say their type: ``True + True`` is an int, ``1 / 2`` a float. Where Python raises, the
same error is raised, naming the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from onebuf.compat.tinygpt.dtype import DType, Scalar, widest_dtype
from onebuf.errors import ArgumentTypeError


class Operand(NamedTuple):
    """One column of values, and a value of their kind for when the column has none."""

    values: Sequence[Any]
    sample: Any


def repeat_scalar(operation: str, value: object, count: int) -> Operand:
    """A Python number as a column, exactly a bool, an int or a float.

    >>> repeat_scalar("+", 2.5, 3)
    Operand(values=[2.5, 2.5, 2.5], sample=1.0)
    """
    for cls in (bool, int, float):
        if isinstance(value, cls):
            return Operand([cls(value)] * count, cls(1))
    raise ArgumentTypeError(
        f"{operation} needs an int, a float or a bool beside a Buffer, got {value!r}; "
        "make a Buffer of it first"
    )


def apply(
    operation: str, function: Callable[..., Scalar], operands: Sequence[Operand]
) -> tuple[list[Scalar], DType]:
    """The function's value for each row of the operands, and the type of these values.

    Values of several types (the greater of 1 and 2.5, and of 3 and 2.5) become the widest of them.

    >>> apply("maximum", max, [Operand([1, 3], 1), Operand([2.5, 2.5], 1.0)])
    ([2.5, 3.0], <DType.float32: <class 'float'>>)
    """
    columns = [operand.values for operand in operands]
    try:
        values = list(map(function, *columns))
    except (ArithmeticError, ValueError) as error:
        rows = zip(*columns, strict=True)
        row = next(row for row in rows if _fails(function, row))
        raise type(error)(
            f"{operation} needs elements for which Python has a result, got "
            f"{', '.join(map(repr, row))} ({error}); change or mask these elements first"
        ) from None
    classes = set(map(type, values))
    if not classes:
        classes = {type(function(*(operand.sample for operand in operands)))}
    dtype = widest_dtype(classes)
    return (values if len(classes) == 1 else list(map(dtype.cast, values))), dtype


def power(base: Scalar, exponent: Scalar) -> Scalar:
    """``base ** exponent``, which has to be a real number.

    >>> power(2, 3), power(2, -1)
    (8, 0.5)
    """
    result: Scalar | complex = base**exponent
    if isinstance(result, complex):
        raise RuntimeError(
            f"** needs a result that is a real number, got {base!r} ** {exponent!r}; "
            "use a whole exponent or make the elements positive"
        )
    return result


def _fails(function: Callable[..., Scalar], row: Sequence[Any]) -> bool:
    try:
        function(*row)
    except (ArithmeticError, ValueError):
        return True
    return False
