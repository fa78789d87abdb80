"""A copy is a copy: it is taken before others can write what it copies."""

import copy
import ctypes

import numpy as np
import pytest

import onebuf
from onebuf import Buffer

MANY = 100_000

COPIES = {
    "copy": lambda x: x.copy(),
    "copy, columns first": lambda x: x.copy(order="F"),
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "np.copy": np.copy,
    "onebuf.copy": onebuf.copy,
    "asarray": lambda x: onebuf.asarray(x, copy=True),
    "asarray, dtype": lambda x: onebuf.asarray(x, dtype="float32"),
    "array": onebuf.array,
    "Buffer": lambda x: Buffer(x, copy=True),
    "Buffer, dtype": lambda x: Buffer(x, "float32"),
    "astype": lambda x: x.astype("float32"),
    "astype, same": lambda x: x.astype("float64"),
    "onebuf.astype": lambda x: onebuf.astype(x, onebuf.int64),
    "flatten": lambda x: x.flatten(),
    "reshape, copy": lambda x: onebuf.reshape(x, (-1,), copy=True),
    "contiguous": lambda x: x.reshape(2, -1).T.contiguous(),
    "picked by mask": lambda x: x[np.ones(x.size, bool)],
    "copy of an expression": lambda x: (x * 1 + 0).copy(),
    "asfortranarray": lambda x: onebuf.asfortranarray(x.reshape(2, -1)),
}


def first(made):
    return float(np.asarray(made).reshape(-1)[0])


@pytest.mark.parametrize("count", [1000, MANY])
@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_of_foreign_memory_does_not_see_later_writes(make, count):
    a = np.ones(count)
    c = make(onebuf.asarray(a))
    a[...] = 5
    assert first(c) == 1.0


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_of_memory_that_was_handed_out_does_not_see_later_writes(make):
    b = onebuf.asarray(np.ones(MANY), copy=True)
    window = np.asarray(b)
    c = make(b)
    window[...] = 5
    assert first(c) == 1.0


@pytest.mark.parametrize(
    "hand_out",
    [
        np.asarray,
        np.from_dlpack,
        lambda b: np.asarray(b.data),
        lambda b: np.frombuffer(b, "float64"),
    ],
    ids=["array", "dlpack", "data", "memoryview"],
)
@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_pending_copy_is_taken_before_the_memory_is_handed_out(make, hand_out):
    b = onebuf.asarray(np.ones(MANY), copy=True)
    c = make(b)
    window = hand_out(b)
    (ctypes.c_double * MANY).from_address(window.ctypes.data)[0] = 5  # arrays of DLPack's refuse
    assert first(c) == 1.0


def test_a_view_of_a_copy_is_a_copy_too():
    a = np.ones(MANY)
    c = onebuf.asarray(a).copy()[10:20]
    a[...] = 5
    assert c.tolist() == [1.0] * 10


def test_copies_of_our_own_memory_stay_lazy():
    b = onebuf.asarray(np.ones(MANY), copy=True)
    assert not b.copy().is_view
    with onebuf.counters() as counted:
        b.astype("float32")
        b.copy()
    assert counted.bytes_allocated == 0


def test_arithmetic_on_foreign_memory_stays_lazy():
    a = np.ones(MANY)
    y = onebuf.asarray(a) * 2
    assert not y.is_realized
    a[0] = 5
    assert y[0].item() == 10.0  # as docs/memory-exchange.md says


def test_conversions_inside_of_arithmetic_stay_lazy():
    a = np.ones(MANY, "float32")
    with onebuf.counters() as counted:
        y = onebuf.asarray(a) + onebuf.asarray(np.ones(MANY))
    assert counted.bytes_allocated == 0
    assert y[0].item() == 2.0


def test_a_file_that_is_converted_is_not_read_at_once(tmp_path):
    np.save(tmp_path / "a.npy", np.ones(MANY))
    x = onebuf.open(tmp_path / "a.npy")
    assert not x.astype("float32").is_realized


def test_a_copy_that_cannot_be_computed_keeps_nobody_from_the_memory_it_reads():
    x = onebuf.Buffer(np.array([3, -2], "int8"), copy=True)
    with onebuf.config(eager_numel=0):
        first, second = x**x, x**x  # the second is a copy of the first
        assert np.asarray(x).tolist() == [3, -2]
        x[0] = 5
    for power in (first, second):
        with pytest.raises(onebuf.OnebufError, match="negative integer powers"):
            power.tolist()
    assert x.tolist() == [5, -2]
