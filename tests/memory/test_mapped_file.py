"""Files as memory: mapped, not read; never created, never read beyond their end."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from onebuf.errors import ArgumentError, FileFormatError
from onebuf.memory import check_mode, map_file

UINT8 = np.dtype(np.uint8)
CONTENT = bytes(range(256)) * 20


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "some.bin"
    path.write_bytes(CONTENT)
    return path


def content(block):
    return block.window((block.nbytes,), UINT8)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_mapped_file_has_the_files_bytes(path, mode):
    block = map_file(path, mode)
    assert (Path(block.path), block.mode, block.nbytes) == (path, mode, len(CONTENT))
    assert content(block).tobytes() == CONTENT
    assert block.writable == (mode != "r")


def test_a_text_path_will_do(path):
    assert map_file(str(path)).nbytes == len(CONTENT)


@pytest.mark.parametrize("offset_bytes, nbytes", [(0, 10), (5, 100), (4097, 300), (5120, 0)])
def test_a_part_of_a_file_is_mapped(path, offset_bytes, nbytes):
    block = map_file(path, "r", offset_bytes, nbytes)
    assert content(block).tobytes() == CONTENT[offset_bytes : offset_bytes + nbytes]
    if nbytes:
        assert block.address == content(block).ctypes.data


def test_without_a_length_the_rest_is_mapped(path):
    assert content(map_file(path, "r", 5000)).tobytes() == CONTENT[5000:]


def test_a_part_of_a_block_is_a_block_of_its_own(path):
    block = map_file(path, "r+")
    part = block.part(100, 50).part(10, 20)
    assert content(part).tobytes() == CONTENT[110:130]
    content(part)[:] = 0
    part.flush()
    assert path.read_bytes() == CONTENT[:110] + bytes(20) + CONTENT[130:]
    assert (Path(part.path), part.mode) == (path, "r+")


def test_read_only_memory_cannot_be_written(path):
    window = content(map_file(path, "r"))
    with pytest.raises(ValueError, match="read-only"):
        window[0] = 1


def test_writes_to_a_file_reach_it(path):
    block = map_file(path, "r+", 4096 + 7, 100)
    content(block)[:] = 9
    block.flush()
    assert path.read_bytes() == CONTENT[:4103] + b"\x09" * 100 + CONTENT[4203:]


def test_writes_to_a_private_copy_stay_in_memory(path):
    block = map_file(path, "c")
    content(block)[:] = 9
    block.flush()
    assert set(content(block).tolist()) == {9}
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_missing_file_is_not_created(tmp_path, mode):
    path = tmp_path / "missing"
    with pytest.raises(FileNotFoundError):
        map_file(path, mode)
    assert not path.exists()


@pytest.mark.parametrize("mode", ["w", "a", "rb", "", "R"])
def test_an_unknown_mode_is_refused_with_the_known_ones(path, mode):
    with pytest.raises(ArgumentError, match=rf"'r'.*'r\+'.*'c'.*got '{mode}'"):
        map_file(path, mode)
    with pytest.raises(ArgumentError):
        check_mode(mode)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "offset_bytes, nbytes", [(0, 5121), (5121, None), (-1, 10), (10, -1), (1 << 62, 1), (5120, 1)]
)
def test_bytes_beyond_the_file_are_refused_with_the_numbers(path, offset_bytes, nbytes):
    with pytest.raises(FileFormatError, match=r"some\.bin.*5120.*truncated"):
        map_file(path, "r", offset_bytes, nbytes)


@pytest.mark.parametrize("offset_bytes, nbytes", [(0, 101), (101, 0), (-1, 5), (5, -1)])
def test_parts_beyond_a_block_are_refused(path, offset_bytes, nbytes):
    with pytest.raises(FileFormatError, match="100"):
        map_file(path, "r", 0, 100).part(offset_bytes, nbytes)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_an_empty_file_is_an_empty_block(tmp_path, mode):
    path = tmp_path / "empty"
    path.touch()
    block = map_file(path, mode)
    assert block.nbytes == 0
    block.flush()
    assert content(block).tolist() == []


def test_a_window_keeps_the_mapping_after_the_block_and_the_file_are_gone(path):
    window = content(map_file(path))
    path.unlink()
    gc.collect()
    assert window.tobytes() == CONTENT


def test_opening_reads_nothing(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    block = map_file(path, "r")
    assert block.nbytes == 1 << 40
    assert content(block)[1 << 39] == 0
