"""Evaluation: the node that a formula is, once the labels of the result are known.

Each monomial is summed over those of its labels that the result does not have. Nothing is
multiplied out that need not be:

- Where no label is summed, the formula is computed as it is written, element by element, on axes in
  the order of the result: views broadcast against one another, which one kernel computes.
- Terms whose tensors have all the same labels, and that are summed over the same ones, are added
  first and summed once.
- A product is contracted in the order that opt_einsum finds, all of its factors together, however
  they are nested. A sum among the factors is computed first, if its terms have one label set; else
  the product is multiplied out over groups of terms with one label set each.
- Numbers are multiplied with the contracted product, which usually is the smallest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product

from onebuf.dtypes import DT, meet_scalar, typed_scalar
from onebuf.errors import LabelError
from onebuf.graph import Node, Op
from onebuf.ops.apply import Scalar, binary, cast, constant, unary
from onebuf.ops.einstein.einsum import contract
from onebuf.ops.einstein.formula import (
    ADD,
    DIVIDE,
    MULTIPLY,
    NEGATIVE,
    SUBTRACT,
    Formula,
    LabelSet,
    Number,
    Product,
    Quotient,
    Sum,
    Tensor,
    added,
    divide,
    multiply,
    number,
)
from onebuf.ops.einstein.term import Term, diagonals, ordered, spread, summed

Labels = tuple[str, ...]
Signed = tuple[Op, Formula]


def evaluate(formula: Formula, output: Labels) -> Node:
    """The elements of ``formula`` on axes that have the labels ``output``, each of them once."""
    check_output(formula, output)
    return _value(formula, output, None)


def evaluate_operand(op: Op, formula: Formula, output: Labels) -> Node | Scalar | None:
    """``formula`` as the second operand of ``op``, broadcast to what has the labels ``output``.

    None if it has terms of several label sets, so that a product has to be multiplied out.
    """
    if isinstance(formula, Number):
        return formula.value
    if op is ADD or op is SUBTRACT:
        return evaluate(formula, output)
    if len(formula.monomials) > 1:
        return None
    own = tuple([label for label in output if label in formula.extents])
    return spread(Term(own, _value(formula, own, None)), output)


def check_output(formula: Formula, output: Labels) -> None:
    """Raise unless every monomial has all labels of the result."""
    wanted = frozenset(output)
    if len(wanted) != len(output):
        twice = next(label for label in output if output.count(label) > 1)
        raise LabelError(
            f"a result needs each label once, got {twice!r} {output.count(twice)} times in "
            f"{','.join(output)!r}; write to the diagonal of a buffer that is there: "
            f"c['i,i'] = ..."
        )
    for labels in formula.monomials:
        if labels >= wanted:
            continue
        label = next(label for label in output if label not in labels)
        term = _term_with(formula, labels)
        if label not in formula.extents:
            known = ", ".join(map(repr, formula.extents)) or "none"
            raise LabelError(
                f"a label of the result needs to be one of the expression's, which are {known}; "
                f"got {label!r} for {formula}"
            )
        raise LabelError(
            f"each term needs all labels of the result, and {term} lacks {label!r}; give it an "
            f"axis for that, or multiply it by ones that have the label"
        )


def _term_with(formula: Formula, labels: LabelSet) -> Formula:
    """The term of ``formula`` in which a monomial with ``labels`` is."""
    while isinstance(formula, Sum):
        formula = next(term for _, term in formula.terms if labels in term.monomials)
    return formula


def _value(formula: Formula, output: Labels, dtype: DT | None) -> Node:
    """`evaluate`, checked; computed in ``dtype``, or each term in its own if that is None."""
    if formula.monomials == {frozenset(output)}:
        node = _elementwise(formula, output, dtype)
        assert isinstance(node, Node), "a Python number is a part of a formula, never a whole one"
        return node
    if isinstance(formula, Sum):
        return _sum_of_terms(formula.terms, output, dtype)
    assert not isinstance(formula, Number), "a number has no label to sum over"
    dtype = dtype or formula.dtype
    if _has_full_tensors(formula) and any(isinstance(part, Sum) for part in _parts(formula)):
        return _summed_once(formula, output, dtype)
    return _contracted(formula, output, dtype)


def _elementwise(formula: Formula, axes: Labels, dtype: DT | None) -> Node | Scalar:
    """``formula`` as written, on axes with these labels, of extent 1 where it lacks one."""
    if isinstance(formula, Tensor):
        node = formula.node if dtype is None else cast(formula.node, dtype)
        return spread(diagonals(formula.labels, node), axes) if formula.labels else node
    if isinstance(formula, Number):
        return formula.value
    if isinstance(formula, Quotient):
        return binary(DIVIDE, _elementwise(formula.formula, axes, dtype), formula.divisor.value)
    if isinstance(formula, Product):
        parts = [(MULTIPLY, factor) for factor in formula.factors]
    else:
        parts = list(formula.terms)
    (first, part), *others = parts
    total = _elementwise(part, axes, dtype)
    if first is SUBTRACT:
        assert isinstance(total, Node)
        total = unary(NEGATIVE, total)
    for op, part in others:
        total = binary(op, total, _elementwise(part, axes, dtype))
    return total


def _has_full_tensors(formula: Formula) -> bool:
    """Whether every tensor in ``formula`` has all of its labels, or none."""
    if len(formula.monomials) > 1:
        return False
    (labels,) = formula.monomials
    tensors = [part for part in _parts(formula) if isinstance(part, Tensor) and part.labels]
    return all(tensor.extents.keys() == labels for tensor in tensors)


def _parts(formula: Formula) -> Iterator[Formula]:
    """``formula`` and everything in it."""
    stack = [formula]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, Sum):
            stack.extend([term for _, term in part.terms])
        elif isinstance(part, Product):
            stack.extend(part.factors)
        elif isinstance(part, Quotient):
            stack.append(part.formula)


def _summed_once(formula: Formula, output: Labels, dtype: DT | None) -> Node:
    """``formula`` computed on all of its labels and then summed, which one kernel does."""
    axes = tuple(formula.extents)
    node = _elementwise(formula, axes, dtype)
    assert isinstance(node, Node)
    orders = {part.labels for part in _parts(formula) if isinstance(part, Tensor) and part.labels}
    return ordered(summed(Term(axes, node), output, by_axis=len(orders) > 1), output)


def _sum_of_terms(terms: Sequence[Signed], output: Labels, dtype: DT | None) -> Node:
    """``terms`` added up, each of them summed over what the result does not have."""
    total: Node | Scalar | None = None
    for group in _gathered(terms, frozenset(output)):
        op, term = group[0]
        if len(group) > 1:
            op, term = ADD, added(group)
            part: Node | Scalar = _summed_once(term, output, dtype or term.dtype)
        else:
            part = term.value if isinstance(term, Number) else _value(term, output, dtype)
        if total is not None:
            total = binary(op, total, part)
        elif op is SUBTRACT:
            assert isinstance(part, Node)
            total = unary(NEGATIVE, part)
        else:
            total = part
    assert isinstance(total, Node), "a sum has a term that is no Python number"
    return total


def _gathered(terms: Sequence[Signed], wanted: LabelSet) -> list[list[Signed]]:
    """``terms`` in order, together those that can be added first and summed once."""
    found: list[list[Signed]] = []
    places: dict[tuple[LabelSet, DT | None], int] = {}
    for op, term in terms:
        labels, *others = term.monomials
        if others or labels == wanted or not _has_full_tensors(term):
            found.append([(op, term)])
            continue
        place = places.setdefault((labels, term.dtype), len(found))
        if place == len(found):
            found.append([])
        found[place].append((op, term))
    return found


# -- products --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Flat:
    """A product without nesting: tensors and sums, then numbers, then a sign."""

    factors: list[Formula] = field(default_factory=list)
    numbers: list[tuple[Op, Node | Scalar]] = field(default_factory=list)
    is_negative: bool = False

    def take(self, part: Formula) -> None:
        """Add what ``part`` is a product of."""
        if isinstance(part, Product):
            for factor in part.factors:
                self.take(factor)
        elif isinstance(part, Quotient):
            self.take(part.formula)
            self.numbers.append((DIVIDE, part.divisor.value))
        elif isinstance(part, Number):
            self.numbers.append((MULTIPLY, part.value))
        elif isinstance(part, Tensor) and not part.labels:
            self.numbers.append((MULTIPLY, part.node))
        elif isinstance(part, Sum) and len(part.terms) == 1:
            self.is_negative = not self.is_negative
            self.take(part.terms[0][1])
        else:
            self.factors.append(part)


def _contracted(formula: Formula, output: Labels, dtype: DT) -> Node:
    """A product, a quotient or a tensor, of which labels are summed, computed in ``dtype``."""
    flat = _Flat()
    flat.take(formula)
    if any(len(factor.monomials) > 1 for factor in flat.factors):
        terms = [(ADD, term) for term in _products(flat.factors, dtype)]
        node = _sum_of_terms(terms, output, dtype)
    else:
        node = _contracted_factors(flat.factors, output, dtype)
    for op, value in flat.numbers:
        node = binary(op, node, value)
    return unary(NEGATIVE, node) if flat.is_negative else node


def _contracted_factors(factors: Sequence[Formula], output: Labels, dtype: DT) -> Node:
    """The contraction of tensors and sums, each of which has one label set."""
    terms: list[Term] = []
    for place, factor in enumerate(factors):
        if isinstance(factor, Tensor):
            terms.append(diagonals(factor.labels, cast(factor.node, dtype)))
            continue
        others = [other.extents for other in (*factors[:place], *factors[place + 1 :])]
        kept = frozenset(output).union(*others)
        labels = tuple([label for label in factor.extents if label in kept])
        terms.append(Term(labels, _value(factor, labels, dtype)))
    return contract(terms, output)


# -- multiplying out -------------------------------------------------------------------------------


def _products(factors: Sequence[Formula], dtype: DT) -> list[Formula]:
    """The product of ``factors`` as a list of terms: one for each choice of one group a factor."""
    groups = [_groups(factor, dtype) for factor in factors]
    return [reduce(multiply, choice) for choice in product(*groups)]


def _groups(formula: Formula, dtype: DT) -> list[Formula]:
    """The terms of ``formula``, those with one label set added up."""
    groups: dict[LabelSet, list[Signed]] = {}
    for op, term in _terms(formula, dtype):
        (labels,) = term.monomials
        groups.setdefault(labels, []).append((op, term))
    return [added(group) for group in groups.values()]


def _terms(formula: Formula, dtype: DT) -> list[Signed]:
    """``formula`` as terms with one label set each; Python's numbers are of ``dtype``."""
    if isinstance(formula, Number) and not isinstance(formula.value, Node):
        kind: type = type(formula.value)
        wanted = meet_scalar(dtype, kind)
        formula = number(constant((), typed_scalar(formula.value, wanted), wanted))
    if isinstance(formula, Sum):
        return [
            (ADD if op is inner else SUBTRACT, part)
            for op, term in formula.terms
            for inner, part in _terms(term, dtype)
        ]
    if len(formula.monomials) == 1:
        return [(ADD, formula)]
    if isinstance(formula, Quotient):
        terms = _terms(formula.formula, dtype)
        return [(op, divide(term, formula.divisor)) for op, term in terms]
    assert isinstance(formula, Product), "all else has one label set"
    return [(ADD, term) for term in _products(formula.factors, dtype)]
