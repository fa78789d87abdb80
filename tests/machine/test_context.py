"""Contexts as blocks of a program: what is made inside is on every queue of them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, ReplicatedBuffer
from onebuf.machine import current_context


def test_asbuffer_uploads_to_every_queue_of_the_context():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    with onebuf.context(["CPU"], queues=3) as context:
        b = onebuf.asbuffer(array)
    assert isinstance(b, ReplicatedBuffer)
    assert b.context is context
    assert [replica.tolist() for replica in b.read()] == [array.tolist()] * 3
    array[...] = 0
    assert b.read(2)[1, 2] == 5


def test_asbuffer_outside_of_contexts_is_on_the_host():
    array = np.arange(3)
    b = onebuf.asbuffer(array)
    assert type(b) is Buffer
    array[0] = 7
    assert b.tolist() == [7, 1, 2]
    assert onebuf.asbuffer(b) is b


def test_asbuffer_takes_lists_dtypes_and_devices():
    assert onebuf.asbuffer([1, 2]).dtype == "int64"
    assert onebuf.asbuffer([1, 2], "float32").dtype == "float32"
    with onebuf.context(["CPU"], queues=2):
        assert onebuf.asbuffer([1, 2], device="CPU").device == onebuf.device("CPU")
        assert onebuf.asbuffer(Buffer([1, 2]), dtype="int8").read(1).dtype == "int8"
    with pytest.raises(onebuf.OnebufError, match="NOWHERE"):
        onebuf.asbuffer([1, 2], device="NOWHERE")


def test_contexts_nest_and_end():
    outer, inner = onebuf.context(["CPU"], queues=2), onebuf.context(["CPU"], queues=3)
    assert current_context() is None
    with outer:
        with inner, inner:
            assert current_context() is inner
        assert current_context() is outer
        with pytest.raises(ZeroDivisionError), inner:
            raise ZeroDivisionError
        assert current_context() is outer
    assert current_context() is None


def test_a_context_is_entered_in_one_thread_alone():
    seen = []
    with onebuf.context(["CPU"], queues=2):
        thread = threading.Thread(target=lambda: seen.append(current_context()))
        thread.start()
        thread.join()
    assert seen == [None]
