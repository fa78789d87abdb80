"""Fits: a value that was seen for several lengths, as a function of the lengths.

Integers are polynomials of the lengths, of degree 2 at most. They are found by exact arithmetic,
and there is always at least one sample more than a polynomial has coefficients, which has to agree.
Numbers that operations compute with are polynomials as well, or one over such, or roots of them;
they have to agree to the bit. Everything else has to be equal in all samples.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import isfinite, sqrt
from types import FunctionType
from typing import Any

import numpy as np

from onebuf.capture.dynamic.extent import plain
from onebuf.capture.dynamic.polynomial import Monomial, Polynomial
from onebuf.layout import View
from onebuf.ops.library import LibraryCall, Part, Shared
from onebuf.ops.movement import Padding
from onebuf.ops.numpy.picking import Static

DEGREE = 2


class Misfit(Exception):
    """Values that are no known function of the lengths; the text says which."""


class Instance:
    """The lengths that values are wanted for, and what was made for them."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = tuple(lengths)
        self.shared: dict[int, Shared] = {}

    def whole(self, polynomial: Polynomial) -> int:
        """The value of a polynomial, which has to be an integer."""
        value = polynomial.at(self.lengths)
        if value.denominator != 1:
            raise Misfit(f"{polynomial} is no integer for {self.lengths}")
        return value.numerator


At = Callable[[Instance], Any]
"""The value for some lengths."""


class Fits:
    """Fits of values that were seen at ``points``, one tuple of lengths for each sample."""

    def __init__(self, points: Sequence[tuple[int, ...]]) -> None:
        self.points = points
        self._known: dict[tuple[Any, ...], Polynomial] = {}
        self._shared: dict[tuple[int, ...], int] = {}
        self._kept: list[Any] = []

    # -- numbers -----------------------------------------------------------------------------------

    def polynomial(self, values: Sequence[int | Fraction | None]) -> Polynomial:
        """The polynomial through ``values``; where one is None, any will do.

        >>> str(Fits([(1,), (2,), (3,), (9,)]).polynomial([3, 5, 7, 19]))
        '2*n + 1'
        """
        key = tuple(values)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._solved(key)
        return found

    def _solved(self, values: tuple[int | Fraction | None, ...]) -> Polynomial:
        seen = [(at, v) for at, v in zip(self.points, values, strict=True) if v is not None]
        if not seen:
            return Polynomial.number(0)
        if len({value for _, value in seen}) == 1:
            return Polynomial.number(Fraction(seen[0][1]))
        for degree in range(1, DEGREE + 1):
            found = _through(seen, _monomials(len(self.points[0]), degree))
            if found is not None:
                return found
        raise Misfit(f"{[plain(v) for v in values]} for lengths {list(self.points)}")

    def integer(self, values: Sequence[Any]) -> At:
        """An integer; None in a sample where any will do."""
        polynomial = self.polynomial([plain(value) for value in values])
        return lambda instance: instance.whole(polynomial)

    def number(self, values: Sequence[np.generic]) -> At:
        """A number of NumPy's, to the bit."""
        first = values[0]
        kind: Any = first.dtype.type
        if all(value.tobytes() == first.tobytes() for value in values):
            return lambda instance: first
        exact = [value.item() for value in values]
        if any(isinstance(v, complex) or not isfinite(v) for v in exact):
            raise Misfit(f"the numbers {exact}")
        for back, forth in _FORMS:
            try:
                polynomial = self.polynomial([back(value) for value in exact])
                found = [kind(forth(polynomial.at(point))) for point in self.points]
            except (Misfit, ValueError, ZeroDivisionError, OverflowError):
                continue
            if [one.tobytes() for one in found] == [value.tobytes() for value in values]:
                return lambda instance: kind(forth(polynomial.at(instance.lengths)))
        raise Misfit(f"the numbers {exact}")

    # -- everything else ---------------------------------------------------------------------------

    def value(self, values: Sequence[Any]) -> At:
        """Any static argument of a node, one for each sample."""
        values = [plain(value) for value in values]
        first = values[0]
        kind = type(first)
        if all(value is first for value in values):
            return lambda instance: first
        if any(type(value) is not kind for value in values):
            raise Misfit(f"values of several types, {first!r} among them")
        if kind is int:
            return self.integer(values)
        if kind is float:
            number = self.number([np.float64(value) for value in values])
            return lambda instance: float(number(instance))
        if isinstance(first, np.generic):
            if any(value.dtype != first.dtype for value in values):
                raise Misfit(f"numbers of several dtypes, {first!r} among them")
            return self.number(values)
        if kind is tuple or kind is list:
            parts = self.all(values)
            return lambda instance: kind([part(instance) for part in parts])
        made = self._object(values)
        if made is not None:
            return made
        if _are_same(values):
            return lambda instance: first
        raise Misfit(f"values that differ, {first!r} among them")

    def all(self, values: Sequence[Sequence[Any]]) -> list[At]:
        """Sequences, which have one length in all samples."""
        if len({len(value) for value in values}) > 1:
            raise Misfit(f"sequences of several lengths, {values[0]!r} among them")
        return [self.value(column) for column in zip(*values, strict=True)]

    def _object(self, values: Sequence[Any]) -> At | None:
        """Objects of one class that is known here; None for others."""
        first = values[0]
        if isinstance(first, View):
            return self.view(values)
        if isinstance(first, slice):
            fields = self.value([(one.start, one.stop, one.step) for one in values])
            return lambda instance: slice(*fields(instance))
        if isinstance(first, Padding):
            fields = self.value([(one.widths, one.value) for one in values])
            return lambda instance: Padding(*fields(instance))
        if isinstance(first, Static):
            fields = self.value([one.key for one in values])
            return lambda instance: Static(fields(instance))
        if isinstance(first, Part):
            return self._part(values)
        if isinstance(first, LibraryCall):
            fields = self.value([tuple(one) for one in values])
            return lambda instance: LibraryCall(*fields(instance))
        if isinstance(first, partial):
            fields = self.value([(one.func, one.args, [*one.keywords.items()]) for one in values])
            return lambda instance: _partial(*fields(instance))
        if dataclasses.is_dataclass(first) and not isinstance(first, type):
            names = [field.name for field in dataclasses.fields(first)]
            fields = self.value([[getattr(one, name) for name in names] for one in values])
            kind: Any = type(first)
            return lambda instance: kind(**dict(zip(names, fields(instance), strict=True)))
        return None

    def _part(self, values: Sequence[Part]) -> At:
        """One result of a call that several nodes share."""
        number = values[0].number
        if any(value.number != number for value in values):
            raise Misfit("results of a call in another order")
        key = tuple([id(value.shared) for value in values])
        self._kept.append(values)
        place = self._shared.setdefault(key, len(self._shared))
        call = self.value([value.shared.call for value in values])

        def at(instance: Instance) -> Part:
            if place not in instance.shared:
                instance.shared[place] = Shared(call(instance))
            return Part(instance.shared[place], number)

        return at

    def view(self, values: Sequence[View]) -> At:
        """A view. Strides of axes with one element do not matter, nor where no elements are."""
        shape = self.value([view.shape for view in values])
        ndim = len(values[0].shape)
        stride = [self.integer([_step(view, axis) for view in values]) for axis in range(ndim)]
        offset = self.integer([view.offset if view.numel else None for view in values])
        mask = self.value([view.mask for view in values])

        def at(instance: Instance) -> View:
            extents = shape(instance)
            if min(extents, default=0) < 0:
                raise Misfit(f"the shape {extents}")
            first = 0 if 0 in extents else offset(instance)
            return View(extents, tuple([one(instance) for one in stride]), first, mask(instance))

        return at


def _step(view: View, axis: int) -> int | None:
    return view.stride[axis] if view.numel and view.shape[axis] > 1 else None


def _partial(function: Any, args: tuple[Any, ...], keywords: list[tuple[str, Any]]) -> Any:
    return partial(function, *args, **dict(keywords))


def _are_same(values: Sequence[Any]) -> bool:
    first = values[0]
    if isinstance(first, FunctionType):
        return all(_is_same_function(first, value) for value in values)
    if isinstance(first, np.ndarray):
        return all(one.dtype == first.dtype and _same_bytes(one, first) for one in values)
    return all(bool(value == first) for value in values)


def _is_same_function(one: FunctionType, two: Any) -> bool:
    """Whether two functions are made of one code, with the very same values around it."""
    cells = [[cell.cell_contents for cell in f.__closure__ or ()] for f in (one, two)]
    return (
        one.__code__ is two.__code__
        and one.__defaults__ == two.__defaults__
        and one.__kwdefaults__ == two.__kwdefaults__
        and all(a is b for a, b in zip(*cells, strict=True))
    )


def _same_bytes(one: Any, two: Any) -> bool:
    return bool(one.shape == two.shape and one.tobytes() == two.tobytes())


def _monomials(symbols: int, degree: int) -> list[Monomial]:
    return [
        of for d in range(degree + 1) for of in combinations_with_replacement(range(symbols), d)
    ]


def _through(
    seen: Sequence[tuple[tuple[int, ...], Any]], monomials: Sequence[Monomial]
) -> Polynomial | None:
    """The polynomial of ``monomials`` through all samples; None if there is not exactly one, and
    if it would be one without a sample to spare."""
    if len(seen) <= len(monomials):
        return None
    ones = [Polynomial({of: Fraction(1)}) for of in monomials]
    rows = [[*[one.at(point) for one in ones], Fraction(value)] for point, value in seen]
    for column in range(len(monomials)):
        pivot = next((n for n in range(column, len(rows)) if rows[n][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = [one / rows[column][column] for one in rows[column]]
        rows[column] = head
        for n, row in enumerate(rows):
            if n != column and row[column]:
                rows[n] = [a - row[column] * b for a, b in zip(row, head, strict=True)]
    if any(row[-1] for row in rows[len(monomials) :]):
        return None
    return Polynomial({of: row[-1] for of, row in zip(monomials, rows, strict=False)})


def _float(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


_FORMS: list[tuple[Callable[[Any], Any], Callable[[Fraction], Any]]] = [
    (Fraction, _float),
    (lambda v: round(1 / v), lambda p: 1 / _float(p)),
    (lambda v: round(v * v), lambda p: sqrt(p)),
    (lambda v: round(1 / (v * v)), lambda p: 1 / sqrt(p)),
]
"""From a number to the value of a polynomial, and back."""
