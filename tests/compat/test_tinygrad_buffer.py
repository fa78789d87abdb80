"""tinygrad's raw buffers and devices: as spelled there, and safe where they are not."""

from __future__ import annotations

import ctypes
import gc
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from children import run
from foreign_devices import FOREIGN

import onebuf
from onebuf.compat import tinygrad
from onebuf.compat.tinygrad import Device, dtypes, from_mv
from onebuf.compat.tinygrad.device import Buffer, BufferSpec
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    CopyError,
    DeviceError,
    ExportError,
    OutOfMemory,
    ReadOnlyError,
)
from onebuf.memory import POOL

KINDS = ["CLANG", "PYTHON", *FOREIGN]


def test_the_document_s_program_runs(capsys: pytest.CaptureFixture[str]) -> None:
    # fmt: off
    buf=Buffer(device='CLANG', size=1,  dtype=dtypes.int8, options=BufferSpec(cpu_access=False)).allocate()  # noqa: E501
    print(tinygrad.helpers.from_mv(buf.as_buffer())[0]); del buf  # noqa: E702
    # fmt: on
    assert capsys.readouterr().out == "b'\\x00'\n"


@pytest.mark.parametrize("device", KINDS)
def test_a_byte_of_a_temporary_is_zero(device: str) -> None:
    for _ in range(100):
        used = Buffer(device, 64, dtypes.uint8).allocate()
        used.copyin(memoryview(bytearray(b"\xff" * 64)))
        del used
        first = from_mv(Buffer(device, 64, dtypes.int8).allocate().as_buffer())
        noise = [bytearray(b"\xff" * 64) for _ in range(20)]
        assert bytes(first) == bytes(64)
        assert len(noise) == 20


@pytest.mark.parametrize("device", KINDS)
def test_bytes_go_in_and_out(device: str) -> None:
    buffer = Buffer(device, 4, dtypes.float32).allocate()
    assert (buffer.size, buffer.nbytes, buffer.dtype) == (4, 16, dtypes.float)
    values = np.array([1, 2, 3, 4], "f4")
    assert buffer.copyin(values.data) is buffer
    out = bytearray(16)
    assert buffer.copyout(memoryview(out)).nbytes == 16
    assert out == values.tobytes()
    assert buffer.numpy().tolist() == [1, 2, 3, 4]
    assert buffer.as_buffer().tobytes() == values.tobytes()


@pytest.mark.parametrize("device", KINDS)
def test_a_view_has_its_own_size_and_dtype(device: str) -> None:
    buffer = Buffer(device, 8, dtypes.int16).allocate()
    view = buffer.view(2, dtypes.int32, 4).ensure_allocated()
    assert (view.nbytes, view.offset, view.base) == (8, 4, buffer)
    view.copyin(np.array([-1, 7], "i4").data)
    assert buffer.numpy().tolist() == [0, 0, -1, -1, 7, 0, 0, 0]
    inner = view.view(1, dtypes.int32, 4).ensure_allocated()
    assert inner.numpy().tolist() == [7]
    assert inner.base is buffer


def test_a_view_is_allocated_with_its_base() -> None:
    buffer = Buffer("CPU", 8, dtypes.uint8)
    view = buffer.view(4, dtypes.uint8, 2)
    assert not view.is_allocated()
    view.ensure_allocated()
    assert buffer.is_allocated()
    assert view.is_allocated()
    assert view.ensure_allocated() is view
    with pytest.raises(ExportError, match="allocated already"):
        view.allocate()


def test_buffers_are_made_with_content() -> None:
    assert Buffer("CPU", 2, dtypes.int8, initial_value=b"\1\2").numpy().tolist() == [1, 2]
    assert Buffer("CPU", 2, dtypes.int8, preallocate=True).is_allocated()
    with pytest.raises(ArgumentError, match="2 bytes are written at once, got 3"):
        Buffer("CPU", 2, dtypes.int8, initial_value=b"\1\2\3")


def test_a_buffer_is_copied_from_another_device() -> None:
    source = Buffer("CPU", 3, dtypes.int8, initial_value=b"abc")
    target = Buffer("PYTHON", 3, dtypes.int8).allocate().copy_from(source)
    assert target.as_memoryview().tobytes() == b"abc"
    assert Buffer("CPU", 3, dtypes.int8).allocate().copy_from(target).numpy().tolist() == [
        97,
        98,
        99,
    ]


def test_a_buffer_says_what_it_is() -> None:
    buffer = Buffer("clang:0", 2, dtypes.half)
    assert repr(buffer) == "<buf real:False device:CPU size:2 dtype:dtypes.half>"
    view = buffer.allocate().view(1, dtypes.half, 2)
    assert repr(view) == "<buf real:True device:CPU size:1 dtype:dtypes.half offset:2>"


def test_a_file_is_memory_too(tmp_path: Path) -> None:
    path = tmp_path / "x"
    buffer = Buffer(f"disk:{path}", 4, dtypes.uint8).allocate()
    buffer.copyin(b"wxyz")
    assert path.read_bytes() == b"wxyz"
    assert bytes(buffer.as_buffer(allow_zero_copy=True)) == b"wxyz"


# Mistakes


@pytest.mark.parametrize("device", KINDS)
def test_memory_is_taken_and_given_back_once(device: str) -> None:
    buffer = Buffer(device, 8, dtypes.int8)
    assert not buffer.is_allocated()
    with pytest.raises(ExportError, match="not allocated"):
        buffer.as_buffer()
    buffer.allocate()
    with pytest.raises(ExportError, match="allocated already"):
        buffer.allocate()
    buffer.deallocate()
    assert not buffer.is_allocated()
    for use in (
        buffer.deallocate,
        buffer.as_buffer,
        buffer.numpy,
        lambda: buffer.copyin(bytes(8)),
        lambda: buffer.copyout(bytearray(8)),
        lambda: buffer._buf,
    ):
        with pytest.raises(ExportError, match="were freed"):
            use()
    assert bytes(buffer.allocate().as_buffer()) == bytes(8)


@pytest.mark.parametrize("device", KINDS)
def test_sizes_are_checked(device: str) -> None:
    buffer = Buffer(device, 8, dtypes.int8).allocate()
    for content in (b"", b"1234567", b"123456789"):
        with pytest.raises(ArgumentError, match=f"8 bytes are written at once, got {len(content)}"):
            buffer.copyin(content)
        with pytest.raises(ArgumentError, match=f"8 bytes are read at once, got {len(content)}"):
            buffer.copyout(bytearray(content))
    with pytest.raises(ReadOnlyError, match="memory that may be written"):
        buffer.copyout(bytes(8))
    with pytest.raises(ExportError, match="contiguous"):
        buffer.copyin(memoryview(bytes(16))[::2])
    with pytest.raises(ArgumentError, match="bytes 4 to 12, and there are 8"):
        buffer.view(1, dtypes.int64, 4)
    assert bytes(buffer.as_buffer()) == bytes(8)


def test_arguments_are_checked() -> None:
    with pytest.raises(DeviceError, match="unknown device 'CLNG'"):
        Buffer("CLNG", 1, dtypes.int8)
    with pytest.raises(ArgumentTypeError, match=r"one of the dtypes .*float, double"):
        Buffer("CPU", 1, np.float32)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="at least 0 bytes"):
        Buffer("CPU", -1, dtypes.int8)
    with pytest.raises(ArgumentTypeError, match="integer"):
        Buffer("CPU", 1.5, dtypes.int8)  # type: ignore[arg-type]


@pytest.mark.parametrize("device", KINDS)
def test_an_empty_buffer_is_one(device: str) -> None:
    buffer = Buffer(device, 0, dtypes.int8).allocate()
    assert bytes(buffer.copyin(b"").as_buffer()) == b""
    assert buffer.copyout(bytearray()) == bytearray()
    assert buffer.numpy().size == 0


def test_more_memory_than_there_may_be_is_refused_and_no_more() -> None:
    before = POOL.stats().in_use
    with onebuf.config(memory_cap=before + (1 << 20)):
        buffer = Buffer("CPU", 1 << 22, dtypes.int8)
        with pytest.raises(OutOfMemory, match="memory_cap"):
            buffer.allocate()
        assert not buffer.is_allocated()
        assert Buffer("CPU", 100, dtypes.int8).allocate().is_allocated()
    assert buffer.allocate().is_allocated()
    buffer.deallocate()
    assert POOL.stats().in_use == before


@pytest.mark.parametrize("device", ["CPU", "PYTHON"])
def test_memory_in_use_is_what_it_was_after_del(device: str) -> None:
    allocator = onebuf.device(device).driver.allocator
    gc.collect()
    before = allocator.stats().in_use
    buffers = [Buffer(device, 1000, dtypes.double).allocate() for _ in range(10)]
    views = [buffer.view(10, dtypes.int8, 5).ensure_allocated() for buffer in buffers]
    assert allocator.stats().in_use >= before + 80_000
    del buffers
    assert allocator.stats().in_use >= before + 80_000
    del views
    assert allocator.stats().in_use == before


# Memory of others


@pytest.mark.parametrize("way", ["spec", "argument", "opaque"])
def test_external_memory_keeps_its_owner(way: str) -> None:
    array: Any = np.arange(100, dtype="i4")
    alive = weakref.ref(array)
    address = array.ctypes.data
    if way == "spec":
        spec = BufferSpec(external_ptr=address, owner=array)
        buffer = Buffer("CPU", 100, dtypes.int32, options=spec).allocate()
        del spec
        buffer.options = None
    elif way == "argument":
        buffer = Buffer("CPU", 100, dtypes.int32).allocate(external_ptr=address, owner=array)
    else:
        buffer = Buffer("CPU", 100, dtypes.int32, opaque=array)
    array[0] = 7
    del array
    gc.collect()
    assert buffer.numpy().tolist() == [7, *range(1, 100)]
    assert ctypes.addressof(from_mv(buffer.as_buffer(force_zero_copy=True))) == address
    buffer.deallocate()
    gc.collect()
    assert alive() is None


def test_a_null_pointer_is_refused() -> None:
    with pytest.raises(ArgumentError, match="an address that is not 0, got 0"):
        Buffer("CPU", 1, dtypes.int8).allocate(external_ptr=0)
    with pytest.raises(ArgumentError, match="an address that is not 0"):
        Buffer("CPU", 1, dtypes.int8, options=BufferSpec(external_ptr=0)).allocate()


def test_memory_of_the_host_is_not_that_of_every_device() -> None:
    with pytest.raises(DeviceError, match="PYTHON cannot use its memory"):
        Buffer("PYTHON", 2, dtypes.int8, opaque=bytearray(2))
    with pytest.raises(ArgumentError, match="2 bytes are taken at once, got 3"):
        Buffer("CPU", 2, dtypes.int8, opaque=bytearray(3))


def test_zero_copy_is_shared_where_it_can_be_and_refused_where_it_cannot() -> None:
    buffer = Buffer("CPU", 4, dtypes.int8).allocate()
    shared = buffer.as_buffer(allow_zero_copy=True)
    copied = buffer.as_buffer()
    buffer.copyin(b"abcd")
    assert (bytes(shared), bytes(copied)) == (b"abcd", bytes(4))
    buffer.deallocate()
    Buffer("CPU", 4, dtypes.int8).allocate()
    assert bytes(shared) == b"abcd"
    other = Buffer("PYTHON", 4, dtypes.int8).allocate()
    assert bytes(other.as_buffer(allow_zero_copy=True)) == bytes(4)
    with pytest.raises(CopyError, match="by a copy only"):
        other.as_buffer(force_zero_copy=True)


def test_opaque_memory_is_shared() -> None:
    memories: list[Any] = [bytearray(4), memoryview(bytearray(4)), (ctypes.c_int8 * 4)()]
    for memory in memories:
        buffer = Buffer("CPU", 4, dtypes.int8, opaque=memory)
        assert buffer.is_allocated()
        buffer.copyin(b"abcd")
        assert bytes(memory) == b"abcd"
    array = np.arange(4, dtype=np.int32)
    buffer = Buffer("NPY", 4, dtypes.int32, opaque=array)
    array[0] = 7
    assert (buffer.device, buffer.numpy().tolist()) == ("CPU", [7, 1, 2, 3])
    buffer.deallocate()
    assert array.tolist() == [7, 1, 2, 3]  # still its owner's
    assert buffer.allocate().numpy().tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("memory", [b"abcd", memoryview(b"abcd")], ids=["bytes", "memoryview"])
def test_opaque_memory_that_may_not_be_written_is_only_read(memory: Any) -> None:
    buffer = Buffer("CPU", 4, dtypes.int8, opaque=memory)
    assert bytes(buffer.as_buffer()) == b"abcd"
    view = buffer.view(2, dtypes.int8, 1).allocate()
    for target in (buffer, view):
        with pytest.raises(ReadOnlyError, match="only be read"):
            target.copyin(bytes(target.nbytes))
    assert buffer.as_buffer(allow_zero_copy=True).readonly
    with pytest.raises(ValueError, match="read-only"):
        Device["CPU"].allocator._copyin(buffer._buf, bytes(4))
    assert bytes(memory) == b"abcd"
    assert b"abcd" == b"abcd"


def test_a_block_of_another_device_is_refused() -> None:
    block = Device["PYTHON"].allocator.alloc(4)
    with pytest.raises(DeviceError, match="block of CPU, got one of PYTHON"):
        Buffer("CPU", 4, dtypes.int8, opaque=block)
    other = Buffer("PYTHON", 4, dtypes.int8).allocate()
    with pytest.raises(DeviceError, match="got one of PYTHON"):
        Buffer("CPU", 4, dtypes.int8, opaque=other._buf)
    assert Buffer("PYTHON", 4, dtypes.int8, opaque=other._buf).numpy().tolist() == [0] * 4


def test_views_have_the_device_and_the_memory_of_their_base() -> None:
    base = Buffer("CPU", 4, dtypes.int8, initial_value=b"abcd")
    with pytest.raises(ArgumentError, match="starts at byte 0"):
        Buffer("CPU", 4, dtypes.int8, offset=2)
    with pytest.raises(DeviceError, match="device of its base, CPU, got PYTHON"):
        Buffer("PYTHON", 2, dtypes.int8, base=base)
    for opaque in (bytearray(2), Device["CPU"].allocator.alloc(2)):
        with pytest.raises(ArgumentError, match="memory of its base"):
            Buffer("CPU", 2, dtypes.int8, base=base, opaque=opaque)
    assert bytes(Buffer("CPU", 2, dtypes.int8, base=base, offset=1).allocate().as_buffer()) == b"bc"


@pytest.mark.parametrize("device", KINDS)
def test_a_view_lets_go_and_a_base_takes_its_views_along(device: str) -> None:
    base = Buffer(device, 4, dtypes.int8, initial_value=b"abcd")
    view = base.view(2, dtypes.int8, 2).allocate()
    view.deallocate()
    assert (view.is_initialized(), view.is_allocated(), base.is_allocated()) == (False, True, True)
    with pytest.raises(ExportError, match="not allocated"):
        view.deallocate()
    assert bytes(view.allocate().as_buffer()) == b"cd"
    base.deallocate()
    assert (view.is_initialized(), view.is_allocated()) == (False, False)
    for use in (view.numpy, view.deallocate, lambda: view.copyin(bytes(2))):
        with pytest.raises(ExportError, match="were freed"):
            use()
    base.allocate().copyin(b"efgh")
    assert bytes(view.ensure_allocated().as_buffer()) == b"gh"


# Devices


@pytest.mark.parametrize("name", ["FOO", "CUDA", "metal:1", "PYTON", ""])
def test_an_unknown_device_is_a_missing_module(name: str) -> None:
    for look in (lambda: Device[name], lambda: Buffer(name, 1, dtypes.int8)):
        with pytest.raises(ModuleNotFoundError, match="unknown device") as caught:
            look()
        assert isinstance(caught.value, DeviceError)
        assert caught.value.name == name


@pytest.mark.parametrize("name", [3, b"CPU", ["CPU"]])
def test_the_name_of_a_device_is_text(name: Any) -> None:
    with pytest.raises(TypeError, match="name as text"):
        Device[name]


def test_devices_have_one_name_and_an_allocator() -> None:
    assert Device.canonicalize("clang:0") == "CPU"
    assert Device.canonicalize("opencl:1") == "OPENCL:1"
    assert Device.canonicalize("disk:/Tmp/x") == "DISK:/Tmp/x"
    assert Device.DEFAULT == Device.canonicalize(None) == "CPU"
    assert Device["CLANG"] is Device["cpu"] is Device.default
    assert Device["python"].device == "PYTHON"
    assert "CPU" in Device.get_available_devices()
    Device["CPU"].synchronize()
    with pytest.raises(DeviceError, match="did you mean PYTHON"):
        Device["PYTON"]


@pytest.mark.parametrize("device", KINDS)
def test_an_allocator_gives_blocks(device: str) -> None:
    allocator = Device[device].allocator
    block = allocator.alloc(4, BufferSpec())
    allocator._copyin(block, memoryview(b"abcd"))
    out = bytearray(4)
    allocator._copyout(memoryview(out), block)
    assert out == b"abcd"
    assert Buffer(device, 4, dtypes.int8, opaque=block).numpy().tolist() == [97, 98, 99, 100]
    allocator.free(block, 4)
    with pytest.raises(ExportError, match="freed already"):
        allocator.free(block, 4)
    with pytest.raises(ArgumentError, match=r"0 to 5\b"):
        allocator._copyin(allocator.alloc(4), bytes(5))


# Element types


def test_dtypes_have_tinygrad_s_names_and_sizes() -> None:
    for dtype in dtypes.all:
        assert dtype.itemsize == dtype.numpy.itemsize
        if dtype.fmt is not None:
            assert np.dtype(dtype.fmt) == dtype.numpy
        assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert dtypes.half is dtypes.float16
    assert dtypes.double is dtypes.float64
    assert dtypes.char is dtypes.int8
    assert (dtypes.int8.name, dtypes.bfloat16.fmt, dtypes.bool.fmt) == ("signed char", None, "?")
    assert dtypes.is_float(dtypes.bfloat16)
    assert dtypes.is_int(dtypes.uint8)
    assert dtypes.is_unsigned(dtypes.uint8)
    assert not dtypes.is_unsigned(dtypes.int8)
    assert dtypes.is_bool(dtypes.bool)
    assert len(set(map(repr, dtypes.all))) == len(dtypes.all) == 15


# Faults, one after the other in one process


def test_every_fault_is_an_error_and_leaves_the_next_call_alone() -> None:
    program = """
    import sys
    sys.modules["pyopencl"] = None
    import onebuf
    from onebuf.compat.tinygrad import Device, dtypes
    from onebuf.compat.tinygrad.device import Buffer, BufferSpec

    onebuf.device("python").driver.allocator.cap = 1 << 20
    good = Buffer("PYTHON", 4, dtypes.int8).allocate().copyin(b"good")
    freed = Buffer("PYTHON", 4, dtypes.int8).allocate()
    freed.deallocate()
    faults = [
        lambda: Buffer("OPNCL", 1, dtypes.int8),
        lambda: Buffer("OPENCL", 1, dtypes.int8).allocate(),
        lambda: Device["OPENCL"],
        lambda: Buffer("PYTHON:1", 1, dtypes.int8).allocate(),
        lambda: Buffer("DISK", 1, dtypes.int8).allocate(),
        lambda: Buffer("DISK:/no/such/folder/x", 1, dtypes.int8).allocate(),
        lambda: Buffer("NULL", 1, dtypes.int8).allocate().as_buffer(),
        lambda: Buffer("PYTHON", -1, dtypes.int8).allocate(),
        lambda: Buffer("PYTHON", 1 << 21, dtypes.int8).allocate(),
        lambda: Buffer("CPU", 1 << 62, dtypes.int8).allocate(),
        lambda: good.copyin(b"123"),
        lambda: good.copyout(bytearray(5)),
        lambda: good.allocate(),
        lambda: freed.deallocate(),
        lambda: freed.as_buffer(),
        lambda: Buffer("CPU", 1, dtypes.int8).allocate(external_ptr=0),
    ]
    for fault in faults:
        try:
            fault()
        except onebuf.errors.OnebufError as error:
            print(type(error).__name__)
        assert bytes(good.as_buffer()) == b"good"
        assert bytes(Buffer("PYTHON", 2, dtypes.int8).allocate().copyin(b"ok").as_buffer()) == b"ok"
        assert bytes(Buffer("PYTHON", 0, dtypes.int8).allocate().as_buffer()) == b""
    """
    assert run(program).split() == [
        "UnknownDevice",
        "MissingPackage",
        "MissingPackage",
        "DeviceError",
        "DeviceError",
        "DeviceError",
        "DeviceError",
        "ArgumentError",
        "OutOfMemory",
        "OutOfMemory",
        "ArgumentError",
        "ArgumentError",
        "ExportError",
        "ExportError",
        "ExportError",
        "ArgumentError",
    ]
