"""Buffers with a layout on a context: every queue has the stored elements."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, Layout, ReplicatedBuffer
from onebuf.errors import LayoutError
from onebuf.symmetry import Symmetric

DENSE = np.add.outer(np.arange(3.0), np.arange(3.0))


def replicated() -> ReplicatedBuffer:
    context = onebuf.context(["CPU"], queues=2)
    layout = Layout((3, 3), symmetry=Symmetric(0, 1))
    made: ReplicatedBuffer = onebuf.allocator(context).construct(layout, lambda i, j: i + j * 1.0)
    return made


def test_every_replica_has_the_elements_and_results_keep_the_layout() -> None:
    x = replicated()
    assert type(x) is ReplicatedBuffer
    assert [np.array_equal(array, DENSE) for array in x.read()] == [True, True]
    assert (x * 2).layout == x.layout
    assert np.array_equal((x * 2).read(1), DENSE * 2)


def test_a_write_to_one_replica_stays_there() -> None:
    x = replicated()
    x.write(np.ones((3, 3)), 1)
    assert x.diverged
    assert np.array_equal(x.read(0), DENSE)
    assert np.array_equal(x.read(1), np.ones((3, 3)))


def test_a_write_that_breaks_the_symmetry_is_refused_on_queues_too() -> None:
    x = replicated()
    with pytest.raises(LayoutError, match="symmetry"):
        x.write(np.arange(9.0).reshape(3, 3), 0)
    assert np.array_equal(x.read(0), DENSE)


def test_a_part_of_a_layout_has_no_replica_of_its_own() -> None:
    with pytest.raises(LayoutError, match="whole buffer"):
        replicated()[1:].read(0)


def test_a_buffer_with_a_layout_goes_to_queues_and_back() -> None:
    layout = Layout((3, 3), symmetry=Symmetric(0, 1))
    x: Buffer = onebuf.allocator().construct(layout, DENSE)
    there = x.to_device(onebuf.context(["CPU"], queues=2))
    assert there.layout == layout
    assert np.array_equal(np.asarray(there.to_device("CPU")), DENSE)
