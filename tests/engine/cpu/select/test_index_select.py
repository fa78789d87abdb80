"""Several arrays of indices: one kernel, with NumPy's elements in NumPy's order of axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf as ob
from onebuf.engine.cpu.select import index_select
from onebuf.errors import BoundsError, IndexRangeError, OnebufError

DTYPES = ("int8", "bool", "uint16", "float32", "int64", "complex64", "complex128")
INDICES = ("int8", "uint8", "int16", "int32", "uint32", "int64")


@st.composite
def keys(draw: st.DrawFn) -> tuple[Any, tuple[Any, ...]]:
    """An array of any layout, and a key with arrays of indices that are inside."""
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    dtype = draw(st.sampled_from(DTYPES))
    array = rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    if draw(st.booleans()):
        array = np.asfortranarray(array)
    array = array[tuple([slice(None, None, draw(st.sampled_from((1, -1, 2)))) for _ in shape])]
    around = draw(st.sampled_from([(3,), (17,), (4, 5), (2, 4, 5), (40, 41)]))
    parts: list[Any] = []
    for extent in array.shape[: draw(st.integers(1, array.ndim))]:
        kind = draw(st.sampled_from(("array", "array", "slice", "integer", "new")))
        if kind == "array":
            keep = draw(st.lists(st.booleans(), min_size=len(around), max_size=len(around)))
            sizes = tuple([size if kept else 1 for size, kept in zip(around, keep, strict=True)])
            index = draw(st.sampled_from(INDICES))
            low = 0 if index[0] == "u" else -extent
            order = draw(st.sampled_from("CF"))
            made = rng.integers(low, extent, sizes).astype(index, order=order)
            parts.append(made[:: draw(STEPS)])
        elif kind == "integer":
            parts.append(int(rng.integers(-extent, extent)))
        else:
            step = draw(st.sampled_from((1, 2, -1)))
            parts.append(slice(None, None, step))
        if kind == "new":
            parts.append(None)
    if not any(isinstance(part, np.ndarray) for part in parts):
        parts[0] = rng.integers(-array.shape[0], array.shape[0], around)
    if draw(st.booleans()):
        parts.append(...)
    return array, tuple(parts)


STEPS = st.sampled_from((1, 1, -1))


@given(case=keys(), checked=st.booleans(), threads=st.sampled_from((1, 2)))
@settings(max_examples=150, deadline=None)
def test_indices_select_numpys_elements(
    case: tuple[Any, tuple[Any, ...]], checked: bool, threads: int
) -> None:
    array, key = case
    with ob.config(tier="compile", check_bounds=checked, threads=threads):
        found = index_select.pick(array, key)
    wanted = array[key]
    if not wanted.size:
        assert found is None
        return
    assert found is not None
    np.testing.assert_array_equal(found.array, wanted, strict=True)


A, B, C = np.array([[1], [-2]]), np.array([0, -1, 3]), np.array([2, 1, 0])


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ((A, B), (2, 3, 6, 7)),
        ((slice(None), A, B), (4, 2, 3, 7)),
        ((slice(None), A, slice(None), B), (2, 3, 4, 6)),
        ((slice(1, None), 0, slice(None), B), (3, 3, 6)),
        ((slice(None), A, None, B), (2, 3, 4, 1, 7)),
        ((..., B, C), (4, 5, 3)),
        ((0, ..., C), (3, 5, 6)),
        ((B, C, A, B), (2, 3)),
    ],
)
def test_axes_have_numpys_order(key: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    array = np.arange(4 * 5 * 6 * 7).reshape(4, 5, 6, 7)
    found = index_select.pick(array, key)
    assert found is not None
    assert found.shape == shape
    np.testing.assert_array_equal(found.array, array[key])


def test_many_indices_are_shared_by_threads() -> None:
    rng = np.random.default_rng(3)
    array = rng.random((70, 80, 33))
    i, j = rng.integers(-70, 70, 30_001), rng.integers(-80, 80, 30_001).astype("int32")
    with ob.config(tier="compile"):
        x = ob.asarray(array)
        np.testing.assert_array_equal(np.asarray(x[ob.asarray(i), ob.asarray(j)]), array[i, j])
        np.testing.assert_array_equal(np.asarray(x[i, j, 5]), array[i, j, 5])
        np.testing.assert_array_equal(np.asarray(x[i, :, 5]), array[i, :, 5])
        np.testing.assert_array_equal(np.asarray(x[:, j, -1]), array[:, j, -1])


@pytest.mark.parametrize("tier", ["compile", "interpret", "auto"])
@pytest.mark.parametrize(
    ("where", "value", "axis", "size"), [(0, 70, 0, 70), (1, -81, 1, 80), (1, 1 << 40, 1, 80)]
)
def test_an_index_that_is_outside_is_named(
    tier: Any, where: int, value: int, axis: int, size: int
) -> None:
    array = np.arange(70 * 80).reshape(70, 80)
    indices = [np.zeros(20_000, "int64"), np.zeros(20_000, "int64")]
    indices[where][12_345] = value
    with ob.config(tier=tier):
        x = ob.asarray(array, copy=True)
        match = f"index {value} is out of bounds for axis {axis} with size {size}"
        with pytest.raises(IndexRangeError, match=match) as caught:
            x[ob.asarray(indices[0]), ob.asarray(indices[1])]
        assert isinstance(caught.value, IndexError)
        assert isinstance(caught.value, OnebufError)
        np.testing.assert_array_equal(np.asarray(x), array)
        indices[where][12_345] = 1
        picked = x[ob.asarray(indices[0]), ob.asarray(indices[1])]
    np.testing.assert_array_equal(np.asarray(picked), array[tuple(indices)])


@pytest.mark.parametrize(
    "key",
    [
        (np.zeros(3, "int64"), np.zeros(4, "int64")),  # they cannot be broadcast together
        (np.zeros(3, "int64"), np.ones(3, "bool")),
        (np.zeros(3, "uint64"), 0),
        (np.zeros(3, "int64"),) * 3,  # more than there are axes
        (np.zeros(3, ">i4"), 0),
        (np.zeros(0, "int64"), 0),
    ],
)
def test_other_keys_are_left_to_numpy(key: tuple[Any, ...]) -> None:
    assert index_select.pick(np.zeros((5, 3)), key) is None


def test_memory_that_is_not_aligned_is_left_to_numpy() -> None:
    array = np.zeros(41, "uint8")[1:].view("float64")
    assert index_select.pick(array.reshape(5, 1), (np.zeros(3, "int64"), 0)) is None


def test_memory_is_not_left(monkeypatch: pytest.MonkeyPatch) -> None:
    array, index = np.arange(30.0).reshape(5, 6), np.array([4, 4])
    bounds = index_select.byte_bounds

    def cut(given: Any) -> tuple[int, int]:
        first, end = bounds(given)
        return first, end - (8 if given.shape == array.shape else 0)

    monkeypatch.setattr(index_select, "byte_bounds", cut)
    with ob.config(check_bounds=True):
        assert index_select.pick(array, (index, index)) is not None
        with pytest.raises(BoundsError, match="stay within its memory"):
            index_select.pick(array, (index, index + 1))
