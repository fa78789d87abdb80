"""Gather and scatter by indices and masks; a wrong index is an error and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf.errors import IndexRangeError
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract
from onebuf.testing.strategies import ALL, WHOLE, elements, looks, seeds


class GatherContract(Contract):
    """What picking elements has to do."""

    @pytest.mark.parametrize("name", ALL)
    def test_take(self, name: str) -> None:
        array = elements(name, (5, 6), 1)
        index = np.array([4, 0, -1, 2, -5])
        with self.allowing(name, "int64"):
            x, places = self.send(array), self.send(index)
            for axis in (0, 1) if name == "int32" else (1,):
                got = self.fetch(onebuf.take(x, places, axis=axis))
                assert_same(got, np.take(array, index, axis=axis), f"axis {axis}")

    @pytest.mark.parametrize("name", [name for name in WHOLE if name != "uint64"])
    def test_every_dtype_of_indices(self, name: str) -> None:
        array = elements("float32", (5, 6), 1)
        index = np.array([4, 0, 3], name)
        with self.allowing(name, "int64"):
            got = self.fetch(onebuf.take(self.send(array), self.send(index), axis=0))
            assert_same(got, np.take(array, index, axis=0))

    def test_any_view_is_picked_from(self) -> None:
        @self.for_all(looks(2), seeds)
        def check(look: Any, seed: int) -> None:
            array = look.array(elements("int32", look.shape, seed))
            if not array.ndim or not array.shape[0]:
                return
            x = look.buffer(self.send(elements("int32", look.shape, seed)))
            index = np.random.default_rng(seed).integers(-array.shape[0], array.shape[0], 4)
            assert_same(self.fetch(onebuf.take(x, self.send(index), axis=0)), array[index])

    def test_lists_and_arrays_of_indices(self) -> None:
        array = elements("int32", (4, 5, 6), 1)
        x = self.send(array)
        for key in (
            [0, 2],
            [-1, 1],
            [],
            np.array([[0, 1], [2, 3]]),
            (slice(None), [0, 4, -2]),
            (slice(1, 3), slice(None), [5, 0]),
            (..., [1, -1]),
        ):
            assert_same(self.fetch(x[key]), array[key], str(key))
        index = np.array([3, 0], np.int64)
        assert_same(self.fetch(x[self.send(index)]), array[index])

    def test_several_arrays_at_once_are_right_or_refused(self) -> None:
        array = elements("int32", (4, 5), 1)
        with self.refusable():
            assert_same(self.fetch(self.send(array)[[0, 1], [2, 3]]), array[[0, 1], [2, 3]])

    def test_take_along_an_axis(self) -> None:
        array = elements("float32", (3, 5), 1)
        index = np.array([[4, -1], [0, 0], [-5, 2]])
        x = self.send(array)
        got = self.fetch(onebuf.take_along_axis(x, self.send(index), axis=1))
        assert_same(got, np.take_along_axis(array, index, axis=1))
        index = np.array([[2, 1, 0, -1, -3]])
        got = self.fetch(onebuf.take_along_axis(x, self.send(index), axis=0))
        assert_same(got, np.take_along_axis(array, index, axis=0))

    def test_what_is_picked_is_computed_with(self) -> None:
        array, index = elements("int32", (5, 6), 1), np.array([4, 0, -1])
        x, places = self.send(array), self.send(index)
        got = onebuf.take(x + 1, places - 1, axis=0) * 2
        assert_same(self.fetch(got), (array + 1)[index - 1] * 2)
        with self.allowing("int64"):
            got = onebuf.sum(onebuf.take(x, places, axis=0), axis=0)
            assert_same(self.fetch(got), array[index].sum(axis=0))

    @pytest.mark.parametrize("bad", [5, -6, 2**31 - 1, -(2**31), 2**40])
    def test_an_index_outside_is_an_error_and_later_calls_are_unaffected(self, bad: int) -> None:
        array = elements("float32", (5, 6), 1)
        x = self.send(array)
        good = self.send(np.array([0, 4, -5]))
        for key in (self.send(np.array([0, bad, 1])), [0, bad]):
            with pytest.raises(IndexRangeError, match=str(bad)):
                self.fetch(x[key])
        along = self.send(np.full((5, 1), bad))
        with pytest.raises(IndexRangeError, match=str(bad)):
            self.fetch(onebuf.take_along_axis(x, along, axis=1 if bad > 5 or bad < -6 else 0))
        with self.allowing("int64"):
            assert_same(self.fetch(onebuf.take(x, good, axis=0)), array[[0, 4, -5]])
        assert_same(self.fetch(x), array)

    def test_the_error_comes_again_and_never_from_elsewhere(self) -> None:
        x = self.send(np.arange(5))
        right = x + 1
        for bad in (7, 8):
            with pytest.raises(IndexRangeError, match=str(bad)):
                self.fetch(onebuf.take(x, self.send(np.array([bad])), axis=0) + 1)
            good = onebuf.take(x, self.send(np.array([bad - 5])), axis=0) + 1
            assert_same(self.fetch(good), np.array([bad - 4]))
            assert_same(self.fetch(right), np.arange(5) + 1)

    def test_what_failed_fails_again(self) -> None:
        x = self.send(np.arange(self.large))
        wrong = onebuf.take(x, self.send(np.full(self.large, self.large)), axis=0) + 1
        for _ in range(2):
            with pytest.raises(IndexRangeError):
                self.fetch(wrong)

    def test_what_failed_is_forgotten_when_its_operands_are_other_ones(self) -> None:
        x = self.send(np.arange(self.large))
        places = self.send(np.full(self.large, self.large))
        wrong = onebuf.take(x, places, axis=0)
        with pytest.raises(IndexRangeError):
            self.fetch(wrong)
        places[...] = 3
        assert_same(self.fetch(onebuf.take(x, places, axis=0)), np.full(self.large, 3))

    def test_masks(self) -> None:
        @self.for_all(seeds)
        def check(seed: int) -> None:
            array = elements("int32", (4, 5), seed)
            x = self.send(array)
            mask = elements("bool", (4, 5), seed)
            for key in (mask, mask[:, 0]):
                assert_same(self.fetch(x[key]), array[key])
                assert_same(self.fetch(x[self.send(key)]), array[key])
            assert_same(self.fetch(x[x > 0]), array[array > 0])

    def test_masks_of_nothing_and_of_all(self) -> None:
        array = np.arange(6).reshape(2, 3)
        x = self.send(array)
        for mask in (np.zeros((2, 3), bool), np.ones((2, 3), bool)):
            assert_same(self.fetch(x[mask]), array[mask])
        assert_same(self.fetch(self.send(array[:0])[np.zeros((0, 3), bool)]), array[:0].ravel())

    def test_a_mask_of_another_shape_is_an_error(self) -> None:
        x = self.send(np.arange(6).reshape(2, 3))
        with pytest.raises(IndexRangeError):
            x[np.ones((3, 2), bool)]

    def test_masks_write_values_of_any_dtype_and_leave_all_others(self) -> None:
        array = np.array([2**60 + 1, 5, -(2**60) - 1])
        mask = np.array([False, True, False])
        number = onebuf.asarray(np.array([7.5], np.float32))
        placed = self.send(np.array([7.5], np.float32))
        for value, expected in ((2.5, 2), (number[0], 7), (placed, 7), (placed[0], 7)):
            x = self.send(array)
            x[self.send(mask)] = value
            wanted = array.copy()
            wanted[mask] = expected
            assert_same(self.fetch(x), wanted)
        with pytest.raises(TypeError, match="complex"):
            x[self.send(mask)] = onebuf.asarray(np.array([1j]))[0]

    def test_masks_write(self) -> None:
        array = elements("int32", (4, 5), 1)
        for mask in (array > 0, np.zeros((4, 5), bool)):
            x, wanted = self.send(array), array.copy()
            x[self.send(mask)] = 7
            wanted[mask] = 7
            assert_same(self.fetch(x), wanted)
            x[mask] = -1
            wanted[mask] = -1
            assert_same(self.fetch(x), wanted)
