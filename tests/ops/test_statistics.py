"""The variance of float32 takes one pass, and is as exact as float32 can say."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import config

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(17)
COUNT = 20_000


def outlier() -> Array:
    """A first element far from all others, from which distances are measured."""
    x = RNG.standard_normal(COUNT)
    x[0] = 1e6
    return x


HARD = {
    "usual": RNG.standard_normal(COUNT),
    "far from zero": 1e4 + RNG.standard_normal(COUNT),
    "first one far away": outlier(),
    "last one far away": outlier()[::-1],
    "one value": np.full(COUNT, 3.3),
    "large": RNG.standard_normal(COUNT) * 1e18,
    "small": RNG.standard_normal(COUNT) * 1e-18,
    "nearly one value": 1.0 + RNG.integers(0, 2, COUNT) * 2.0**-20,
    "two groups": np.repeat([-1e3, 1e3], COUNT // 2) + RNG.standard_normal(COUNT),
}


def in_every_tier(x: Array, **arguments: Any) -> Array:
    """The variance, which has to have the same bits however it is computed."""
    found = []
    for options in (
        {"eager_numel": 10**9},
        {"eager_numel": 0, "tier": "interpret"},
        {"eager_numel": 0, "tier": "compile", "threads": 1},
        {"eager_numel": 0, "tier": "compile", "threads": 2},
    ):
        with config(**options):
            found.append(np.asarray(onebuf.var(onebuf.asarray(x), **arguments)))
    for other in found[1:]:
        assert other.tobytes() == found[0].tobytes()
    return found[0]


@pytest.mark.parametrize("name", HARD)
def test_the_variance_of_floats_is_exact_to_a_rounding(name: str) -> None:
    x = HARD[name].astype(np.float32)
    exact = x.astype(np.float64).var()
    assert abs(float(in_every_tier(x)) - exact) <= 6.1e-8 * exact


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    correction=st.sampled_from([0.0, 0.5, 1.0]),
    keepdims=st.booleans(),
    data=st.data(),
)
def test_the_variance_along_any_axes_is_numpys(shape, correction, keepdims, data) -> None:
    axes = data.draw(st.none() | st.lists(st.integers(0, len(shape) - 1), unique=True).map(tuple))
    x = np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)
    found = in_every_tier(x, axis=axes, correction=correction, keepdims=keepdims)
    count = x.size if axes is None else int(np.prod([shape[axis] for axis in axes]))
    exact = x.astype(np.float64).var(axis=axes, keepdims=keepdims) * count
    exact = exact / (count - correction) if count > correction else exact * np.nan
    np.testing.assert_allclose(found, exact, rtol=2e-7, atol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 5, -1])
def test_what_is_not_finite_makes_the_variance_nan(bad: float, place: int) -> None:
    x = RNG.standard_normal(50).astype(np.float32)
    x[place] = bad
    assert np.isnan(in_every_tier(x))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@settings(max_examples=30, deadline=None)
@given(
    shape=st.lists(st.integers(0, 5), max_size=3).map(tuple),
    ddof=st.sampled_from([0, 1, 1.5]),
    keepdims=st.booleans(),
    data=st.data(),
)
def test_the_variance_of_complex_numbers_is_numpys(dtype, shape, ddof, keepdims, data) -> None:
    axis = data.draw(st.sampled_from([None, *range(len(shape))]))
    rng = np.random.default_rng(len(shape))
    x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    found = in_every_tier(x, axis=axis, ddof=ddof, keepdims=keepdims)  # and nothing warns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = x.var(axis=axis, ddof=ddof, keepdims=keepdims)
    wanted = np.where(x.shape[axis] > ddof if axis is not None else x.size > ddof, wanted, np.nan)
    assert (found.dtype, found.shape) == (x.real.dtype, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype == "complex64" else 1e-13)
    for name, power in (("var", 1), ("std", 2)):
        spread = getattr(onebuf.asarray(x), name)(axis, ddof=ddof, keepdims=keepdims)
        np.testing.assert_allclose(np.asarray(spread) ** power, found, rtol=1e-6)


def test_the_variance_of_floats_reads_its_operand_once() -> None:
    x = onebuf.asarray(RNG.standard_normal((300, 400)).astype(np.float32))
    with config(eager_numel=0, tier="compile"):
        for axis in (None, 0, 1):
            (kernel,) = onebuf.schedule(onebuf.var(x, axis=axis))
            assert "passes" not in kernel.reason


@pytest.mark.parametrize("numel", [32768, 32769, 50000, 65536, 65537])
def test_the_variance_of_floats_of_any_number_is_numpys(numel: int) -> None:
    elements = np.random.default_rng(numel).random(numel).astype(np.float32)
    stored = onebuf.asarray(elements)
    np.testing.assert_allclose(onebuf.var(stored).item(), elements.var(dtype=np.float64), rtol=1e-6)
