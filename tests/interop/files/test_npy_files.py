"""Opening .npy files: NumPy's are read as NumPy reads them, and hostile ones get an error."""

import io
import os
import struct
import tracemalloc
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from onebuf import dtypes
from onebuf.errors import FileFormatError
from onebuf.interop.files import open_npy

NPY_DTYPES = (*dtypes.STANDARD, dtypes.float16)


def npy_bytes(array: np.ndarray, **options) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def with_header(text: str, data: bytes = bytes(64), version=(1, 0)) -> bytes:
    encoded = text.encode("utf-8")
    length = struct.pack("<H" if version == (1, 0) else "<I", len(encoded))
    return b"\x93NUMPY" + bytes(version) + length + encoded + data


def header(descr="'<f4'", fortran="False", shape="(2, 3)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


def assert_in_bounds(held, path) -> None:
    size = path.stat().st_size
    assert 0 <= held.block.offset_bytes <= held.block.offset_bytes + held.block.nbytes <= size
    low, high = held.view.span
    assert 0 <= low <= high <= held.block.nbytes // held.dtype.itemsize
    assert np.array(held.window()).shape == held.view.shape


@pytest.mark.parametrize("dtype", NPY_DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0, 2), (5,), (2, 3), (2, 1, 4)], ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy_files_open_as_numpy_loads_them(tmp_path, dtype, shape, order):
    array = np.asarray(np.arange(np.prod(shape)).reshape(shape).astype(dtype), order=order)
    path = tmp_path / "array.npy"
    np.save(path, array)
    held = open_npy(path)
    assert held.dtype == dtype
    assert held.view.shape == shape
    assert held.view.offset == 0
    np.testing.assert_array_equal(held.window(), np.load(path), strict=True)


def test_column_major_files_become_permuted_views(tmp_path):
    path = tmp_path / "array.npy"
    np.save(path, np.asfortranarray(np.arange(24).reshape(2, 3, 4)))
    assert open_npy(path).view.stride == (1, 2, 6)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_opens(tmp_path, version):
    path = tmp_path / "array.npy"
    path.write_bytes(npy_bytes(np.arange(6.0).reshape(2, 3), version=version))
    np.testing.assert_array_equal(open_npy(path).window(), np.arange(6.0).reshape(2, 3))


def test_bytes_after_the_last_element_are_ignored(tmp_path):
    path = tmp_path / "array.npy"
    path.write_bytes(npy_bytes(np.arange(3)) + b"more")
    held = open_npy(path)
    assert held.window().tolist() == [0, 1, 2]
    assert held.block.nbytes == 24


HOSTILE = {
    "empty file": (b"", "starts with"),
    "wrong magic": (b"\x93NUMPX\x01\x00" + bytes(100), "starts with"),
    "zip file": (b"PK\x03\x04" + bytes(100), "starts with"),
    "unknown version": (with_header(header(), version=(9, 0)), "version"),
    "version that numpy refuses": (b"\x93NUMPY\xff\xff" + bytes(100), "version"),
    "2**60 elements": (with_header(header(shape=f"({2**60},)")), "truncated"),
    "2**60 by 2**60 elements": (with_header(header(shape=f"({2**60}, {2**60})")), "beyond any"),
    "0 by 2**70 elements": (with_header(header(shape=f"(0, {2**70})")), "beyond any"),
    "extent of 4000 hex digits": (with_header(header(shape=f"(0x1{'0' * 3900},)")), "beyond any"),
    "negative extent": (with_header(header(shape="(-1, 3)")), "0 or more"),
    "two negative extents": (with_header(header(shape="(-2, -3)")), "0 or more"),
    "extent that is a bool": (with_header(header(shape="(True, 3)")), "integers"),
    "extent that is a float": (with_header(header(shape="(2.0, 3)")), "shape"),
    "extent that is text": (with_header(header(shape="('2', 3)")), "shape"),
    "shape that is no tuple": (with_header(header(shape="6")), "shape"),
    "65 axes": (with_header(header(shape=f"({'1, ' * 65})")), "65 axes"),
    "one element too many": (with_header(header(shape="(17,)")), "truncated"),
    "objects": (with_header(header(descr="'|O'")), "never unpickled"),
    "text": (with_header(header(descr="'<U4'")), "needed one of"),
    "dates": (with_header(header(descr="'<M8[s]'")), "needed one of"),
    "huge text": (with_header(header(descr="'|S2147483647'", shape="()")), "needed one of"),
    "structured": (with_header(header(descr="[('a', '<f4'), ('b', '<i4')]")), "structured"),
    "objects in a structure": (with_header(header(descr="[('a', '|O')]")), "never unpickled"),
    "subarrays": (with_header(header(descr="('<f4', (2,))")), "structured"),
    "nameless bytes": (with_header(header(descr="'<V2'")), "safetensors"),
    "big-endian": (with_header(header(descr="'>f4'")), "onebuf.load"),
    "unknown dtype": (with_header(header(descr="'<z9'")), "descr"),
    "dtype that is a number": (with_header(header(descr="7")), "header"),
    "dtype tuple of one": (with_header(header(descr="('<f4',)")), "header"),
    "order that is no bool": (with_header(header(fortran="1")), "fortran_order"),
    "missing key": (with_header("{'descr': '<f4', 'shape': (2,)}\n"), "keys"),
    "key too many": (with_header(header()[:-2] + "'x': 1}\n"), "keys"),
    "keys of two types": (with_header("{1: 2, 'a': 3}\n"), "header"),
    "no dictionary": (with_header("[1, 2]\n"), "dictionary"),
    "code": (with_header("__import__('os').abort()\n"), "header"),
    "half a dictionary": (with_header("{'descr': '<f4', "), "header"),
    "unclosed text": (with_header("'''"), "header"),
    "bad indent": (with_header("  1\n 2\n   3"), "header"),
    "deep nesting": (with_header("(" * 3000), "header"),
    "many signs": (with_header("-" * 4000 + "1"), "header"),
    "NUL bytes": (with_header("\0" * 50), "header"),
    "empty header": (with_header(""), "header"),
    "header beyond the limit": (with_header(header() + " " * 5000), "at most 4096"),
    "header of 4 GiB": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100), "at most 4096"),
    "header not of its encoding": (b"\x93NUMPY\x03\x00\x04\0\0\0\xff\xfe\xfd\xfc", "header"),
}


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_raise_and_stay_as_they_are(tmp_path, case, mode):
    content, reason = HOSTILE[case]
    path = tmp_path / "hostile.npy"
    path.write_bytes(content)
    before = path.stat()
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError) as caught:
            open_npy(path, mode)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert peak < 4_000_000
    assert path.read_bytes() == content
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert os.listdir(tmp_path) == ["hostile.npy"]


@pytest.mark.parametrize(
    "dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn]
)
def test_what_numpy_saves_of_narrow_floats_is_refused_with_advice(tmp_path, dtype):
    np.save(tmp_path / "array.npy", np.zeros(3, dtype))
    with pytest.raises(FileFormatError, match="safetensors"):
        open_npy(tmp_path / "array.npy")


def test_the_advice_for_other_byte_orders_works(tmp_path):
    path = tmp_path / "array.npy"
    np.save(path, np.arange(3, dtype=">f4"))
    with pytest.raises(FileFormatError, match="byte order"):
        open_npy(path)
    a = np.load(path)
    np.save(path, a.astype(a.dtype.newbyteorder("=")))
    assert open_npy(path).window().tolist() == [0, 1, 2]


def test_pickles_are_never_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "exploded",))

    np.save(tmp_path / "bomb.npy", np.array([Bomb()], object), allow_pickle=True)
    with pytest.raises(FileFormatError, match="never unpickled"):
        open_npy(tmp_path / "bomb.npy")
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_a_file_truncated_anywhere_raises(tmp_path, version):
    content = npy_bytes(np.arange(5, dtype=np.int16), version=version)
    path = tmp_path / "short.npy"
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(FileFormatError) as caught:
            open_npy(path)
        assert str(caught.value).startswith(f"{path}: ")


VALID = [
    npy_bytes(np.arange(6, dtype=np.int16).reshape(2, 3)),
    npy_bytes(np.asfortranarray(np.ones((2, 3, 2), np.complex64)), version=(2, 0)),
    npy_bytes(np.array(True), version=(3, 0)),
]
PIECES = [b"-", b"9", b"0x", b"(", b")", b"[", b"'", b"\n", b"\xff", b"L", b"'|O'", b"1e9", b"True"]


@st.composite
def mutated(draw, valid=tuple(VALID), pieces=tuple(PIECES)):
    """A valid file in which a few bytes were replaced, inserted or removed."""
    content = bytearray(draw(st.sampled_from(valid)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        removed = draw(st.integers(0, 3))
        added = draw(st.one_of(st.sampled_from(pieces), st.binary(max_size=4)))
        content[at : at + removed] = added
    return bytes(content)


@pytest.mark.filterwarnings("ignore")  # Python's parser comments on the text it is given
@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=mutated())
@example(content=VALID[0])
def test_a_mutated_file_raises_or_stays_in_bounds(tmp_path, content):
    path = tmp_path / "fuzz.npy"
    path.write_bytes(content)
    message = None
    try:
        held = open_npy(path)
    except FileFormatError as error:
        message = str(error)
    if message is not None:
        assert message.startswith(f"{path}: ")
    else:
        assert_in_bounds(held, path)
    assert path.read_bytes() == content


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    array=hnp.arrays(
        st.sampled_from(NPY_DTYPES), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)
    ),
    data=st.data(),
)
def test_any_array_that_numpy_saves_opens_equal(tmp_path, array, data):
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    path = tmp_path / "array.npy"
    np.save(path, array)
    window = open_npy(path).window()
    assert (window.shape, window.dtype) == (array.shape, array.dtype)
    assert window.tobytes() == array.tobytes()
