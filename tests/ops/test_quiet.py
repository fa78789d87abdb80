"""Numbers that a dtype cannot hold become infinities, without a warning, now and later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf.ops.quiet import typed

LARGE = 1e300
CALLS: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x + LARGE,
    "from the left": lambda x: LARGE - x,
    "compare": lambda x: x < LARGE,
    "maximum": lambda x: ob.maximum(x, LARGE),
    "where": lambda x: ob.where(x > 0, x, LARGE),
    "clip": lambda x: ob.clip(x, -LARGE, LARGE),
    "full": lambda x: ob.full_like(x, LARGE),
    "pad": lambda x: ob.pad(x, 1, constant_values=LARGE),
    "nan_to_num": lambda x: ob.nan_to_num(x * np.nan, nan=LARGE),
    "initial": lambda x: x.sum(initial=LARGE),
    "isin": lambda x: ob.isin(x, LARGE),
    "searchsorted": lambda x: ob.searchsorted(x, LARGE),
    "jit": ob.jit(lambda x: x * LARGE),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "bfloat16", "complex64"])
@pytest.mark.parametrize("numel", [5, 100_000])
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_too_large_a_number_is_infinite_and_quiet(name, lazy, numel, dtype):
    if dtype == "complex64" and name not in ("add", "from the left", "where", "full", "jit"):
        return
    with ob.config(**{"eager_numel": 0} if lazy else {}):
        found = CALLS[name](ob.ones(numel, dtype=dtype)).realize()
    values = np.asarray(found).ravel()[:3].astype(complex)
    expected = {"compare": [1] * 3, "isin": [0] * 3, "clip": [1] * 3, "where": [1] * 3}
    if name == "searchsorted":
        assert found.item() == numel
    elif name in expected:
        assert values.tolist() == expected[name]
    else:
        assert not np.isfinite(values[0])


@pytest.mark.parametrize(
    ("value", "dtype", "wanted"),
    [
        *((3, "int8", 3), (-LARGE, "float32", -np.inf), (np.nan, "float16", np.nan)),
        *((1e5j, "complex64", 1e5j), (True, "bool", True), (2**40, "int64", 2**40)),
    ],
)
def test_a_number_becomes_a_scalar_of_the_dtype(value, dtype, wanted):
    found = typed(value, np.dtype(dtype))
    assert type(found) is np.dtype(dtype).type
    np.testing.assert_array_equal(found, wanted)
