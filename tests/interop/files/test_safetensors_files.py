"""Opening .safetensors files: those of the safetensors package, and hostile ones."""

import json
import os
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from onebuf import dtypes
from onebuf.errors import FileFormatError
from onebuf.interop.files import SafetensorsFile, open_safetensors
from onebuf.interop.files.safetensors import DTYPES


def file_bytes(header: object, data: bytes = b"") -> bytes:
    """A file with this header: bytes as they are, text in UTF-8, anything else as JSON."""
    if not isinstance(header, bytes):
        header = (header if isinstance(header, str) else json.dumps(header)).encode()
    return len(header).to_bytes(8, "little") + header + data


def entry(dtype="F32", shape=(2,), offsets=(0, 8)) -> dict:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def assert_in_bounds(tensors: SafetensorsFile, path) -> None:
    size = path.stat().st_size
    for held in tensors.values():
        assert 0 <= held.block.offset_bytes <= held.block.offset_bytes + held.block.nbytes <= size
        assert held.view.numel * held.dtype.itemsize == held.block.nbytes
        assert np.array(held.window()).shape == held.view.shape


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (5,), (2, 3)], ids=str)
def test_every_dtype_opens_as_the_package_wrote_it(tmp_path, code, shape):
    dtype = DTYPES[code]
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    path = tmp_path / "tensors.safetensors"
    safetensors.numpy.save_file({"x": array}, path)
    held = open_safetensors(path)["x"]
    assert (held.dtype, held.view.shape, held.view.offset) == (dtype, shape, 0)
    assert held.window().tobytes() == array.tobytes()


def test_files_of_the_package_open_with_names_and_metadata(tmp_path):
    arrays = {
        "bias": np.arange(3, dtype=np.float16),
        "weight": np.arange(6, dtype=np.float32).reshape(2, 3),
        "größe": np.array(7, np.int64),
        "half": np.ones(3, ml_dtypes.bfloat16),
        "nothing": np.zeros((0, 4), bool),
    }
    path = tmp_path / "model.safetensors"
    safetensors.numpy.save_file(arrays, path, metadata={"format": "np", "note": "ü"})
    opened = open_safetensors(path)
    assert opened.metadata == {"format": "np", "note": "ü"}
    assert set(opened) == set(arrays)
    assert len(opened) == 5
    for name, array in arrays.items():
        np.testing.assert_array_equal(opened[name].window(), array, strict=True)


def test_names_come_in_the_order_of_the_header(tmp_path):
    header = {"b": entry(offsets=(8, 16)), "c": entry(offsets=(0, 8)), "a": entry(offsets=(16, 24))}
    path = tmp_path / "order.safetensors"
    path.write_bytes(file_bytes(header, np.arange(6, dtype=np.float32).tobytes()))
    opened = open_safetensors(path)
    assert list(opened) == ["b", "c", "a"]
    assert opened["c"].window().tolist() == [0, 1]
    assert repr(opened) == "SafetensorsFile(['b', 'c', 'a'])"


def test_a_file_without_tensors_opens_empty(tmp_path):
    path = tmp_path / "empty.safetensors"
    path.write_bytes(file_bytes("{}"))
    assert dict(open_safetensors(path)) == {}


def test_data_may_start_anywhere(tmp_path):
    header = json.dumps({"x": entry("F64", (2,), (0, 16))})
    path = tmp_path / "odd.safetensors"
    for padding in range(8):
        text = header + " " * padding
        path.write_bytes(file_bytes(text, np.array([1.5, -2.5]).tobytes()))
        held = open_safetensors(path)["x"]
        assert held.block.address % 8 == (8 + len(text)) % 8
        assert held.window().tolist() == [1.5, -2.5]


def test_zero_size_tensors_may_share_a_position(tmp_path):
    header = {
        "a": entry(shape=(0,), offsets=(0, 0)),
        "b": entry(),
        "c": entry(shape=(0, 7), offsets=(8, 8)),
        "d": entry(shape=(3, 0), offsets=(8, 8)),
    }
    path = tmp_path / "zero.safetensors"
    path.write_bytes(file_bytes(header, bytes(8)))
    assert [held.view.shape for held in open_safetensors(path).values()] == [
        (0,),
        (2,),
        (0, 7),
        (3, 0),
    ]
    safetensors.numpy.load_file(path)


HOSTILE = {
    "empty file": (b"", "8 bytes or more"),
    "seven bytes": (bytes(7), "8 bytes or more"),
    "no header": (bytes(8), "starts with"),
    "length beyond the file": ((50).to_bytes(8, "little") + b"{}", "header of 50 bytes"),
    "length of 2**64 - 1": (b"\xff" * 8 + b"{}", "header of"),
    "length beyond the limit": ((100_000_001).to_bytes(8, "little") + b"{}", "header of"),
    "npy file": (b"\x93NUMPY\x01\x00" + bytes(100), "header of"),
    "not UTF-8": (file_bytes(b'{"\xff\xfe": 1}'), "UTF-8"),
    "UTF-16": (file_bytes("{}".encode("utf-16-le")), "JSON"),
    "byte order mark": (file_bytes(b"\xef\xbb\xbf{}"), "starts with"),
    "leading space": (file_bytes(" {}"), "starts with"),
    "not JSON": (file_bytes("{x}"), "JSON"),
    "two objects": (file_bytes("{}{}"), "JSON"),
    "half a surrogate pair": (file_bytes('{"\\ud800": {}}'), "JSON"),
    "NaN": (file_bytes('{"x": NaN}'), "NaN"),
    "number of 5000 digits": (file_bytes('{"x": ' + "9" * 5000 + "}"), "JSON"),
    "deep nesting": (file_bytes('{"x": ' + "[" * 100_000), "nested too deeply"),
    "a list": (file_bytes("[]"), "starts with"),
    "duplicate names": (
        file_bytes('{"x": %s, "x": %s}' % ((json.dumps(entry()),) * 2), bytes(8)),
        "'x' is there twice",
    ),
    "duplicate key in a tensor": (
        file_bytes('{"x": {"dtype": "F32", "dtype": "F32"}}'),
        "'dtype' is there twice",
    ),
    "duplicate metadata": (file_bytes('{"__metadata__": {"a": "b", "a": "c"}}'), "twice"),
    "metadata that is a list": (file_bytes({"__metadata__": ["a"]}), "__metadata__"),
    "metadata with a number": (file_bytes({"__metadata__": {"a": 1}}), "__metadata__"),
    "metadata that is null": (file_bytes({"__metadata__": None}), "__metadata__"),
    "tensor that is a list": (file_bytes({"x": []}), "dtype, shape and data_offsets"),
    "tensor that is null": (file_bytes({"x": None}), "dtype, shape and data_offsets"),
    "tensor without a shape": (
        file_bytes({"x": {"dtype": "F32", "data_offsets": [0, 0]}}),
        "dtype, shape and data_offsets",
    ),
    "unknown dtype": (file_bytes({"x": entry("F4")}, bytes(8)), "the tensor 'x'"),
    "dtype that is a list": (file_bytes({"x": entry(["F32"])}, bytes(8)), "the tensor 'x'"),
    "negative extent": (file_bytes({"x": entry(shape=(-2,))}, bytes(8)), "0 or more"),
    "two negative extents": (file_bytes({"x": entry(shape=(-2, -1))}, bytes(8)), "0 or more"),
    "extent that is a float": (file_bytes({"x": entry(shape=(2.0,))}, bytes(8)), "integers"),
    "extent that is a bool": (file_bytes({"x": entry(shape=(True, 2))}, bytes(8)), "integers"),
    "extent that is text": (file_bytes({"x": entry(shape=("2",))}, bytes(8)), "integers"),
    "shape that is a number": (
        file_bytes({"x": {"dtype": "F32", "shape": 2, "data_offsets": [0, 8]}}, bytes(8)),
        "integers",
    ),
    "2**60 elements": (file_bytes({"x": entry(shape=(2**60,))}, bytes(8)), "take"),
    "2**60 elements and bytes": (
        file_bytes({"x": entry(shape=(2**60,), offsets=(0, 2**62))}, bytes(8)),
        "truncated",
    ),
    "2**62 by 2**62 elements": (file_bytes({"x": entry(shape=(2**62,) * 2)}, bytes(8)), "beyond"),
    "product that wraps to 8 bytes": (
        file_bytes({"x": entry(shape=(2**32 + 2, 2**32))}, bytes(8)),
        "beyond",
    ),
    "0 by 2**63 elements": (
        file_bytes({"x": entry(shape=(0, 2**63), offsets=(0, 0))}),
        "beyond",
    ),
    "65 axes": (file_bytes({"x": entry(shape=(1,) * 65, offsets=(0, 4))}, bytes(4)), "65 axes"),
    "offsets outside the file": (file_bytes({"x": entry(offsets=(8, 16))}, bytes(8)), "truncated"),
    "offsets in reverse": (file_bytes({"x": entry(offsets=(8, 0))}, bytes(8)), "bytes [8, 0]"),
    "negative offsets": (file_bytes({"x": entry(offsets=(-8, 0))}, bytes(8)), "bytes [-8, 0]"),
    "offsets that are floats": (file_bytes({"x": entry(offsets=(0.0, 8.0))}, bytes(8)), "two"),
    "three offsets": (file_bytes({"x": entry(offsets=(0, 8, 8))}, bytes(8)), "two data_offsets"),
    "offsets that are null": (
        file_bytes({"x": {"dtype": "F32", "shape": [2], "data_offsets": None}}, bytes(8)),
        "two data_offsets",
    ),
    "too few bytes for the shape": (file_bytes({"x": entry(offsets=(0, 4))}, bytes(8)), "take 8"),
    "too many bytes for the shape": (file_bytes({"x": entry(shape=(1,))}, bytes(8)), "take 4"),
    "overlap": (
        file_bytes({"x": entry(), "y": entry(offsets=(4, 12))}, bytes(12)),
        "'y', at byte 4 of the data, overlaps",
    ),
    "same place twice": (file_bytes({"x": entry(), "y": entry()}, bytes(8)), "overlaps"),
    "zero-size inside another": (
        file_bytes({"x": entry(), "y": entry(shape=(0,), offsets=(4, 4))}, bytes(8)),
        "overlaps",
    ),
    "gap between": (
        file_bytes({"x": entry(), "y": entry(offsets=(12, 20))}, bytes(20)),
        "leaves a gap",
    ),
    "gap at the start": (file_bytes({"x": entry(offsets=(8, 16))}, bytes(16)), "leaves a gap"),
    "bytes at the end": (file_bytes({"x": entry()}, bytes(9)), "9 follow the header"),
    "a very long name": (file_bytes({"x" * 100_000: entry("Z")}), "the tensor 'xxx"),
}


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_raise_and_stay_as_they_are(tmp_path, case, mode):
    content, reason = HOSTILE[case]
    path = tmp_path / "hostile.safetensors"
    path.write_bytes(content)
    before = path.stat()
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError) as caught:
            open_safetensors(path, mode)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert peak < 4_000_000
    assert path.read_bytes() == content
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert os.listdir(tmp_path) == ["hostile.safetensors"]


ACCEPTED_BY_THE_PACKAGE = {
    "metadata that is null",  # the format's description asks for text
    "leading space",  # the description asks for "{"
    "duplicate names",  # the description forbids them
    "duplicate metadata",
    "0 by 2**63 elements",  # NumPy has no such shape
    "65 axes",  # likewise
    "unknown dtype",  # sub-byte floats, which NumPy has not
}


@pytest.mark.parametrize("case", sorted(HOSTILE.keys() - ACCEPTED_BY_THE_PACKAGE))
def test_the_package_refuses_the_same_files(case):
    with pytest.raises(safetensors.SafetensorError):
        safetensors.deserialize(HOSTILE[case][0])


def test_a_file_truncated_anywhere_raises(tmp_path):
    content = safetensors.numpy.save(
        {"a": np.arange(3, dtype=np.int16), "b": np.ones((2, 2), np.float32)}, {"k": "v"}
    )
    path = tmp_path / "short.safetensors"
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(FileFormatError) as caught:
            open_safetensors(path)
        assert str(caught.value).startswith(f"{path}: ")


VALID = [
    safetensors.numpy.save(
        {"a": np.arange(3, dtype=np.int16), "b": np.ones((2, 2), np.float32)}, {"k": "v"}
    ),
    file_bytes({"x": entry(), "y": entry("U8", (0, 3), (8, 8)), "z": entry("I8", (), (8, 9))})
    + bytes(9),
    file_bytes("{}"),
]
PIECES = [b"-", b"9", b"0", b"{", b"}", b"[", b'"', b",", b"\\", b"\xff", b"null", b"1e9", b"\0"]


@st.composite
def mutated(draw):
    """A valid file in which a few bytes were replaced, inserted or removed.

    Half of the time the header's length is made to fit again, so that the parser is reached.
    """
    content = bytearray(draw(st.sampled_from(VALID)))
    length = int.from_bytes(content[:8], "little")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, 8 + length))
        removed = draw(st.integers(0, 3))
        added = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)))
        if draw(st.booleans()) and at >= 8:
            length += len(added) - len(content[at : at + removed])
            content[:8] = max(0, length).to_bytes(8, "little")
        content[at : at + removed] = added
        length = max(0, length)
    return bytes(content)


def with_text(header: str) -> bytes:
    """A file without elements."""
    return len(header).to_bytes(8, "little") + header.encode()


@settings(
    max_examples=800, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=mutated())
@example(content=VALID[1])
@example(content=with_text('{"x": {"dtype": "U8", "shape": [-0, 3], "data_offsets": [0, 0]}}'))
@example(content=with_text('{"x": {"dtype": "U8", "shape": [0, 3], "data_offsets": [-0, 0]}}'))
def test_a_mutated_file_raises_or_stays_in_bounds(tmp_path, content):
    path = tmp_path / "fuzz.safetensors"
    path.write_bytes(content)
    message = None
    try:
        opened = open_safetensors(path)
    except FileFormatError as error:
        message = str(error)
    if message is not None:
        assert message.startswith(f"{path}: ")
    else:
        assert_in_bounds(opened, path)
        safetensors.deserialize(content)
    assert path.read_bytes() == content


numbers = st.one_of(st.integers(-2, 20), st.sampled_from([2**31, 2**60, 2**63, 2**64]), st.none())


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    header=st.dictionaries(
        st.sampled_from(["a", "b", "c"]),
        st.fixed_dictionaries(
            {
                "dtype": st.sampled_from(["F32", "U8", "BF16", "I64"]),
                "shape": st.lists(numbers, max_size=3),
                "data_offsets": st.lists(numbers, min_size=2, max_size=2),
            }
        ),
    ),
    nbytes=st.integers(0, 24),
)
def test_any_claim_raises_or_stays_in_bounds(tmp_path, header, nbytes):
    path = tmp_path / "claims.safetensors"
    path.write_bytes(file_bytes(header, bytes(nbytes)))
    try:
        opened = open_safetensors(path)
    except FileFormatError:
        return
    assert_in_bounds(opened, path)
    safetensors.deserialize(path.read_bytes())


def test_the_table_of_types_covers_all_that_buffers_hold_but_complex128():
    assert set(DTYPES.values()) == set(dtypes.ALL) - {dtypes.complex128}
