"""Files as devices: bytes in, bytes out, and an error for whatever the system refuses."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from children import run
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import basic_indices

import onebuf
from onebuf.backends import disk
from onebuf.backends.protocols import ArrayDriver, KernelDriver
from onebuf.errors import (
    ArgumentError,
    DeviceError,
    ExportError,
    FileFormatError,
    OutOfMemory,
)
from onebuf.machine import Stats, device


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Data.bin"


@pytest.fixture
def everyones() -> Iterator[Path]:
    """A folder that everybody may look into."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def driver_of(path: Path) -> disk.DiskDriver:
    driver = device(f"disk:{path}").driver
    assert isinstance(driver, disk.DiskDriver)
    return driver


def bytes_of(driver: disk.DiskDriver, block: object, nbytes: int, offset: int = 0) -> bytes:
    out = np.full(nbytes, 77, np.uint8)
    driver.download(block, out, offset).wait()  # type: ignore[arg-type]
    return out.tobytes()


def test_a_file_is_made_by_allocating_and_not_before(path: Path) -> None:
    driver = driver_of(path)
    assert not path.exists()
    block = driver.allocator.allocate(10)
    assert path.read_bytes() == bytes(10)
    assert bytes_of(driver, block, 10) == bytes(10)


def test_what_is_uploaded_is_in_the_file(path: Path) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(12)
    driver.upload(np.array([1, 2, 3], "<i4"), block)
    driver.upload(np.array([9], "u1"), block, 4)
    assert path.read_bytes() == bytes([1, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0])
    out = np.zeros(2, "<i4")
    driver.download(block, out, 4)
    assert out.tolist() == [9, 3]


@settings(max_examples=30)
@given(
    content=st.binary(max_size=40),
    writes=st.lists(st.tuples(st.integers(0, 20), st.binary(max_size=20)), max_size=5),
)
def test_a_file_holds_what_memory_would(
    tmp_path_factory: pytest.TempPathFactory,
    content: bytes,
    writes: list[tuple[int, bytes]],
) -> None:
    path = tmp_path_factory.mktemp("disk") / "x"
    path.write_bytes(content)
    driver = driver_of(path)
    block = driver.allocator.allocate(40)
    memory = bytearray(content.ljust(40, b"\0"))
    for offset, data in writes:
        driver.upload(np.frombuffer(data, np.uint8), block, offset)
        memory[offset : offset + len(data)] = data
    assert bytes_of(driver, block, 40) == memory
    assert path.read_bytes() == memory


def test_a_file_that_is_there_keeps_what_it_holds(path: Path) -> None:
    path.write_bytes(b"0123456789")
    driver = driver_of(path)
    block = driver.allocator.allocate(4)
    assert bytes_of(driver, block, 4) == b"0123"
    driver.upload(np.frombuffer(b"ABCD", np.uint8), block)
    block.free()
    assert path.read_bytes() == b"ABCD456789"


def test_an_empty_block_makes_an_empty_file(path: Path) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(0)
    driver.upload(np.empty(0, np.uint8), block)
    assert bytes_of(driver, block, 0) == b""
    assert path.read_bytes() == b""


def test_reading_goes_on_where_the_system_stopped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(1000)
    content = np.arange(1000).astype(np.uint8)
    monkeypatch.setattr(disk, "STEP_BYTES", 64)
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, offset: write(file, data[:33], offset))
    driver.upload(content, block)
    assert bytes_of(driver, block, 1000) == content.tobytes()
    driver.copy(block, block)
    assert bytes_of(driver, block, 1000) == content.tobytes()


def test_a_file_holds_one_block_at_a_time(path: Path) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(8)
    with pytest.raises(DeviceError, match="holds a block of 8 bytes already, and a file holds one"):
        driver.allocator.allocate(4)
    del block
    other = driver.allocator.allocate(4)
    other.free()
    assert driver.allocator.allocate(16).nbytes == 16
    assert path.stat().st_size == 16


def test_statistics_and_a_cap(path: Path) -> None:
    allocator = driver_of(path).allocator
    assert allocator.stats() == Stats(0, 0, 0)
    block = allocator.allocate(100)
    assert allocator.stats() == Stats(100, 0, 100)
    del block
    assert allocator.stats() == Stats(0, 0, 100)
    assert allocator.trim() == 0
    allocator.cap = 50
    with pytest.raises(OutOfMemory, match="beyond the cap of 50 bytes"):
        allocator.allocate(51)
    assert allocator.allocate(50).nbytes == 50


def test_no_file_stays_open(path: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system does not list open files")
    driver = driver_of(path)
    for _ in range(3):
        block = driver.allocator.allocate(8)
        assert str(path) in open_files()
        del block
        assert str(path) not in open_files()


def open_files() -> list[str]:
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            found.append(os.readlink(link))
        except OSError:  # the one that lists them
            continue
    return found


def test_a_file_computes_nothing(path: Path) -> None:
    driver = driver_of(path)
    assert not isinstance(driver, KernelDriver | ArrayDriver)
    facts = driver.facts()
    assert str(path) in facts.description
    assert facts.memory is not None
    assert facts.memory > 0


def test_a_path_is_the_same_wherever_the_program_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    driver = device("disk:here.bin").driver
    monkeypatch.chdir("/")
    driver.allocator.allocate(3)
    assert (tmp_path / "here.bin").stat().st_size == 3


# Buffers on files


def test_a_buffer_goes_to_a_file_and_back(path: Path) -> None:
    x = onebuf.asarray(np.arange(12, dtype="<f4").reshape(3, 4))
    there = x.T.to_device(f"disk:{path}")
    assert there.device == f"DISK:{path}"
    assert path.read_bytes() == np.ascontiguousarray(np.asarray(x).T).tobytes()
    assert there.to_device("CPU").tolist() == x.T.tolist()


@given(data=st.data())
def test_a_part_of_a_file_is_read_as_numpy_would(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    array = np.arange(24, dtype="int16").reshape(4, 6)
    path = tmp_path_factory.mktemp("disk") / "x"
    there = onebuf.asarray(array).to_device(f"disk:{path}")
    if data.draw(st.booleans()):
        array, there = array.T, there.T
    key = data.draw(basic_indices(array.shape, allow_newaxis=False, allow_ellipsis=False))
    assert there[key].to_device("CPU").tolist() == array[key].tolist()


def test_computing_on_a_file_is_refused_and_loses_nothing(path: Path) -> None:
    there = onebuf.asarray(np.arange(4.0)).to_device(f"disk:{path}")
    with pytest.raises(DeviceError, match=r"holds elements and computes nothing; .*to_device"):
        (there + 1).realize()
    with pytest.raises(DeviceError, match="DISK"):
        there + onebuf.asarray(np.arange(4.0))
    assert there.to_device("CPU").tolist() == [0, 1, 2, 3]


def test_a_second_buffer_on_a_file_is_refused_and_loses_nothing(path: Path) -> None:
    there = onebuf.asarray(np.arange(4.0)).to_device(f"disk:{path}")
    with pytest.raises(DeviceError, match="holds a block of 32 bytes already"):
        onebuf.asarray(np.ones(4)).to_device(f"disk:{path}")
    assert there.to_device("CPU").tolist() == [0, 1, 2, 3]
    del there
    gc.collect()
    again = onebuf.asarray(np.ones(4)).to_device(f"disk:{path}")
    assert again.to_device("CPU").tolist() == [1, 1, 1, 1]


# What the system refuses


@pytest.mark.parametrize("name", ["disk", "disk:", "disk:a\0b"])
def test_a_name_without_a_path_is_refused(name: str) -> None:
    with pytest.raises(DeviceError, match="DISK needs the path of a file, as in DISK:/tmp/"):
        device(name).driver


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    driver = driver_of(tmp_path / "no" / "x")
    with pytest.raises(DeviceError, match="no/x is not: No such file or directory"):
        driver.allocator.allocate(1)
    (tmp_path / "no").mkdir()
    assert driver.allocator.allocate(1).nbytes == 1


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="needs a regular file"):
        driver_of(tmp_path).allocator.allocate(1)


def test_a_pipe_is_no_file_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    told: list[str] = []

    def ask() -> None:
        with pytest.raises(DeviceError) as caught:
            driver_of(tmp_path / "pipe").allocator.allocate(1)
        told.append(str(caught.value))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(10)
    assert len(told) == 1
    assert "needs a regular file" in told[0]


@pytest.mark.parametrize("nbytes", [1 << 62, 1 << 70])
def test_more_than_a_file_can_hold_is_out_of_memory(path: Path, nbytes: int) -> None:
    driver = driver_of(path)
    with pytest.raises(OutOfMemory, match=f"needed {nbytes} bytes"):
        driver.allocator.allocate(nbytes)
    assert not path.exists()
    assert driver.allocator.stats() == Stats(0, 0, 0)
    assert driver.allocator.allocate(8).nbytes == 8


def test_less_than_nothing_is_refused(path: Path) -> None:
    with pytest.raises(ArgumentError, match="at least 0 bytes, got -1"):
        driver_of(path).allocator.allocate(-1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_out_of_memory(path: Path) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(8)
    file = block.memory
    whole = os.dup(file.number)
    full = os.open("/dev/full", os.O_RDWR)
    os.dup2(full, file.number)  # every write to it finds the disk full
    os.close(full)
    with pytest.raises(OutOfMemory, match="No space left"):
        driver.upload(np.ones(8, np.uint8), block)
    os.dup2(whole, file.number)
    os.close(whole)
    driver.upload(np.ones(8, np.uint8), block)
    assert path.read_bytes() == b"\1" * 8


def test_a_file_that_was_shortened_is_an_error_and_not_the_end(path: Path) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(100_000)
    os.truncate(path, 5000)
    with pytest.raises(FileFormatError, match="from 5000 on, but the file ends there"):
        bytes_of(driver, block, 100_000)
    assert bytes_of(driver, block, 5000) == bytes(5000)


def test_a_transfer_beyond_the_block_is_refused(path: Path) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(8)
    with pytest.raises(ArgumentError, match="bytes 4 to 12 of a block that has 8"):
        driver.upload(np.zeros(8, np.uint8), block, 4)
    with pytest.raises(ArgumentError, match="bytes 0 to 9 of a block that has 8"):
        bytes_of(driver, block, 9)
    assert path.stat().st_size == 8


def test_a_freed_block_is_not_read(path: Path) -> None:
    driver = driver_of(path)
    block = driver.allocator.allocate(8)
    block.free()
    with pytest.raises(ExportError, match="was freed"):
        bytes_of(driver, block, 8)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="this system has no users")
def test_files_that_may_not_be_written_are_read_and_told(everyones: Path) -> None:
    (everyones / "readable").write_bytes(b"abcd")
    (everyones / "readable").chmod(0o444)
    (everyones / "secret").write_bytes(b"abcd")
    (everyones / "secret").chmod(0o000)
    program = """
    import os, sys
    import numpy as np
    import onebuf
    folder = sys.argv[1]
    drivers = [onebuf.device(f"disk:{folder}/{name}").driver
               for name in ("readable", "secret", "new")]
    if os.getuid() == 0:  # who may do anything
        os.setgid(65534)
        os.setuid(65534)
    block = drivers[0].allocator.allocate(4)
    out = np.zeros(4, "u1")
    drivers[0].download(block, out)
    print(block.writable, out.tobytes())
    def refused(call):
        try:
            call()
        except onebuf.errors.OnebufError as error:
            print(type(error).__name__, str(error).replace(folder, ""))
    refused(lambda: drivers[0].upload(out, block))
    block.free()
    refused(lambda: drivers[0].allocator.allocate(5))
    refused(lambda: drivers[1].allocator.allocate(4))
    print(drivers[0].allocator.allocate(3).nbytes)
    """
    assert run(program, str(everyones)).splitlines() == [
        "False b'abcd'",
        "ReadOnlyError /readable may not be written; copy its elements elsewhere",
        "ReadOnlyError /readable is 4 bytes long and may not be written, so that it cannot hold 5 "
        "bytes; ask for no more than it has, or for the right to write it",
        "DeviceError DISK needs a file that can be read and written, and /secret is not: "
        "Permission denied",
        "3",
    ]
