"""Allocation: all memory is given back, and a request that fails is an error, no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import onebuf
from onebuf.errors import ArgumentError, ExportError, OnebufError, OutOfMemory
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract
from onebuf.testing.strategies import ALL, shapes

TOO_MUCH = 1 << 55
"""Elements that no machine has memory for."""


class AllocationContract(Contract):
    """What a device's allocator has to do."""

    def test_a_block_has_at_least_the_bytes_asked_for(self) -> None:
        allocator = self.where().driver.allocator
        for nbytes in (0, 1, 255, 256, 257, 5000, 1 << 20):
            block = allocator.allocate(nbytes)
            assert block.nbytes >= nbytes
            block.free()

    def test_stats_count_what_is_in_use(self) -> None:
        allocator = self.where().driver.allocator
        start = allocator.stats().in_use
        blocks = [allocator.allocate(1000) for _ in range(10)]
        assert allocator.stats().in_use >= start + 10_000
        assert allocator.stats().peak >= allocator.stats().in_use
        del blocks
        assert allocator.stats().in_use == start

    def test_a_block_is_given_back_once(self) -> None:
        allocator = self.where().driver.allocator
        start = allocator.stats().in_use
        block = allocator.allocate(1000)
        block.free()
        with pytest.raises(ExportError):
            block.free()
        del block
        assert allocator.stats().in_use == start

    def test_trimming_gives_back_what_is_cached(self) -> None:
        allocator = self.where().driver.allocator
        allocator.allocate(1 << 16).free()
        before = allocator.stats().cached
        assert before - allocator.trim() == allocator.stats().cached
        assert allocator.trim() == 0

    def test_a_size_below_zero_is_an_error(self) -> None:
        allocator = self.where().driver.allocator
        start = allocator.stats()
        with pytest.raises(ArgumentError):
            allocator.allocate(-1)
        assert allocator.stats() == start

    def test_more_memory_than_there_is_is_an_error_that_changes_nothing(self) -> None:
        x = self.send(np.arange(5))
        start = self.in_use()
        later = onebuf.empty((TOO_MUCH,), dtype="uint8", device=self.device)
        with pytest.raises(OutOfMemory, match="bytes"):
            later.realize()
        assert self.in_use() == start
        assert_same(self.fetch(x + 1), np.arange(5) + 1)

    def test_memory_returns_with_the_buffers(self) -> None:
        start = self.in_use()
        x = self.send(np.ones((100, 100), np.float32))
        y = (x * 2 + 1).realize()
        z = y[::2].sum(axis=0).realize()
        assert self.in_use() > start
        del x, y, z
        assert self.in_use() == start

    def test_memory_returns_after_a_computation_that_failed(self) -> None:
        x = self.send(np.ones((4, 5), np.float32))
        bad = self.send(np.array([9]))
        start = self.in_use()
        with pytest.raises(IndexError):
            self.fetch(onebuf.take(x + 1, bad, axis=0))
        assert self.in_use() == start

    def test_a_view_keeps_the_memory(self) -> None:
        start = self.in_use()
        view = self.send(np.arange(10))[2:4]
        assert self.in_use() > start
        assert_same(self.fetch(view), np.array([2, 3]))
        del view
        assert self.in_use() == start

    def test_free_gives_the_memory_back_at_once(self) -> None:
        start = self.in_use()
        x = self.send(np.ones(1000))
        x.free()
        assert self.in_use() == start
        x.free()
        with pytest.raises(OnebufError):
            self.fetch(x + 1)

    def test_free_is_refused_while_a_view_uses_the_memory(self) -> None:
        x = self.send(np.arange(10))
        view = x[3:]
        with pytest.raises(ExportError):
            x.free()
        assert_same(self.fetch(view), np.arange(3, 10))

    def test_what_is_still_to_be_computed_survives_the_freeing_of_its_operand(self) -> None:
        x = self.send(np.arange(10))
        later = x * 2
        x.free()
        assert_same(self.fetch(later), np.arange(10) * 2)

    @pytest.mark.parametrize("name", ALL)
    def test_constants_are_made_on_the_device(self, name: str) -> None:
        with self.allowing(name):
            for make in (onebuf.zeros, onebuf.ones):
                made: Any = make((2, 3), dtype=name, device=self.device)
                assert made.device is self.where()
                wanted = getattr(np, make.__name__)((2, 3), made.dtype)
                assert_same(self.fetch(made), wanted, name)

    def test_ranges_are_made_on_the_device(self) -> None:
        with self.allowing("float64", "int64"):
            assert_same(
                self.fetch(onebuf.arange(3, 20, 2, device=self.device)), np.arange(3, 20, 2)
            )
            assert_same(self.fetch(onebuf.eye(3, 4, device=self.device)), np.eye(3, 4))
            made = onebuf.linspace(0, 1, 5, device=self.device)
            assert_same(self.fetch(made), np.linspace(0, 1, 5))

    def test_like_is_on_the_device_of_what_it_is_like(self) -> None:
        x = self.send(np.ones((2, 3), np.float32))
        for make in (onebuf.zeros_like, onebuf.ones_like, onebuf.empty_like):
            assert make(x).device is self.where()
        assert_same(self.fetch(onebuf.full_like(x, 7)), np.full((2, 3), 7, np.float32))

    def test_any_shape_can_be_made(self) -> None:
        @self.for_all(shapes, st.sampled_from(["int32", "float32"]))
        def check(shape: tuple[int, ...], name: str) -> None:
            made = onebuf.full(shape, 3, dtype=name, device=self.device)
            assert_same(self.fetch(made), np.full(shape, 3, name))
            assert onebuf.empty(shape, dtype=name, device=self.device).realize().shape == shape
