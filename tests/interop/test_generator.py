"""Generators: boxes that a function makes, and the tiles that a cache keeps of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.errors import ReadOnlyError
from onebuf.interop.generator import Box, Generator, TileCache

ranges = st.tuples(st.integers(0, 9), st.integers(1, 6))


@given(ranges, ranges, st.sampled_from([0, 8, 40, 1000, 10**6]))
def test_a_cache_never_shows(rows, columns, cache):
    elements = np.arange(15 * 15.0).reshape(15, 15)
    generator = Generator(lambda box: elements[box.slices], (15, 15), elements.dtype, "x", cache)
    box = [(low, low + count) for low, count in (rows, columns)]
    for _ in range(2):
        found = generator.read(box)
        np.testing.assert_array_equal(found, elements[Box(box).slices])
        found[...] = -1
        assert generator.kept_nbytes <= cache


def test_tiles_are_a_fixed_grid():
    cache = TileCache((100, 100), 8, 16 * 8 * 10)
    inside = cache.over(Box(((3, 5), (12, 28))))
    assert [tile.shape for tile in inside] == [(1, 10)] * 4
    assert inside == cache.over(Box(((3, 5), (10, 30))))
    assert inside[0] == ((3, 4), (10, 20))


def test_the_tiles_used_last_are_kept():
    asked = []

    def make(box):
        asked.append(box[0][0])
        return np.zeros(box.shape)

    generator = Generator(make, (32,), np.dtype("float64"), "x", 16 * 8)
    for place in range(16):
        generator.read([(place, place + 1)])
    generator.read([(0, 1)])
    generator.read([(16, 17)])
    asked.clear()
    generator.read([(0, 1)])
    assert asked == []
    generator.read([(1, 2)])
    assert asked == [1]


def test_an_empty_box_needs_no_call():
    generator = Generator(lambda box: 1 / 0, (3, 4), np.dtype("int32"), "x")
    assert generator.read([(1, 1), (0, 4)]).shape == (0, 4)


def test_what_a_function_gives_is_copied():
    elements = np.zeros(4)
    generator = Generator(lambda box: elements[box.slices], (4,), elements.dtype, "x")
    generator.read([(0, 4)])[...] = 1
    assert not elements.any()


def test_elements_in_another_order_of_bytes_are_converted():
    swapped = np.arange(4, dtype=">f8")
    generator = Generator(lambda box: swapped[box.slices], (4,), np.dtype("float64"), "x")
    assert generator.read([(1, 3)]).tolist() == [1, 2]


def test_nothing_is_written():
    generator = Generator(lambda box: np.zeros(4), (4,), np.dtype("float64"), "x")
    with pytest.raises(ReadOnlyError):
        generator.write([(0, 4)], np.zeros(4))
    generator.flush()
