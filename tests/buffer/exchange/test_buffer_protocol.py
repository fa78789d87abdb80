"""The buffer protocol: what takes "a bytes-like object" takes a buffer, and shares its memory."""

from __future__ import annotations

import gc
import hashlib
import io
import pickle
import socket
import struct
import zlib

import children
import numpy as np
import pytest
from buffer.cases import lazily

import onebuf
from onebuf import Buffer, dtypes
from onebuf.errors import DeviceError, ExportError, OnebufError

NARROW = (dtypes.bfloat16, dtypes.float8_e4m3fn, dtypes.float8_e5m2)
CONTENT = np.arange(6, dtype=np.int32).reshape(2, 3)


def send(data) -> bytes:
    left, right = socket.socketpair()
    with left, right:
        assert left.send(data) == CONTENT.nbytes
        return right.recv(100)


def write_to_file(data) -> bytes:
    file = io.BytesIO()
    assert file.write(data) == CONTENT.nbytes
    return file.getvalue()


def py_buffer(data) -> bytes:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return pyarrow.py_buffer(data).to_pybytes()


TO_BYTES = {
    "bytes": bytes,
    "bytearray": bytearray,
    "join": lambda data: b"".join([data]),
    "memoryview": lambda data: memoryview(data).tobytes(),
    "cast": lambda data: memoryview(data).cast("B").tobytes(),
    "file.write": write_to_file,
    "socket.send": send,
    "frombuffer": lambda data: np.frombuffer(data, np.int32).tobytes(),
    "struct.unpack_from": lambda data: struct.pack("6i", *struct.unpack_from("6i", data)),
    "zlib": lambda data: zlib.decompress(zlib.compress(data)),
    "pickle": lambda data: pickle.loads(pickle.dumps(pickle.PickleBuffer(data), protocol=5)),
    "pyarrow.py_buffer": py_buffer,
    "int.from_bytes": lambda data: int.from_bytes(data, "little").to_bytes(24, "little"),
}


@pytest.mark.parametrize("lazy", [False, True], ids=["stored", "pending"])
@pytest.mark.parametrize("consume", TO_BYTES.values(), ids=TO_BYTES)
def test_what_takes_bytes_takes_a_buffer(consume, lazy):
    if not lazy:
        assert consume(Buffer(CONTENT)) == CONTENT.tobytes()
        return
    with lazily():
        pending = Buffer(CONTENT) * 2 - CONTENT
        assert not pending.is_realized
        assert consume(pending) == CONTENT.tobytes()


@pytest.mark.parametrize("name", ["sha256", "md5", "blake2b"])
def test_hashes_are_those_of_the_bytes(name):
    made = getattr(hashlib, name)
    assert made(Buffer(CONTENT)).digest() == made(CONTENT.tobytes()).digest()
    assert zlib.crc32(Buffer(CONTENT)) == zlib.crc32(CONTENT.tobytes())


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d not in NARROW], ids=str)
@pytest.mark.parametrize("key", [..., (slice(None), 1), (slice(None, None, -1),), (0, slice(0, 0))])
def test_a_memoryview_is_numpys(dtype, key):
    x = Buffer(CONTENT, dtype=dtype)[key]
    mine, numpys = memoryview(x), memoryview(np.asarray(CONTENT, dtype)[key])
    for name in ("shape", "strides", "format", "itemsize", "readonly", "nbytes", "c_contiguous"):
        if name == "strides" and not x.size:
            continue
        assert getattr(mine, name) == getattr(numpys, name), name
    assert mine.tobytes() == numpys.tobytes()


def test_a_number_without_axes_has_a_memoryview():
    assert memoryview(Buffer(7)).tolist() == 7
    assert bytes(Buffer(7, dtype="int16")) == b"\x07\x00"


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_a_dtype_without_a_letter_gives_bytes_and_no_memoryview(dtype):
    x = Buffer([1.0, 2.0], dtype=dtype)
    assert hashlib.sha256(x).digest() == hashlib.sha256(bytes(x)).digest()
    assert write_to_file_any(x) == np.asarray(x).tobytes()
    with pytest.raises(ExportError, match="no letter"):
        memoryview(x)
    assert np.asarray(x).dtype == dtype


def write_to_file_any(data) -> bytes:
    file = io.BytesIO()
    file.write(data)
    return file.getvalue()


def test_memory_with_gaps_is_refused_where_numpys_is():
    x = Buffer(CONTENT).T
    assert bytes(x) == CONTENT.T.tobytes()
    for consume in (hashlib.sha256, zlib.crc32):
        with pytest.raises((BufferError, ValueError)):
            consume(CONTENT.T)
        with pytest.raises((BufferError, ValueError)):
            consume(x)


def test_elements_elsewhere_are_refused():
    x = Buffer(CONTENT, device="PYTHON")
    for consume in (memoryview, hashlib.sha256, write_to_file_any):
        with pytest.raises(DeviceError, match="PYTHON"):
            consume(x)


def test_a_freed_buffer_is_refused():
    x = Buffer([1, 2])
    x.free()
    with pytest.raises(OnebufError, match="freed"):
        memoryview(x)


def test_read_only_memory_stays_so():
    x = onebuf.asarray(b"abc")
    assert memoryview(x).readonly
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"xyz").readinto(x)
    assert bytes(x) == b"abc"


def test_an_error_while_computing_reaches_the_consumer():
    with lazily():
        pending = Buffer([1, 2, 3])[Buffer([7])]
        assert not pending.is_realized
        with pytest.raises(IndexError):
            memoryview(pending)


# Writing


@pytest.mark.parametrize(
    "write",
    [
        lambda x: io.BytesIO(bytes(24)).readinto(x),
        lambda x: struct.pack_into("6i", x, 0, *[0] * 6),
        lambda x: memoryview(x).cast("B").__setitem__(slice(None), bytes(24)),
    ],
    ids=["readinto", "pack_into", "memoryview"],
)
def test_what_writes_to_bytes_writes_to_the_buffer(write):
    x = Buffer(CONTENT, copy=True)
    write(x)
    assert x.to_python() == [[0, 0, 0], [0, 0, 0]]


def test_work_that_waits_never_sees_what_is_read_into_its_memory():
    x = Buffer(CONTENT, copy=True)
    with lazily():
        waiting = x + 1
        assert not waiting.is_realized
        io.BytesIO(bytes(24)).readinto(x)
        assert waiting.to_python() == (CONTENT + 1).tolist()
        assert x.to_python() == [[0, 0, 0], [0, 0, 0]]


def test_looking_computes_no_reader():
    x = Buffer(CONTENT, copy=True)
    with lazily():
        waiting = x + 1
        memoryview(x)
        hashlib.sha256(x)
        assert not waiting.is_realized


def test_memory_that_comes_back_is_known():
    x = Buffer(CONTENT, copy=True)
    for known in (onebuf.asarray(memoryview(x)), onebuf.asarray(np.asarray(x))):
        with lazily():
            waiting = x + 1
            known[0, 0] = 40
            assert waiting.to_python() == (CONTENT + 1).tolist()
        assert x[0, 0] == 40
        x[0, 0] = 0


# Lifetimes


def test_a_memoryview_outlives_its_buffer():
    view = memoryview(Buffer([1.5, 2.5]) + 1)
    gc.collect()
    others = [Buffer([9.0, 9.0]) + 1 for _ in range(100)]
    assert view.tolist() == [2.5, 3.5]
    del others


def test_memory_with_a_memoryview_cannot_be_freed():
    x = Buffer([1.0, 2.0]) + 1
    view = memoryview(x)
    with pytest.raises(ExportError, match="window"):
        x.free()
    view.release()
    x.free()


def test_exports_pin_memory_of_every_size_in_a_process_of_their_own():
    printed = children.run(
        """
        import gc, hashlib, weakref
        import numpy as np
        import onebuf
        from onebuf import Buffer

        for count in (4, 1000, 300_000):
            views = [memoryview(Buffer(np.full(count, i, np.int32)) + i) for i in range(20)]
            gc.collect()
            onebuf.trim()
            noise = [Buffer(np.full(count, -1, np.int32)) + 0 for _ in range(40)]
            for one in noise:
                one.realize()
            for i, view in enumerate(views):
                assert np.asarray(view).min() == np.asarray(view).max() == 2 * i, (count, i)
            del views, view, noise, one
            gc.collect()

        class Node:
            pass

        ring = Node()
        ring.buffer = Buffer([1, 2, 3]) + 1
        ring.view = memoryview(ring.buffer)
        ring.me = ring
        seen = weakref.ref(ring)
        del ring
        gc.collect()
        assert seen() is None

        for _ in range(20_000):
            hashlib.md5(Buffer([1, 2, 3]))
            try:
                memoryview(Buffer([1.0], dtype="bfloat16"))
            except BufferError:
                pass
        print("ok")
        """
    )
    assert printed == "ok\n"


def test_exports_do_not_keep_memory():
    x = (Buffer(np.zeros(1 << 16)) + 1).realize()
    gc.collect()
    start = onebuf.memory_stats()["CPU"].in_use
    for _ in range(50):
        y = x + 1
        hashlib.sha256(y)
        memoryview(y)
    del y
    gc.collect()
    assert onebuf.memory_stats()["CPU"].in_use == start
