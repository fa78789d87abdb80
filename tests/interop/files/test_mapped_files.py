"""Mapped files as memory: modes, lazy reading, flushing, lifetimes."""

import gc
import mmap
import subprocess
import sys
import textwrap
from typing import ClassVar

import numpy as np
import pytest

from onebuf.errors import FileFormatError
from onebuf.interop.files import open_npy, open_raw, open_safetensors, save_file
from onebuf.memory import map_file

NBYTES_8_GIB = 8 * 1024**3


@pytest.fixture(params=["npy", "safetensors", "raw"])
def stored(request, tmp_path):
    """A file of int32 [0, 1, ..., 5], and how to open it."""
    path = tmp_path / f"numbers.{request.param}"
    save_file(path, np.arange(6, dtype=np.int32))

    def open_as(mode):
        if request.param == "npy":
            return open_npy(path, mode)
        if request.param == "safetensors":
            return open_safetensors(path, mode)["data"]
        return open_raw(path, mode, "int32")

    return path, open_as


def test_read_only_is_the_default_and_stays_so(stored):
    path, open_as = stored
    before = path.read_bytes()
    held = open_as("r")
    assert not held.block.writable
    window = held.window()
    with pytest.raises(ValueError, match="read-only"):
        window[0] = 5
    with pytest.raises(ValueError, match="WRITEABLE"):
        window.flags.writeable = True
    held.block.flush()
    assert path.read_bytes() == before


def test_writes_reach_just_their_bytes(stored):
    path, open_as = stored
    before = path.read_bytes()
    held = open_as("r+")
    assert held.block.writable
    held.window()[2:4] = -1
    held.block.flush()
    after = path.read_bytes()
    start = len(before) - 24
    assert after[: start + 8] == before[: start + 8]
    assert after[start + 8 : start + 16] == b"\xff" * 8
    assert after[start + 16 :] == before[start + 16 :]


def test_writes_to_a_copy_leave_the_file_alone(stored):
    path, open_as = stored
    before = path.read_bytes()
    held = open_as("c")
    assert held.block.writable
    window = held.window()
    window[:] = -1
    held.block.flush()
    assert held.window().tolist() == [-1] * 6
    assert path.read_bytes() == before
    assert open_as("r").window().tolist() == list(range(6))


def test_the_file_may_be_read_only_unless_it_is_to_be_written(stored):
    path, open_as = stored
    path.chmod(0o444)
    assert open_as("r").window().sum() == 15
    assert open_as("c").window().sum() == 15


def test_a_window_keeps_the_mapping_alive(stored):
    path, open_as = stored
    window = open_as("r").window()
    path.unlink()
    gc.collect()
    assert window.tolist() == list(range(6))


def test_tensors_of_one_file_have_blocks_of_their_own_on_one_mapping(tmp_path):
    path = tmp_path / "two.safetensors"
    save_file(path, {"a": np.zeros(3, np.int8), "b": np.zeros(5, np.int8)})
    opened = open_safetensors(path, "r+")
    a, b = opened["a"].block, opened["b"].block
    assert a is not b
    assert a is opened["a"].block
    assert a.memory is b.memory
    assert (a.nbytes, b.nbytes) == (3, 5)
    opened["b"].window()[:] = 7
    b.flush()
    assert opened["a"].window().tolist() == [0, 0, 0]
    assert path.read_bytes().endswith(b"\0\0\0" + b"\7" * 5)


def test_flush_of_a_part_beyond_the_first_page_works(tmp_path):
    path = tmp_path / "pages.raw"
    path.write_bytes(bytes(3 * 65536))
    part = map_file(path, "r+").part(70_001, 10)
    part.window((10,), np.dtype("uint8"))[:] = 9
    part.flush()
    assert path.read_bytes()[70_000:70_012] == b"\0" + b"\t" * 10 + b"\0"


class Recording(mmap.mmap):
    """A mapping that remembers what it was asked to flush."""

    flushed: ClassVar[list] = []

    def flush(self, *range_bytes):
        self.flushed.append(range_bytes)
        super().flush(*range_bytes)


def test_flush_waits_for_the_pages_of_its_part_only(tmp_path):
    page = mmap.ALLOCATIONGRANULARITY
    path = tmp_path / "pages.raw"
    path.write_bytes(bytes(4 * page))
    with path.open("r+b") as file:
        memory = Recording(file.fileno(), 0)
    for mode in ("r", "c", "r+"):
        part = map_file(path, mode).part(2 * page + 5, 7)
        part.memory = memory
        part.flush()
    assert Recording.flushed == [(2 * page, 12)]


@pytest.mark.parametrize("offset_bytes, nbytes", [(-1, 2), (0, 11), (11, 0), (5, -1), (2**70, 1)])
def test_a_part_must_lie_inside(tmp_path, offset_bytes, nbytes):
    path = tmp_path / "ten.raw"
    path.write_bytes(bytes(10))
    with pytest.raises(FileFormatError, match=r"ten\.raw: needed bytes"):
        map_file(path).part(offset_bytes, nbytes)


def sparse_npy(path, shape):
    with path.open("wb") as file:
        header = {"descr": "|u1", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        start_bytes = file.tell()
        file.truncate(start_bytes + NBYTES_8_GIB)
        file.seek(start_bytes + NBYTES_8_GIB - 3)
        file.write(b"\1\2\3")


def sparse_safetensors(path, shape):
    entry = {"dtype": "U8", "shape": list(shape), "data_offsets": [0, NBYTES_8_GIB]}
    text = str({"data": entry}).replace("'", '"').encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        start_bytes = file.tell()
        file.truncate(start_bytes + NBYTES_8_GIB)
        file.seek(start_bytes + NBYTES_8_GIB - 3)
        file.write(b"\1\2\3")


@pytest.mark.parametrize(
    "suffix, write", [("npy", sparse_npy), ("safetensors", sparse_safetensors)]
)
def test_8_gib_open_and_slice_in_little_memory(tmp_path, suffix, write):
    resource = pytest.importorskip("resource", reason="needs Unix to measure memory")
    path = tmp_path / f"large.{suffix}"
    write(path, (8, 1024, 1024, 1024))
    child = textwrap.dedent(
        """
        import resource, sys
        from onebuf.interop.files import open_file
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        held = open_file(sys.argv[1])
        held = held["data"] if hasattr(held, "keys") else held
        window = held.window()
        assert window.shape == (8, 1024, 1024, 1024)
        assert window[-1, -1, -1, -3:].tolist() == [1, 2, 3]
        assert window[::3, ::500, 0, 0].sum() == 0
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown * (1 if sys.platform == "darwin" else 1024) < 50_000_000, grown
        """
    )
    assert resource is not None
    subprocess.run([sys.executable, "-c", child, str(path)], check=True, timeout=60)
    path.unlink()


def test_no_header_can_ask_for_memory_the_process_has_not(tmp_path):
    pytest.importorskip("resource", reason="needs Unix to limit memory")
    npy = tmp_path / "claim.npy"
    with npy.open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (2**57,)}
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(10_000_000)
    tensors = tmp_path / "claim.safetensors"
    tensors.write_bytes((99_999_999).to_bytes(8, "little") + b"{")
    child = textwrap.dedent(
        """
        import resource, sys
        from onebuf.errors import FileFormatError
        from onebuf.interop.files import open_file
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 50_000_000,) * 2)
        for path in sys.argv[1:]:
            try:
                open_file(path)
            except FileFormatError as error:
                assert str(error).startswith(path), error
            else:
                raise SystemExit(f"{path} opened")
        """
    )
    if sys.platform != "linux":
        pytest.skip("needs Linux to limit memory relative to what is in use")
    subprocess.run([sys.executable, "-c", child, str(npy), str(tensors)], check=True, timeout=60)
