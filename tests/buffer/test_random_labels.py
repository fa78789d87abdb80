"""Random labelled expressions against NumPy: multiplied out, each term is one ``np.einsum``.

Elements are small integers, also where they are floats, so that every order of summation gives the
same numbers.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer

LETTERS = "abcde"
DTYPES = ["int64", "float64", "float32", "complex128", "int32"]


@dataclass
class Case:
    """An expression, and its meaning: a list of products of (array, labels) and a coefficient."""

    expression: object
    monomials: list

    @property
    def shared(self):
        """The labels that every monomial has."""
        sets = [
            {label for _, labels in tensors for label in labels} for _, tensors in self.monomials
        ]
        return sorted(set.intersection(*sets))

    def value(self, output):
        """The sum over all that ``output`` does not have, by NumPy."""
        total = 0
        for coefficient, tensors in self.monomials:
            operands = [part for array, labels in tensors for part in (array, number(labels))]
            term = np.einsum(*operands, number(output)) if operands else 1
            total = total + coefficient * term
        return np.asarray(total)


def number(labels):
    return [LETTERS.index(label) for label in labels]


@st.composite
def leaves(draw, extents, least=()):
    """A tensor that has at least the labels ``least``."""
    others = draw(st.lists(st.sampled_from(LETTERS), max_size=max(0, 3 - len(least))))
    labels = draw(st.permutations([*least, *others]))
    shape = [extents[label] for label in labels]
    size = int(np.prod(shape))
    start = draw(st.integers(-2, 2))
    array = ((np.arange(size) * 7 + start) % 5 - 2).reshape(shape)
    array = array.astype(draw(st.sampled_from(DTYPES)))
    axes = draw(st.permutations(range(len(shape))))
    buffer = onebuf.asarray(array.transpose(axes).copy()).permute(np.argsort(axes).tolist())
    if draw(st.booleans()):
        buffer = buffer + 0
    text = draw(st.sampled_from([",", ", ", " ,"])).join(labels)
    return Case(buffer[text] if labels else buffer[""], [(1, [(array, tuple(labels))])])


def plus(x, y, sign):
    monomials = x.monomials + [(sign * c, tensors) for c, tensors in y.monomials]
    return Case(x.expression + y.expression if sign > 0 else x.expression - y.expression, monomials)


def times(x, y):
    monomials = [(c * d, s + t) for c, s in x.monomials for d, t in y.monomials]
    return Case(x.expression * y.expression, monomials)


def scaled(x, how, factor):
    expression, coefficient = {
        "left": lambda: (factor * x.expression, factor),
        "right": lambda: (x.expression * np.int64(factor), factor),
        "quotient": lambda: (x.expression / 2, 0.5),
        "buffer": lambda: (Buffer(np.array(factor))[""] * x.expression, factor),
        "negative": lambda: (-x.expression, -1),
    }[how]()
    return Case(expression, [(coefficient * c, tensors) for c, tensors in x.monomials])


WAYS = st.sampled_from(["left", "right", "quotient", "buffer", "negative"])


@st.composite
def trees(draw, extents, depth):
    """Any nesting of sums, products, quotients and signs."""
    kind = draw(st.sampled_from(["leaf", "sum", "difference", "product", "product", "scaled"]))
    if depth == 0 or kind == "leaf":
        return draw(leaves(extents))
    one = draw(trees(extents, depth - 1))
    if kind == "scaled":
        return scaled(one, draw(WAYS), draw(st.integers(-3, 3)))
    two = draw(trees(extents, depth - 1))
    if kind == "product":
        return times(one, two)
    return plus(one, two, 1 if kind == "sum" else -1)


@st.composite
def sums_of_products(draw, extents, output):
    """Terms that all have the labels of the result."""
    total = None
    for _ in range(draw(st.integers(1, 4))):
        term = draw(leaves(extents))
        for _ in range(draw(st.integers(0, 2))):
            term = times(term, draw(leaves(extents)))
        missing = [label for label in output if label not in term.shared]
        if missing:
            term = times(term, draw(leaves(extents, tuple(missing))))
        if draw(st.booleans()):
            term = scaled(term, draw(WAYS), draw(st.integers(-3, 3)))
        total = term if total is None else plus(total, term, draw(st.sampled_from([1, -1])))
    return total


EXTENTS = st.fixed_dictionaries({label: st.sampled_from([0, 1, 2, 2, 3]) for label in LETTERS})


def check(case, output, data):
    wanted = case.value(output)
    text = ",".join(output)
    expression = case.expression
    got = expression.to(text)
    assert got.shape == wanted.shape
    assert got.dtype == expression.dtype
    np.testing.assert_array_equal(np.asarray(got), wanted)
    target = onebuf.full(wanted.shape[::-1], 7, dtype="complex128").permute(
        tuple(range(len(output)))[::-1]
    )
    target[text] = expression
    np.testing.assert_array_equal(np.asarray(target), wanted)
    sign = data.draw(st.sampled_from(["+=", "-=", "*="]))
    scope = {"c": target, "text": text, "e": expression}
    exec(f"c[text] {sign} e", scope)
    changed = {"+=": 2 * wanted, "-=": 0 * wanted, "*=": wanted * wanted}[sign]
    np.testing.assert_array_equal(np.asarray(target), changed)


@pytest.mark.parametrize("eager_numel", [4096, 0])
@settings(max_examples=150)
@given(data=st.data())
def test_sums_of_products_are_numpys(eager_numel, data):
    extents = data.draw(EXTENTS)
    output = tuple(data.draw(st.lists(st.sampled_from(LETTERS), max_size=3, unique=True)))
    with onebuf.config(eager_numel=eager_numel):
        case = data.draw(sums_of_products(extents, output))
        check(case, output, data)


@pytest.mark.parametrize("eager_numel", [4096, 0])
@settings(max_examples=150)
@given(data=st.data())
def test_nested_expressions_are_numpys(eager_numel, data):
    extents = data.draw(EXTENTS)
    with onebuf.config(eager_numel=eager_numel):
        case = data.draw(trees(extents, 3))
        assume(len(case.monomials) <= 40)
        assume(all(len(tensors) < 12 for _, tensors in case.monomials))
        shared = case.shared
        chosen = data.draw(st.lists(st.sampled_from(shared), unique=True)) if shared else []
        check(case, tuple(chosen), data)
