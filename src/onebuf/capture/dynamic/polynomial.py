"""Polynomials of the lengths that may vary, with exact rational coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

Monomial = tuple[int, ...]
"""The numbers of the lengths that are multiplied: (0, 0) is the square of the first one."""
NAMES = "nmkpqrst"
"""What lengths are called, by their numbers."""


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
            parts = [NAMES[place] for place in of]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            sign = " - " if factor < 0 else " + "
            text += sign + "*".join(parts)
        return text.removeprefix(" + ").replace(" - ", "-", text.startswith(" - ")) or "0"
