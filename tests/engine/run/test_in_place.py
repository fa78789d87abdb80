"""``y[key] op= x`` is one pass over memory, and gives what NumPy's gives."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf as ob
from onebuf import config, counters
from onebuf.errors import DTypeError, ReadOnlyError, ShapeError

A = np.random.default_rng(0).random((240, 200))
B = np.random.default_rng(1).random((240, 200)) + 1

KEYS = [
    *(slice(3, -5), slice(None, None, 2), slice(None, None, -1), ..., slice(None), 7),
    *((slice(None), 0), (..., 0), (None, slice(1, -1)), (slice(1, None), None, slice(2, 9))),
    *((slice(None, None, -2), slice(1, -1)), (3, slice(None, None, 3)), (slice(None), slice(5))),
    *((np.int64(4),), (slice(-90, -3, 4), slice(None, None, -7)), (-1, ...)),
]
OPERATORS = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
}
UFUNCS = [np.add, np.subtract, np.multiply, np.divide, np.maximum]


def own(a: Any) -> Any:
    return ob.asarray(a, copy=True).realize()


def view_of_view(a: Any) -> Any:
    padded = np.zeros((a.shape[0] + 2, a.shape[1] + 3))
    padded[1:-1, 2:-1] = a
    return own(padded)[1:][:-1][:, 2:-1]


def foreign(a: Any) -> Any:
    return ob.asarray(a.copy())


SOURCES = [own, foreign, view_of_view]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_an_update_of_a_part_is_one_kernel_without_memory_of_its_own(source: Any, key: Any):
    want = A.copy()
    with config(eager_numel=4):
        x = source(A)
        for tier in ("interpret", "compile", "auto"):
            with config(tier=tier):
                x[key] += 1.5
                want[key] += 1.5
                with counters() as counted:
                    x[key] *= 2.0
                want[key] *= 2.0
            assert (counted.kernels, counted.copies, counted.bytes_allocated) == (1, 0, 0), tier
            assert counted.bytes_written == want[key].nbytes, tier
    np.testing.assert_array_equal(np.asarray(x), want)


def test_the_write_back_of_small_parts_writes_nothing():
    x = own(A)
    for key in KEYS:
        part = x[key]
        with counters() as counted:
            x[key] = part
        assert counted.kernels == counted.bytes_written == 0, key


@pytest.mark.parametrize("tier", ["interpret", "compile", "auto"])
def test_memory_that_is_known_twice_is_updated_in_place(tier: Any):
    memory = A.copy()
    x, y = ob.asarray(memory), ob.asarray(memory.reshape(-1)[7:])
    with config(tier=tier):
        late = y * 2
        x[1:] += 1.5
        with counters() as counted:
            x[1:] += own(B)[1:]
    assert (counted.kernels, counted.bytes_written) == (1, A[1:].nbytes)
    np.testing.assert_array_equal(memory[1:], A[1:] + 1.5 + B[1:])
    np.testing.assert_array_equal(np.asarray(late), A.reshape(-1)[7:] * 2)


def test_a_file_that_is_mapped_twice_is_read_before_it_is_written(tmp_path: Path):
    path = tmp_path / "a.npy"
    for tier in ("interpret", "compile", "auto"):
        np.save(path, A)
        x, y = ob.open(path, mode="r+"), ob.open(path, mode="r+")
        with config(tier=tier):
            x[1:] += y[:-1]
        np.testing.assert_array_equal(np.asarray(x)[1:], A[1:] + A[:-1])


@pytest.mark.parametrize("tier", ["interpret", "compile", "auto"])
def test_conversions_are_part_of_the_pass(tier: Any):
    x, y = own(A.astype(np.float32)), own(B)
    want = A.astype(np.float32)
    with config(tier=tier):
        for _ in range(2):
            with counters() as counted:
                x[1:] += y[1:]
            want[1:] += B[1:]
    if tier == "compile":
        assert (counted.kernels, counted.bytes_allocated) == (1, 0)
    np.testing.assert_array_equal(np.asarray(x), want)


@pytest.mark.parametrize("tier", ["interpret", "compile", "auto"])
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_out_at_the_place_of_an_operand_is_one_pass(ufunc: Any, tier: Any):
    x, y, want = own(A), own(B), A.copy()
    function = getattr(ob, ufunc.__name__)
    with config(tier=tier):
        function(x[1:], y[1:], out=x[1:])
        ufunc(want[1:], B[1:], out=want[1:])
        with counters() as counted:
            assert function(y[1:], x[1:], out=x[1:])._base is x
        ufunc(B[1:], want[1:], out=want[1:])
    assert (counted.kernels, counted.bytes_written) == (1, A[1:].nbytes)
    np.testing.assert_array_equal(np.asarray(x), want)


def test_a_result_that_was_pending_is_of_the_old_elements():
    for tier in ("interpret", "compile", "auto"):
        with config(tier=tier):
            x, y = own(A), own(B)
            late, sum_of_old = x[1:] * y[1:], x.sum()
            ob.add(x[1:], late, out=x[1:])
            np.testing.assert_array_equal(np.asarray(late), A[1:] * B[1:])
            np.testing.assert_array_equal(np.asarray(x[1:]), A[1:] + A[1:] * B[1:])
            assert sum_of_old.item() == pytest.approx(A.sum())


@st.composite
def slices(draw: Any, extent: int) -> slice:
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    step = st.none() | st.integers(1, 4) | st.integers(-4, -1)
    return slice(draw(bound), draw(bound), draw(step))


@given(
    st.data(),
    st.sampled_from(["interpret", "compile", "auto"]),
    st.sampled_from(sorted(OPERATORS)),
    st.sampled_from([np.float64, np.float32, np.int64, np.int16, np.uint8]),
)
def test_operands_may_overlap_what_is_written(data: Any, tier: Any, name: str, dtype: Any):
    """Slices of one memory on both sides, of equal shapes or broadcast."""
    shape = (17, 19)
    values = np.random.default_rng(2).integers(1, 100, shape).astype(dtype)
    want = values.copy()
    key = tuple([data.draw(slices(extent)) for extent in shape])
    other = tuple([data.draw(slices(extent)) for extent in shape])
    rows, columns = np.minimum(want[key].shape, want[other].shape)
    count = min(rows, 1) if data.draw(st.booleans()) else rows
    x = own(values)
    with config(tier=tier, eager_numel=2):
        late = x + 1
        ours, theirs = x[key][:rows, :columns], x[other][:count, :columns]
        try:
            OPERATORS[name](want[key][:rows, :columns], want[other][:count, :columns])
        except TypeError:
            with pytest.raises(DTypeError):
                OPERATORS[name](ours, theirs)
        else:
            OPERATORS[name](ours, theirs)
        np.testing.assert_array_equal(np.asarray(late), values + 1)
    np.testing.assert_array_equal(np.asarray(x), want)


@given(
    st.sampled_from(["interpret", "compile", "auto"]),
    st.sampled_from(["float64", "float32", "int64", "int32", "uint8", "bool", "complex128"]),
    st.sampled_from(["float64", "float32", "int64", "int32", "uint8", "bool", "complex128"]),
    st.sampled_from(["+=", "*=", "/="]),
    st.booleans(),
)
def test_types_are_cast_or_refused_as_numpy_does(
    tier: Any, one: str, two: str, name: str, is_large: bool
):
    count = 5000 if is_large else 50
    a, b = (np.arange(1, count + 1) % 7 + 1).astype(one), (np.arange(count) % 5 + 1).astype(two)
    x, y = own(a), own(b)
    with config(tier=tier, eager_numel=1000):
        try:
            OPERATORS[name](a[2:-1], b[2:-1])
        except TypeError:
            before = a.copy()
            with pytest.raises(DTypeError, match="Cannot cast"):
                OPERATORS[name](x[2:-1], y[2:-1])
            np.testing.assert_array_equal(np.asarray(x), before)
            return
        OPERATORS[name](x[2:-1], y[2:-1])
    np.testing.assert_allclose(np.asarray(x), a, rtol=1e-6)
    assert x.dtype == a.dtype


@pytest.mark.parametrize("numel", [50, 50_000])
@pytest.mark.parametrize("tier", ["interpret", "compile", "auto"])
def test_memory_that_is_read_only_is_refused_and_stays(tier: Any, numel: int):
    memory = np.arange(float(numel))
    memory.flags.writeable = False
    x = ob.asarray(memory)
    with config(tier=tier):
        for write in (
            lambda: operator.iadd(x, 1),
            lambda: operator.iadd(x[1:], 1),
            lambda: operator.imul(x[::2], x[::2]),
            lambda: ob.add(x, x, out=x),
            lambda: x.__setitem__(slice(1, 5), x[1:5]),
        ):
            with pytest.raises(ReadOnlyError):
                write()
    np.testing.assert_array_equal(memory, np.arange(float(numel)))


@pytest.mark.parametrize("numel", [50, 50_000])
def test_what_fails_leaves_the_buffer_as_it_was(numel: int):
    values = np.arange(numel) % 50
    x, small = own(values), own((values % 100).astype(np.int8))
    with pytest.raises(ShapeError):
        x[1:] += ob.ones(3, dtype=ob.int64)
    with pytest.raises(ShapeError):
        x[1:] += ob.ones((2, numel - 1), dtype=ob.int64)
    with pytest.raises(DTypeError):
        x[1:] += 0.5
    with pytest.raises(OverflowError):
        small[1:] += 1000
    with pytest.raises(ShapeError):
        ob.add(x[1:], x[1:], out=x)
    with pytest.raises(DTypeError):
        ob.add(x, 0.5, out=x)
    np.testing.assert_array_equal(np.asarray(x), values)
    np.testing.assert_array_equal(np.asarray(small), values % 100)


def test_running_out_of_memory_leaves_overlapping_parts_as_they_were():
    x = own(A)
    with config(tier="compile", memory_cap=1), pytest.raises(MemoryError):
        x[1:] += x[:-1]
    np.testing.assert_array_equal(np.asarray(x), A)


def test_the_first_update_of_large_memory_waits_for_no_compiler():
    x = own(np.ones((1000, 1000)))
    with counters() as counted:
        x[1:] -= 0.8125
    assert (counted.kernels, counted.compiles, counted.bytes_allocated) == (1, 0, 0)
    assert x[1, 0] == 1 - 0.8125
