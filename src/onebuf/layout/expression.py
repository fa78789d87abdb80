"""Index expressions: integer arithmetic on the indices of an element, as data.

A layout answers with expressions, and each reader of a layout evaluates them in its own terms: as
steps of a kernel, as NumPy arrays, or as Python's numbers. Sums of multiples of indices, which is
all that strides can say, stay one `Strided` however they are written down. Operations have the
names that they have in `onebuf.graph`.

>>> i, j = indices(2)
>>> 3 * (i + j) - 1
Strided(stride=(3, 3), offset=-1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias, TypeGuard, TypeVar

T = TypeVar("T")


class Expression:
    """An integer, or a condition, that depends on the indices of an element."""

    __slots__ = ()

    def __add__(self, other: Operand) -> Expression:
        other = expression(other)
        if isinstance(self, Strided) and isinstance(other, Strided):
            pairs = zip_longest(self.stride, other.stride, fillvalue=0)
            return Strided(tuple([one + two for one, two in pairs]), self.offset + other.offset)
        return Apply("add", (self, other))

    def __mul__(self, other: Operand) -> Expression:
        other = expression(other)
        for one, two in ((self, other), (other, self)):
            if isinstance(one, Strided) and isinstance(two, Strided) and not any(two.stride):
                by = two.offset
                return Strided(tuple([step * by for step in one.stride]), one.offset * by)
        return Apply("multiply", (self, other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __sub__(self, other: Operand) -> Expression:
        return self + expression(other) * -1

    def __rsub__(self, other: Operand) -> Expression:
        return expression(other) + self * -1

    def __floordiv__(self, other: Operand) -> Expression:
        if _is_power_of_two(other):  # which rounds down as well, and takes no division
            return Apply("bitwise_right_shift", (self, expression(other.bit_length() - 1)))
        return Apply("floor_divide", (self, expression(other)))

    def __mod__(self, other: Operand) -> Expression:
        if _is_power_of_two(other):
            return Apply("bitwise_and", (self, expression(other - 1)))
        return Apply("remainder", (self, expression(other)))

    def __lt__(self, other: Operand) -> Expression:
        return Apply("less", (self, expression(other)))

    def __le__(self, other: Operand) -> Expression:
        return Apply("less_equal", (self, expression(other)))

    def __gt__(self, other: Operand) -> Expression:
        return expression(other) < self

    def __ge__(self, other: Operand) -> Expression:
        return expression(other) <= self

    def __and__(self, other: Expression) -> Expression:
        return Apply("logical_and", (self, other))

    def __or__(self, other: Expression) -> Expression:
        return Apply("logical_or", (self, other))

    def __xor__(self, other: Expression) -> Expression:
        return Apply("logical_xor", (self, other))

    def __bool__(self) -> bool:
        raise TypeError("a condition on indices has no truth of its own; use where, & and |")


@dataclass(frozen=True, slots=True)
class Strided(Expression):
    """``offset`` plus a multiple of each index; a number if ``stride`` is empty."""

    stride: tuple[int, ...] = ()
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Apply(Expression):
    """An operation on expressions."""

    op: str
    args: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Table(Expression):
    """What index table ``number`` holds at a position; who reads the layout has the tables."""

    number: int
    position: Expression


Operand: TypeAlias = Expression | int


def _is_power_of_two(value: Operand) -> TypeGuard[int]:
    return isinstance(value, int) and value > 0 and not value & (value - 1)


def expression(value: Operand) -> Expression:
    """``value``, or the expression of a number."""
    return value if isinstance(value, Expression) else Strided((), value)


def indices(ndim: int) -> tuple[Expression, ...]:
    """The index along each of ``ndim`` axes.

    >>> indices(2)
    (Strided(stride=(1, 0), offset=0), Strided(stride=(0, 1), offset=0))
    """
    axes = range(ndim)
    return tuple([Strided(tuple([int(axis == one) for axis in axes])) for one in axes])


def minimum(one: Operand, two: Operand) -> Expression:
    """The smaller number."""
    return Apply("minimum", (expression(one), expression(two)))


def maximum(one: Operand, two: Operand) -> Expression:
    """The larger number."""
    return Apply("maximum", (expression(one), expression(two)))


def equal(one: Operand, two: Operand) -> Expression:
    """Whether two numbers are equal (``==`` compares the expressions themselves)."""
    return Apply("equal", (expression(one), expression(two)))


def where(condition: Expression, one: Operand, two: Operand) -> Expression:
    """``one`` where ``condition`` holds, else ``two``."""
    return Apply("where", (condition, expression(one), expression(two)))


def unravel(position: Expression, shape: Sequence[int]) -> tuple[Expression, ...]:
    """The indices of the element at a row-major ``position``."""
    found: list[Expression] = []
    for extent in reversed(shape[1:]):
        found.append(position % extent)
        position = position // extent
    return tuple([position, *reversed(found)]) if shape else ()


def evaluate(
    wanted: Expression,
    strided: Callable[[Strided], T],
    apply: Callable[[str, tuple[T, ...]], T],
    table: Callable[[int, T], T],
) -> T:
    """The value of an expression, of what its three kinds of parts are worth.

    >>> from operator import floordiv
    >>> third = indices(1)[0] // 3
    >>> evaluate(third, lambda part: 7 if part.stride else part.offset, lambda op, x: floordiv(*x),
    ...          lambda number, position: 0)
    2
    """
    known: dict[int, T] = {}

    def value(part: Expression) -> T:
        if id(part) not in known:
            if isinstance(part, Strided):
                known[id(part)] = strided(part)
            elif isinstance(part, Table):
                known[id(part)] = table(part.number, value(part.position))
            else:
                assert isinstance(part, Apply)
                known[id(part)] = apply(part.op, tuple([value(arg) for arg in part.args]))
        return known[id(part)]

    return value(wanted)
