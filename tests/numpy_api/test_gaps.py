"""Means, spreads and extremes of floats with gaps: NumPy's values, in kernels of ours."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import onebuf as xp

NAMES = ("nanmax", "nanmean", "nanmin", "nanstd", "nanvar")


def gaps(shape, dtype="float64"):
    numbers = np.random.default_rng(5)
    made = numbers.normal(size=shape).astype(dtype)
    made[numbers.random(shape) < 0.3] = np.nan
    return made


def same(found, wanted):
    found = np.asarray(found)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    rtol = 1e-5 if wanted.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), [0]], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_the_values_are_numpys(name, axis, dtype, keepdims):
    a = gaps((40, 7), dtype)
    a[3], a[:, 2] = np.nan, np.nan
    along = tuple(axis) if isinstance(axis, list) else axis
    wanted = getattr(np, name)(a, axis=along, keepdims=keepdims)
    for numel in (4096, 0):
        with xp.config(eager_numel=numel):
            same(getattr(xp, name)(xp.asarray(a), axis=axis, keepdims=keepdims), wanted)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["nanstd", "nanvar"])
@pytest.mark.parametrize("ddof", [0, 1, 2, 39.5])
def test_spreads_without_enough_elements_are_nan(name, ddof):
    a = gaps((4, 6))
    a[:3, 0] = np.nan
    wanted = getattr(np, name)(a, axis=0, ddof=ddof)
    same(getattr(xp, name)(xp.asarray(a), axis=0, ddof=ddof), wanted)


@pytest.mark.parametrize("name", NAMES)
def test_infinities_are_elements(name):
    a = np.array([[1.0, np.inf, np.nan], [-np.inf, 2.0, np.nan], [1.0, 2.0, 3.0]])
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = getattr(np, name)(a, axis=1)
    same(getattr(xp, name)(xp.asarray(a), axis=1), wanted)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_computed_before_it_is_asked_for(name):
    x = xp.zeros((300, 300)) * 1.0
    assert getattr(xp, name)(x, axis=0)._node.array is None


@pytest.mark.parametrize("name", NAMES)
def test_other_arguments_and_operands_are_numpys(name):
    a = gaps((5, 6))
    x, theirs, ours = xp.asarray(a), getattr(np, name), getattr(xp, name)
    out = xp.zeros(6)
    assert ours(x, 0, out=out) is out
    same(out, theirs(a, 0))
    same(ours(x, axis=0, where=a > 0, **initial(name)), theirs(a, 0, where=a > 0, **initial(name)))
    for other in (a.astype("float16"), a + 1j, np.arange(6).reshape(2, 3)):
        same(ours(xp.asarray(other), axis=0), theirs(other, 0))
    same(ours(a.tolist(), axis=1), theirs(a, axis=1))
    with pytest.raises(xp.OnebufError if name != "nanmax" else Exception, match="axis"):
        ours(x, axis=2)


def initial(name):
    return {"initial": 0.0} if name in ("nanmax", "nanmin") else {}
