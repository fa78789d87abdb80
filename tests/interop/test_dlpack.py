"""DLPack out: capsules are read back byte by byte, and by NumPy."""

from __future__ import annotations

import ctypes
import gc
import struct
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf import dtypes
from onebuf.errors import ArgumentTypeError, ExportError
from onebuf.events import Copied, Event, listening
from onebuf.interop.dlpack import DEVICE, export
from onebuf.memory import POOL

READ_ONLY, IS_COPIED = 1, 2
CODES = {
    **{dtypes.bool: 6, dtypes.int8: 0, dtypes.int64: 0, dtypes.uint8: 1, dtypes.uint16: 1},
    **{dtypes.float16: 2, dtypes.float64: 2, dtypes.complex64: 5, dtypes.complex128: 5},
    **{dtypes.bfloat16: 4, dtypes.float8_e4m3fn: 10, dtypes.float8_e5m2: 12},
}
VERSIONS = [None, (0, 0), (0, 8), (1, 0), (1, 1), (2, 0)]


class Capsule(NamedTuple):
    """What dlpack.h says is in a capsule, unpacked by hand."""

    name: str
    address: int
    device: tuple[int, int]
    code: int
    bits: int
    lanes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    flags: int | None


def read(capsule: Any) -> Capsule:
    name = "dltensor_versioned" if "dltensor_versioned" in repr(capsule) else "dltensor"
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    start = get(capsule, name.encode())
    flags = None
    if name == "dltensor_versioned":
        major, _, _, _, flags = struct.unpack("=IIQQQ", ctypes.string_at(start, 32))
        assert major == 1
        start += 32
    data, device, number, ndim, code, bits, lanes, shape, strides, offset = struct.unpack(
        "@QiiiBBHQQQ", ctypes.string_at(start, 48)
    )
    vector = ctypes.c_int64 * ndim
    return Capsule(
        name,
        data + offset,
        (device, number),
        code,
        bits,
        lanes,
        tuple(vector.from_address(shape)) if ndim else (),
        tuple(vector.from_address(strides)) if ndim else (),
        flags,
    )


class Exporter:
    """An object of another library's point of view."""

    def __init__(self, window: np.ndarray[Any, Any]) -> None:
        self.window = window

    def __dlpack__(self, **request: Any) -> Any:
        return export(self.window, **request)

    def __dlpack_device__(self) -> tuple[int, int]:
        return DEVICE


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("version", VERSIONS, ids=str)
@pytest.mark.parametrize("dtype", CODES, ids=lambda dtype: dtype.name)
def test_a_capsule_describes_the_memory(dtype: np.dtype[Any], version: Any) -> None:
    window = np.ones((4, 3), dtype)[::2]
    found = read(export(window, max_version=version))
    versioned = version is not None and version >= (1, 0)
    assert found == Capsule(
        name="dltensor_versioned" if versioned else "dltensor",
        address=address(window),
        device=(1, 0),
        code=CODES[dtype],
        bits=dtype.itemsize * 8,
        lanes=1,
        shape=(2, 3),
        strides=(6, 1),
        flags=0 if versioned else None,
    )


@given(
    st.sampled_from(dtypes.ALL),
    st.lists(st.integers(0, 3), max_size=3),
    st.sampled_from(VERSIONS),
)
def test_every_dtype_and_shape_shares_its_address(
    dtype: np.dtype[Any], shape: list[int], version: Any
) -> None:
    window = np.zeros(shape, dtype)
    found = read(export(window, max_version=version))
    assert found.shape == tuple(shape)
    assert not window.size or found.address == address(window)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_read_only_memory_is_flagged(dtype: str) -> None:
    window = read_only(np.zeros(3, dtypes.as_dtype(dtype)))
    found = read(export(window, max_version=(1, 0)))
    assert found.flags == READ_ONLY
    assert found.address == address(window)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("version", [None, (0, 5)])
def test_read_only_memory_is_copied_for_who_cannot_be_told(dtype: str, version: Any) -> None:
    window = read_only(np.arange(3).astype(dtypes.as_dtype(dtype)))
    found = read(export(window, max_version=version))
    assert found.address != address(window)
    assert found.address % 64 == 0


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_copy_true_copies_to_aligned_memory_and_says_so(dtype: str, version: Any) -> None:
    window = read_only(np.zeros(3, dtypes.as_dtype(dtype)))
    found = read(export(window, max_version=version, copy=True))
    assert found.address != address(window)
    assert found.address % 64 == 0
    assert found.flags in (None, IS_COPIED)


@pytest.mark.parametrize("copy", [None, False])
def test_no_copy_is_made_or_flagged_without_need(copy: bool | None) -> None:
    window = np.zeros((2, 3)).T
    found = read(export(window, max_version=(1, 0), copy=copy))
    assert (found.address, found.strides, found.flags) == (address(window), (1, 3), 0)


def test_backward_strides_are_copied_where_that_is_allowed() -> None:
    window = np.arange(6.0).reshape(2, 3)[:, ::-1]
    found = read(export(window, max_version=(1, 0)))
    assert (found.strides, found.flags) == ((3, 1), IS_COPIED)
    assert np.from_dlpack(Exporter(window)).tolist() == window.tolist()


def test_backward_strides_are_refused_where_no_copy_is_allowed() -> None:
    with pytest.raises(BufferError, match="run backwards"):
        export(np.arange(3)[::-1], copy=False)


def test_an_axis_of_one_that_runs_backwards_is_no_reason_to_copy() -> None:
    window = np.arange(6.0).reshape(1, 6)[::-1]
    assert window.strides[0] < 0
    found = read(export(window, copy=False))
    assert found.address == address(window)
    assert min(found.strides) > 0


def test_read_only_memory_is_refused_where_neither_flag_nor_copy_is_possible() -> None:
    with pytest.raises(BufferError, match="read-only"):
        export(read_only(np.zeros(2)), copy=False)


def test_strides_between_elements_are_copied() -> None:
    window = np.ndarray((3,), "int16", bytearray(range(16)), 0, (3,))
    assert np.from_dlpack(Exporter(window)).tolist() == window.tolist()


@pytest.mark.parametrize("device", [(2, 0), (1, 1), (10, 0)])
def test_another_device_is_a_buffer_error(device: tuple[int, int]) -> None:
    with pytest.raises(BufferError, match="CPU"):
        export(np.zeros(2), dl_device=device)


def test_its_own_device_is_accepted() -> None:
    assert read(export(np.zeros(2), dl_device=DEVICE)).device == DEVICE


@pytest.mark.parametrize("stream", [-1, 0, 1])
def test_a_stream_is_refused(stream: int) -> None:
    with pytest.raises(ExportError, match="stream"):
        export(np.zeros(2), stream=stream)


@pytest.mark.parametrize("version", [1, "1.0", (1,), [1, 0]])
def test_a_malformed_version_is_refused(version: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="max_version"):
        export(np.zeros(2), max_version=version)


def test_copies_are_told_with_their_reason() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        export(np.zeros(4)[::-1])
    (copied,) = [event for event in heard if isinstance(event, Copied)]
    assert copied.nbytes == 32
    assert "backwards" in copied.reason


@pytest.mark.parametrize("dtype", ["int32", "bfloat16"])
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_an_unused_capsule_lets_go_of_its_memory(dtype: str, version: Any) -> None:
    block = POOL.allocate(4096)
    capsule = export(block.window((16,), dtypes.as_dtype(dtype)), max_version=version)
    gc.collect()
    assert block.has_window
    del capsule
    gc.collect()
    assert not block.has_window


def test_what_a_consumer_holds_outlives_its_owner() -> None:
    block = POOL.allocate(4096)
    window = block.window((1024,), dtypes.float32)
    window[...] = 7
    consumed = np.from_dlpack(Exporter(window))
    del block, window
    gc.collect()
    others = [POOL.allocate(4096) for _ in range(64)]
    for other in others:
        other.window((4096,), dtypes.uint8)[...] = 255
    assert (consumed == 7).all()


def test_a_copy_lives_as_long_as_its_consumer() -> None:
    consumed = np.from_dlpack(Exporter(np.full(1024, 3, "float32")[::-1]))
    gc.collect()
    others = [POOL.allocate(4096) for _ in range(64)]
    for other in others:
        other.window((4096,), dtypes.uint8)[...] = 255
    assert (consumed == 3).all()
