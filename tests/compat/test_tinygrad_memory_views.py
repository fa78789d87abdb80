"""tinygrad's memory helpers, where tinygrad's own read freed memory or crash."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import numpy as np
import pytest

from onebuf.compat.tinygrad import flat_mv, from_mv, mv_address, to_mv
from onebuf.dtypes import bfloat16, uint8
from onebuf.errors import ArgumentError, ArgumentTypeError, ExportError
from onebuf.interop import Window
from onebuf.memory import POOL

SOURCES = [memoryview, Window, lambda array: array]


@pytest.mark.parametrize("source", SOURCES)
def test_from_mv_is_on_the_same_memory(source: Any) -> None:
    array = np.array([1, 2, 3], "int64")
    taken = from_mv(source(array), ctypes.c_int64)
    taken[0] = 9
    assert list(taken) == [9, 2, 3]
    assert array[0] == 9
    assert ctypes.addressof(taken) == array.ctypes.data


def test_from_mv_is_sized_by_bytes() -> None:
    array = np.arange(4, dtype="int64")
    assert len(from_mv(array.data)) == 32
    assert len(from_mv(array.data, ctypes.c_int16)) == 16


def test_from_mv_of_a_size_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ArgumentError, match="multiple of the 8 bytes"):
        from_mv(memoryview(bytearray(12)), ctypes.c_int64)


def test_from_mv_reads_read_only_memory() -> None:
    assert bytes(from_mv(memoryview(b"abc"))) == b"abc"


@pytest.mark.parametrize("empty", [b"", bytearray(), memoryview(b"").toreadonly()])
def test_empty_memory_is_allowed(empty: Any) -> None:
    assert len(from_mv(empty)) == 0
    assert flat_mv(empty).nbytes == 0
    assert isinstance(mv_address(empty), int)


def test_from_mv_keeps_a_temporary_alive() -> None:
    kept = [from_mv(memoryview(bytearray(bytes([n]) * 64))) for n in range(100)]
    gc.collect()
    noise = [bytearray(b"\xff" * 64) for _ in range(200)]
    assert [bytes(array) for array in kept] == [bytes([n]) * 64 for n in range(100)]
    assert len(noise) == 200


def test_what_is_made_of_the_result_keeps_the_owner_alive() -> None:
    block = POOL.allocate(64)
    block.window((64,), uint8)[...] = 5
    pointer = ctypes.cast(from_mv(block.window((64,), uint8).data), ctypes.POINTER(ctypes.c_char))
    view = memoryview(from_mv(block.window((64,), uint8).data))
    gc.collect()
    assert block.has_window
    del pointer
    assert block.has_window
    view.release()
    del view
    gc.collect()
    assert not block.has_window


def test_a_bytearray_cannot_shrink_under_from_mv() -> None:
    source = bytearray(4)
    taken = from_mv(source)
    with pytest.raises(BufferError):
        source.clear()
    assert len(taken) == 4


def test_to_mv_is_a_writable_view_of_bytes() -> None:
    array = np.array([1, 2], "int32")
    view = to_mv(array.ctypes.data, array.nbytes)
    assert (view.format, view.nbytes, view.readonly) == ("B", 8, False)
    view[0] = 7
    assert array[0] == 7


def test_to_mv_keeps_the_owner_it_is_told_of() -> None:
    block = POOL.allocate(64)
    window = block.window((64,), uint8)
    view = to_mv(window.ctypes.data, 64, owner=window)
    del window
    gc.collect()
    assert block.has_window
    view.release()
    del view
    gc.collect()
    assert not block.has_window


def test_to_mv_of_nothing_is_empty() -> None:
    assert to_mv(0, 0).nbytes == 0


@pytest.mark.parametrize(("address", "size"), [(0, 4), (-8, 4), (4096, -1)])
def test_to_mv_of_an_impossible_place_is_refused(address: int, size: int) -> None:
    with pytest.raises(ArgumentError):
        to_mv(address, size)


@pytest.mark.parametrize("source", SOURCES)
def test_mv_address_is_the_address(source: Any) -> None:
    array = np.arange(4)
    assert mv_address(source(array)) == array.ctypes.data
    assert mv_address(memoryview(array)[1:]) == array.ctypes.data + array.itemsize


def test_round_trip_through_the_address() -> None:
    array = np.arange(4, dtype="float32")
    assert np.frombuffer(to_mv(mv_address(array.data), array.nbytes), "f4").tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("source", SOURCES)
def test_flat_mv_is_a_row_of_bytes(source: Any) -> None:
    array = np.arange(6, dtype="int16").reshape(2, 3)
    view = flat_mv(source(array))
    assert (view.format, view.shape, view.tobytes()) == ("B", (12,), array.tobytes())
    view[0] = 9
    assert array[0, 0] == 9


def test_bfloat16_windows_are_taken() -> None:
    window = Window(np.ones(4, bfloat16))
    assert flat_mv(window).tobytes() == window.tobytes()
    assert len(from_mv(window, ctypes.c_uint16)) == 4


def test_read_only_stays_read_only() -> None:
    assert flat_mv(b"abc").readonly


def test_memory_with_gaps_is_refused() -> None:
    with pytest.raises(ExportError, match="contiguous"):
        from_mv(memoryview(bytearray(8))[::2])


def test_what_has_no_memory_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="exports its memory"):
        mv_address([1, 2])
