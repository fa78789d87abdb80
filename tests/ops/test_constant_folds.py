"""Reductions of one value everywhere: known at once where they are exact, and then the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, config
from onebuf.graph import REDUCE
from onebuf.ops.constant_folds import folded

DTYPES = ("bool", "int8", "uint8", "int32", "uint64", "int64", "float32", "float64")
NAMES = ("sum", "prod", "max", "min", "all", "any", "argmax", "argmin")


@given(
    st.sampled_from(NAMES),
    st.sampled_from(DTYPES),
    st.one_of(st.integers(0, 255), st.floats(-4, 4, width=32), st.sampled_from([-0.0, 0.1])),
    st.integers(1, 300),
)
def test_what_is_known_at_once_is_what_would_be_computed(name, dtype, number, count):
    with np.errstate(all="ignore"):
        value = np.array(number).astype(dtype)[()]
    stored = onebuf.asarray(np.full(count, value))
    computed = np.asarray(getattr(onebuf, name)(stored))
    known = folded(REDUCE[name], value, count, computed.dtype)
    if known is not None:
        assert known.tobytes() == computed.tobytes()


@pytest.mark.parametrize(
    "name, value",
    [
        *[("sum", value) for value in (0.1, np.inf, np.nan, 1e308, 2.0**52 + 1)],
        *[("prod", value) for value in (2.0, -1.0, np.nan)],
    ],
)
def test_what_depends_on_the_order_is_computed(name, value):
    assert folded(REDUCE[name], np.float64(value), 100, np.dtype("float64")) is None


@pytest.mark.parametrize("dtype", ["float16", "complex64"])
def test_other_types_are_computed(dtype):
    assert folded(REDUCE["sum"], np.dtype(dtype).type(1), 4, np.dtype(dtype)) is None


@pytest.mark.parametrize("tier", ["compile", "interpret"])
def test_a_reduction_of_a_constant_reads_nothing(tier):
    with config(eager_numel=0, tier=tier):
        ones = onebuf.ones((30, 40), dtype="float32")
        total = onebuf.sum(ones.expand(5, 30, 40), axis=(0, 2))
        assert onebuf.schedule(total) == []
        x = Buffer(np.arange(30.0, dtype=np.float32))
        scaled = x * total
        assert [item.kind for item in onebuf.schedule(scaled)] == ["elementwise"]
        np.testing.assert_array_equal(np.asarray(scaled), np.arange(30.0) * 200)
        assert scaled.dtype == np.float32


def test_a_reduction_does_not_see_a_later_write():
    with config(eager_numel=0):
        ones = onebuf.ones((30, 40))
        total = onebuf.sum(ones)
        ones[0, 0] = 9.0
        assert float(total) == 1200.0
        assert float(onebuf.sum(ones)) == 1208.0
        total += 1
        assert float(total) == 1201.0
