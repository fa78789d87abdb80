"""Raw memory: checked at each step, on every device that holds bytes."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreign_devices import FOREIGN
from hypothesis import given
from hypothesis import strategies as st

from onebuf.errors import ArgumentError, ArgumentTypeError, CopyError, DeviceError, ExportError
from onebuf.machine import RawMemory, device
from onebuf.machine.raw_memory import STEP_BYTES

KINDS = ["CPU", "CPU@1", "PYTHON", "PYTHON@2", *FOREIGN]


def allocated(name: str, nbytes: int) -> RawMemory:
    memory = RawMemory(name, nbytes)
    memory.allocate()
    return memory


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("nbytes", [0, 1, 100, STEP_BYTES + 5])
def test_fresh_memory_is_zero_also_where_something_was(name: str, nbytes: int) -> None:
    first = allocated(name, nbytes)
    first.write(np.full(nbytes, 255, np.uint8))
    first.free()
    second = allocated(name, nbytes)
    assert not second.read().any()
    second.free()
    device(name).driver.allocator.trim()


@pytest.mark.parametrize("name", KINDS)
@given(content=st.binary(max_size=64))
def test_what_was_written_is_read(name: str, content: bytes) -> None:
    memory = allocated(name, len(content))
    memory.write(np.frombuffer(content, np.uint8))
    assert memory.read().tobytes() == content


@pytest.mark.parametrize("name", KINDS)
def test_a_view_is_a_part_of_the_same_memory(name: str) -> None:
    memory = allocated(name, 10)
    part = memory.view(4, 3)
    assert not part.is_allocated
    part.allocate()
    part.write(np.arange(1, 5, dtype=np.uint8))
    assert memory.read().tolist() == [0, 0, 0, 1, 2, 3, 4, 0, 0, 0]
    inner = part.view(2, 1)
    inner.allocate()
    assert inner.read().tolist() == [2, 3]
    assert inner.base is memory


def test_a_view_takes_memory_for_its_base() -> None:
    memory = RawMemory("PYTHON", 10)
    part = memory.view(4, 3)
    part.allocate()
    assert memory.is_allocated
    assert part.read().tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("nbytes, offset", [(11, 0), (1, 10), (5, 6)])
def test_a_view_beyond_the_end_is_refused(nbytes: int, offset: int) -> None:
    with pytest.raises(ArgumentError, match=f"bytes {offset} to {offset + nbytes}, and there are"):
        RawMemory("CPU", 10).view(nbytes, offset)


@pytest.mark.parametrize("name", KINDS)
def test_a_view_does_not_outlive_freed_memory(name: str) -> None:
    memory = allocated(name, 8)
    part = memory.view(4, 0)
    part.allocate()
    memory.free()
    assert not part.is_allocated
    with pytest.raises(ExportError, match=r"these 4 bytes on .* were freed"):
        part.read()
    memory.allocate()
    memory.write(np.ones(8, np.uint8))
    with pytest.raises(ExportError, match="were freed"):
        part.read()
    part.allocate()
    assert part.read().tolist() == [1, 1, 1, 1]


def test_a_view_keeps_memory_that_nobody_freed() -> None:
    memory = allocated("PYTHON", 8)
    memory.write(np.arange(8, dtype=np.uint8))
    part = memory.view(2, 6)
    part.allocate()
    del memory
    gc.collect()
    assert part.read().tolist() == [6, 7]
    part.free()
    with pytest.raises(ExportError, match="not allocated"):
        part.read()


# Mistakes


@pytest.mark.parametrize("name", KINDS)
def test_memory_is_allocated_once_and_freed_once(name: str) -> None:
    memory = RawMemory(name, 8)
    with pytest.raises(ExportError, match=f"needed memory on {name}, and these 8 bytes are not"):
        memory.read()
    with pytest.raises(ExportError, match="not allocated"):
        memory.free()
    memory.allocate()
    with pytest.raises(ExportError, match="allocated already"):
        memory.allocate()
    memory.free()
    for use in (memory.read, memory.free, lambda: memory.write(np.zeros(8, np.uint8))):
        with pytest.raises(ExportError, match="were freed"):
            use()
    memory.allocate()
    assert memory.read().nbytes == 8


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("nbytes", [0, 7, 9])
def test_a_transfer_of_another_size_is_refused(name: str, nbytes: int) -> None:
    memory = allocated(name, 8)
    memory.write(np.arange(8, dtype=np.uint8))
    with pytest.raises(ArgumentError, match=f"8 bytes are written at once, got {nbytes}"):
        memory.write(np.zeros(nbytes, np.uint8))
    with pytest.raises(ArgumentError, match=f"8 bytes are read at once, got {nbytes}"):
        memory.read(np.zeros(nbytes, np.uint8))
    assert memory.read().tolist() == list(range(8))


def test_sizes_are_whole_numbers_of_at_least_0() -> None:
    with pytest.raises(ArgumentError, match="at least 0 bytes, got -1"):
        RawMemory("CPU", -1)
    with pytest.raises(ArgumentError, match="at least 0 bytes, got -1"):
        RawMemory("CPU", 8).view(1, -1)
    for size in (1.5, "8", None):
        with pytest.raises(ArgumentTypeError, match="integer number of bytes"):
            RawMemory("CPU", size)  # type: ignore[arg-type]


def test_memory_comes_back_when_it_is_let_go() -> None:
    allocator = device("PYTHON@5").driver.allocator
    before = allocator.stats().in_use
    memory = allocated("PYTHON@5", 1000)
    assert allocator.stats().in_use == before + 1024
    del memory
    assert allocator.stats().in_use == before


# Sharing with the host


def test_memory_of_the_host_is_shared_without_a_copy() -> None:
    memory = allocated("CPU", 8)
    shared = memory.share()
    shared[2] = 5
    part = memory.view(2, 2)
    part.allocate()
    assert part.share().tolist() == [5, 0]
    assert memory.read()[2] == 5


def test_shared_memory_outlives_its_buffer() -> None:
    memory = allocated("CPU", 4096)
    shared = memory.share()
    shared[:] = 7
    memory.free()
    others = [allocated("CPU", 4096) for _ in range(5)]
    for other in others:
        other.write(np.full(4096, 9, np.uint8))
    assert (shared == 7).all()


def test_memory_elsewhere_is_not_shared() -> None:
    memory = allocated("PYTHON", 8)
    assert not memory.can_share
    with pytest.raises(CopyError, match="memory on PYTHON reaches the host by a copy only"):
        memory.share()


def test_external_memory_is_used_where_it_is() -> None:
    array = np.arange(4, dtype=np.int32)
    memory = RawMemory("CPU", array.nbytes)
    memory.adopt(array.ctypes.data, owner=array)
    assert memory.read().view(np.int32).tolist() == [0, 1, 2, 3]
    memory.write(np.array([9, 8, 7, 6], np.int32))
    assert array.tolist() == [9, 8, 7, 6]


def test_external_memory_keeps_its_owner_and_no_longer_than_it_is_used() -> None:
    array: Any = np.arange(1000)
    alive = weakref.ref(array)
    memory = RawMemory("CPU", array.nbytes)
    memory.adopt(array.ctypes.data, owner=array)
    del array
    gc.collect()
    assert memory.read().view(np.int64).tolist() == list(range(1000))
    memory.free()
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("address", [0, -8])
def test_an_address_that_is_none_is_refused(address: int) -> None:
    with pytest.raises(ArgumentError, match=f"an address that is not 0, got {address}"):
        RawMemory("CPU", 8).adopt(address)


def test_an_address_is_one_of_the_host() -> None:
    array = np.zeros(8, np.uint8)
    with pytest.raises(DeviceError, match="PYTHON cannot use its memory"):
        RawMemory("PYTHON", 8).adopt(array.ctypes.data)
    with pytest.raises(ArgumentError, match="a view has the memory of its base"):
        RawMemory("CPU", 8).view(4, 0).adopt(array.ctypes.data)


def test_a_block_can_be_taken_if_it_is_large_enough() -> None:
    block = device("PYTHON").driver.allocator.allocate(8)
    memory = RawMemory("PYTHON", 8)
    memory.take(block)
    memory.write(np.arange(8, dtype=np.uint8))
    assert block.memory[:8].tolist() == list(range(8))
    with pytest.raises(ArgumentError, match="0 to 9 of a block that has 8"):
        RawMemory("PYTHON", 9).take(block)


def test_a_file_keeps_its_content(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"abcd")
    memory = allocated(f"disk:{path}", 6)
    assert memory.read().tobytes() == b"abcd\0\0"
    memory.write(np.frombuffer(b"uvwxyz", np.uint8))
    memory.free()
    assert path.read_bytes() == b"uvwxyz"
