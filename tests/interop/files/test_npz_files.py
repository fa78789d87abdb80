"""Archives of arrays: what NumPy writes is read, what is written NumPy reads, damage is named."""

import contextlib
import io
import os
import pickle
import struct
import zipfile
import zlib

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onebuf import dtypes
from onebuf.errors import ArgumentError, DTypeError, FileFormatError
from onebuf.interop.files import NpzFile, open_file, open_npz, save_file, write_npz
from onebuf.memory import POOL, FileBlock

ARRAYS = {
    "a": np.arange(10.0),
    "columns": np.arange(6, dtype=np.int16).reshape(2, 3).T,
    "group/name": np.arange(5, dtype=np.complex64)[::-1],
    "größe": np.array(3, np.int8),
    "nothing": np.zeros((0, 3)),
    "flags": np.array([True, False, True]),
}
OTHER_ORDER = {
    "big": np.arange(5, dtype=">f8"),
    "complex": np.array([1 + 2j, 3 - 4j], ">c16"),
    "small": np.arange(6, dtype=">i2").reshape(2, 3),
}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_of_numpy_open(tmp_path, save):
    path = tmp_path / "a.npz"
    save(path, **ARRAYS, **OTHER_ORDER)
    archive = open_npz(path)
    assert list(archive) == [*ARRAYS, *OTHER_ORDER]
    for name, array in (ARRAYS | OTHER_ORDER).items():
        found = archive[name].window()
        assert found.dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(found, array)
        assert archive[name].block.address % array.itemsize == 0


@pytest.mark.parametrize("compressed", [False, True])
def test_numpy_reads_what_is_saved(tmp_path, compressed):
    path = tmp_path / "a.npz"
    save_file(path, ARRAYS, compressed=compressed)
    with np.load(path) as archive:
        assert archive.files == list(ARRAYS)
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(archive[name], array, strict=True)
    assert zipfile.ZipFile(path).testzip() is None


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda d: d.name)
def test_every_dtype_comes_back_or_is_refused(tmp_path, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    if dtype in dtypes.STANDARD or dtype == dtypes.float16:
        save_file(tmp_path / "a.npz", {"x": array})
        np.testing.assert_array_equal(open_npz(tmp_path / "a.npz")["x"].window(), array)
    else:
        with pytest.raises(DTypeError, match="safetensors"):
            save_file(tmp_path / "a.npz", {"x": array})
        assert os.listdir(tmp_path) == []


def test_what_is_saved_without_compression_is_mapped_and_aligned(tmp_path):
    path = tmp_path / "a.npz"
    save_file(path, ARRAYS)
    archive = open_npz(path)
    for name in ARRAYS:
        held = archive[name]
        assert isinstance(held.block, FileBlock)
        assert held.block.address % 64 == 0
        assert not held.window().flags.writeable


def test_writes_stay_in_memory_or_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    save_file(path, ARRAYS)
    before = path.read_bytes()
    archive = open_npz(path, "c")
    held = archive["a"]
    held.window()[0] = 99
    assert held.window()[0] == 99
    assert path.read_bytes() == before
    with pytest.raises(ArgumentError, match="checksum"):
        open_npz(path, "r+")


def test_a_single_array_is_named_as_numpy_does(tmp_path):
    save_file(tmp_path / "a.npz", np.arange(3))
    assert list(np.load(tmp_path / "a.npz")) == ["arr_0"]


@pytest.mark.parametrize("name", ["", "/x", "a\\b", "\0", "\ud800"])
def test_names_that_no_file_in_an_archive_has_are_refused(tmp_path, name):
    with pytest.raises(ArgumentError):
        save_file(tmp_path / "a.npz", {name: np.arange(3)})
    assert os.listdir(tmp_path) == []


def test_metadata_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="metadata"):
        save_file(tmp_path / "a.npz", {"x": np.arange(3)}, metadata={"a": "b"})


def test_an_empty_archive_opens(tmp_path):
    np.savez(tmp_path / "a.npz")
    assert list(open_file(tmp_path / "a.npz")) == []
    save_file(tmp_path / "b.npz", {})
    assert list(np.load(tmp_path / "b.npz")) == []


def npy(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def zipped(*members: tuple[str, bytes], method=zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def header(text: str) -> bytes:
    encoded = text.encode()
    return b"\x93NUMPY\x01\x00" + len(encoded).to_bytes(2, "little") + encoded


def claims(nbytes: int, method: int) -> bytes:
    """An archive whose one member claims a length that it has not."""
    content = bytearray(zipped(("a.npy", npy(np.zeros(100))), method=method))
    directory = content.index(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = struct.pack("<I", nbytes)
    return bytes(content)


HOSTILE = {
    "empty": b"",
    "a signature": b"PK\x03\x04",
    "text": b"not a zip file" * 10,
    "cut in the middle": zipped(("a.npy", npy(np.arange(100.0))))[:-200],
    "no array": zipped(("readme.txt", b"hello")),
    "no .npy inside": zipped(("a.npy", b"hello")),
    "an empty member": zipped(("a.npy", b"")),
    "twice": zipped(("a.npy", npy(np.arange(3))), ("b.npy", npy(np.arange(4)))).replace(
        b"b.npy", b"a.npy"
    ),
    "huge shape": zipped(
        ("a.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n"))
    ),
    "huge shape, deflated": zipped(
        ("a.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n")),
        method=zipfile.ZIP_DEFLATED,
    ),
    "negative shape": zipped(
        ("a.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}\n"))
    ),
    "long header": zipped(("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\x7f")),
    "objects": zipped(("a.npy", npy(np.arange(2)).replace(b"'<i8'", b"'|O' "))),
    "bzip2": zipped(("a.npy", npy(np.arange(3))), method=zipfile.ZIP_BZIP2),
    "lzma": zipped(("a.npy", npy(np.arange(3))), method=zipfile.ZIP_LZMA),
    "claims more than deflate can": claims(2**32 - 2, zipfile.ZIP_DEFLATED),
    "claims more than it stores": claims(2**32 - 2, zipfile.ZIP_STORED),
    "claims less than it stores": claims(100, zipfile.ZIP_STORED),
    "claims less than was deflated": claims(500, zipfile.ZIP_DEFLATED),
    "claims a little more": claims(929, zipfile.ZIP_DEFLATED),
}


def read_all(path) -> None:
    archive = open_npz(path)
    for name in archive:
        archive[name].window().copy()


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_archives_raise_and_allocate_nothing_large(tmp_path, case):
    path = tmp_path / "hostile.npz"
    path.write_bytes(HOSTILE[case])
    before = POOL.stats().in_use
    with pytest.raises(FileFormatError) as caught:
        read_all(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 1000
    assert POOL.stats().in_use - before < 1 << 20


def test_a_bomb_is_no_more_than_it_says(tmp_path):
    """A member that grows beyond the length that it claims is not decoded further."""
    content = npy(np.zeros(1000))
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = bomb.compress(content + bytes(50_000_000)) + bomb.flush()
    local = struct.pack(
        "<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 33, zlib.crc32(content), len(stream),
        len(content), 5, 0,
    )  # fmt: skip
    central = struct.pack(
        "<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 8, 0, 33, zlib.crc32(content), len(stream),
        len(content), 5, 0, 0, 0, 0, 0, 0,
    )  # fmt: skip
    body = local + b"a.npy" + stream
    end = struct.pack(
        "<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, len(central) + 5, len(body), 0
    )  # fmt: skip
    path = tmp_path / "bomb.npz"
    path.write_bytes(body + central + b"a.npy" + end)
    before = POOL.stats().peak
    assert open_npz(path)["a"].window().tolist() == [0.0] * 1000
    assert POOL.stats().peak - before < 1 << 20


def test_a_changed_byte_is_found_where_the_array_is_read(tmp_path):
    path = tmp_path / "a.npz"
    content = bytearray(zipped(("x.npy", npy(np.arange(100.0)))))
    content[content.index(b"PK\x01\x02") - 5] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="checksum"):
        NpzFile("a.npz", bytes(content), None)["x"]


def test_pickles_are_never_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return open, (str(tmp_path / "ran"), "w")

    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([Trap()], object), allow_pickle=True)
    for content in (file.getvalue(), pickle.dumps(Trap())):
        (tmp_path / "a.npz").write_bytes(zipped(("x.npy", content)))
        with pytest.raises(FileFormatError):
            read_all(tmp_path / "a.npz")
    assert not (tmp_path / "ran").exists()


def test_encrypted_members_are_refused(tmp_path):
    content = bytearray(zipped(("x.npy", npy(np.arange(3)))))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(FileFormatError, match="encrypted"):
        open_npz(tmp_path / "a.npz")


GOOD = [
    zipped(("a.npy", npy(np.arange(20))), ("b.npy", npy(np.ones((3, 2)))), method=method)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
]


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(GOOD),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=6),
    st.integers(0, 2000),
    st.booleans(),
)
def test_any_damage_gives_arrays_or_a_named_error(tmp_path, good, changes, length, cut):
    content = bytearray(good)
    for position, value in changes:
        content[position % len(content)] = value
    if cut:
        del content[length % len(content) :]
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    with contextlib.suppress(FileFormatError):
        read_all(path)


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\\\0/", exclude_categories=["Cs"]), min_size=1),
        st.integers(0, 300).map(lambda n: np.arange(n, dtype=np.int16)),
        max_size=5,
    ),
    st.booleans(),
)
def test_any_names_and_lengths_come_back(arrays, compressed):
    file = io.BytesIO()
    write_npz(file, arrays, compressed=compressed)
    found = NpzFile("memory", file.getvalue(), None)
    assert {name: found[name].window().tolist() for name in found} == {
        name: array.tolist() for name, array in arrays.items()
    }
    file.seek(0)
    assert np.load(file).keys() == arrays.keys()


def test_narrow_floats_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(DTypeError, match="bfloat16"):
        save_file(tmp_path / "a.npz", {"x": np.zeros(3), "y": np.zeros(3, ml_dtypes.bfloat16)})
    assert os.listdir(tmp_path) == []
