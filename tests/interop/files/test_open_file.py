"""Opening by path alone: which format it is, and what cannot be opened."""

import os

import numpy as np
import pytest
import zarr

from onebuf.errors import ArgumentError, FileFormatError
from onebuf.interop import files
from onebuf.interop.files import Held, SafetensorsFile, open_file, save_file
from onebuf.interop.files.zarr import ZarrGroup, ZarrSource


def test_suffixes_decide(tmp_path):
    array = np.arange(4, dtype=np.int16)
    kinds = {"a.npy": Held, "A.NPY": Held, "b.safetensors": SafetensorsFile, "c.zarr": ZarrSource}
    for name, kind in kinds.items():
        save_file(tmp_path / name, array)
        assert isinstance(open_file(tmp_path / name), kind)
        assert isinstance(open_file(str(tmp_path / name), "r+"), kind)
    save_file(tmp_path / "d.zarr", {"x": array})
    assert isinstance(open_file(tmp_path / "d.zarr"), ZarrGroup)


def test_magic_bytes_tell_npy_files_of_any_name(tmp_path):
    for name in ("array", "array.dat", "array.bin"):
        save_file(tmp_path / name, np.arange(3.0), format="npy")
        assert open_file(tmp_path / name).window().tolist() == [0, 1, 2]


def test_a_directory_with_metadata_is_a_store(tmp_path):
    zarr.create_array(tmp_path / "three", shape=(2,), dtype="i4", zarr_format=3)
    zarr.create_array(tmp_path / "two", shape=(2,), dtype="i4", zarr_format=2)
    zarr.open_group(tmp_path / "group", mode="w", zarr_format=2)
    assert isinstance(open_file(tmp_path / "three"), ZarrSource)
    assert isinstance(open_file(tmp_path / "two"), ZarrSource)
    assert isinstance(open_file(tmp_path / "group"), ZarrGroup)


@pytest.mark.parametrize("name", ["numbers.txt", "numbers.dat", "numbers", "a.npz.old", "x.h5"])
def test_a_file_of_unknown_kind_is_refused_unless_it_is_described(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(np.arange(6, dtype=np.float32).tobytes())
    with pytest.raises(FileFormatError, match=r"dtype= or format='raw'"):
        open_file(path)
    assert open_file(path, format="raw").view.shape == (24,)
    assert open_file(path, dtype="uint8").view.shape == (24,)
    assert open_file(path, shape=(2, 12)).view.shape == (2, 12)
    held = open_file(path, dtype="float32", shape=(2, -1), offset_bytes=8)
    assert held.window().tolist() == [[2, 3], [4, 5]]


@pytest.mark.parametrize("name", ["numbers.bin", "numbers.raw"])
def test_raw_files_are_bytes_unless_it_is_said_what_they_are(tmp_path, name):
    (tmp_path / name).write_bytes(bytes(range(6)))
    assert open_file(tmp_path / name).window().tolist() == [0, 1, 2, 3, 4, 5]


def test_archives_are_known_by_their_first_bytes(tmp_path):
    save_file(tmp_path / "a.npz", {"x": np.arange(3)})
    (tmp_path / "a.npz").rename(tmp_path / "a.backup")
    assert open_file(tmp_path / "a.backup")["x"].window().tolist() == [0, 1, 2]


def test_a_named_format_wins_over_suffix_and_content(tmp_path):
    save_file(tmp_path / "a.npy", np.arange(3, dtype=np.uint8))
    assert open_file(tmp_path / "a.npy", format="raw").view.shape == (131,)
    with pytest.raises(FileFormatError, match="safetensors"):
        open_file(tmp_path / "a.npy", format="safetensors")


@pytest.mark.parametrize("name", ["a.npy", "a.safetensors", "a.zarr"])
@pytest.mark.parametrize("argument", [{"dtype": "int8"}, {"shape": (2,)}, {"offset_bytes": 0}])
def test_files_that_describe_themselves_take_no_description(tmp_path, name, argument):
    save_file(tmp_path / name, np.arange(2, dtype=np.int8))
    with pytest.raises(ArgumentError, match="format='raw'"):
        open_file(tmp_path / name, **argument)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize("name", ["a.npy", "a.safetensors", "a.zarr", "a.bin", "a", "no/a.npy"])
def test_a_missing_file_is_never_created(tmp_path, name, mode):
    with pytest.raises(FileNotFoundError) as caught:
        open_file(tmp_path / name, mode)
    assert caught.value.filename == str(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_a_directory_that_is_no_store_raises(tmp_path):
    with pytest.raises(ArgumentError, match=r"zarr\.json"):
        open_file(tmp_path)
    (tmp_path / "empty.zarr").mkdir()
    with pytest.raises(FileFormatError, match=r"empty\.zarr: needed a zarr store"):
        open_file(tmp_path / "empty.zarr")
    assert os.listdir(tmp_path / "empty.zarr") == []


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "file.zarr").write_text("hello")
    with pytest.raises(FileFormatError, match=r"file\.zarr: needed a zarr store"):
        open_file(tmp_path / "file.zarr")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs Unix for pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.npy")
    with pytest.raises(ArgumentError, match="pipe"):
        open_file(tmp_path / "pipe.npy")


@pytest.mark.parametrize("options", [{"mode": "w"}, {"mode": "rb"}, {"format": "hdf5"}])
def test_unknown_modes_and_formats_raise(tmp_path, options):
    save_file(tmp_path / "a.npy", np.arange(3))
    with pytest.raises(ArgumentError, match=r"needs .*, got|got 'hdf5'"):
        open_file(tmp_path / "a.npy", **options)
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2]


def test_public_names_are_sorted_and_there():
    assert files.__all__ == sorted(files.__all__)
    assert all(hasattr(files, name) for name in files.__all__)
