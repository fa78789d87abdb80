"""Blocks: who keeps memory alive, and the windows that pin it."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

from onebuf import Buffer
from onebuf.memory import Block, Pool

UINT8 = np.dtype(np.uint8)
FLOAT64 = np.dtype(np.float64)
MB = 1024 * 1024


def scribble(pool, nbytes, count=50):
    """Allocate blocks of a size and overwrite them all."""
    blocks = [pool.allocate(nbytes) for _ in range(count)]
    for block in blocks:
        block.array((nbytes,), UINT8)[:] = 0xEE
    return blocks


@pytest.mark.parametrize("nbytes", [64, 1000, 40_000, 3 * MB])
def test_a_window_reads_its_own_bytes_after_its_block_is_gone(nbytes):
    pool = Pool()
    block = pool.allocate(nbytes)
    window = block.window((nbytes,), UINT8)
    window[:] = 7
    del block
    gc.collect()
    held = scribble(pool, nbytes, 20)
    assert (window == 7).all()
    del held


@pytest.mark.parametrize(
    "derive",
    [
        lambda window: window[3:],
        lambda window: window[::-1],
        lambda window: window.reshape(2, -1).T,
        lambda window: window.view(np.uint16),
        lambda window: memoryview(window),
        lambda window: np.frombuffer(window.data, np.uint8),
        lambda window: np.asarray(window.data),
        lambda window: window.view(np.ndarray),
        lambda window: np.lib.stride_tricks.as_strided(window, (4,), (1,)),
    ],
)
def test_whatever_is_derived_from_a_window_pins_the_memory(derive):
    pool = Pool()
    block = pool.allocate(1000)
    window = block.window((1000,), UINT8)
    window[:] = 7
    derived = derive(window)
    del block, window
    gc.collect()
    held = scribble(pool, 1000)
    assert set(bytes(derived)) == {7}
    assert pool.stats().in_use == 51 * 1024
    del held


def test_memory_goes_back_when_the_last_window_goes():
    pool = Pool()
    block = pool.allocate(1000)
    one, two = block.window((1000,), UINT8), block.window((125,), FLOAT64)
    del block, one
    gc.collect()
    assert pool.stats().in_use == 1024
    del two
    gc.collect()
    assert pool.stats().in_use == 0


def test_has_window_says_whether_one_is_alive():
    block = Pool().allocate(64)
    assert not block.has_window
    window = block.window((8,), FLOAT64)
    part = window[2:]
    assert block.has_window
    del window
    assert block.has_window
    del part
    assert not block.has_window


def test_windows_share_the_memory():
    block = Pool().allocate(64)
    block.window((8,), FLOAT64)[...] = np.arange(8)
    assert block.window((2,), FLOAT64, (-8,), 24).tolist() == [3.0, 2.0]
    assert block.array((2, 2), FLOAT64).tolist() == [[0.0, 1.0], [2.0, 3.0]]


def test_a_window_on_nothing_has_its_shape():
    assert Pool().allocate(0).window((0, 3), FLOAT64, (0, 8), 1 << 40).shape == (0, 3)


def test_a_window_on_read_only_memory_is_read_only():
    block = Block.foreign(np.frombuffer(b"abcd", np.uint8))
    assert not block.writable
    assert not block.window((4,), UINT8).flags.writeable


@pytest.mark.parametrize(
    "view, first, extent",
    [
        (lambda a: a, 0, 80),
        (lambda a: a[2:5], 16, 24),
        (lambda a: a[::-2], 8, 72),
        (lambda a: a[::3], 0, 80),
        (lambda a: a.reshape(2, 5).T, 0, 80),
        (lambda a: a[4:4], None, 0),
        (lambda a: np.broadcast_to(a[3:4], (6,)), 24, 8),
    ],
)
def test_a_foreign_block_spans_first_to_last_element(view, first, extent):
    a = np.arange(10.0)
    block = Block.foreign(view(a))
    assert block.nbytes == extent
    if first is not None:
        assert block.address - a.ctypes.data == first


def test_a_foreign_block_keeps_its_owner_alive():
    owner = np.arange(10.0)
    alive = weakref.ref(owner)
    block = Block.foreign(owner[2:])
    del owner
    gc.collect()
    assert alive() is not None
    del block
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("nbytes", [0, 10, 100_000])
def test_a_pickled_block_has_the_same_bytes(protocol, nbytes):
    block = Pool().allocate(nbytes)
    block.array((nbytes,), UINT8)[:] = np.arange(nbytes) % 256
    back = pickle.loads(pickle.dumps(block, protocol))
    assert (back.nbytes, back.writable) == (nbytes, True)
    assert back.array((nbytes,), UINT8).tolist() == (np.arange(nbytes) % 256).tolist()


def test_a_window_of_a_buffer_outlives_all_of_its_views():
    x = Buffer(np.arange(100.0), copy=True)
    windows = [np.asarray(x[10:]), x.data, x.T.window(), x.view("uint8").unwrap()]
    del x
    gc.collect()
    held = [Buffer.full((100,), -1.0, "float64").realize() for _ in range(50)]
    assert windows[0].tolist() == list(range(10, 100))
    assert windows[1].tolist() == windows[2].tolist() == list(range(100))
    assert windows[3].view("float64").tolist() == list(range(100))
    del held
