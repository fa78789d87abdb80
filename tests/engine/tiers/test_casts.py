"""Floats become integers in one way, in every tier, also those that are out of range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import config
from onebuf.backends.numpy import loops
from onebuf.backends.reference import interpreter
from onebuf.dtypes import bfloat16, integer_of
from onebuf.engine.cpu.supports import supports
from onebuf.scheduler.fuse.fusion import group

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", bfloat16, "float32", "float64"]
EDGES = [float(2**bits) for bits in (7, 8, 15, 16, 31, 32, 63, 64)]
VALUES = [0.0, 0.5, -0.5, 1e10, 1e30, np.inf, np.nan, *EDGES]
VALUES += [edge + step * max(1.0, edge * 2.0**-20) for edge in EDGES for step in (-1, 1)]
VALUES += [edge - 0.5 for edge in EDGES[:6]]
TIERS: list[dict[str, Any]] = [
    {"eager_numel": 0, "tier": "compile"},
    {"eager_numel": 0, "tier": "interpret"},
    {"eager_numel": 1 << 20},
]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")


def floats(dtype: Any) -> np.ndarray[Any, Any]:
    """All values of both signs: many times over, so that vectors have them in every lane."""
    both = np.array([*VALUES, *[-value for value in VALUES]])
    return np.tile(both, 7).astype(dtype)


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: np.dtype(dtype).name)
def test_floats_out_of_range_have_one_answer(dtype, to):
    array = floats(dtype)
    wanted = np.array([integer_of(float(x), np.dtype(to)) for x in array], to)
    for options in TIERS:
        with config(**options):
            x = onebuf.asarray(array)
            strided = onebuf.asarray(np.repeat(array, 2))[::2]
            for made in (
                x.astype(to),
                strided.astype(to),
                onebuf.abs(-x).astype(to)[:0],
                (x * 1).astype(to),
                onebuf.concat([x.astype(to), strided.astype(to)])[len(array) :],
            ):
                np.testing.assert_array_equal(np.asarray(made), wanted[: len(made)], str(options))
            for place in range(0, len(array), 9):
                np.testing.assert_array_equal(np.asarray(x[place, ...].astype(to)), wanted[place])


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: np.dtype(dtype).name)
def test_numpy_has_the_same_answer_where_it_has_one(dtype, to):
    array = floats(dtype)
    with np.errstate(invalid="ignore"):
        strided = np.repeat(array, 2)[::2].astype(to)
        theirs = array.astype(to)
    ours = np.asarray(onebuf.asarray(array).astype(to))
    if loops._TRUNCATES_LIKE_X86:
        np.testing.assert_array_equal(ours, strided)
    inside = np.isfinite(array) & (array.astype(float) > np.iinfo(to).min - 1.0)
    inside &= array.astype(float) < np.iinfo(to).max
    np.testing.assert_array_equal(ours[inside], theirs[inside])


@pytest.mark.parametrize("to", INTEGERS)
def test_other_processors_have_the_same_answer(to, monkeypatch):
    monkeypatch.setattr(loops, "_TRUNCATES_LIKE_X86", False)
    for dtype in FLOATS:
        array = floats(dtype)
        wanted = np.array([integer_of(float(x), np.dtype(to)) for x in array], to)
        np.testing.assert_array_equal(np.asarray(onebuf.asarray(array).astype(to)), wanted)


@settings(max_examples=50)
@given(st.lists(st.floats(width=32), min_size=1, max_size=40), st.sampled_from(INTEGERS))
def test_any_float_has_the_reference_backends_answer(values, to):
    array = np.array(values, "float32")
    with config(eager_numel=0, tier="compile"):
        made = onebuf.asarray(array, copy=True).astype(to)
        (item,) = group([made._node], supports)
        out = np.zeros(len(array), to)
        interpreter.run(item, [out])  # type: ignore[arg-type]
        np.testing.assert_array_equal(np.asarray(made), out)


def test_a_line_gives_the_same_integers_on_every_call():
    x = onebuf.asarray(np.linspace(-100, 400, 400_000))
    first = np.asarray((x * 1.0).astype("uint8"))
    for _ in range(12):  # by then it is compiled
        np.testing.assert_array_equal(np.asarray((x * 1.0).astype("uint8")), first)
    assert first[[0, 300_000, 399_999]].tolist() == [156, 19, 144]
