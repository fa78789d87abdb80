"""Writes in place: seen by every view, after everything that still has to read the old elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import onebuf
from onebuf.errors import DeviceError, DTypeError, OnebufError, ReadOnlyError, ShapeError
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract
from onebuf.testing.strategies import ALL, elements, seeds, small

KEYS: tuple[Any, ...] = (
    *(0, -1, (1, 2), (slice(None), 3), (slice(None, None, 2), slice(None, None, -1))),
    *(slice(1, 3), (..., slice(1, 4)), (slice(3, 1), slice(None)), ..., (None, 1)),
)


class WritesContract(Contract):
    """What writing to elements of a device has to do."""

    @pytest.mark.parametrize("name", ALL)
    def test_every_dtype_is_written(self, name: str) -> None:
        array, new = elements(name, (4, 6), 1), elements(name, (2, 6), 2)
        with self.allowing(name):
            x = self.send(array)
            x[1:3] = self.send(new)
            array[1:3] = new
            assert_same(self.fetch(x), array, name)
            x[:, 1:4] = 1
            array[:, 1:4] = 1
            assert_same(self.fetch(x), array, name)

    def test_every_place_is_written(self) -> None:
        for key in KEYS:
            array = elements("int32", (4, 5), 1)
            x = self.send(array)
            x[key] = 7
            array[key] = 7
            assert_same(self.fetch(x), array, str(key))
            new = elements("int32", array[key].shape, 2)
            x[key] = self.send(new)
            array[key] = new
            assert_same(self.fetch(x), array, str(key))

    def test_values_broadcast_and_convert(self) -> None:
        array = elements("float32", (4, 5), 1)
        x = self.send(array)
        for new in (small("int32", (5,)), small("int32", (4, 1)), small("int8", (1, 1, 5))):
            x[...] = self.send(new)
            array[...] = new
            assert_same(self.fetch(x), array)

    def test_chains_of_writes(self) -> None:
        writes = st.lists(st.tuples(st.sampled_from(KEYS), seeds), min_size=2, max_size=5)

        @self.for_all(writes)
        def check(writes: list[tuple[Any, int]]) -> None:
            array = elements("int32", (4, 5), 1)
            x = self.send(array)
            seen = []
            for key, seed in writes:
                seen.append((x * 2, array * 2))
                new = elements("int32", array[key].shape, seed)
                if seed % 2:
                    x[key] += self.send(new)
                    array[key] += new
                else:
                    x[key] = self.send(new) + x[key]
                    array[key] = new + array[key]
            assert_same(self.fetch(x), array)
            for buffer, wanted in seen:
                assert_same(self.fetch(buffer), wanted)

    @pytest.mark.parametrize("name", ["int32", "uint8", "float32", "float64", "bfloat16"])
    def test_operators_in_place(self, name: str) -> None:
        array = small(name, (3, 4), 1)
        with self.allowing(name):
            x = self.send(array)
            view = x[1:]
            x += 1
            x *= self.send(array)
            x -= x
            x[:2] += self.send(array[:2])
            wanted = array - array
            wanted[:2] += array[:2]
            assert_same(self.fetch(x), wanted, name, signed=False)
            assert_same(self.fetch(view), wanted[1:], name, signed=False)

    def test_source_and_target_may_overlap(self) -> None:
        for to, source in (
            (slice(1, None), slice(None, -1)),
            (slice(None, -1), slice(1, None)),
            (slice(None), slice(None, None, -1)),
            (slice(None, None, 2), slice(0, 50)),
        ):
            array = np.arange(100, dtype=np.int32)
            x = self.send(array)
            x[to] = x[source]
            array[to] = array[source].copy()
            assert_same(self.fetch(x), array, f"{to} {source}")
            x[to] += x[source]
            array[to] += array[source].copy()
            assert_same(self.fetch(x), array, f"{to} {source}")
        square = np.arange(9, dtype=np.int32).reshape(3, 3)
        y = self.send(square)
        y[...] = y.T
        assert_same(self.fetch(y), square.T.copy())

    def test_views_see_writes(self) -> None:
        x = self.send(np.arange(12, dtype=np.int32).reshape(3, 4))
        views = [x[1], x.T, x[::-1, ::2], x.reshape(4, 3), x[:, 1:2].expand(3, 3)]
        array = np.arange(12, dtype=np.int32).reshape(3, 4)
        x[1, 1:3] = -5
        array[1, 1:3] = -5
        looks = [array[1], array.T, array[::-1, ::2], array.reshape(4, 3)]
        looks.append(np.broadcast_to(array[:, 1:2], (3, 3)))
        for view, wanted in zip(views, looks, strict=True):
            assert_same(self.fetch(view), wanted)
        views[1][0] = 9
        array.T[0] = 9
        assert_same(self.fetch(x), array)

    def test_what_was_asked_for_before_a_write_is_computed_from_the_old_elements(self) -> None:
        array = np.arange(6, dtype=np.int32)
        x = self.send(array)
        later, folded, view = x * 2, x.sum(), x[::2] + 1
        copy, host = x.copy(), x.to_device("CPU").copy()
        x[:] = 0
        assert_same(self.fetch(later), array * 2)
        assert_same(self.fetch(folded), np.asarray(array.sum()))
        assert_same(self.fetch(view), array[::2] + 1)
        assert_same(self.fetch(copy), array)
        assert_same(np.asarray(host), array)
        assert_same(self.fetch(x * 2), array * 0)

    def test_what_is_still_to_be_computed_can_be_written_to(self) -> None:
        array = np.arange(6, dtype=np.int32)
        x = self.send(array) * 2
        x[1] = 100
        wanted = array * 2
        wanted[1] = 100
        assert_same(self.fetch(x), wanted)
        y = onebuf.zeros((2, 3), dtype="int32", device=self.device)
        y[1] = 5
        assert_same(self.fetch(y), np.array([[0, 0, 0], [5, 5, 5]], np.int32))

    def test_wrong_writes_are_errors_that_change_nothing(self) -> None:
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        x = self.send(array)
        wrong: tuple[tuple[type[OnebufError], Any], ...] = (
            (ShapeError, lambda: x.__setitem__(0, self.send(np.ones(4, np.float32)))),
            (ShapeError, lambda: x.__iadd__(self.send(np.ones((2, 2, 3), np.float32)))),
            (DTypeError, lambda: x.__setitem__(0, self.send(np.complex64(1j)))),
            (ReadOnlyError, lambda: x[:1].expand(2, 3).__setitem__(slice(None), 1.0)),
        )
        for error, write in wrong:
            with pytest.raises(error):
                write()
        whole = self.send(np.arange(3))
        with pytest.raises(DTypeError):
            whole += 0.5
        assert_same(self.fetch(x), array)
        assert_same(self.fetch(whole), np.arange(3))

    def test_elements_of_the_host_are_written_when_they_were_sent(self) -> None:
        x = self.send(np.zeros(3, np.float32))
        if self.where().is_host:
            return
        with pytest.raises(DeviceError, match="to_device"):
            x[:] = np.ones(3, np.float32)
        assert_same(self.fetch(x), np.zeros(3, np.float32))

    def test_filling(self) -> None:
        x = self.send(np.arange(6).reshape(2, 3))
        x[:, 1].fill(8)
        assert_same(self.fetch(x), np.array([[0, 8, 2], [3, 8, 5]]))

    def test_nothing_is_written_to_nothing(self) -> None:
        x = self.send(np.arange(3))
        x[1:1] = 5
        x[[]]
        assert_same(self.fetch(x), np.arange(3))

    def test_writes_are_ordered(self) -> None:
        x = self.send(np.zeros(self.large // 10, np.int32))
        for number in range(20):
            x[7 * (number % 2) :] += 1
        wanted = np.full(self.large // 10, 20, np.int32)
        wanted[:7] = 10
        assert_same(self.fetch(x), wanted)
