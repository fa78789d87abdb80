"""Rows of special values, as text, and the concrete cases that each of them stands for.

A table names a function and lists its rows below it, ``operands -> result``. A real operand is one
word of `SETS`, a complex one two words in parentheses: its real and its imaginary part. A word
stands for all values that it describes (``>0`` for the smallest subnormal number, 0.5, the largest
number, infinity, ...), and a row holds for every combination of them.

In a result ``0`` and ``inf`` without sign may have either sign, angles are approximate, ``>=0`` and
``<=0`` ask for a sign alone, and the other words are the functions in `RESULTS`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from math import copysign, inf, nan
from typing import Any, NamedTuple

import numpy as np
from array_api.special_values.results import ANGLES, CONDITIONS, RESULTS

FLOATS = ("float32", "float64")
COMPLEX = {"complex64": "float32", "complex128": "float64"}


def _minus(values: list[float]) -> list[float]:
    return [-value for value in values]


def _sets(dtype: str) -> dict[str, list[float]]:
    """The values of ``dtype`` that each word stands for."""
    info = np.finfo(dtype)
    largest = float(info.max)
    one = np.dtype(dtype).type(1)
    before, after = (float(np.nextafter(one, to, dtype=dtype)) for to in (0, 2))
    below = [float(info.smallest_subnormal), float(info.smallest_normal), 0.25, 0.5, before]
    above = [after, 1.5, 2.0, 3.0, 7.25, 2.0**30, 2.0**90, largest]
    positive = [*below, 1.0, *above]
    sets = {
        "nan": [nan],
        "+nan": [copysign(nan, 1)],
        "-nan": [copysign(nan, -1)],
        "inf": [inf, -inf],
        "+inf": [inf],
        "-inf": [-inf],
        "0": [0.0, -0.0],
        "+0": [0.0],
        "-0": [-0.0],
        "1": [1.0],
        "-1": [-1.0],
        "|1|": [1.0, -1.0],
        ">0": [*positive, inf],
        "<0": _minus([*positive, inf]),
        ">1": [*above, inf],
        "<-1": _minus([*above, inf]),
        "<1": [-inf, *_minus(positive), -0.0, 0.0, *below],
        "|<1|": [*below, *_minus(below), 0.0, -0.0],
        "|>1|": [*above, *_minus(above), inf, -inf],
        "positive": positive,
        "negative": _minus(positive),
        "nonzero": [*positive, *_minus(positive)],
        "finite": [*positive, *_minus(positive), 0.0, -0.0],
        "odd>0": [1.0, 3.0, 5.0, 2.0**23 - 1],
        "odd<0": [-1.0, -3.0, -5.0, 1 - 2.0**23],
        "not odd>0": [0.25, 0.5, 1.5, 2.0, 4.0, 2.0**53, largest, inf],
        "not odd<0": [-0.25, -0.5, -1.5, -2.0, -4.0, -(2.0**53), -largest, -inf],
        "whole": [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 2.0**23 + 1, -(2.0**90), largest],
        "fraction": [0.25, -0.5, 1.5, -2.5, -(2.0**-10)],
        "half": [0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1000.5, -1001.5],
        "some": [nan, inf, -inf, 0.0, -0.0, 1.5, -2.0],
        "few": [0.0, -0.0, 1.5, -2.0, 0.25],
    }
    sets["not nan"] = [*sets["finite"], inf, -inf]
    sets["not inf"] = [*sets["finite"], nan]
    sets["not 0"] = [*sets["nonzero"], inf, -inf]
    sets["any"] = [*sets["not nan"], nan]
    sets["not 1"] = [x for x in sets["any"] if x != 1]
    return sets


SETS = {dtype: _sets(dtype) for dtype in FLOATS}


class Part(NamedTuple):
    """What one real number has to be."""

    value: Any
    how: str = "exactly"

    def negative(self) -> Part:
        return self._replace(value=-self.value)

    def accepts(self, got: Any, epsilon: float) -> bool:
        wanted = self.value
        if isinstance(wanted, bool):
            return bool(got) is wanted
        got = float(got)
        match self.how:
            case "sign":
                return not math.isnan(got) and copysign(1, got) == copysign(1, wanted)
            case "sign of nan":
                return math.isnan(got) and copysign(1, got) == copysign(1, wanted)
            case "either sign":
                return abs(got) == abs(wanted)
            case "either sign, about":
                return abs(abs(got) - abs(wanted)) <= 8 * epsilon * abs(wanted)
            case "about":
                return abs(got - wanted) <= 8 * epsilon * abs(wanted)
        if math.isnan(wanted):
            return math.isnan(got)
        return got == wanted and copysign(1, got) == copysign(1, wanted)


class Case(NamedTuple):
    """Operands, and what they have to give: one number, or a real and an imaginary part."""

    operands: tuple[Any, ...]
    wanted: tuple[Part, ...]

    def accepts(self, number: Any, epsilon: float) -> bool:
        parts = [number] if len(self.wanted) == 1 else [number.real, number.imag]
        return all(part.accepts(got, epsilon) for part, got in zip(self.wanted, parts, strict=True))


class Row(NamedTuple):
    """One statement of the standard, or what an identity makes of one."""

    function: str
    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]
    turns: tuple[str, ...] = ()

    def __str__(self) -> str:
        operands = ", ".join(
            f"({', '.join(words)})" if len(words) > 1 else words[0] for words in self.operands
        )
        turned = "".join(f", {turn}" for turn in self.turns)
        return f"{self.function}: {operands} -> {', '.join(self.result)}{turned}"

    def cases(self, dtype: str) -> list[Case]:
        return list(self._cases(COMPLEX.get(dtype, dtype)))

    def _cases(self, real: str) -> Iterator[Case]:
        words = [word for operand in self.operands for word in operand]
        for values in itertools.product(*[SETS[real][word] for word in words]):
            if not all(CONDITIONS[word](*values) for word in self.result if word in CONDITIONS):
                continue
            rest = iter(values)
            case = Case(
                tuple(tuple(itertools.islice(rest, len(part))) for part in self.operands),
                tuple(_part(word, values, real) for word in self.result),
            )
            for turn in self.turns:
                case = TURNS[turn](case)
            yield Case(tuple(_number(parts) for parts in case.operands), case.wanted)

    def turned(self, turn: str, function: str | None = None) -> Row:
        return self._replace(function=function or self.function, turns=(*self.turns, turn))


def _number(parts: tuple[float, ...]) -> float | complex:
    return parts[0] if len(parts) == 1 else complex(*parts)


def _part(word: str, values: tuple[float, ...], dtype: str) -> Part:
    if word in RESULTS:
        return Part(RESULTS[word](*values, dtype))
    if word in ("true", "false"):
        return Part(word == "true")
    if word in (">=0", "<=0"):
        return Part(1.0 if word == ">=0" else -1.0, "sign")
    if word in ("0", "inf"):
        return Part(float(word), "either sign")
    if word in ("+nan", "-nan"):
        return Part(float(word), "sign of nan")
    if "pi" in word:
        angle = ANGLES[word.lstrip("+-")]
        if word.startswith("+-"):
            return Part(angle, "either sign, about")
        return Part(-angle if word.startswith("-") else angle, "about")
    return Part(float(word))


# -- identities: what a row says of other operands, or of another function -------------------------


def _conjugate(case: Case) -> Case:
    ((a, b),), (p, q) = case
    return Case(((a, -b),), (p, q.negative()))


def _opposite(case: Case) -> Case:
    return Case(
        tuple(tuple(-x for x in parts) for parts in case.operands),
        tuple(part.negative() for part in case.wanted),
    )


def _even(case: Case) -> Case:
    return Case(tuple(tuple(-x for x in parts) for parts in case.operands), case.wanted)


def _second_opposite(case: Case) -> Case:
    """A row of x + y as one of x - (-y)."""
    (x, y), wanted = case
    return Case((x, tuple(-part for part in y)), wanted)


def _at_jz(case: Case) -> Case:
    """A row of g as one of f(z) = g(jz)."""
    ((a, b),), wanted = case
    return Case(((b, -a),), wanted)


def _at_jz_over_j(case: Case) -> Case:
    """A row of g as one of f(z) = -j g(jz)."""
    ((a, b),), (p, q) = case
    return Case(((b, -a),), (q, p.negative()))


def _over(divisor: float) -> Callable[[Case], Case]:
    def divide(case: Case) -> Case:
        return Case(case.operands, tuple(Part(p.value / divisor, p.how) for p in case.wanted))

    return divide


TURNS: dict[str, Callable[[Case], Case]] = {
    "conjugated": _conjugate,
    "odd": _opposite,
    "even": _even,
    "less the opposite": _second_opposite,
    "at jz": _at_jz,
    "at jz, over j": _at_jz_over_j,
    "over log 2": _over(math.log(2)),
    "over log 10": _over(math.log(10)),
}


# -- reading tables --------------------------------------------------------------------------------


def rows(table: str) -> list[Row]:
    """The rows of a table."""
    found = []
    function = ""
    for line in filter(None, map(str.strip, table.splitlines())):
        operands, arrow, result = (text.strip() for text in line.partition("->"))
        if not arrow:
            function = operands
            continue
        complexes = re.findall(r"\(([^)]*)\)", operands)
        parts = [_words(text) for text in complexes] or [(word,) for word in _words(operands)]
        found.append(Row(function, tuple(parts), _words(result)))
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))
