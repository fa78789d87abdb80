"""Every reduction, position and running result of every dtype: compiled, with one answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_expressions import assert_same_bits

import onebuf
from onebuf import config
from onebuf.dtypes import bfloat16, kind
from onebuf.kernel import CHUNK

FOLDS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "count_nonzero")
SCANS = ("cumulative_sum", "cumulative_prod")
NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = [*NAMES, "float16", bfloat16, "float32", "float64", "complex64", "complex128"]
CASES = [
    ((37,), None, False),
    ((CHUNK + 61,), None, True),
    ((6, 35), 1, True),
    ((9, 3), 1, False),
    ((CHUNK + 5, 3), 0, False),
    ((4, 5, 9), 1, True),
]
"""Shape, axis, and whether something else is computed in the same kernel."""
SAME = ("int16", "int64", "uint16", "uint32", "uint64")
"""Dtypes whose kernels differ from those of int8, int32 and uint8 in their width alone."""


def numbers(shape: tuple[int, ...], dtype: Any, seed: int = 3) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    letter = kind(np.dtype(dtype))
    if letter == "b":
        return rng.random(shape) > 0.7
    if letter in "iu":
        return rng.integers(0 if letter == "u" else -9, 10, shape).astype(dtype)
    found = rng.normal(size=shape)
    if letter == "c":
        return (found + 1j * rng.normal(size=shape)).astype(dtype)
    return found.astype(dtype)


def has(name: str, dtype: Any) -> bool:
    letter = kind(np.dtype(dtype))
    if name in ("any", "all", "count_nonzero"):
        return True
    if letter == "b":
        return name in ("sum", "argmax", "argmin")
    if letter == "c":
        return name not in ("max", "min", "argmax", "argmin")
    return letter == "f" or name != "mean"


def answers(name: str, array: np.ndarray[Any, Any], axis: Any, chained: bool) -> list[Any]:
    """What each tier gives: of the array itself, or of what is computed in the same kernel."""
    found = []
    for options in (
        {"eager_numel": 0, "tier": "compile"},
        {"eager_numel": 0, "tier": "interpret"},
        {"eager_numel": 1 << 20},
    ):
        with config(**options):
            x = onebuf.asarray(array)
            if chained:
                x = ~x if array.dtype == np.bool else -x
            found.append(np.asarray(getattr(onebuf, name)(x, axis=axis)))
    return found


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(n, np.dtype(dtype)) for n in [*FOLDS, *SCANS] for dtype in DTYPES if has(n, dtype)],
    ids=str,
)
def test_every_fold_and_scan_has_one_answer(name, dtype):
    for shape, axis, chained in CASES[::2] if dtype.name in SAME else CASES:
        array = numbers(shape, dtype)
        compiled, *others = answers(name, array, axis, chained)
        for other in others:
            assert_same_bits(other, compiled)


@pytest.mark.parametrize("dtype", ["float16", bfloat16, "float32", "float64"])
@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
def test_extremes_find_nan_first_and_equal_ones_by_their_order(name, dtype):
    array = np.round(numbers((3 * CHUNK + 7,), "float64"), 1).astype(dtype)
    for special in ([], [2 * CHUNK + 9, 2 * CHUNK + 3], [5], [3 * CHUNK + 6]):
        one = array.copy()
        one[special] = np.nan
        compiled, *others = answers(name, one, None, False)
        with np.errstate(invalid="ignore"):
            wanted = np.asarray(getattr(np, name)(one.astype("float64")))
        np.testing.assert_array_equal(compiled.astype("float64"), wanted.astype("float64"))
        for other in others:
            assert_same_bits(other, compiled)
