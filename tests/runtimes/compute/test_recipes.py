"""Recipes by themselves: any box, from the boxes that they say they need, here and elsewhere."""

import pickle

import ml_dtypes
import numpy as np
import pytest

import onebuf
from onebuf import ops
from onebuf.graph import REDUCE
from onebuf.placement.derived import Along
from onebuf.runtimes.compute.expression import Expression, input_node, stored_leaf, write_into
from onebuf.runtimes.compute.fold import Axes, PartialFold, PartialPosition
from onebuf.runtimes.compute.product import Product
from onebuf.shapes import Tiled

A = np.arange(24.0).reshape(6, 4)
B = np.linspace(-1, 1, 24).reshape(6, 4)
EXPRESSIONS = {
    "aligned": (lambda x, y: x * y + 1, lambda a, b: a * b + 1),
    "flipped": (lambda x, y: x[::-1] + y, lambda a, b: a[::-1] + b),
    "flipped alone": (lambda x, y: x[::-1, ::-1].copy(), lambda a, b: a[::-1, ::-1]),
    "shifted": (lambda x, y: x[1:] - y[:-1], lambda a, b: a[1:] - b[:-1]),
    "strided": (lambda x, y: x[::2, 1::2] * y[1::2, ::2], lambda a, b: a[::2, 1::2] * b[1::2, ::2]),
    "turned": (lambda x, y: x.T + y.T, lambda a, b: a.T + b.T),
    "broadcast": (lambda x, y: x[:, None] + y[None], lambda a, b: a[:, None] + b[None]),
    "flat": (lambda x, y: (x + y).reshape(-1), lambda a, b: (a + b).reshape(-1)),
    "joined": (lambda x, y: onebuf.concat([x, y, x], axis=1), lambda a, b: np.hstack([a, b, a])),
    "chosen": (lambda x, y: onebuf.where(y > 0, x, y), lambda a, b: np.where(b > 0, a, b)),
    "indexed": (lambda x, y: x + onebuf.arange(4), lambda a, b: a + np.arange(4)),
    "diagonal": (lambda x, y: x.diagonal() * 2, lambda a, b: a.diagonal() * 2),
}


def expression(function):
    x, y = [onebuf.Buffer._place(input_node(n, A.shape, A.dtype)) for n in (0, 1)]
    return Expression(function(x, y)._node)


def boxes(shape):
    """Some boxes of a shape: all of it, a corner, something inside, one element."""
    yield tuple((0, n) for n in shape)
    yield tuple((0, max(1, n // 2)) for n in shape)
    yield tuple((n // 3, max(n // 3 + 1, n - 1)) for n in shape)
    yield tuple((n - 1, n) for n in shape)


def fetching(needs, asked):
    """A fetch that allows boxes inside of those that were needed, and writes down what it gave."""

    def fetch(number, box):
        asked.append((number, box))
        assert any(
            which == number
            and all(a <= c and d <= b for (a, b), (c, d) in zip(need, box, strict=True))
            for which, need in needs
        ), (number, box, needs)
        found = (A, B)[number][tuple(slice(*one) for one in box)]
        found.flags.writeable = False
        return found

    return fetch


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_any_box_of_an_expression_also_in_another_process(name):
    function, numpys = EXPRESSIONS[name]
    wanted = numpys(A, B)
    for recipe in (expression(function), pickle.loads(pickle.dumps(expression(function)))):
        assert (recipe.shape, recipe.dtype) == (wanted.shape, wanted.dtype)
        for box in boxes(wanted.shape):
            asked = []
            part = wanted[tuple(slice(*one) for one in box)]
            for out in (
                np.empty(part.shape),
                np.empty((*part.shape[:-1], part.shape[-1] * 2))[..., ::2],
            ):
                recipe.compute(box, fetching(recipe.needs(box), asked), out)
                assert np.array_equal(out, part)


def test_where_indices_lead():
    assert expression(EXPRESSIONS["aligned"][0]).along(0).is_plain
    assert expression(EXPRESSIONS["flipped"][0]).along(0) == Along((5, 0), (0, 1), (-1, 1))
    assert expression(EXPRESSIONS["turned"][0]).along(1) == Along((0, 0), (1, 0), (1, 1))
    assert expression(EXPRESSIONS["strided"][0]).along(0) == Along((0, 1), (0, 1), (2, 2))
    assert expression(EXPRESSIONS["diagonal"][0]).along(0) is None
    assert expression(EXPRESSIONS["diagonal"][0]).along(1) is None


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.complex64, ml_dtypes.bfloat16, np.bool_])
@pytest.mark.parametrize(
    "part", [np.s_[:], np.s_[2:5], np.s_[:, 1:3], np.s_[::2], np.s_[:, ::-1], np.s_[1:1], np.s_[3]]
)
def test_leaves_of_memory_with_and_without_gaps(dtype, part):
    whole = np.arange(48).reshape(8, 6).astype(dtype)
    node = stored_leaf(whole[part])
    assert np.array_equal(np.asarray(onebuf.Buffer._value(ops.copied(node))), whole[part])
    other = np.zeros((8, 6), dtype)
    if whole[part].size:
        write_into(other[part], node)
    copied = np.zeros((8, 6), dtype)
    copied[part] = whole[part]
    assert np.array_equal(other, copied)


@pytest.mark.parametrize("name", ["aligned", "shifted", "turned"])
@pytest.mark.parametrize("folded", [(0,), (1,), (0, 1)])
def test_partial_folds_fetch_what_they_need(name, folded):
    function, numpys = EXPRESSIONS[name]
    wanted = numpys(A, B)
    tiling = Tiled.regular(wanted.shape, (2, 2))
    axes = Axes(tiling, folded)
    kept = tuple((0, wanted.shape[axis]) for axis in axes.kept)
    spans = tuple((n, n + 1) for n in range(axes.count))
    operand = expression(function)
    for recipe in (
        PartialFold(operand, REDUCE["sum"], axes, spans, np.dtype("float64")),
        PartialPosition(operand, REDUCE["argmax"], axes),
    ):
        recipe = pickle.loads(pickle.dumps(recipe))
        box = ((0, axes.count), *kept)
        out = np.empty([high - low for low, high in box], recipe.dtype)
        recipe.compute(box, fetching(recipe.needs(box), []), out)
        if isinstance(recipe, PartialFold):
            assert np.allclose(out.sum(axis=0), wanted.sum(axis=folded))


def test_products_fetch_what_they_need():
    one, two = expression(EXPRESSIONS["aligned"][0]), expression(EXPRESSIONS["turned"][0])
    recipe = Product(one, two, (0, 1, 4), np.dtype("float64"))
    box = ((1, 5), (2, 6))
    out = np.empty((4, 4))
    recipe.compute(box, fetching(recipe.needs(box), []), out)
    assert np.allclose(out, ((A * B + 1) @ (A.T + B.T))[1:5, 2:6])


def test_an_expression_of_stored_elements_is_narrowed_to_boxes():
    large = np.arange(1e5).reshape(1000, 100)
    whole = Expression((onebuf.asarray(large) * 2)._node)
    wanted = (((0, 10), (0, 100)), ((10, 20), (5, 9)))
    part = whole.narrowed(wanted)
    assert len(pickle.dumps(part)) < 20_000
    for box in wanted:
        out = np.empty([high - low for low, high in box])
        part.compute(box, fetching([], []), out)
        assert np.array_equal(out, large[tuple(slice(*one) for one in box)] * 2)
    few = Expression((onebuf.asarray(large[:2]) * 2)._node)
    assert few.narrowed(wanted) is few
