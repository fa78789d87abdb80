"""Wrong use of `vmap`: errors that say what to do, and where they name it, the line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf.batching import vmap
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    LeakError,
    NotBatched,
    ShapeError,
)


def floats(*shape: int) -> Any:
    return onebuf.asarray(np.random.default_rng(12).normal(size=shape))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x * float(x[0]),
        lambda x: np.asarray(x),
        lambda x: onebuf.nonzero(x)[0],
        lambda x: x[x > 0],
        lambda x: x[: int(x[0])],
    ],
)
def test_a_read_of_what_differs_by_example_is_an_error_with_its_line(function: Any) -> None:
    with pytest.raises(NotBatched, match=r"got .*test_vmap_errors.py:\d+: .*where"):
        vmap(function)(floats(3, 4))


def test_a_draw_of_random_numbers_is_an_error_with_its_line() -> None:
    with pytest.raises(NotBatched, match=r"test_vmap_errors.py:\d+: .*draw them before"):
        vmap(lambda x: x + onebuf.random.normal(size=(4,)))(floats(3, 4))


def test_random_numbers_may_be_drawn_again_after_an_error() -> None:
    with pytest.raises(NotBatched):
        vmap(lambda x: x + onebuf.random.uniform())(floats(3, 4))
    assert onebuf.random.uniform(size=2).shape == (2,)


def test_no_axis_at_all_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="at least one argument with an axis"):
        vmap(lambda x: x, in_axes=None)(floats(3))


def test_different_numbers_of_examples_are_an_error() -> None:
    with pytest.raises(ShapeError, match="got 3, 4 of them"):
        vmap(lambda x, y: x)(floats(3), floats(4))


def test_an_axis_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AxisError, match=r"vmap needs an axis in -2..1"):
        vmap(lambda x: x, in_axes=2)(floats(3, 4))


def test_an_axis_of_results_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AxisError, match=r"vmap needs an axis in -2..1"):
        vmap(lambda x: x, out_axes=2)(floats(3, 4))


def test_examples_of_a_number_are_an_error() -> None:
    with pytest.raises(ShapeError, match="at least 1 dimension"):
        vmap(lambda x: x)(onebuf.asarray(1.0))


def test_examples_of_what_is_no_buffer_are_an_error() -> None:
    with pytest.raises(ArgumentTypeError, match="got 'text'; give it None in in_axes"):
        vmap(lambda x, y: x)(floats(3), "text")


def test_results_that_are_no_buffers_are_an_error() -> None:
    with pytest.raises(ArgumentTypeError, match="got 'text'; give it None in out_axes"):
        vmap(lambda x: "text")(floats(3))


def test_a_result_that_differs_needs_an_axis() -> None:
    with pytest.raises(ArgumentError, match="the same for every example where out_axes is None"):
        vmap(lambda x: x, out_axes=None)(floats(3))


@pytest.mark.parametrize("axes", [(0,), (0, 0, 0), (0, {"b": 0}), (0, [0, 0])])
def test_axes_that_do_not_fit_the_arguments_are_an_error(axes: Any) -> None:
    with pytest.raises(ArgumentError, match="in_axes with the structure of what they are for"):
        vmap(lambda x, y: x, in_axes=axes)(floats(3), {"a": floats(3)})


def test_axes_in_a_tuple_do_not_fit_a_list() -> None:
    with pytest.raises(ArgumentError, match="in_axes with the structure of what they are for"):
        vmap(lambda x: x, in_axes=((0,),))([floats(3)])


def test_axes_that_are_no_integers_are_an_error() -> None:
    with pytest.raises(ArgumentTypeError, match="integers and None"):
        vmap(lambda x: x, in_axes="first")(floats(3))


def test_a_value_that_leaks_is_an_error() -> None:
    kept = []
    vmap(lambda x: kept.append(x) or x)(floats(3, 4))
    with pytest.raises(LeakError, match="left behind by a function that is mapped"):
        kept[0].sum().item()
