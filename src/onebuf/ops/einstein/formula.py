"""Formulas: sums, products and quotients of labelled tensors, before the result has labels.

Multiplied out, a formula is a sum of *monomials*: products of tensors and numbers. That alone gives
it a meaning: each monomial is summed over those of its labels that the result does not have. A
formula knows the label set of its monomials, the extent of every label, and its dtype; making one
checks that these fit, and computes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from onebuf.dtypes import DT, meet_scalar
from onebuf.graph import BINARY, UNARY, Node, Op, elementwise_dtype
from onebuf.graph import Number as NumberNode
from onebuf.ops.apply import Scalar
from onebuf.ops.einstein.labels import conflict, extents_of, labels_for

ADD, SUBTRACT = BINARY["add"], BINARY["subtract"]
MULTIPLY, DIVIDE = BINARY["multiply"], BINARY["divide"]
NEGATIVE = UNARY["negative"]

Extents = dict[str, int]
LabelSet = frozenset[str]
LabelSets = frozenset[LabelSet]

_NONE: LabelSet = frozenset()
_MOST_TERMS = 8
"""As many terms or factors are shown, of more the first and the last ones."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number:
    """A Python number, which takes its type from what it meets, or a node without axes."""

    value: Node | Scalar

    extents: Extents
    monomials: LabelSets
    dtype: DT | None

    def __str__(self) -> str:
        if not isinstance(self.value, Node):
            return str(self.value)
        if isinstance(self.value, NumberNode):
            return str(self.value.scalar)
        return f"{self.value.dtype.name}[]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tensor:
    """A node, and the label of each of its axes; a label that comes twice takes a diagonal."""

    node: Node
    labels: tuple[str, ...]

    extents: Extents
    monomials: LabelSets
    dtype: DT

    def __str__(self) -> str:
        shape = ", ".join(map(str, self.node.shape))
        return f'{self.dtype.name}[{shape}]["{",".join(self.labels)}"]'


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sum:
    """Terms to be added or subtracted, in this order."""

    terms: tuple[tuple[Op, Formula], ...]

    extents: Extents
    monomials: LabelSets
    dtype: DT

    def __str__(self) -> str:
        (first, one), *others = self.terms
        parts = [f"-{_in_product(one)}" if first is SUBTRACT else str(one)]
        for op, term in others:
            text = f"({term})" if isinstance(term, Sum) else str(term)
            parts.append(f"{'-' if op is SUBTRACT else '+'} {text}")
        return " ".join(_shortened(parts, "+ ..."))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Product:
    """Factors to be multiplied."""

    factors: tuple[Formula, ...]

    extents: Extents
    monomials: LabelSets
    dtype: DT

    def __str__(self) -> str:
        return " * ".join(_shortened([_in_product(factor) for factor in self.factors], "..."))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quotient:
    """A formula divided by a number."""

    formula: Formula
    divisor: Number

    extents: Extents
    monomials: LabelSets
    dtype: DT

    def __str__(self) -> str:
        return f"{_in_product(self.formula)} / {_in_product(self.divisor)}"


Formula = Number | Tensor | Sum | Product | Quotient


def number(value: Node | Scalar) -> Number:
    """A formula that is a number: a term without labels."""
    dtype = value.dtype if isinstance(value, Node) else None
    return Number(value, {}, frozenset((_NONE,)), dtype)


def tensor(node: Node, text: str) -> Tensor:
    """A formula that is ``node``, whose axes have the labels in ``text``."""
    labels = labels_for(text, node.shape)
    extents = extents_of(labels, node.shape)
    return Tensor(node, labels, extents, frozenset((frozenset(labels),)), node.dtype)


def add(op: Op, x: Formula, y: Formula) -> Sum:
    """``x + y``, or ``x - y`` if ``op`` says so."""
    terms = (*x.terms, (op, y)) if isinstance(x, Sum) else ((ADD, x), (op, y))
    return Sum(terms, _extents(x, y), x.monomials | y.monomials, _dtype(op, x, y))


def negative(x: Formula) -> Sum:
    """``-x``."""
    assert x.dtype is not None, "a Python number is a part of a formula, never a whole one"
    dtype = elementwise_dtype(NEGATIVE, x.dtype)
    return Sum(((SUBTRACT, x),), x.extents, x.monomials, dtype)


def multiply(x: Formula, y: Formula) -> Product:
    """``x * y``."""
    factors = (*x.factors, y) if isinstance(x, Product) else (x, y)
    monomials = frozenset([one | two for one in x.monomials for two in y.monomials])
    return Product(factors, _extents(x, y), monomials, _dtype(MULTIPLY, x, y))


def divide(x: Formula, divisor: Number) -> Quotient:
    """``x / divisor``."""
    return Quotient(x, divisor, x.extents, x.monomials, _dtype(DIVIDE, x, divisor))


def added(terms: Iterable[tuple[Op, Formula]]) -> Formula:
    """Several terms as one formula."""
    total: Formula | None = None
    for op, term in terms:
        if total is not None:
            total = add(op, total, term)
        else:
            total = negative(term) if op is SUBTRACT else term
    assert total is not None, "a sum has a term"
    return total


def _extents(x: Formula, y: Formula) -> Extents:
    """The extents of all labels, in the order in which these appear."""
    one, two = x.extents, y.extents
    for label, extent in two.items():
        if one.get(label, extent) != extent:
            raise conflict(label, one[label], extent, f"in {x} and {y}")
    return one if one.keys() >= two.keys() else {**one, **two}


def _dtype(op: Op, x: Formula, y: Formula) -> DT:
    one = x.dtype or _met(y, x)
    return elementwise_dtype(op, one, y.dtype or _met(x, y))


def _met(formula: Formula, other: Formula) -> DT:
    """The dtype that ``other``, a Python number, takes next to ``formula``."""
    assert isinstance(other, Number)
    assert formula.dtype is not None, "one of two is no Python number"
    kind: type = type(other.value)
    return meet_scalar(formula.dtype, kind)


def _in_product(formula: Formula) -> str:
    return f"({formula})" if isinstance(formula, Sum | Product | Quotient) else str(formula)


def _shortened(parts: list[str], dots: str) -> list[str]:
    if len(parts) <= _MOST_TERMS:
        return parts
    half = _MOST_TERMS // 2
    return [*parts[:half], dots, *parts[-half:]]
