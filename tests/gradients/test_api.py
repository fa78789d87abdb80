"""`grad`, `value_and_grad`, `vjp`, `jvp` and custom rules, as programs use them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, custom_vjp, grad, jvp, stop_gradient, value_and_grad, vjp
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    LeakError,
    NotDifferentiable,
    ShapeError,
)

X = np.array([0.5, -1.0, 2.0])


def test_a_gradient_has_the_structure_of_the_argument() -> None:
    def loss(tree: Any) -> Any:
        return (tree["a"] * 2 + tree["b"][0] ** 2).sum()

    found = grad(loss)({"a": onebuf.asarray(X), "b": [onebuf.asarray(X)]})
    assert found["a"].tolist() == [2, 2, 2]
    assert found["b"][0].tolist() == (2 * X).tolist()


def test_argnums_choose_the_arguments() -> None:
    def f(x: Any, y: Any, *, k: float) -> Any:
        return (x * y).sum() * k

    x, y = onebuf.asarray(X), onebuf.asarray(X + 1)
    assert grad(f, 1)(x, y, k=2.0).tolist() == (2 * X).tolist()
    one, two = grad(f, (0, -1))(x, y, k=1.0)
    assert (one.tolist(), two.tolist()) == ((X + 1).tolist(), X.tolist())
    with pytest.raises(ArgumentError, match="0 to 1, got 2"):
        grad(f, 2)(x, y, k=1.0)


def test_aux_comes_back_as_it_is() -> None:
    def f(x: Any) -> Any:
        y = x * x
        return y.sum(), {"y": y, "name": "squares"}

    (value, aux), gradient = value_and_grad(f, has_aux=True)(onebuf.asarray(X))
    assert value.item() == (X * X).sum()
    assert aux["y"].tolist() == (X * X).tolist()
    assert aux["name"] == "squares"
    assert gradient.tolist() == (2 * X).tolist()
    with pytest.raises(ArgumentTypeError, match="a pair"):
        grad(lambda x: x.sum(), has_aux=True)(onebuf.asarray(X))


def test_python_floats_and_numpy_arrays_are_arguments_too() -> None:
    assert grad(lambda x: x**3)(2.0).item() == 12
    assert grad(lambda x: (x**2).sum())(X).tolist() == (2 * X).tolist()


def test_gradients_of_gradients() -> None:
    def f(x: Any) -> Any:
        return (onebuf.sin(x) * x**3).sum()

    def second(x: Any) -> Any:
        return 6 * x * np.sin(x) + 6 * x**2 * np.cos(x) - x**3 * np.sin(x)

    found = grad(lambda x: grad(f)(x).sum())(onebuf.asarray(X))
    np.testing.assert_allclose(found, second(X), rtol=1e-12)
    third = grad(grad(grad(lambda x: x**5)))(2.0)
    assert third.item() == 240


def test_jvp_is_the_directional_derivative() -> None:
    value, change = jvp(lambda x: onebuf.exp(x) * 2, (X,), (np.array([1.0, 0.0, 2.0]),))
    np.testing.assert_allclose(value, np.exp(X) * 2, rtol=1e-14)
    np.testing.assert_allclose(change, np.exp(X) * [2, 0, 4], rtol=1e-14)
    with pytest.raises(ArgumentTypeError, match="structure"):
        jvp(lambda x: x, (X,), ((X, X),))


def test_jvp_of_several_results_and_arguments() -> None:
    def f(x: Any, y: Any) -> Any:
        return {"p": x * y, "s": x + y}

    value, change = jvp(f, (2.0, 3.0), (1.0, 10.0))
    assert (value["p"].item(), change["p"].item(), change["s"].item()) == (6, 23, 11)


def test_control_flow_and_writes_are_differentiated() -> None:
    def f(x: Any) -> Any:
        y = onebuf.zeros(3)
        for i in range(3):
            y[i] = x[i] ** 2
            if y[i] > 1:
                y[i] *= 3
        y[1:] += x[:2]
        return y.sum()

    assert grad(f)(onebuf.asarray(X)).tolist() == [1 + 1, -2 + 1, 12]


def test_writes_to_an_argument_stay_inside() -> None:
    def f(x: Any) -> Any:
        x *= 2
        return (x * x).sum()

    x = onebuf.asarray(X.copy())
    assert grad(f)(x).tolist() == (8 * X).tolist()
    assert x.tolist() == X.tolist()


def test_buffers_from_outside_are_constants() -> None:
    w = onebuf.asarray(X + 1)
    assert grad(lambda x: (x * w).sum())(onebuf.asarray(X)).tolist() == (X + 1).tolist()


def test_a_pullback_uses_the_elements_of_its_call() -> None:
    x, w = onebuf.asarray(X.copy()), onebuf.asarray(X.copy())
    y, pull = vjp(lambda x: x * x * w, x)
    x[...] = 100
    w[...] = 100
    assert pull(onebuf.ones(3))[0].tolist() == (2 * X * X).tolist()
    assert y.tolist() == (X**3).tolist()


def test_a_pullback_can_be_used_again() -> None:
    _, pull = vjp(lambda x, n: (x * 2, x + n), onebuf.asarray(X), onebuf.asarray([1, 2, 3]))
    for scale in (1.0, 5.0):
        first, second = pull((onebuf.full(3, scale), onebuf.zeros(3)))
        assert first.tolist() == [2 * scale] * 3
        assert second is None


def test_custom_rules_replace_the_gradient() -> None:
    @custom_vjp
    def f(x: Any, scale: float) -> Any:
        return x * scale

    f.defvjp(lambda x, s: (f(x, s), (x, s)), lambda kept, g: (g * kept[0] * 100 + kept[1], None))
    x = onebuf.asarray(X)
    assert f(x, 3.0).tolist() == (X * 3).tolist()
    assert grad(lambda x: f(x, 3.0).sum())(x).tolist() == (X * 100 + 3).tolist()


def test_a_custom_rule_with_several_results() -> None:
    @custom_vjp
    def both(x: Any) -> Any:
        return x, {"double": 2 * x}

    both.defvjp(lambda x: (both(x), None), lambda _, g: (g[0] * 10 + g[1]["double"] * 100,))

    def f(x: Any) -> Any:
        one, two = both(x)
        return (one + two["double"] * 3).sum()

    assert grad(f)(onebuf.asarray(X)).tolist() == [310] * 3


def test_custom_rules_survive_an_outer_gradient() -> None:
    @custom_vjp
    def f(x: Any) -> Any:
        return x**2

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * 7 * x,))
    inner = grad(lambda y: f(y) * y)  # f(y) + y * 7y, and f again has 7y as its gradient
    assert grad(inner)(2.0).item() == 7 * 2 + 14 * 2


def test_a_custom_rule_that_is_wrong_is_told() -> None:
    @custom_vjp
    def f(x: Any) -> Any:
        return x

    with pytest.raises(ArgumentTypeError, match="defvjp"):
        grad(f)(1.0)
    f.defvjp(lambda x: (x, None), lambda _, g: g)
    with pytest.raises(ArgumentTypeError, match="a tuple with a gradient for each of 1"):
        grad(f)(1.0)


def test_stop_gradient_makes_constants() -> None:
    assert grad(lambda x: x * stop_gradient(x))(3.0).item() == 3
    assert stop_gradient(onebuf.asarray(X)).tolist() == X.tolist()


def test_nothing_is_computed_until_it_is_read() -> None:
    x = onebuf.asarray(np.ones(100000))
    with onebuf.counters() as counted:
        value, gradient = value_and_grad(lambda x: (onebuf.tanh(x) * 3).sum())(x)
        assert not gradient.is_realized
    assert counted.kernels == 0
    with onebuf.config(tier="compile"), onebuf.counters() as counted:
        onebuf.realize(value, gradient)
    assert counted.kernels <= 2


def test_wrong_uses_say_what_to_do() -> None:
    x = onebuf.asarray(X)
    with pytest.raises(NotDifferentiable, match=r"one real number, got float64\[3\].*sum"):
        grad(lambda x: x * 2)(x)
    with pytest.raises(NotDifferentiable, match="arguments of floats, got int64"):
        grad(lambda x: x.sum())(onebuf.asarray([1, 2]))
    with pytest.raises(NotDifferentiable, match=r"handing out memory.*test_api.py:\d+"):
        grad(lambda x: onebuf.asarray(np.sin(np.asarray(x * 2))).sum())(x)
    _, pull = vjp(lambda x: x * 2, x)
    with pytest.raises(ShapeError, match=r"needs its shape, \(3,\), got \(2,\)"):
        pull(onebuf.ones(2))
    with pytest.raises(ArgumentTypeError, match="structure of the results"):
        pull((onebuf.ones(3), onebuf.ones(3)))


def test_a_value_that_leaks_names_its_line() -> None:
    left: list[Buffer] = []

    def f(x: Any) -> Any:
        left.append(x * 3)
        return x.sum()

    grad(f)(onebuf.asarray(X))
    with pytest.raises(LeakError, match=r"left.append\(x \* 3\)"):
        left[0].tolist()


def test_gradients_of_jitted_functions_and_jitted_gradients() -> None:
    f = onebuf.jit(lambda x: (onebuf.tanh(x) ** 2).sum())
    jitted = onebuf.jit(grad(lambda x: (onebuf.tanh(x) ** 2).sum()))
    for scale in (1.0, 2.0):
        x = onebuf.asarray(X * scale)
        wanted = 2 * np.tanh(X * scale) * (1 - np.tanh(X * scale) ** 2)
        np.testing.assert_allclose(grad(f)(x), wanted, rtol=1e-12)
        np.testing.assert_allclose(jitted(x), wanted, rtol=1e-12)
    assert jitted.captures == 1


def test_a_pullback_uses_the_results_of_its_call() -> None:
    x = onebuf.asarray(X)
    y, pull = vjp(onebuf.exp, x)
    y.realize()
    y[...] = 0
    np.testing.assert_allclose(pull(onebuf.ones(3))[0], np.exp(X), rtol=1e-14)
    y, pull = vjp(lambda x: onebuf.exp(x)[::-1], x)
    y.realize()
    y += 5
    np.testing.assert_allclose(pull(onebuf.ones(3))[0], np.exp(X), rtol=1e-14)


def test_a_pullback_in_a_captured_function_uses_the_elements_of_its_call() -> None:
    def f(x: Any) -> Any:
        y, pull = vjp(lambda x: x * x, x)
        x += 1
        y *= 0
        return pull(onebuf.ones(3))[0]

    jitted = onebuf.jit(f)
    one, two = onebuf.asarray(X.copy()), onebuf.asarray(X.copy())
    for _ in range(3):
        assert jitted(one).tolist() == f(two).tolist()
    assert one.tolist() == two.tolist()


def test_a_value_of_an_inner_function_cannot_be_written_to_the_outer_one() -> None:
    def outer(x: Any) -> Any:
        y = x * 1

        def inner(z: Any) -> Any:
            y[0] = z[0]
            return z.sum()

        return grad(inner)(x).sum()

    with pytest.raises(LeakError, match=r"made at .*test_api.py"):
        grad(outer)(onebuf.asarray(X))


def test_argnums_that_is_no_number_says_what_is_needed() -> None:
    with pytest.raises(ArgumentError, match="positional argument, 0 to 0, got 'x'"):
        grad(lambda x: x.sum(), argnums=["x"])(onebuf.asarray(X))
