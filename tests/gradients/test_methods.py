"""Gradients through the methods of buffers that NumPy's arrays have, and through writes by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from directional_differences import check

import onebuf
from onebuf.errors import NotDifferentiable

X = np.random.default_rng(4).standard_normal((3, 4))
CUBE = np.random.default_rng(5).standard_normal((2, 3, 4))

VALUES: dict[str, Callable[[Any], Any]] = {
    "choose": lambda x: onebuf.asarray([0, 1, 1, 0]).choose(x, x * 2),
    "compress": lambda x: x.compress([1, 0, 1], axis=0),
    "contiguous": lambda x: x.T.contiguous(),
    "copy": lambda x: x.copy(),
    "cumprod": lambda x: x.cumprod(1),
    "cumsum": lambda x: x.cumsum(1),
    "diagonal": lambda x: x.diagonal(1),
    "dot": lambda x: onebuf.asarray(CUBE).dot(x.T),
    "element": lambda x: x[0, 1] * x[2, 3],
    "flat": lambda x: x.flat[3:7],
    "flat by indices": lambda x: x.flat[[1, 2, 1]],
    "imag": lambda x: (x * (1 + 2j)).imag,
    "iteration": lambda x: sum(row * n for n, row in enumerate(x)),
    "ptp": lambda x: x.ptp(0),
    "real": lambda x: (x * (1 + 2j)).real,
    "repeat": lambda x: x.repeat(2, 0),
    "sliding_window": lambda x: x.sliding_window(2, 1),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "take": lambda x: x.take([0, 5]),
    "to_device": lambda x: x.to_device("CPU"),
    "trace": lambda x: x.trace(),
    "ufunc.accumulate": lambda x: onebuf.add.accumulate(x),
    "ufunc.outer": lambda x: onebuf.multiply.outer(x, x),
    "ufunc.reduce": lambda x: onebuf.add.reduce(x),
}

WRITES: dict[str, Callable[[Any], Any]] = {
    "assignment": lambda y: y.__setitem__(0, y[1] * 2),
    "fill": lambda y: y.fill(3.0),
    "flat": lambda y: y.flat.__setitem__(2, 5.0),
    "partition": lambda y: y.partition(2),
    "put": lambda y: y.put([0, 1], y[2, :2]),
    "resize": lambda y: y.resize(2, 2),
    "sort": lambda y: y.sort(axis=0),
}

REFUSED: dict[str, Callable[[Any], Any]] = {
    "byteswap": lambda x: x.byteswap(),
    "NumPy's array": lambda x: onebuf.asarray(np.asarray(x)),
    "ndenumerate": lambda x: onebuf.asarray([value for _, value in onebuf.ndenumerate(x)]),
    "ufunc.at": lambda x: onebuf.add.at(x, ([0, 0], [1, 1]), x[0, 0]),
    "ufunc.reduceat": lambda x: onebuf.add.reduceat(x, [0, 1], axis=1),
    "vectorize": lambda x: onebuf.vectorize(lambda value: value * 2)(x),
    "view": lambda x: x.view("int64"),
    "r_": lambda x: onebuf.r_[x[0], x[1]],
}


@pytest.mark.parametrize("name", VALUES)
def test_a_method_has_the_gradient_of_finite_differences(name: str) -> None:
    check(VALUES[name], X)


@pytest.mark.parametrize("name", WRITES)
def test_a_method_that_writes_has_the_gradient_of_finite_differences(name: str) -> None:
    def function(x: Any) -> Any:
        made = x * 1
        WRITES[name](made)
        return made

    check(function, X)


@pytest.mark.parametrize("name", REFUSED)
def test_a_method_that_hands_out_elements_is_refused(name: str) -> None:
    with pytest.raises(NotDifferentiable):
        onebuf.vjp(REFUSED[name], onebuf.asarray(X))
