"""Reductions of stored elements count those that are 0 and not stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, Layout
from onebuf.sparsity import Element

Array = np.ndarray[Any, Any]
PATTERN = Element((3, 3), [(0, 0), (1, 0), (2, 0), (0, 2)])
"""A full column, one with a single element, and an empty one."""
STORED = Layout((3, 3), sparsity=PATTERN)


def made(values: list[Any], dtype: str) -> tuple[Buffer, Array]:
    """A buffer with some elements in the order in which they are stored, and a dense array."""
    dense = np.zeros((3, 3), dtype)
    dense[PATTERN.mask()] = values
    return onebuf.allocator().construct(STORED, dense), dense


@pytest.mark.parametrize("name", ["max", "min", "sum", "any", "all", "prod"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float16", "float64"])
@pytest.mark.parametrize("value", [0, 1, 3, -2])
def test_a_full_column_has_no_zero_and_others_have(
    name: str, axis: int | None, dtype: str, value: int
) -> None:
    if dtype in ("bool", "uint8"):
        value = abs(value)
    x, dense = made([value] * 4, dtype)
    found = np.asarray(getattr(x, name)(axis=axis))
    assert np.array_equal(found, getattr(dense, name)(axis=axis))


@pytest.mark.parametrize("name", ["max", "min", "sum"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("values", [[np.nan, 1, 2, 3], [np.inf, 1, -2, 3], [-np.inf, 1, 2, 0]])
def test_infinities_and_nan_stay(name: str, axis: int | None, values: list[float]) -> None:
    x, dense = made(values, "float64")
    found = np.asarray(getattr(x, name)(axis=axis))
    assert np.array_equal(found, getattr(dense, name)(axis=axis), equal_nan=True)


@pytest.mark.parametrize("axis", [0, 1])
def test_an_infinite_imaginary_part_leaves_the_real_part(axis: int) -> None:
    x, dense = made([complex(1, np.inf), 2, 3j, 4], "complex128")
    assert np.array_equal(np.asarray(x.sum(axis=axis)), dense.sum(axis=axis))
