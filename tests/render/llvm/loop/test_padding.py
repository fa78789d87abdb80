"""Loops over several padded operands: each piece of a row knows which of them it is inside of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer
from onebuf.engine.cpu.launch import prepare

DTYPES = ["float32", "float64", "int32", "int8"]


def padded_sum(parts, widths, rows):
    """The sum of padded parts, by onebuf and by NumPy."""
    found = wanted = None
    for part, (before, after) in zip(parts, widths, strict=True):
        border = [rows, (before, after)]
        mine, theirs = Buffer(part).pad(border), np.pad(part, border)
        found = mine if found is None else found + mine
        wanted = theirs if wanted is None else wanted + theirs
    return found, wanted


@st.composite
def cases(draw):
    """Two to four parts of rows of one length, each with a border of its own."""
    count = draw(st.integers(2, 4))
    length = draw(st.sampled_from([1, 5, 16, 33, 70, 200]))
    widths = []
    for _ in range(count):
        before = draw(st.integers(0, length))
        inside = draw(st.integers(0, length - before))
        widths.append((before, length - before - inside))
    rows = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    sizes = [length - before - after for before, after in widths]
    parts = [(np.arange(3 * n).reshape(3, n) % 50 + 1).astype(dtype) for n in sizes]
    return parts, widths, rows


@given(cases())
@settings(max_examples=60, deadline=None)
def test_a_sum_of_padded_parts_has_numpys_values(case):
    parts, widths, rows = case
    with onebuf.config(tier="compile", eager_numel=0):
        found, wanted = padded_sum(parts, widths, rows)
        np.testing.assert_array_equal(np.asarray(found), wanted)


@given(cases())
@settings(max_examples=30, deadline=None)
def test_no_memory_outside_of_the_parts_is_read(case):
    parts, widths, rows = case
    with onebuf.config(tier="compile", eager_numel=0, check_bounds=True):
        found, wanted = padded_sum(parts, widths, rows)
        np.testing.assert_array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("length", [6144, 6145])
def test_parts_side_by_side_may_be_written_past_the_cache(length):
    parts = [np.full((300, length), fill, "float32") for fill in (1, 2)]
    widths = [(0, length), (length, 0)]
    with onebuf.config(tier="compile", eager_numel=0):
        found, wanted = padded_sum(parts, widths, (0, 0))
        [group] = onebuf.schedule(found)
        assert prepare(group).rendering.streamed == (length % 16 == 0)
        np.testing.assert_array_equal(np.asarray(found), wanted)
