"""Explaining: what would be done, and why, without doing it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config


@pytest.fixture(autouse=True)
def lazy():
    with config(eager_numel=0):
        yield


def test_stored_elements_have_nothing_to_explain():
    assert Buffer([1.0]).explain() == "nothing to compute: the elements are at hand"
    assert Buffer([1.0])[0].explain() == "nothing to compute: the elements are at hand"


def test_the_head_counts_kernels_bytes_and_copies():
    x = Buffer(np.zeros(1000))
    head = ((x + 1) * 2).explain().splitlines()[0]
    assert head == "2 kernels, 16.0 kB read, 16.0 kB written, no copies"


def test_one_kernel_is_one():
    assert (Buffer([1.0]) + 1).explain().startswith("1 kernel, 4 B read, 4 B written, no copies")


def test_a_copy_is_counted_and_has_its_reason():
    text = (Buffer([[1.0, 2.0], [3.0, 4.0]]).T.reshape(4) + 1).explain()
    assert "1 copy" in text.splitlines()[0]
    assert "strides cannot express the new shape" in text


def test_every_row_says_operands_result_kind_and_reason():
    text = (Buffer([[1.0, 2.0]]) + 1.5).sum(axis=0).explain()
    assert "%1 = add(stored float32[1, 2], 1.5) -> float32[1, 2]" in text
    assert "%2 = sum(%1) -> float32[2]" in text
    assert "reduce, 8 B: asked for" in text
    assert "elementwise, 8 B: an operand of what was asked for" in text


def test_a_view_of_an_earlier_row_is_named_as_one():
    x = Buffer([[1.0, 2.0], [3.0, 4.0]]) + 1
    assert re.search(r"%2 = multiply\(view of %1, ", (x.T * 2).explain())


def test_every_row_names_the_users_line():
    y = Buffer([1.0]) + 1  # the line to name
    assert __file__ in y.explain()
    assert "# the line to name" in y.explain()


def test_explaining_computes_nothing():
    y = Buffer([1.0]) + 1
    with onebuf.counters() as counted:
        y.explain()
    assert counted == onebuf.Counters()
    assert not y.is_realized


def test_explaining_is_the_schedule():
    y = ((Buffer([1.0, 2.0]) + 1) * 2).sum()
    rows = re.findall(r"%\d+ = (\w+)\(", y.explain())
    assert rows == [item.node.op.name for item in onebuf.schedule(y)]


@pytest.mark.parametrize(
    "numel, size", [(10, "40 B"), (250, "1.0 kB"), (250_000, "1.0 MB"), (2_500_000_000, "10.0 GB")]
)
def test_sizes_are_for_people(numel, size):
    with config(eager_numel=0):
        assert f"{size} written" in onebuf.arange(numel, dtype=onebuf.uint32).explain()
