"""Computing tile by tile: the bits of a stored operand, and a tile of memory at a time."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import on_demand
from onebuf.engine.plan import decide
from onebuf.engine.run.tiles import stream
from onebuf.events import Progress, listening, watching
from onebuf.interop.files.streamed import row_major_boxes
from onebuf.placement import boxes_between

DTYPES = ["float64", "float32", "float16", "int64", "uint8", "bool", "complex128", "complex64"]
FOLDS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std"]

ORDERED = ("max", "min", "argmax", "argmin")
"""Reductions of what can be ordered, which complex numbers cannot."""


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr(stream, "TILE_NBYTES", 4096)


def by_region(elements, calls=None):
    def make(box):
        if calls is not None:
            calls.append(tuple(box))
        return elements[box.slices]

    return on_demand(elements.shape, make, dtype=elements.dtype)


def elements_of(shape, dtype, seed=0):
    found = np.random.default_rng(seed).standard_normal(shape) * 3
    if dtype.startswith("complex"):
        found = found + 1j * found[..., ::-1]
    return (found > 0) if dtype == "bool" else found.astype(dtype)


def same_bits(one, other):
    one, other = np.asarray(one), np.asarray(other)
    assert (one.shape, one.dtype) == (other.shape, other.dtype)
    assert one.tobytes() == other.tobytes()


# -- reductions ------------------------------------------------------------------------------------


PAIRS = [
    (name, dtype)
    for name in FOLDS
    for dtype in DTYPES
    if not (dtype.startswith("complex") and name in ORDERED)
]


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_a_reduction_has_the_bits_that_it_has_in_memory(monkeypatch, name, dtype):
    elements = elements_of((3, 20000), dtype)
    stored, made = onebuf.asarray(elements), by_region(elements)
    fold = getattr(onebuf, name)
    for axis in (None, 0, 1):
        monkeypatch.setattr(stream, "TILE_NBYTES", 100_000)
        same_bits(fold(made, axis=axis), fold(stored, axis=axis))


@pytest.mark.parametrize("nbytes", [70_000, 200_000, 500_000])
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_chunks_are_added_in_order_however_many_a_tile_has(monkeypatch, name, nbytes):
    elements = 1 + 0.01 * elements_of((2, 100_000), "float64", nbytes)
    monkeypatch.setattr(stream, "TILE_NBYTES", nbytes)
    fold = getattr(onebuf, name)
    for axis in (None, 1):
        same_bits(fold(by_region(elements), axis=axis), fold(onebuf.asarray(elements), axis=axis))


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_reductions_of_any_shape_and_axes_have_the_same_bits(data):
    shape = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple))
    elements = elements_of(shape, data.draw(st.sampled_from(["float32", "int64"])))
    name = data.draw(st.sampled_from(["sum", "prod", "max", "mean"]))
    axes = data.draw(
        st.none() | st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True).map(tuple)
    )
    keepdims = data.draw(st.booleans())
    before = stream.TILE_NBYTES
    stream.TILE_NBYTES = data.draw(st.sampled_from([8, 64, 1000]))
    try:
        with onebuf.config(tier=data.draw(st.sampled_from(["interpret", "compile"]))):
            fold = getattr(onebuf, name)
            made = fold(by_region(elements), axis=axes, keepdims=keepdims)
            same_bits(made, fold(onebuf.asarray(elements), axis=axes, keepdims=keepdims))
    finally:
        stream.TILE_NBYTES = before


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum"])
def test_nan_is_found_in_whichever_tile_it_is(small_tiles, name):
    for place in (0, 700, 5000):
        elements = np.arange(5001.0)
        elements[place] = np.nan
        expected = getattr(np, name)(elements)
        np.testing.assert_array_equal(
            np.asarray(getattr(onebuf, name)(by_region(elements))), expected
        )


def test_the_first_of_equal_elements_is_found(small_tiles):
    elements = np.zeros(6000)
    elements[[1500, 4000]] = 1, 1
    assert onebuf.argmax(by_region(elements)).item() == 1500
    assert onebuf.argmin(by_region(elements)).item() == 0


@pytest.mark.parametrize("tier", ["interpret", "compile"])
def test_an_expression_is_folded_tile_by_tile_with_stored_operands(small_tiles, tier):
    elements, weights = elements_of((50, 80), "float64"), np.arange(80.0)
    x, w = by_region(elements), onebuf.asarray(weights)
    with onebuf.config(tier=tier):
        stored = (onebuf.asarray(elements) * 2 + w).sum(axis=0)
        same_bits((x * 2 + w).sum(axis=0), stored)
        np.testing.assert_allclose(((x - x.mean()) ** 2).sum().item(), 4000 * elements.var())
        same_bits((x.T[3:] * 2).max(axis=0), (elements.T[3:] * 2).max(axis=0))


def test_expressions_are_folded_tile_by_tile_too(monkeypatch, small_tiles):
    monkeypatch.setattr(decide, "LONG_NUMEL", 1000)
    x = on_demand((300, 100), lambda i, j: onebuf.sin(i * 0.25) + j)
    with onebuf.config(tier="compile"):
        stored = x.copy()
        events = []
        with watching(events.append):
            same_bits(x.sum(), stored.sum())
        assert len(events) > 4
        same_bits(x.sum(axis=0), stored.sum(axis=0))


def test_each_element_is_made_once_for_a_reduction(small_tiles):
    counts = np.zeros((37, 101), int)

    def make(box):
        counts[box.slices] += 1
        return np.ones(box.shape)

    x = on_demand(counts.shape, make, dtype="float64")
    for axis in (None, 0, 1):
        counts[...] = 0
        (x * 2).sum(axis=axis).realize()
        assert (counts == 1).all()


def test_a_reduction_over_more_than_memory_takes_a_few_tiles():
    x = on_demand((3000, 20000), lambda box: np.ones(box.shape), dtype="float64")
    with onebuf.config(memory_cap=64 << 20), onebuf.counters() as counted:
        assert (x * 2 + 1).sum().item() == 3 * 6 * 10**7
    assert counted.peak_bytes < 64 << 20


# -- results in memory -----------------------------------------------------------------------------


@pytest.mark.parametrize("tier", ["interpret", "compile"])
def test_a_result_is_filled_tile_by_tile(small_tiles, tier):
    elements, calls = elements_of((60, 70), "float32"), []
    with onebuf.config(tier=tier):
        made = (by_region(elements, calls) * 2).realize()
    same_bits(made, elements * 2)
    assert len(calls) > 3
    assert all((high - low) * (right - left) <= 512 for (low, high), (left, right) in calls)


def test_no_more_than_a_tile_is_in_memory_besides_the_result():
    x = on_demand((2000, 10000), lambda box: np.ones(box.shape), dtype="float64")
    with onebuf.config(memory_cap=1 << 28), onebuf.counters() as counted:
        made = (x * 2 + 1).realize()
    assert counted.peak_bytes < made.nbytes + 5 * (1 << 28) // 16


def test_a_copy_and_an_array_are_filled_tile_by_tile(small_tiles):
    elements = elements_of((60, 70), "float64")
    x = by_region(elements)
    same_bits(x.copy(), elements)
    same_bits(x[::2].T, np.ascontiguousarray(elements[::2].T))


def test_a_zarr_store_is_reduced_tile_by_tile(tmp_path, small_tiles):
    zarr = pytest.importorskip("zarr")
    elements = elements_of((60, 70), "float64")
    array = zarr.create_array(tmp_path / "x.zarr", shape=(60, 70), chunks=(10, 70), dtype="float64")
    array[...] = elements
    x = onebuf.open(tmp_path / "x.zarr")
    events = []
    with watching(events.append):
        same_bits((x * 2).sum(axis=1), (onebuf.asarray(elements) * 2).sum(axis=1))
    assert len(events) > 3


# -- long graphs, interrupts, progress -------------------------------------------------------------


def test_a_long_chain_of_operations_is_pushed_down(small_tiles):
    x = by_region(np.ones((40, 50)))
    for _ in range(1500):
        x = x + 1
    assert x[3, 4].item() == 1501
    assert x.sum().item() == 1501 * 2000


def test_an_interrupt_between_tiles_leaves_everything_pending(small_tiles):
    calls = []

    def make(box):
        calls.append(box)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return np.ones(box.shape)

    x = on_demand((100, 100), make, dtype="float64")
    y, total = x * 2, (x * 2).sum()
    for read in (total.item, y.tolist):
        calls.clear()
        with pytest.raises(KeyboardInterrupt):
            read()
        assert not total.is_realized
        assert not y.is_realized
    calls.extend([None] * 10)
    assert total.item() == 20000
    assert y.sum().item() == 20000


def test_progress_is_told_after_every_tile(small_tiles):
    x = by_region(np.ones((100, 100)))
    heard, watched = [], []
    with listening(heard.append), watching(watched.append):
        x.sum().realize()
    told = [event for event in heard if isinstance(event, Progress)]
    assert told == watched
    assert [event.done for event in told] == sorted(event.done for event in told)
    assert (told[0].done, told[-1].done, told[-1].total) == (0, 10000, 10000)
    assert [event.is_over for event in told] == [False] * (len(told) - 1) + [True]


def test_a_failed_computation_ends_its_progress(small_tiles):
    x = on_demand((100, 100), lambda box: 1 / 0, dtype="float64", per="region")
    watched = []
    with watching(watched.append), pytest.raises(ZeroDivisionError):
        x.sum().realize()
    assert watched[-1].is_over


def test_small_computations_tell_no_progress():
    watched = []
    with watching(watched.append):
        by_region(np.ones((10, 10))).sum().realize()
    assert watched == []


def test_a_bar_is_shown_where_it_was_asked_for(small_tiles, capsys):
    x = by_region(np.ones((100, 100)))
    file = io.StringIO()
    with onebuf.progress(file=file):
        (x + 1).sum().realize()
    assert "sum" in file.getvalue()
    with onebuf.progress(show=False):
        (x + 2).sum().realize()
    (x + 3).sum().realize()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4)])
def test_pieces_cover_a_range_in_order(shape):
    numel = int(np.prod(shape))
    positions = np.arange(numel).reshape(shape)
    for begin in range(numel):
        for end in range(begin + 1, numel + 1):
            found = [
                positions[tuple([slice(*one) for one in piece])].reshape(-1)
                for piece in boxes_between(begin, end, shape)
            ]
            np.testing.assert_array_equal(np.concatenate(found), np.arange(begin, end))


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_boxes_cover_a_shape(limit):
    seen = np.zeros((3, 4, 5), int)
    for box in row_major_boxes(seen.shape, limit):
        part = seen[tuple([slice(*one) for one in box])]
        assert part.size <= limit
        part += 1
    assert (seen == 1).all()
