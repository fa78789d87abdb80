"""Zarr stores: regions are read and written as the zarr package would, and damage is named."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onebuf import dtypes
from onebuf.errors import (
    ArgumentError,
    DTypeError,
    FileFormatError,
    IndexRangeError,
    ReadOnlyError,
    ShapeError,
)
from onebuf.interop.files import open_file, save_file
from onebuf.interop.files.zarr import ZarrGroup, ZarrSource, open_zarr

ZARR_DTYPES = (*dtypes.STANDARD, dtypes.float16)


def whole(source) -> np.ndarray:
    return source.read([(0, extent) for extent in source.shape])


@pytest.fixture
def path(tmp_path):
    """A store of 0..59 in shape (6, 10), in chunks of 2 by 5."""
    path = tmp_path / "numbers.zarr"
    array = zarr.create_array(path, shape=(6, 10), chunks=(2, 5), dtype="int32")
    array[...] = np.arange(60).reshape(6, 10)
    return path


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", ZARR_DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (3, 4)], ids=str)
def test_stores_of_the_package_open(tmp_path, dtype, shape, zarr_format):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    path = tmp_path / "array.zarr"
    zarr.create_array(path, shape=shape, dtype=dtype, zarr_format=zarr_format)[...] = array
    source = open_zarr(path)
    assert (source.shape, source.dtype, source.writable) == (shape, dtype, False)
    np.testing.assert_array_equal(whole(source), array, strict=True)


def test_a_region_of_an_axisless_array_is_empty_bounds(tmp_path):
    zarr.create_array(tmp_path / "a.zarr", shape=(), dtype="int8")[...] = 7
    assert open_zarr(tmp_path / "a.zarr").read([]).shape == ()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_other_byte_orders_are_read_and_written_in_ours(tmp_path, zarr_format):
    path = tmp_path / "array.zarr"
    array = zarr.create_array(path, shape=(3,), dtype=">i4", zarr_format=zarr_format)
    array[...] = [1, 2, 3]
    source = open_zarr(path, "r+")
    assert source.dtype.isnative
    assert source.read([(0, 3)]).dtype == np.dtype("int32")
    source.write([(1, 2)], np.array([9], "int32"))
    assert whole(source).tolist() == [1, 9, 3]
    assert zarr.open_array(path, mode="r")[...].tolist() == [1, 9, 3]


ranges = st.tuples(st.integers(0, 10), st.integers(0, 10)).map(sorted).map(tuple)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.tuples(ranges.filter(lambda r: r[1] <= 6), ranges), st.booleans())
def test_regions_are_read_and_written_as_numpy_slices(path, bounds, column_major):
    source = open_zarr(path, "r+")
    expected = whole(source)
    key = tuple(slice(*r) for r in bounds)
    np.testing.assert_array_equal(source.read(bounds), expected[key], strict=True)
    new = np.asarray(expected[key] + 1, order="F" if column_major else "C")
    source.write(bounds, new)
    source.flush()
    expected[key] += 1
    np.testing.assert_array_equal(zarr.open_array(path, mode="r")[...], expected)


def chunk_file(path, *index):
    return path.joinpath("c", *map(str, index))


def test_only_the_chunks_of_a_region_are_read(path):
    for row, column in [(0, 1), (1, 0), (2, 0), (2, 1)]:
        chunk_file(path, row, column).write_bytes(b"damage")
    source = open_zarr(path)
    assert source.read([(0, 2), (0, 5)]).tolist() == [[0, 1, 2, 3, 4], [10, 11, 12, 13, 14]]
    assert source.read([(2, 3), (6, 8)]).tolist() == [[26, 27]]


def test_only_the_chunks_of_a_region_are_written(path):
    files = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    open_zarr(path, "r+").write([(1, 2), (0, 3)], np.full((1, 3), -1, "int32"))
    changed = {p for p, content in files.items() if p.read_bytes() != content}
    assert changed == {chunk_file(path, 0, 0)}
    assert files.keys() == {p for p in path.rglob("*") if p.is_file()}


def test_a_damaged_chunk_is_named(path):
    chunk_file(path, 1, 1).write_bytes(b"damage")
    with pytest.raises(FileFormatError) as caught:
        whole(open_zarr(path))
    assert str(caught.value).startswith(f"{path}: cannot read the region ((0, 6), (0, 10))")


def test_stores_open_for_reading_by_default(path):
    source = open_zarr(path)
    assert isinstance(source, ZarrSource)
    with pytest.raises(ReadOnlyError, match=r"mode='r\+'"):
        source.write([(0, 1), (0, 1)], np.zeros((1, 1), "int32"))
    assert whole(open_zarr(path)).sum() == sum(range(60))


def test_writes_that_stay_in_memory_are_refused(path):
    with pytest.raises(ArgumentError, match="mode='c'"):
        open_zarr(path, "c")


@pytest.mark.parametrize(
    "bounds", [[(0, 1)], [(0, 7), (0, 1)], [(-1, 2), (0, 1)], [(3, 2), (0, 1)], [(0, 1)] * 3]
)
def test_regions_outside_the_array_raise(path, bounds):
    with pytest.raises(IndexRangeError, match="one range"):
        open_zarr(path).read(bounds)
    with pytest.raises(IndexRangeError, match="one range"):
        open_zarr(path, "r+").write(bounds, np.zeros((1, 1), "int32"))


def test_writes_need_the_shape_and_type_of_the_region(path):
    source = open_zarr(path, "r+")
    with pytest.raises(ShapeError, match=r"\(2, 2\)"):
        source.write([(0, 2), (0, 2)], np.zeros((2, 1), "int32"))
    with pytest.raises(DTypeError, match="int32"):
        source.write([(0, 1), (0, 1)], np.zeros((1, 1), "float64"))
    assert whole(source).sum() == sum(range(60))


def test_groups_open_as_mappings_with_nested_names(tmp_path):
    path = tmp_path / "model.zarr"
    group = zarr.open_group(path, mode="w", attributes={"epoch": 3})
    group.create_array("b/weight", shape=(2,), dtype="float32")[...] = [1, 2]
    group.create_array("a", shape=(), dtype="int8")[...] = 5
    opened = open_zarr(path, "r+")
    assert isinstance(opened, ZarrGroup)
    assert list(opened) == ["a", "b/weight"]
    assert len(opened) == 2
    assert opened.metadata == {"epoch": 3}
    assert repr(opened) == "ZarrGroup(['a', 'b/weight'])"
    assert opened["b/weight"].name == f"{path}/b/weight"
    opened["b/weight"].write([(0, 1)], np.array([9], "float32"))
    assert zarr.open_group(path, mode="r")["b/weight"][...].tolist() == [9, 2]
    assert whole(open_file(path / "b" / "weight")).tolist() == [9, 2]


def test_consolidated_metadata_cannot_lead_outside_the_store(tmp_path):
    secret = tmp_path / "secret"
    zarr.create_array(secret, shape=(2,), dtype="int8")[...] = [1, 2]
    path = tmp_path / "store.zarr"
    zarr.open_group(path, mode="w")
    metadata = json.loads((path / "zarr.json").read_text())
    metadata["consolidated_metadata"] = {
        "kind": "inline",
        "must_understand": False,
        "metadata": {"../secret": json.loads((secret / "zarr.json").read_text())},
    }
    (path / "zarr.json").write_text(json.dumps(metadata))
    assert list(open_zarr(path)) == []


GOOD = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4],
    "data_type": "int32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    "attributes": {},
}

HOSTILE = {
    "empty": "",
    "not JSON": "{",
    "not UTF-8": b"\xff\xfe\x00",
    "deep nesting": "[" * 100_000,
    "a list": "[]",
    "an empty object": "{}",
    "no node type": {"zarr_format": 3},
    "unknown node type": {"zarr_format": 3, "node_type": "tree"},
    "other version": {**GOOD, "zarr_format": 4},
    "version of text": {**GOOD, "zarr_format": "3"},
    "an array without a shape": {k: v for k, v in GOOD.items() if k != "shape"},
    "negative extent": {**GOOD, "shape": [-4]},
    "extent of text": {**GOOD, "shape": ["4"]},
    "shape null": {**GOOD, "shape": None},
    "2**70 elements": {**GOOD, "shape": [2**70]},
    "2**40 by 2**40 elements": {
        **GOOD,
        "shape": [2**40, 2**40],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
    },
    "unknown dtype": {**GOOD, "data_type": "quaternion"},
    "text elements": {**GOOD, "data_type": "string", "fill_value": ""},
    "unknown codec": {**GOOD, "codecs": [{"name": "magic"}]},
    "codecs null": {**GOOD, "codecs": None},
    "unknown grid": {**GOOD, "chunk_grid": {"name": "hexagons"}},
    "fill value of text": {**GOOD, "fill_value": "many"},
    "attributes of a number": {"zarr_format": 3, "node_type": "group", "attributes": 3},
}


@pytest.mark.filterwarnings("ignore::FutureWarning")  # zarr's view of text elements
@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("case", HOSTILE)
def test_corrupt_metadata_raises_and_stays_as_it_is(tmp_path, case, mode):
    content = HOSTILE[case]
    if not isinstance(content, bytes):
        content = (content if isinstance(content, str) else json.dumps(content)).encode()
    path = tmp_path / "hostile.zarr"
    path.mkdir()
    (path / "zarr.json").write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        open_zarr(path, mode)
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value)) < 1000
    assert os.listdir(path) == ["zarr.json"]
    assert (path / "zarr.json").read_bytes() == content


def test_the_metadata_that_the_corrupt_cases_vary_is_valid(tmp_path):
    (tmp_path / "zarr.json").write_text(json.dumps(GOOD))
    assert whole(open_zarr(tmp_path)).tolist() == [0, 0, 0, 0]


def test_a_corrupt_array_in_a_group_is_an_error(tmp_path):
    save_file(tmp_path / "group.zarr", {"a": np.arange(3), "b": np.arange(3)})
    (tmp_path / "group.zarr" / "b" / "zarr.json").write_text("{")
    with pytest.raises(FileFormatError, match=r"group\.zarr"):
        open_zarr(tmp_path / "group.zarr")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"zarr_format": 2}'])
def test_corrupt_metadata_of_version_2_raises(tmp_path, content):
    path = tmp_path / "hostile.zarr"
    path.mkdir()
    (path / ".zarray").write_text(content)
    with pytest.raises(FileFormatError) as caught:
        open_zarr(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_without_the_package_the_error_names_the_extra(path):
    child = (
        "import sys; sys.modules['zarr'] = None\n"
        "from onebuf.errors import MissingPackage\n"
        "from onebuf.interop.files import open_file, save_file\n"
        "import numpy as np\n"
        "path, new = sys.argv[1:]\n"
        "for action in (lambda: open_file(path), lambda: save_file(new, np.ones(2))):\n"
        "    try: action()\n"
        "    except MissingPackage as error: assert \"pip install 'onebuf[zarr]'\" in str(error)\n"
        "    else: raise SystemExit('no error')\n"
    )
    new = path.with_name("new.zarr")
    subprocess.run([sys.executable, "-c", child, str(path), str(new)], check=True)
    assert not new.exists()


def test_importing_the_package_of_files_does_not_import_zarr():
    child = "import sys, onebuf, onebuf.interop.files; assert 'zarr' not in sys.modules"
    subprocess.run([sys.executable, "-c", child], check=True)
