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
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import CodeType, FrameType
from typing import Any, NamedTuple

from onebuf.graph import here
from onebuf.graph.origin import PACKAGE

Monomial = tuple[int, ...]
"""The numbers of the lengths that are multiplied: (0, 0) is the square of the first one."""
_OUTSIDE = (
    *[f"{PACKAGE}{name}{os.sep}" for name in ("nn", "optim")],
    f"{PACKAGE}layout{os.sep}indexing.py",
)
"""Parts of the package that are programs like any other, and where slices are cut off."""
_NAMES = "nmkpqrst"
_serials = itertools.count()


class Polynomial:
    """A polynomial of the lengths, with rational coefficients.

    >>> n = Polynomial.symbol(0)
    >>> p = n * n - n.plus(Polynomial.number(1))
    >>> str(p), p.at((5,))
    ('n*n - n - 1', Fraction(19, 1))
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {of: factor for of, factor in terms.items() if factor}

    @classmethod
    def number(cls, value: int | Fraction) -> Polynomial:
        """The same for every length."""
        return cls({(): Fraction(value)})

    @classmethod
    def symbol(cls, place: int) -> Polynomial:
        """The length with the number ``place``."""
        return cls({(place,): Fraction(1)})

    @property
    def is_constant(self) -> bool:
        """Whether it is the same for every length."""
        return not any(self.terms)

    def plus(self, other: Polynomial, factor: int = 1) -> Polynomial:
        """The sum with ``factor`` times another one."""
        found = dict(self.terms)
        for of, value in other.terms.items():
            found[of] = found.get(of, Fraction(0)) + factor * value
        return Polynomial(found)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self.plus(other, -1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        found: dict[Monomial, Fraction] = {}
        for one, a in self.terms.items():
            for two, b in other.terms.items():
                of = tuple(sorted((*one, *two)))
                found[of] = found.get(of, Fraction(0)) + a * b
        return Polynomial(found)

    def over(self, divisor: int) -> Polynomial:
        """The quotient."""
        return Polynomial({of: factor / divisor for of, factor in self.terms.items()})

    def is_multiple(self, divisor: int) -> bool:
        """Whether ``divisor`` divides every coefficient, and so the value for every length."""
        return not any((factor / divisor).denominator > 1 for factor in self.terms.values())

    def at(self, lengths: Sequence[int]) -> Fraction:
        """The value for these lengths."""
        total = Fraction(0)
        for of, factor in self.terms.items():
            for place in of:
                factor = factor * lengths[place]
            total += factor
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        text = ""
        for of, factor in sorted(self.terms.items(), key=lambda term: (-len(term[0]), term[0])):
            parts = [_NAMES[place] for place in of]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            sign = " - " if factor < 0 else " + "
            text += sign + "*".join(parts)
        return text.removeprefix(" + ").replace(" - ", "-", text.startswith(" - ")) or "0"


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
        if self.is_open and not decision.polynomial.is_constant:
            self.decisions.setdefault(decision, here())

    def lost(self, what: str) -> None:
        """Note that an extent cannot be followed any further."""
        if self.is_open and not self.opaque:
            self.opaque = f"{what} of a length at {here()}"


def _is_outside() -> bool:
    """Whether the code that called a method of an extent is no part of the package."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and _is_generated(frame.f_code):
        frame = frame.f_back
    name = "" if frame is None else frame.f_code.co_filename
    return not name.startswith(PACKAGE) or name.startswith(_OUTSIDE)


def _is_generated(code: CodeType) -> bool:
    """Whether a method was written by `dataclasses` or the like, and belongs to its caller."""
    return code.co_filename == "<string>" and code.co_name.startswith("__")


def _compared(relation: str) -> Any:
    compare = _RELATIONS[relation]

    def method(self: Extent, other: Any) -> Any:
        polynomial = _polynomial(other)
        if polynomial is None:
            if isinstance(other, float) and _is_outside():
                self.lengths.lost("a comparison with a float")
            return compare(self.value, other)
        difference = self.polynomial - polynomial
        outcome = compare(difference.at(self.lengths.values), 0)
        if _is_outside():
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
    return Polynomial.number(value) if type(value) in (int, bool) else None


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
    __rmod__ = _opaque(lambda one, two: two % one, "a remainder")
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
        if type(exponent) is int and 0 <= exponent < len(_NAMES):
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

    def __mod__(self, divisor: Any) -> Any:
        if type(divisor) is not int:
            return self._divided(operator.mod, divisor, _is_outside())
        remainder = self.value % divisor
        self._leaves(remainder, divisor)
        return remainder

    def __floordiv__(self, divisor: Any) -> Any:
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
        if type(divisor) is not Extent and not isinstance(divisor, float):
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
