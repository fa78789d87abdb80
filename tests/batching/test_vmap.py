"""`vmap`: a function of one example, called with many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf.batching import vmap

RNG = np.random.default_rng(12)


def floats(*shape: int) -> Any:
    return onebuf.asarray(RNG.normal(size=shape))


def assert_close(got: Any, wanted: Any) -> None:
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-9)


# -- axes ------------------------------------------------------------------------------------------


@given(st.data())
def test_axes_of_arguments_and_results_may_be_any(data: st.DataObject) -> None:
    places = [data.draw(st.sampled_from([None, 0, 1, 2, -1, -2, -3])) for _ in range(2)]
    if places == [None, None]:
        places[0] = 0
    out = data.draw(st.integers(-3, 2))
    x, y = [
        RNG.normal(size=(2, 4)) if place is None else np.moveaxis(_examples(), 0, place)
        for place in places
    ]

    def function(x: Any, y: Any) -> Any:
        return x * 2 + y[::-1]

    got = vmap(function, in_axes=tuple(places), out_axes=out)(onebuf.asarray(x), onebuf.asarray(y))
    rows = [
        np.asarray(function(*[_example(a, p, i) for a, p in zip((x, y), places, strict=True)]))
        for i in range(3)
    ]
    assert_close(got, np.stack(rows, out))


def _examples() -> Any:
    return RNG.normal(size=(3, 2, 4))


def _example(array: Any, place: int | None, i: int) -> Any:
    return array if place is None else np.take(array, i, place)


def test_an_argument_without_an_axis_is_the_same_for_every_example() -> None:
    x, y = floats(3, 4), floats(4)
    assert_close(vmap(lambda x, y: x @ y, in_axes=(0, None))(x, y), np.asarray(x) @ np.asarray(y))


def test_in_axes_may_be_a_list() -> None:
    assert vmap(lambda x, y: x + y, in_axes=[0, None])(floats(3), floats()).shape == (3,)


def test_axes_may_follow_the_structure_of_an_argument() -> None:
    weights = {"w": floats(4, 2), "b": floats(2, 3)}
    x = floats(4)
    got = vmap(lambda p, x: x @ p["w"] + p["b"], in_axes=({"b": 1, "w": None}, None))(weights, x)
    assert_close(got, (np.asarray(x @ weights["w"]) + np.asarray(weights["b"]).T))


def test_one_axis_stands_for_all_of_an_argument() -> None:
    got = vmap(lambda pair: pair[0] + pair[1][0])((floats(3, 2), [floats(3, 2)]))
    assert got.shape == (3, 2)


def test_keyword_arguments_have_examples_along_axis_0() -> None:
    x, y = floats(3, 4), floats(3, 4)
    assert_close(vmap(lambda x, *, y: x - y)(x, y=y), np.asarray(x) - np.asarray(y))


def test_other_arguments_are_passed_as_they_are() -> None:
    def power(x: Any, exponent: int, name: str) -> Any:
        assert isinstance(exponent, int)
        assert name == "cube"
        return x**exponent

    assert_close(vmap(power, in_axes=(0, None, None))(floats(3) * 0 + 2, 3, "cube"), [8.0] * 3)


def test_arrays_of_numpy_can_be_mapped() -> None:
    assert_close(vmap(lambda x: x.sum())(np.ones((3, 2))), [2.0, 2.0, 2.0])


# -- results ---------------------------------------------------------------------------------------


class Pair(NamedTuple):
    total: Any
    rest: Any


@dataclass
class Named:
    value: Any


def test_a_function_may_return_a_pytree() -> None:
    def function(x: Any) -> Any:
        return {"a": Pair(x.sum(), [x * 2, None]), "b": Named(x[0])}

    found = vmap(function)(floats(3, 4))
    assert found["a"].total.shape == (3,)
    assert found["a"].rest[0].shape == (3, 4)
    assert found["a"].rest[1] is None
    assert found["b"].value.shape == (3,)


def test_axes_of_results_may_follow_their_structure() -> None:
    found = vmap(lambda x: {"a": x, "b": (x, x)}, out_axes={"a": 1, "b": (0, -1)})(floats(3, 4))
    assert [x.shape for x in (found["a"], *found["b"])] == [(4, 3), (3, 4), (4, 3)]


def test_a_result_that_depends_on_no_example_is_repeated() -> None:
    got = vmap(lambda x: (onebuf.arange(2), 7))(floats(3))
    assert got[0].tolist() == [[0, 1]] * 3
    assert got[1].tolist() == [7] * 3


def test_a_result_that_depends_on_no_example_may_stay_one() -> None:
    got = vmap(lambda x, y: (x, y * 2, "text"), in_axes=(0, None), out_axes=(0, None, None))
    assert got(floats(3), onebuf.asarray([1.0]))[1:] == (2.0, "text")


def test_results_are_no_views_of_arguments() -> None:
    x = onebuf.zeros((3, 2, 2))
    same, turned, scaled = vmap(lambda x: (x, x.T, x * 2))(x)
    x[...] = 1
    assert not np.asarray(same).any()
    assert not np.asarray(turned).any()
    same[...] = 2
    assert not np.asarray(turned).any()
    assert not np.asarray(scaled).any()


def test_results_share_no_memory_with_one_another() -> None:
    def function(x: Any) -> Any:
        y = x + 1
        return y, y, y.T

    one, two, three = vmap(function)(onebuf.zeros((3, 2, 2)))
    one[...] = 5
    assert np.asarray(two).max() == np.asarray(three).max() == 1


def test_a_result_can_be_written() -> None:
    got = vmap(lambda x: onebuf.zeros((2,)), out_axes=1)(floats(3))
    got[0, 1] = 4.0
    assert got.tolist() == [[0, 4, 0], [0, 0, 0]]


# -- nesting ---------------------------------------------------------------------------------------


def test_vmap_of_vmap_maps_two_axes() -> None:
    x = floats(3, 4, 5)
    assert_close(vmap(vmap(lambda x: x.max()))(x), np.asarray(x).max(-1))


def test_every_pair_of_examples() -> None:
    x, y = floats(3, 4), floats(5, 4)
    pairs = vmap(lambda x: vmap(lambda y: (x * y).sum())(y))(x)
    assert_close(pairs, np.asarray(x) @ np.asarray(y).T)


def test_an_inner_function_may_use_values_of_the_outer_one() -> None:
    def outer(x: Any, w: Any) -> Any:
        scaled = x * w
        return vmap(lambda row: scaled.sum() + row.sum())(x)

    x, w = floats(3, 4, 5), floats(3, 5)
    got = vmap(outer)(x, w)
    a, b = np.asarray(x), np.asarray(w)
    assert_close(got, (a * b[:, None]).sum((1, 2))[:, None] + a.sum(-1))


@given(st.data())
def test_nested_axes_equal_two_loops(data: st.DataObject) -> None:
    inner = data.draw(st.sampled_from([(0, None), (1, 0), (None, -1), (-1, 1)]))
    outer = data.draw(st.sampled_from([(0, 0), (1, None), (None, 2), (2, 1)]))
    x, y = RNG.normal(size=(3, 3, 3)), RNG.normal(size=(3, 3, 3))

    def function(x: Any, y: Any) -> Any:
        return x.sum() * y

    got = vmap(vmap(function, in_axes=inner), in_axes=outer)(onebuf.asarray(x), onebuf.asarray(y))
    rows = []
    for i in range(3):
        pair = [_example(a, p, i) for a, p in zip((x, y), outer, strict=True)]
        rows.append(
            np.stack(
                [
                    function(*[_example(a, p, j) for a, p in zip(pair, inner, strict=True)])
                    for j in range(3)
                ]
            )
        )
    assert_close(got, np.stack(rows))


# -- functions -------------------------------------------------------------------------------------


def test_the_function_is_called_once() -> None:
    calls = []
    vmap(lambda x: calls.append(x.shape) or x)(floats(100, 2))
    assert calls == [(2,)]


def test_the_name_of_the_function_stays() -> None:
    def squares(x: Any) -> Any:
        """Squares."""
        return x * x

    assert vmap(squares).__name__ == "squares"
    assert vmap(squares).__doc__ == "Squares."


def test_nothing_is_computed_before_it_is_read() -> None:
    with onebuf.config(eager_numel=0):
        got = vmap(lambda x: onebuf.exp(x).sum())(floats(3, 4))
        assert not got.is_realized


def test_buffers_that_the_function_closes_over_are_the_same_for_every_example() -> None:
    weights = floats(4, 2)
    x = floats(3, 4)
    assert_close(vmap(lambda x: x @ weights)(x), np.asarray(x @ weights))


def test_elements_by_number() -> None:
    x = floats(3, 4, 5)
    assert_close(
        vmap(lambda x: x[1, 2] + x[-1, 0])(x), np.asarray(x)[:, 1, 2] + np.asarray(x)[:, -1, 0]
    )


def test_elements_by_an_index_that_differs_by_example() -> None:
    x, at = floats(3, 4), onebuf.asarray([2, 0, -1])
    assert_close(vmap(lambda x, i: x[i])(x, at), np.asarray(x)[range(3), [2, 0, -1]])


def test_values_that_are_the_same_for_every_example_can_be_read() -> None:
    def function(x: Any, scale: Any) -> Any:
        return x * 2 if scale.sum() > 0 else x

    got = vmap(function, in_axes=(0, None))(onebuf.ones(3), onebuf.ones(2))
    assert got.tolist() == [2, 2, 2]


def test_writes_inside_of_the_function() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        y[1:] += 1
        y[0] = y.sum()
        y[[1, 2], 0] = 7.0
        return y

    x = floats(3, 4, 2)
    rows = [np.asarray(function(onebuf.asarray(np.array(row)))) for row in np.asarray(x)]
    assert_close(vmap(function)(x), np.stack(rows))


def test_methods_that_change_elements_in_place() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        y.sort(axis=0)
        return y

    x = floats(3, 4, 2)
    assert_close(vmap(function)(x), np.sort(2 * np.asarray(x), axis=1))


def test_writes_to_arguments_are_seen_inside_alone() -> None:
    def function(x: Any, w: Any) -> Any:
        x += 1
        w[0] = x.sum()
        return x, w

    x, w = onebuf.zeros((3, 2)), onebuf.zeros((2,))
    one, two = vmap(function, in_axes=(0, None))(x, w)
    assert one.tolist() == [[1, 1]] * 3
    assert two.tolist() == [[2, 0]] * 3
    assert not x.any()
    assert not w.any()


def test_a_batch_may_be_empty() -> None:
    got = vmap(lambda x: (x @ x.T).sum(0))(onebuf.zeros((0, 3, 4)))
    assert got.shape == (0, 3)


def test_distances_as_an_explicit_formula() -> None:
    x = floats(5, 3)
    distance = vmap(lambda a, b: onebuf.sqrt(((a - b) ** 2).sum()), in_axes=(0, None))
    got = vmap(distance, in_axes=(None, 0))(x, x)
    a = np.asarray(x)
    assert_close(got, np.sqrt(((a[:, None] - a[None]) ** 2).sum(-1)))


# -- gradients -------------------------------------------------------------------------------------


def loss(w: Any, x: Any) -> Any:
    return (onebuf.tanh(x @ w) ** 2).sum()


def test_gradients_of_each_example() -> None:
    w, x = floats(4, 2), floats(3, 4)
    got = vmap(onebuf.grad(loss), in_axes=(None, 0))(w, x)
    rows = [np.asarray(onebuf.grad(loss)(w, onebuf.asarray(row))) for row in np.asarray(x)]
    assert_close(got, np.stack(rows))


def test_the_gradient_of_a_mapped_function() -> None:
    w, x = floats(4, 2), floats(3, 4)
    got = onebuf.grad(lambda w: vmap(loss, in_axes=(None, 0))(w, x).sum())(w)
    assert_close(got, onebuf.grad(loss)(w, x))


def test_a_matrix_of_second_derivatives() -> None:
    x = floats(3)
    gradient = onebuf.grad(lambda x: (x**3).sum() + x[0] * x[1])
    basis = onebuf.eye(3)
    rows = vmap(lambda v: onebuf.grad(lambda x: (gradient(x) * v).sum())(x))(basis)
    wanted = np.diag(6 * np.asarray(x))
    wanted[0, 1] = wanted[1, 0] = 1
    assert_close(rows, wanted)


@onebuf.custom_vjp
def marked(x: Any, y: Any) -> Any:
    return (x * y).sum()


marked.defvjp(
    lambda x, y: ((x * y).sum(), (y, "text")),
    lambda kept, gradient: (100 * gradient * kept[0], None),
)


def test_a_gradient_that_a_program_gave_is_that_of_each_example() -> None:
    x, y = floats(3, 2), floats(2)
    got = vmap(onebuf.grad(marked), in_axes=(0, None))(x, y)
    assert_close(got, np.stack([100 * np.asarray(y)] * 3))


def test_a_gradient_that_a_program_gave_stays_in_a_mapped_function() -> None:
    x, y = floats(3, 2), floats(2)
    got = onebuf.grad(lambda x: vmap(marked, in_axes=(0, None))(x, y).sum())(x)
    assert_close(got, np.stack([100 * np.asarray(y)] * 3))
