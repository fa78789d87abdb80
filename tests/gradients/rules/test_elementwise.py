"""Elementwise rules where functions have no slope, or where formulas meet infinities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from finite_differences import elements, gradients, inputs_of, stored

import onebuf
from onebuf import ops
from onebuf.gradients.reverse import pullback
from onebuf.gradients.rules import RULES
from onebuf.graph import BINARY, COMPLEX, REDUCE, UNARY, Node, make

INF = np.inf
Array = np.ndarray[Any, Any]


def of_one(name: str, *values: float) -> Any:
    """The derivatives of a function at some values."""
    given = np.array(values, "f8")
    (found,) = gradients(lambda x: ops.unary(UNARY[name], x), [given], np.ones(len(values)))
    return found


def of_two(name: str, x: list[float], y: list[float]) -> tuple[Any, Any]:
    """The derivatives of a function with respect to both operands."""
    given = [np.array(x, "f8"), np.array(y, "f8")]
    seed = np.ones(len(x))
    one, two = gradients(lambda x, y: ops.binary(BINARY[name], x, y), given, seed)
    return one, two


def test_equal_operands_of_a_maximum_share_its_gradient() -> None:
    x, y = of_two("maximum", [1, 2, 3], [2, 2, 2])
    np.testing.assert_array_equal(x, [0, 0.5, 1])
    np.testing.assert_array_equal(y, [1, 0.5, 0])


def test_equal_operands_of_a_minimum_share_its_gradient() -> None:
    x, y = of_two("minimum", [1, 2, 3], [2, 2, 2])
    np.testing.assert_array_equal(x, [1, 0.5, 0])
    np.testing.assert_array_equal(y, [0, 0.5, 1])


@pytest.mark.parametrize("name", ["max", "min"])
def test_equal_elements_share_the_gradient_of_an_extreme(name: str) -> None:
    x = np.array([[1.0, 1.0, 1.0], [5.0, 5.0, 5.0]])
    (found,) = gradients(lambda x: ops.reduce(REDUCE[name], x, 1), [x], np.array([3.0, 6.0]))
    np.testing.assert_allclose(found, [[1.0] * 3, [2.0] * 3])  # type: ignore[arg-type]


def test_the_slope_of_abs_at_zero_is_zero() -> None:
    np.testing.assert_array_equal(of_one("abs", -2, 0, 3), [-1, 0, 1])


def test_the_slope_of_a_complex_abs_at_zero_is_zero() -> None:
    x = np.array([0j, 3 + 4j])
    (found,) = gradients(lambda x: ops.unary(UNARY["abs"], x), [x], np.ones(2))
    np.testing.assert_allclose(found, [0, 0.6 + 0.8j])  # type: ignore[arg-type]


def test_the_slope_of_sqrt_at_zero_is_infinite() -> None:
    assert of_one("sqrt", 0.0) == INF


def test_the_slope_of_hypot_at_zero_is_zero() -> None:
    x, y = of_two("hypot", [0, 3], [0, 4])
    np.testing.assert_allclose(x, [0, 0.6])
    np.testing.assert_allclose(y, [0, 0.8])


def test_powers_of_zero_have_slopes() -> None:
    x, y = of_two("pow", [0, 0, 0, 0], [0, 1, 2, 3])
    np.testing.assert_array_equal(x, [0, 1, 0, 0])
    np.testing.assert_array_equal(y, [0, 0, 0, 0])


def test_whole_powers_of_negative_numbers_have_slopes() -> None:
    exponents = stored(np.array([1.0, 2.0, 3.0]))
    (found,) = gradients(
        lambda x: ops.binary(BINARY["pow"], x, exponents), [np.full(3, -2.0)], np.ones(3)
    )
    np.testing.assert_allclose(found, [1, -4, 12])  # type: ignore[arg-type]


@pytest.mark.parametrize("exponent, slope", [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0)])
def test_constant_powers_of_zero_have_slopes(exponent: float, slope: float) -> None:
    (found,) = gradients(
        lambda x: ops.binary(BINARY["pow"], x, exponent), [np.zeros(2)], np.ones(2)
    )
    np.testing.assert_array_equal(np.zeros(2) if found is None else found, [slope] * 2)


def test_infinite_operands_of_logaddexp_have_slopes() -> None:
    x, y = of_two("logaddexp", [-INF, INF, 0], [0, 0, -INF])
    np.testing.assert_array_equal(x, [0, 1, 1])
    np.testing.assert_array_equal(y, [1, 0, 0])


def test_nothing_comes_from_the_branch_that_is_not_taken() -> None:
    condition = stored(np.array([True, False]))

    def safe_sqrt(x: Node) -> Node:
        inner = ops.ternary_where(condition, x, stored(1.0))
        return ops.ternary_where(condition, ops.unary(UNARY["sqrt"], inner), stored(0.0))

    (found,) = gradients(safe_sqrt, [np.array([4.0, -1.0])], np.ones(2))
    np.testing.assert_array_equal(found, [0.25, 0])  # type: ignore[arg-type]


def test_saturated_functions_have_no_slope_and_no_nan() -> None:
    assert of_one("tanh", 1000.0) == 0
    assert of_one("erf", 1000.0) == 0
    assert of_one("exp", -1000.0) == 0


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_a_gradient_has_the_dtype_of_its_operand(name: str) -> None:
    with onebuf.config(eager_numel=0):
        x = ops.unary(UNARY["positive"], onebuf.full((4,), 0.5, dtype=name)._node)
        y = ops.binary(BINARY["multiply"], ops.unary(UNARY["tanh"], x), 3.0)
        (g,) = pullback([y], [ops.constant(y.shape, 1, y.dtype)], [x])
        assert g is not None
        assert g.dtype == x.dtype
        found = elements(g).astype("f8")
    np.testing.assert_allclose(found, 3 * (1 - np.tanh(0.5) ** 2), rtol=2e-2)


def test_operands_of_two_dtypes_get_gradients_of_their_own() -> None:
    with onebuf.config(eager_numel=0):
        x, y = inputs_of([np.full(3, 2.0, "f4"), np.full((2, 1), 3.0)])
        z = ops.binary(BINARY["multiply"], x, y)
        found = pullback([z], [stored(np.ones((2, 3)))], [x, y])
        kinds = [(g.shape, g.dtype.name) for g in found if g is not None]
    assert kinds == [((3,), "float32"), ((2, 1), "float64")]


def test_an_integer_operand_gets_no_gradient() -> None:
    with onebuf.config(eager_numel=0):
        x, n = inputs_of([np.full(3, 2.0), np.array([1, 2, 3])])
        z = ops.binary(BINARY["multiply"], x, n)
        of_x, of_n = pullback([z], [stored(np.ones(3))], [x, n])
        assert of_n is None
        assert of_x is not None
        np.testing.assert_array_equal(elements(of_x), [1, 2, 3])


def test_the_imaginary_part_of_a_real_number_has_no_slope() -> None:
    assert not np.any(of_one("imag", 1.0, 2.0))


def test_the_parts_of_a_complex_number_get_the_parts_of_its_gradient() -> None:
    with onebuf.config(eager_numel=0):
        real, imag = inputs_of([np.ones(2), np.ones(2)])
        node = make(COMPLEX, (real, imag), None, (2,), np.dtype("complex128"))
        one, two = RULES[COMPLEX](node, stored(np.array([1 + 2j, 3 + 4j])))
        assert one is not None
        assert two is not None
        np.testing.assert_array_equal(elements(one), [1, 3])
        np.testing.assert_array_equal(elements(two), [2, 4])


def test_a_step_against_a_complex_gradient_lowers_a_real_loss() -> None:
    z = np.array([1.5 - 0.5j, -0.3 + 2j])

    def loss(z: Node) -> Node:
        inner = ops.unary(UNARY["sin"], ops.unary(UNARY["square"], z))
        return ops.reduce(REDUCE["sum"], ops.unary(UNARY["abs"], inner))

    (g,) = gradients(loss, [z], np.array(1.0))
    assert g is not None
    before, after = (elements(loss(stored(at))) for at in (z, z - 1e-4 * g))
    np.testing.assert_allclose(before - after, 1e-4 * np.sum(np.abs(g) ** 2), rtol=1e-2)


def test_the_gradient_of_exp_uses_its_result() -> None:
    with onebuf.config(eager_numel=0):
        (x,) = inputs_of([np.ones(3)])
        y = ops.unary(UNARY["exp"], x)
        (g,) = pullback([y], [stored(np.ones(3))], [x])
        assert g is not None
        assert y in g.srcs
