"""Writes through a layout: what is written is there, what cannot be held changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from random_layouts import dense_array, layouts, mask_of

import onebuf
from onebuf import Buffer, Layout
from onebuf.errors import LayoutError
from onebuf.sparsity import Element
from onebuf.symmetry import Antisymmetric, Hermitian, Symmetric

Array = np.ndarray[Any, Any]
CONFLICT = np.nan
"""Where a write asks for two values."""


def written(layout: Layout, dense: Array, flat: Array, values: Array) -> Array | None:
    """``dense`` with values at flat indices, and all that follow; None: it cannot be held."""
    result = dense.copy()
    is_set = np.zeros(layout.shape, bool)
    mask = mask_of(layout)
    for at, value in zip(flat.tolist(), values.tolist(), strict=True):
        index = np.unravel_index(at, layout.shape)
        if not mask[index] and value != 0:
            return None
        for one in layout.group:
            there = tuple([index[one.permutation.image(axis)] for axis in range(layout.rank)])
            new = value.conjugate() if one.conjugate else value
            new = -new if one.sign < 0 else new
            if is_set[there] and result[there] != new:
                return None
            result[there], is_set[there] = new, True
    return result


def key_of(data: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Integers and slices."""
    key: list[Any] = []
    for extent in shape:
        low = data.draw(st.integers(0, extent - 1))
        high = data.draw(st.integers(low, extent))
        key.append(data.draw(st.sampled_from([low, slice(low, high), slice(None, None, -1)])))
    return tuple(key)


class Writes(RuleBasedStateMachine):
    """A buffer with a layout, and the array that it must be equal to."""

    @initialize(
        layout=layouts(most=3).filter(lambda layout: layout.size > 0),
        dtype=st.sampled_from(["float64", "complex128", "int64"]),
        eager=st.sampled_from([0, 4096]),
    )
    def start(self, layout: Layout, dtype: str, eager: int) -> None:
        self.options = onebuf.config(eager_numel=eager)
        self.options.__enter__()
        self.layout = layout
        self.dense = dense_array(layout, dtype, 1)
        self.buffer: Buffer = onebuf.allocator().construct(layout, self.dense)
        self.copy = self.buffer.copy()
        self.first = self.dense
        self.pending: list[tuple[Any, Array]] = []

    def teardown(self) -> None:
        if hasattr(self, "options"):
            self.options.__exit__(None, None, None)

    def attempt(self, write: Any, flat: Array, values: Array) -> None:
        """Write to the buffer, and compare with what has to come of it."""
        flat, values = flat.reshape(-1), np.broadcast_to(values, flat.shape).reshape(-1)
        expected = written(self.layout, self.dense, flat, values.astype(self.dense.dtype))
        if expected is None:
            with pytest.raises(LayoutError, match="write needs"):
                write()
        else:
            write()
            self.dense = expected

    def numbers(self, shape: tuple[int, ...], seed: int) -> Array:
        if seed % 3 == 0:
            return np.full(shape, seed % 5, self.dense.dtype)
        return np.random.default_rng(seed).integers(-2, 3, shape).astype(self.dense.dtype)

    @rule(data=st.data(), seed=st.integers(0, 99))
    def write_a_part(self, data: Any, seed: int) -> None:
        key = key_of(data, self.layout.shape)
        flat = np.arange(self.layout.size).reshape(self.layout.shape)[key]
        values = self.numbers(flat.shape, seed)
        self.attempt(lambda: self.buffer.__setitem__(key, values), flat, values)

    @rule(data=st.data(), seed=st.integers(0, 99))
    def write_through_a_view(self, data: Any, seed: int) -> None:
        turned = np.arange(self.layout.size).reshape(self.layout.shape).T
        key = key_of(data, turned.shape)
        flat = turned[key]
        values = self.numbers(flat.shape, seed)
        view = self.buffer.T[key]
        if isinstance(key, tuple) and flat.ndim:
            self.attempt(lambda: view.__setitem__(..., values), flat, values)

    @rule(seed=st.integers(0, 99), count=st.integers(1, 3))
    def write_by_index(self, seed: int, count: int) -> None:
        flat = np.random.default_rng(seed).permutation(self.layout.size)[:count]
        key = tuple(np.unravel_index(flat, self.layout.shape))
        values = self.numbers(flat.shape, seed)
        self.attempt(lambda: self.buffer.__setitem__(key, values), flat, values)

    @rule(seed=st.integers(0, 99))
    def write_by_mask(self, seed: int) -> None:
        mask = self.dense == seed % 4
        flat = np.flatnonzero(mask)
        self.attempt(lambda: self.buffer.__setitem__(mask, 2), flat, np.full(flat.shape, 2))

    @rule(seed=st.integers(0, 99), as_buffer=st.booleans())
    def write_everything(self, seed: int, as_buffer: bool) -> None:
        values = self.numbers(self.layout.shape, seed)
        if seed % 2:
            values = dense_array(self.layout, self.dense.dtype, seed)
        value = onebuf.asarray(values) if as_buffer else values
        flat = np.arange(self.layout.size)
        self.attempt(lambda: self.buffer.__setitem__(..., value), flat, values.reshape(-1))

    @rule(number=st.integers(-2, 2), name=st.sampled_from(["__iadd__", "__imul__", "__isub__"]))
    def change_in_place(self, number: int, name: str) -> None:
        values = getattr(self.dense, name.replace("__i", "__"))(number)
        flat = np.arange(self.layout.size)
        self.attempt(lambda: getattr(self.buffer, name)(number), flat, values.reshape(-1))

    @rule()
    def add_to_itself(self) -> None:
        self.buffer += self.buffer
        self.dense = self.dense + self.dense
        if abs(self.dense).max() > 1e6:
            self.buffer[...] = 0 * self.buffer
            self.dense = self.dense * 0

    @rule(sort=st.integers(0, 3))
    def keep_a_pending_result(self, sort: int) -> None:
        functions: list[Any] = [
            lambda x: x * 2,
            lambda x: x + 1,
            lambda x: x.T[:1] - 1,
            lambda x: x.copy().sum(axis=0),
        ]
        function = functions[sort]
        self.pending.append((function(self.buffer), function(self.dense)))

    @rule()
    def read_pending_results(self) -> None:
        for found, expected in self.pending:
            assert np.array_equal(np.asarray(found), expected)
        self.pending.clear()

    @invariant()
    def the_buffer_is_its_twin(self) -> None:
        if hasattr(self, "buffer"):
            assert np.array_equal(np.asarray(self.buffer), self.dense)
            assert np.array_equal(np.asarray(self.buffer.T), self.dense.T)
            assert np.array_equal(np.asarray(self.buffer[-1:]), self.dense[-1:])
            assert np.array_equal(np.asarray(self.copy), self.first)
            assert self.buffer.layout == self.layout


Writes.TestCase.settings = settings(max_examples=40, stateful_step_count=12)
TestWrites = Writes.TestCase


def test_a_pending_reader_of_a_large_buffer_sees_the_old_elements() -> None:
    layout = Layout((300, 300), Symmetric(0, 1))
    x = onebuf.allocator().construct(layout, 1.0)
    y = x * 2
    x[0, 1] = 5
    assert float(x[1, 0]) == 5
    assert np.array_equal(np.asarray(y), np.full((300, 300), 2.0))


def test_one_of_two_equal_elements_cannot_be_written_alone() -> None:
    x = onebuf.allocator().construct(Layout((2, 2), Symmetric(0, 1)), 7.0)
    with pytest.raises(LayoutError, match="one value for all"):
        x[[0, 1], [1, 0]] = [5.0, 7.0]
    assert np.array_equal(np.asarray(x), np.full((2, 2), 7.0))


def test_a_diagonal_holds_what_its_symmetry_allows() -> None:
    x = onebuf.allocator().construct(Layout((2, 2), Hermitian(0, 1)), 0, dtype="complex128")
    with pytest.raises(LayoutError, match="maps an element to itself"):
        x[0, 0] = 1j
    x[0, 0] = 2
    x[0, 1] = 1 + 1j
    assert np.asarray(x).tolist() == [[2, 1 + 1j], [1 - 1j, 0]]
    y = onebuf.allocator().construct(Layout((2, 2), Antisymmetric(0, 1)), 0)
    with pytest.raises(LayoutError, match="needs 0"):
        y[1, 1] = 1
    y[1, 1] = 0


def test_numpy_functions_write_through_a_layout() -> None:
    x = onebuf.allocator().construct(Layout((3, 3), Symmetric(0, 1)), 1.0)
    np.add(x, x, out=x)
    np.put(x, [1], [9.0])
    expected = np.full((3, 3), 2.0)
    expected[0, 1] = expected[1, 0] = 9
    assert np.array_equal(np.asarray(x), expected)
    with pytest.raises(LayoutError):
        np.copyto(x, np.arange(9.0).reshape(3, 3))
    assert np.array_equal(np.asarray(x), expected)
    onebuf.multiply(x, 2, out=x)
    assert np.array_equal(np.asarray(x), expected * 2)


def test_writes_on_devices_go_through_the_layout() -> None:
    layout = Layout((3, 3), sparsity=Element((3, 3), [(0, 1), (2, 2)]))
    x = onebuf.allocator("PYTHON").construct(layout, np.zeros((3, 3)))
    x[0, 1] = 4.0
    with pytest.raises(LayoutError):
        x[1, 1] = 4.0
    expected = np.zeros((3, 3))
    expected[0, 1] = 4
    assert np.array_equal(np.asarray(x.to_device("CPU")), expected)
