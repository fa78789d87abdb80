"""Integers of a small range: what a table finds is what NumPy's sorts find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf as ob
from onebuf.ops.numpy import counting
from onebuf.ops.numpy.counting import FEW, narrow_order, unique
from onebuf.ops.sorting import stable_order

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@st.composite
def integers(draw: Any) -> np.ndarray[Any, Any]:
    """Many integers of any type, from anywhere in its range, with a small or a large span."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    info = np.iinfo(dtype)
    span = min(draw(st.sampled_from([1, 7, 1000, 70_000, 2**40])), int(info.max) - int(info.min))
    low = draw(st.sampled_from([int(info.min), int(info.max) - span]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    shape = draw(st.sampled_from([(FEW,), (FEW + 5,), (40, 60), (3, 1000)]))
    return (rng.integers(0, span, shape).astype(object) + int(low)).astype(dtype)


@given(integers(), st.booleans(), st.booleans(), st.booleans())
def test_distinct_integers_are_those_of_numpy(x: Any, index: bool, inverse: bool, counts: bool):
    wanted = {"return_index": index, "return_inverse": inverse, "return_counts": counts}
    want, found = np.unique(x, **wanted), unique(x, **wanted)
    ours = ob.unique(ob.asarray(x), **wanted)
    assert isinstance(found, tuple) == isinstance(want, tuple) == isinstance(ours, tuple)
    if not isinstance(want, tuple):
        want, found, ours = (want,), (found,), (ours,)
    for one, two, three in zip(want, found, ours, strict=True):
        assert one.dtype == two.dtype == three.dtype
        np.testing.assert_array_equal(two, one)
        np.testing.assert_array_equal(np.asarray(three), one)


@given(integers(), st.booleans())
def test_orders_are_stable(x: Any, descending: bool):
    want = np.argsort(x, axis=-1, kind="stable")
    np.testing.assert_array_equal(stable_order(x, -1), want)
    found = ob.argsort(ob.asarray(x), descending=descending)
    if descending:
        want = x.shape[-1] - 1 - np.flip(np.argsort(np.flip(x, -1), axis=-1, kind="stable"), -1)
    np.testing.assert_array_equal(np.asarray(found), want)


def test_a_small_range_is_not_sorted(monkeypatch: pytest.MonkeyPatch):
    x = np.random.default_rng(0).integers(-500, 500, 10_000)
    calls = []
    monkeypatch.setattr(counting.np, "unique", lambda *args, **named: calls.append(args))
    unique(x, return_index=True, return_inverse=True, return_counts=True)
    assert not calls
    unique(x * 10**9)
    assert len(calls) == 1
    assert narrow_order(x) is not None
    assert narrow_order(x * 1000) is None
    assert narrow_order(x.astype(float)) is None


def test_other_arguments_are_numpys():
    x = np.arange(6000).reshape(3000, 2) % 7
    np.testing.assert_array_equal(unique(x, axis=0), np.unique(x, axis=0))
    np.testing.assert_array_equal(unique(x, equal_nan=False), np.unique(x))
    with pytest.raises(TypeError):
        unique(x, no_such_argument=True)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "divide"])
@pytest.mark.parametrize("kinds", [("float64", "float32"), ("float64", "int32"), ("int64", "int8")])
def test_updates_at_indices_convert_as_numpy_does(name: str, kinds: tuple[str, str]):
    rng = np.random.default_rng(1)
    places, b = rng.integers(0, 50, 3000), rng.integers(1, 3, 3000).astype(kinds[1])
    a = np.ones(50).astype(kinds[0])
    x, function = ob.asarray(a.copy()), getattr(ob, name)
    function.at(x, ob.asarray(places), ob.asarray(b))
    getattr(np, name).at(a, places, b)
    np.testing.assert_array_equal(np.asarray(x), a)
    assert x.dtype == a.dtype
