"""Extents: lengths that are followed while a function is traced.

A length that may be another one in the next call is an `Extent` in the shapes that the function
sees. It counts as an integer and knows which polynomial of the lengths it is, and so do sums,
differences and products of it. Where code outside of the package compares one, the outcome is noted
as a `Decision`: it has to be the same for another length, or the function would go another way.
Where an extent becomes something that cannot be followed, such as a float, that is noted as well,
and then the function serves one length only.
"""

from __future__ import annotations

import itertools
import operator
import os
import sys
from collections.abc import Callable, Sequence
from numbers import Number
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from onebuf.capture.dynamic.polynomial import Polynomial
from onebuf.graph import here
from onebuf.graph.origin import PACKAGE

_PROGRAMS = tuple([f"{PACKAGE}{name}{os.sep}" for name in ("nn", "optim")])
"""Parts of the package that are programs like any other."""
_SLICES = f"{PACKAGE}layout{os.sep}indexing.py"
"""Where slices are cut off at the ends."""
_DEGREE = 8
"""Powers up to this are followed."""
_serials = itertools.count()


class Decision(NamedTuple):
    """An outcome that Python code depended on: of a comparison with 0, or a remainder."""

    polynomial: Polynomial
    relation: str
    outcome: int
    divisor: int = 0

    def holds(self, lengths: Sequence[int]) -> bool:
        """Whether the outcome is the same for these lengths."""
        value = self.polynomial.at(lengths)
        if self.divisor:
            return value % self.divisor == self.outcome
        return _RELATIONS[self.relation](value, 0) == self.outcome

    @property
    def is_certain(self) -> bool:
        """Whether the outcome is the same for all lengths, as far as signs tell."""
        factors = self.polynomial.terms.values()
        if self.polynomial.is_constant:
            return True
        if all(factor > 0 for factor in factors):
            return self.relation in ("<", ">=")
        return all(factor < 0 for factor in factors) and self.relation in (">", "<=")

    def __str__(self) -> str:
        if self.divisor:
            return f"({self.polynomial}) % {self.divisor} == {self.outcome}"
        text = f"{self.polynomial} {self.relation} 0"
        return text if self.outcome else f"not {text}"


_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
}


class Lengths:
    """What a function did with the lengths in one call."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values = tuple(values)
        self.serial = next(_serials)
        self.decisions: dict[Decision, str] = {}
        """With the line of each."""
        self.opaque = ""
        """How an extent became something that cannot be followed, and where; empty: none did."""
        self.is_open = True

    def extent(self, place: int) -> Any:
        """The length with the number ``place``."""
        return Extent(self.values[place], Polynomial.symbol(place), self)

    def made(self, polynomial: Polynomial) -> Any:
        """The value of ``polynomial``, as an extent if it is another one for other lengths."""
        value = int(polynomial.at(self.values))
        is_followed = self.is_open and not polynomial.is_constant
        return Extent(value, polynomial, self) if is_followed else value

    def decided(self, decision: Decision) -> None:
        """Note a decision."""
        if self.is_open and not decision.is_certain:
            self.decisions.setdefault(decision, here())

    def lost(self, what: str) -> None:
        """Note that an extent cannot be followed any further."""
        if self.is_open and not self.opaque:
            self.opaque = f"{what} of a length at {here()}"


def _is_outside(deciding: bool = False) -> bool:
    """Whether the code that called a method of an extent is no part of the package.

    A part whose decisions count counts as outside if ``deciding``.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and _is_generated(frame.f_code):
        frame = frame.f_back
    name = "" if frame is None else frame.f_code.co_filename
    if not name.startswith(PACKAGE) or name.startswith(_PROGRAMS):
        return True
    return deciding and name == _SLICES


def _is_generated(code: CodeType) -> bool:
    """Whether a method was written by `dataclasses` or the like, and belongs to its caller."""
    return code.co_filename == "<string>" and code.co_name.startswith("__")


def _compared(relation: str) -> Any:
    compare = _RELATIONS[relation]

    def method(self: Extent, other: Any) -> Any:
        polynomial = _polynomial(other)
        if polynomial is None:
            if isinstance(other, Number) and _is_outside():
                self.lengths.lost("a comparison with a float")
            return compare(self.value, other)
        difference = self.polynomial - polynomial
        outcome = compare(difference.at(self.lengths.values), 0)
        if _is_outside(deciding=True):
            self.lengths.decided(Decision(difference, relation, outcome))
        return outcome

    return method


def _computed(combine: Callable[[Polynomial, Polynomial], Polynomial], plain: Any) -> Any:
    def method(self: Extent, other: Any) -> Any:
        polynomial = _polynomial(other)
        if polynomial is not None:
            return self.lengths.made(combine(self.polynomial, polynomial))
        if not isinstance(other, float):
            return NotImplemented
        if _is_outside():
            self.lengths.lost("a float")
        return plain(self.value, other)

    return method


def _opaque(function: Callable[..., Any], what: str) -> Any:
    """A method that gives a value which is not followed."""

    def method(self: Extent, *others: Any) -> Any:
        if any(_polynomial(one) is None and not isinstance(one, float) for one in others):
            return NotImplemented
        if _is_outside():
            self.lengths.lost(what)
        return function(self.value, *[one.value if type(one) is Extent else one for one in others])

    return method


def _polynomial(value: Any) -> Polynomial | None:
    """A value as a polynomial; None if it is no integer."""
    if type(value) is Extent:
        return value.polynomial
    return Polynomial.number(int(value)) if isinstance(value, int | np.integer) else None


class Extent:
    """An integer that is another one for other lengths.

    It says that its class is int, so that it is taken for one. It is none, so that C code has to
    ask it for its value, and that is seen. Its hash is not that of its value: what is cached for an
    integer is never given for an extent, nor the other way round.

    >>> lengths = Lengths([8])
    >>> n = lengths.extent(0)
    >>> isinstance(n, int), (2 * n + 1).value, str((2 * n + 1).polynomial)
    (True, 17, '2*n + 1')
    >>> n // 2 > 3, [str(decision) for decision in lengths.decisions]
    (True, ['(n) % 2 == 0', '1/2*n - 3 > 0'])
    """

    __slots__ = ("value", "polynomial", "lengths")
    __array_ufunc__ = None

    def __init__(self, value: int, polynomial: Polynomial, lengths: Lengths) -> None:
        self.value = value
        self.polynomial = polynomial
        self.lengths = lengths

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return int

    __lt__ = _compared("<")
    __le__ = _compared("<=")
    __eq__ = _compared("==")
    __ne__ = _compared("!=")
    __gt__ = _compared(">")
    __ge__ = _compared(">=")

    __add__ = __radd__ = _computed(Polynomial.plus, operator.add)
    __mul__ = __rmul__ = _computed(Polynomial.__mul__, operator.mul)
    __sub__ = _computed(Polynomial.__sub__, operator.sub)
    __rsub__ = _computed(lambda one, two: two - one, lambda one, two: two - one)

    __truediv__ = _opaque(operator.truediv, "a quotient")
    __rtruediv__ = _opaque(lambda one, two: two / one, "a quotient")
    __rfloordiv__ = _opaque(lambda one, two: two // one, "a quotient")
    __rpow__ = _opaque(lambda one, two: two**one, "a power")
    __and__ = __rand__ = _opaque(operator.and_, "bits")
    __or__ = __ror__ = _opaque(operator.or_, "bits")
    __xor__ = __rxor__ = _opaque(operator.xor, "bits")
    __lshift__ = _opaque(operator.lshift, "bits")
    __rshift__ = _opaque(operator.rshift, "bits")
    __rlshift__ = _opaque(lambda one, two: two << one, "bits")
    __rrshift__ = _opaque(lambda one, two: two >> one, "bits")
    __invert__ = _opaque(operator.invert, "bits")
    __index__ = _opaque(operator.index, "the plain integer")
    __int__ = _opaque(int, "the plain integer")
    __trunc__ = __floor__ = __ceil__ = _opaque(int, "the plain integer")
    __round__ = _opaque(round, "the plain integer")
    __float__ = _opaque(float, "a float")
    __complex__ = _opaque(complex, "a complex number")
    __str__ = _opaque(str, "the text")
    __repr__ = _opaque(repr, "the text")
    bit_length = _opaque(int.bit_length, "bits")
    numerator = real = property(lambda self: self)
    denominator = property(lambda self: 1)
    imag = property(lambda self: 0)

    def __format__(self, form: str) -> str:
        if _is_outside():
            self.lengths.lost("the text")
        return format(self.value, form)

    def __hash__(self) -> int:
        if _is_outside():
            self.lengths.lost("the hash")
        return hash((self.lengths.serial, self.polynomial))

    def __bool__(self) -> bool:
        if _is_outside():
            self.lengths.decided(Decision(self.polynomial, "!=", bool(self.value)))
        return bool(self.value)

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        self.lengths.decided(Decision(self.polynomial, "<", self.value < 0))
        return -self if self.value < 0 else self

    def __pow__(self, exponent: Any) -> Any:
        if type(exponent) is int and 0 <= exponent <= _DEGREE:
            found = Polynomial.number(1)
            for _ in range(exponent):
                found = found * self.polynomial
            return self.lengths.made(found)
        if type(exponent) not in (int, float):
            return NotImplemented
        if _is_outside():
            self.lengths.lost("a power")
        return self.value**exponent

    def __divmod__(self, divisor: Any) -> Any:
        return self // divisor, self % divisor

    def __rdivmod__(self, number: Any) -> Any:
        return number // self, number % self

    def __rmod__(self, number: Any) -> Any:
        if type(number) is int and 0 <= number < self.value:
            below = Polynomial.number(number) - self.polynomial
            self.lengths.decided(Decision(below, "<", True))
            return number
        return self._divided(lambda one, two: two % one, number, _is_outside())

    def __mod__(self, divisor: Any) -> Any:
        if type(divisor) is Extent and 0 <= self.value < divisor.value:
            self.lengths.decided(Decision(self.polynomial, ">=", True))
            self.lengths.decided(Decision(self.polynomial - divisor.polynomial, "<", True))
            return self
        if type(divisor) is not int:
            return self._divided(operator.mod, divisor, _is_outside())
        remainder = self.value % divisor
        self._leaves(remainder, divisor)
        return remainder

    def __floordiv__(self, divisor: Any) -> Any:
        if type(divisor) is Extent and divisor.value:
            quotient = self.value // divisor.value
            if self.polynomial == divisor.polynomial * Polynomial.number(quotient):
                return quotient
        if type(divisor) is not int:
            return self._divided(operator.floordiv, divisor, _is_outside())
        remainder = self.value % divisor
        self._leaves(remainder, divisor)
        return self.lengths.made((self.polynomial - Polynomial.number(remainder)).over(divisor))

    def _leaves(self, remainder: int, divisor: int) -> None:
        """Note a remainder, which the package itself depends on as well."""
        if not (self.polynomial - Polynomial.number(remainder)).is_multiple(divisor):
            self.lengths.decided(Decision(self.polynomial, "%", remainder, divisor))

    def _divided(self, function: Any, divisor: Any, is_outside: bool) -> Any:
        if type(divisor) not in (Extent, int, float):
            return NotImplemented
        if is_outside:
            self.lengths.lost("a quotient")
        return function(self.value, divisor.value if type(divisor) is Extent else divisor)

    def __reduce__(self) -> Any:
        self.lengths.lost("the plain integer")
        return int, (self.value,)


def plain(value: Any) -> Any:
    """``value``, as a plain integer if it is an extent."""
    return value.value if type(value) is Extent else value
