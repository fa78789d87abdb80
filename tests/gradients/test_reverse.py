"""The reverse walk: which nodes it goes through, how often, and what it gives where."""

from __future__ import annotations

import numpy as np
import pytest
from finite_differences import check, elements, inputs_of, stored

import onebuf
from onebuf import ops
from onebuf.errors import NotDifferentiable, OnebufError
from onebuf.gradients import reverse
from onebuf.gradients.accumulate import accumulated
from onebuf.gradients.reverse import pullback
from onebuf.graph import BINARY, UNARY, Node

ADD, MULTIPLY = BINARY["add"], BINARY["multiply"]


@pytest.fixture(autouse=True)
def _lazy() -> object:
    with onebuf.config(eager_numel=0):
        yield


def one(value: float = 1.0) -> Node:
    return stored(np.full(3, value))


def given(*values: float) -> list[Node]:
    return inputs_of([np.full(3, value) for value in values])


def test_an_input_that_is_an_output_gets_its_seed() -> None:
    (x,) = given(2.0)
    seed = one(5.0)
    assert pullback([x], [seed], [x]) == [seed]


def test_an_input_that_nothing_depends_on_gets_none() -> None:
    x, y = given(2.0, 3.0)
    found = pullback([ops.unary(UNARY["exp"], x)], [one()], [x, y])
    assert found[0] is not None
    assert found[1] is None


def test_an_input_given_twice_gets_its_gradient_twice() -> None:
    (x,) = given(2.0)
    one_, two = pullback([ops.unary(UNARY["square"], x)], [one()], [x, x])
    assert one_ is not None
    assert one_ is two


def test_an_output_given_twice_counts_twice() -> None:
    (x,) = given(2.0)
    y = ops.unary(UNARY["square"], x)
    (g,) = pullback([y, y], [one(), one(2.0)], [x])
    assert g is not None
    np.testing.assert_allclose(elements(g), [12.0] * 3)


def test_gradients_of_several_uses_add_up() -> None:
    check(lambda x: ops.binary(ADD, ops.unary(UNARY["sin"], x), ops.binary(MULTIPLY, x, x)),
          np.array([0.3, -1.2]))  # fmt: skip


def test_several_outputs_add_up() -> None:
    (x,) = given(2.0)
    outputs = [ops.unary(UNARY["square"], x), ops.unary(UNARY["exp"], x)]
    (g,) = pullback(outputs, [one(), one(3.0)], [x])
    assert g is not None
    np.testing.assert_allclose(elements(g), [4 + 3 * np.exp(2)] * 3)


def test_the_walk_ends_at_inputs() -> None:
    (x,) = given(2.0)
    y = ops.unary(UNARY["exp"], x)
    z = ops.unary(UNARY["square"], y)
    of_x, of_y = pullback([z], [one()], [x, y])
    assert of_x is None
    assert of_y is not None
    np.testing.assert_allclose(elements(of_y), [2 * np.exp(2)] * 3)


def test_integers_stop_gradients() -> None:
    (x,) = given(2.7)
    whole = ops.cast(ops.cast(x, np.dtype("int64")), x.dtype)
    assert pullback([whole], [one()], [x]) == [None]


def test_an_output_of_integers_gives_no_gradient() -> None:
    (x,) = given(2.7)
    whole = ops.cast(x, np.dtype("int64"))
    assert pullback([whole], [stored(np.ones(3, "i8"))], [x]) == [None]


@pytest.mark.parametrize("name", ["floor", "ceil", "round", "trunc"])
def test_steps_stop_gradients(name: str) -> None:
    (x,) = given(2.7)
    assert pullback([ops.unary(UNARY[name], x)], [one()], [x]) == [None]


def test_a_path_without_a_gradient_leaves_the_others() -> None:
    (x,) = given(2.7)
    y = ops.binary(MULTIPLY, ops.unary(UNARY["floor"], x), x)
    (g,) = pullback([y], [one()], [x])
    assert g is not None
    np.testing.assert_allclose(elements(g), [2.0] * 3)


def unknown(x: Node) -> Node:
    return ops.library(np.sort, (x,), (), x.shape, x.dtype, "no such rule")


def test_operations_beside_the_way_need_no_rule() -> None:
    (x,) = given(2.0)
    beside = unknown(one())
    (g,) = pullback([ops.binary(MULTIPLY, x, beside)], [one()], [x])
    assert g is not None


def test_a_call_without_a_rule_is_named_with_its_line() -> None:
    (x,) = given(2.0)
    y = unknown(x)
    with pytest.raises(NotDifferentiable, match="no such rule") as caught:
        pullback([y], [one()], [x])
    assert isinstance(caught.value, OnebufError)
    assert isinstance(caught.value, TypeError)
    assert "test_reverse.py" in str(caught.value)


def test_a_chain_of_thousands_is_walked() -> None:
    (x,) = given(1.0)
    y = x
    for _ in range(5000):
        y = ops.binary(MULTIPLY, y, 1.0001)
    (g,) = pullback([y], [one()], [x])
    depth = 0
    while g is not None and g.srcs:
        g, depth = g.srcs[0], depth + 1
    assert depth >= 5000


def test_every_rule_is_called_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Node] = []
    known = reverse.rule_of

    def counted(node: Node) -> object:
        calls.append(node)
        return known(node)

    monkeypatch.setattr(reverse, "rule_of", counted)
    (x,) = given(1.0)
    y = x
    for _ in range(40):  # as many paths as 2 ** 40
        y = ops.binary(ADD, y, ops.unary(UNARY["sin"], y))
    pullback([y], [one()], [x])
    assert len(calls) == 80


def test_third_orders_are_gradients_of_gradients() -> None:
    (x,) = given(0.7)
    g: Node | None = ops.unary(UNARY["sin"], x)
    for _ in range(3):
        assert g is not None
        (g,) = pullback([g], [one()], [x])
    assert g is not None
    np.testing.assert_allclose(elements(g), [-np.cos(0.7)] * 3)


def test_tiles_of_another_axis_are_added() -> None:
    square = [stored(np.ones((2, 2))) for _ in range(2)]
    parts = [ops.pad(ops.copied(square[0]), [(0, 2), (0, 2)]),
             ops.pad(ops.copied(square[1]), [(2, 0), (2, 0)])]  # fmt: skip
    np.testing.assert_array_equal(elements(accumulated(parts)), np.kron(np.eye(2), np.ones((2, 2))))


def test_tiles_that_overlap_are_added() -> None:
    parts = [ops.pad(ops.copied(one()), [(0, 1)]), ops.pad(ops.copied(one()), [(1, 0)])]
    np.testing.assert_array_equal(elements(accumulated(parts)), [1, 2, 2, 1])


def test_a_border_that_is_not_zero_is_no_tile() -> None:
    parts = [ops.pad(ops.copied(one()), [(0, 3)], 7), ops.pad(ops.copied(one()), [(3, 0)], 7)]
    np.testing.assert_array_equal(elements(accumulated(parts)), [8.0] * 6)
