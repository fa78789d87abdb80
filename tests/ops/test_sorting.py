"""Sorts and orders: NumPy's stable ones, however they are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_expressions import assert_same_bits

import onebuf
from onebuf.ops import sorting

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64"]
SHAPES = [((700,), 0), ((300, 7), 0), ((5, 400), 1), ((3, 260, 2), 1), ((1,), 0), ((0,), 0)]


def elements(dtype: str, shape: tuple[int, ...], how: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(2)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        low, high = (0, 20) if how == "ties" else (info.min, info.max)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    array = np.round(rng.normal(size=shape), 0 if how == "ties" else 9).astype(dtype)
    if how == "special":
        for step, value in ((3, np.nan), (5, -0.0), (7, 0.0), (11, np.inf), (13, -np.inf)):
            array.flat[::step] = value
        array.flat[4::17] = -np.nan
    return array


@pytest.fixture(autouse=True)
def always_ours(monkeypatch):
    monkeypatch.setattr(sorting, "_FEW", 0)


@pytest.mark.parametrize("how", ["ties", "wide", "special"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_orders_are_numpys_stable_ones(dtype, how):
    for shape, axis in SHAPES:
        array = elements(dtype, shape, how)
        x = onebuf.asarray(array)
        found = np.asarray(onebuf.argsort(x, axis=axis))
        np.testing.assert_array_equal(found, np.argsort(array, axis=axis, kind="stable"))
        backwards = np.flip(np.argsort(np.flip(array, axis), axis=axis, kind="stable"), axis)
        falling = np.asarray(onebuf.argsort(x, axis=axis, descending=True))
        np.testing.assert_array_equal(falling, shape[axis] - 1 - backwards)


@pytest.mark.parametrize("how", ["ties", "wide", "special"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts_are_numpys_to_the_sign_of_zeros(dtype, how):
    for shape, axis in SHAPES:
        array = elements(dtype, shape, how)
        x = onebuf.asarray(array)
        wanted = np.sort(array, axis=axis, kind="stable")
        assert_same_bits(np.asarray(onebuf.sort(x, axis=axis)), wanted)
        wanted = np.flip(np.sort(np.flip(array, axis), axis=axis, kind="stable"), axis)
        assert_same_bits(np.asarray(onebuf.sort(x, axis=axis, descending=True)), wanted)


def test_places_and_elements_that_no_word_holds_together_are_ordered_too():
    info = np.iinfo("int64")
    array = np.array([info.max, 3, info.min, 3, info.max, 0, info.min] * 100)
    found = np.asarray(onebuf.argsort(onebuf.asarray(array)))
    np.testing.assert_array_equal(found, np.argsort(array, kind="stable"))
