"""Small folds on NumPy's loops have the bits of kernels, and need no compiler."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.twins import long_way
from random_expressions import assert_same_bits

import onebuf
from onebuf import config
from onebuf.backends.numpy.small_folds import MOST
from onebuf.dtypes import bfloat16
from onebuf.engine.cpu import small_kernels

DTYPES = ["float16", bfloat16, "float32", "float64", "complex64", "complex128"]
LENGTHS = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257]


@pytest.fixture(autouse=True, scope="module")
def without_core():
    """The native core has kernels of its own; these tests are about its twins."""
    with long_way():
        yield


def folded(name: str, array: Any, axis: Any, often: int) -> np.ndarray[Any, Any]:
    """What is computed at once: by NumPy if ``often`` is large, by a kernel if it is 0."""
    before = small_kernels.OFTEN
    small_kernels.OFTEN = often
    try:
        with config(eager_numel=1 << 20):
            return np.asarray(getattr(onebuf, name)(onebuf.asarray(array), axis=axis))
    finally:
        small_kernels.OFTEN = before


def assert_bits(name: str, array: Any, axis: Any) -> None:
    small_kernels._times.clear()
    assert_same_bits(folded(name, array, axis, 1 << 40), folded(name, array, axis, 0))
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis)
    # One column that does not lie in order is folded as a row.
    is_column = array.shape[-1:] == (1,) and not array.flags.c_contiguous
    is_row = array.ndim - 1 in axes or is_column
    is_short = not is_row or np.prod([array.shape[n] for n in axes]) <= MOST
    assert sum(small_kernels._times.values()) == is_short, (
        "a kernel did one of them, NumPy the other"
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_small_folds_have_the_bits_of_kernels(name, dtype):
    if name == "prod" and np.dtype(dtype).kind == "c":
        return  # NumPy's own in every tier

    @settings(max_examples=60)
    @given(
        st.lists(st.sampled_from(LENGTHS), min_size=1, max_size=3),
        st.integers(0, 999),
        st.data(),
        st.sampled_from([1.0, 1e3, 1e-3]),
    )
    def check(shape: list[int], seed: int, data: Any, scale: float) -> None:
        while np.prod(shape) > 20_000:
            shape.pop()
        rng = np.random.default_rng(seed)
        whole = rng.normal(size=shape) * scale
        special = data.draw(st.sampled_from([0.0, -0.0, 1e30, np.inf, np.nan, 1.0]))
        whole.flat[:: data.draw(st.integers(3, 60))] = special
        with np.errstate(all="ignore"):
            array = whole.astype(dtype)
        if array.dtype.kind == "c":
            array.imag = rng.normal(size=shape)
        axes = list(range(len(shape)))
        axis = data.draw(st.sampled_from([None, *axes, *([(0, 1), (1, 2)][: len(axes) - 1])]))
        if data.draw(st.booleans()):
            array = np.asfortranarray(array)
        assert_bits(name, array, axis)

    check()


@pytest.mark.parametrize("extent", [MOST - 1, MOST])
def test_the_longest_rows_have_the_bits_of_kernels(extent):
    for dtype in DTYPES[:4]:
        row = np.random.default_rng(3).normal(size=extent).astype(dtype)
        assert_bits("sum", row, None)
        assert_bits("sum", np.stack([row, row[::-1]], axis=1), 0)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_single_column_has_the_bits_of_kernels(order):
    for dtype in DTYPES[:4]:
        array = np.random.default_rng(3).normal(size=(33, 257, 1)).astype(dtype, order=order)
        assert_bits("sum", array, (0, 1))
        assert_bits("sum", array[:3, :5], (0, 1))


def test_longer_rows_are_a_kernels():
    small_kernels._times.clear()
    folded("sum", np.ones(MOST + 1), None, 1 << 40)
    assert not small_kernels._times


def test_what_is_asked_for_often_is_a_kernels():
    small_kernels._times.clear()
    x = onebuf.asarray(np.arange(9.0))
    for _ in range(small_kernels.OFTEN + 5):
        assert float(onebuf.sum(x)) == 36.0
    assert set(small_kernels._times.values()) == {small_kernels.OFTEN}


def test_the_first_small_sums_load_no_compiler():
    program = """
import sys
import numpy as np, onebuf
x = onebuf.asarray(np.arange(100.0).reshape(10, 10))
values = [float(x.sum()), float(x.mean()), float(x.std()), float(x.sum(axis=0)[3])]
values += [float(onebuf.prod(x[0] + 1)), float((x * 1j).sum().imag), float(x.max())]
assert values[0] == 4950.0, values
assert "llvmlite" not in sys.modules
assert not [name for name in sys.modules if name.startswith("onebuf.render")]
"""
    subprocess.run([sys.executable, "-c", program], check=True)
