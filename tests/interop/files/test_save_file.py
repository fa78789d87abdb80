"""Saving: what NumPy, safetensors and zarr then read, and that it is all or nothing."""

import errno
import os
import stat
import tracemalloc
from collections.abc import Mapping

import ml_dtypes
import numpy as np
import pytest
import safetensors
import safetensors.numpy
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from onebuf import dtypes
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError
from onebuf.interop.files import (
    atomic_write,
    elements,
    npy,
    open_file,
    open_npy,
    open_raw,
    open_safetensors,
    save_file,
)
from onebuf.interop.files import safetensors as safetensors_format

FORMATS = ["npy", "safetensors", "raw", "zarr"]
SHAPES = [(), (0,), (0, 3), (5,), (2, 3), (2, 1, 4)]

BASES = st.sampled_from(dtypes.ALL).flatmap(
    lambda dtype: hnp.arrays(
        np.dtype(f"u{dtype.itemsize}") if dtype.itemsize < 16 else dtype,
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
    ).map(lambda array: (array, dtype))
)


def as_dtype(bits: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """``bits`` as any pattern of ``dtype``; booleans have but two."""
    return bits % 2 == 1 if dtype == dtypes.bool else bits.view(dtype)


@st.composite
def laid_out(draw):
    """Arrays of every type, permuted, reversed, strided or broadcast."""
    bits, dtype = draw(BASES)
    array = as_dtype(bits, dtype)
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    steps = draw(st.tuples(*[st.sampled_from([1, -1, 2, -3])] * array.ndim))
    array = array[tuple(slice(None, None, step) for step in steps)]
    if draw(st.booleans()):
        array = np.broadcast_to(array, (2, *array.shape))
    return array


def read_back(path, array) -> np.ndarray:
    if path.suffix == ".npy":
        return open_npy(path).window()
    if path.suffix == ".safetensors":
        return open_safetensors(path)["data"].window()
    if path.suffix == ".raw":
        return open_raw(path, dtype=array.dtype.newbyteorder("="), shape=array.shape).window()
    source = open_file(path)
    return source.read([(0, extent) for extent in source.shape])


def fits(format: str, dtype: np.dtype) -> bool:
    if format == "safetensors":
        return dtype != dtypes.complex128
    return format == "raw" or dtype in dtypes.STANDARD or dtype == dtypes.float16


def contents(folder) -> dict:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda d: d.name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_what_is_saved_opens_equal_or_is_refused(tmp_path, format, dtype, shape):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    path = tmp_path / f"array.{format}"
    if fits(format, dtype):
        save_file(path, array)
        found = read_back(path, array)
        assert (found.dtype, found.shape) == (dtype, shape)
        assert found.tobytes() == array.tobytes()
    else:
        with pytest.raises(DTypeError, match=r"save it as \."):
            save_file(path, array)
        assert os.listdir(tmp_path) == []


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(array=laid_out(), format=st.sampled_from(["npy", "safetensors", "raw"]))
def test_any_layout_is_saved(tmp_path, array, format):
    if not fits(format, array.dtype):
        return
    path = tmp_path / f"array.{format}"
    save_file(path, array)
    found = read_back(path, array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()
    if format == "npy":
        assert np.load(path).tobytes() == array.tobytes()
    if format == "safetensors":
        [(name, tensor)] = safetensors.deserialize(path.read_bytes())
        assert (name, tuple(tensor["shape"])) == ("data", array.shape)
        assert bytes(tensor["data"]) == array.tobytes()


def test_elements_larger_than_a_piece_keep_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr(elements, "PIECE_NBYTES", 64)
    array = np.arange(5 * 7 * 11, dtype=np.int32).reshape(5, 7, 11).transpose(1, 2, 0)[::-2]
    save_file(tmp_path / "a.npy", array)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), array, strict=True)


@pytest.mark.parametrize("format", FORMATS)
def test_other_byte_orders_are_saved_in_ours(tmp_path, format):
    array = np.arange(6, dtype=">i4").reshape(2, 3).T
    path = tmp_path / f"array.{format}"
    save_file(path, array)
    assert read_back(path, array).tolist() == array.tolist()


def test_column_major_arrays_stay_so_in_npy_files(tmp_path):
    save_file(tmp_path / "a.npy", np.asfortranarray(np.arange(6).reshape(2, 3)))
    loaded = np.load(tmp_path / "a.npy")
    assert loaded.flags.f_contiguous
    assert loaded.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("format", ["npy", "safetensors", "raw"])
def test_saving_a_strided_array_makes_no_copy_of_it(tmp_path, format):
    array = np.zeros((4000, 4000), np.float32).T[::2]
    tracemalloc.start()
    try:
        save_file(tmp_path / f"large.{format}", array)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < array.nbytes / 4


def test_safetensors_files_hold_names_metadata_and_aligned_data(tmp_path):
    arrays = {
        "flags": np.array([True, False, True]),
        "größe": np.arange(3, dtype=np.float64),
        "half": np.ones(3, ml_dtypes.bfloat16),
        "scalar": np.array(2.5, np.float32),
        "strided": np.arange(10, dtype=np.int64)[::3],
        "nothing": np.zeros((0, 2), np.int16),
    }
    path = tmp_path / "model.safetensors"
    save_file(path, arrays, metadata={"made by": "wir"})
    loaded = safetensors.numpy.load_file(path)
    opened = open_safetensors(path)
    assert list(opened) == list(arrays)
    assert opened.metadata == {"made by": "wir"}
    with safetensors.safe_open(path, "np") as file:
        assert file.metadata() == {"made by": "wir"}
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name], array, strict=True)
        np.testing.assert_array_equal(opened[name].window(), array, strict=True)
        assert opened[name].block.address % array.itemsize == 0
    assert int.from_bytes(path.read_bytes()[:8], "little") % 8 == 0


def test_an_empty_mapping_is_saved(tmp_path):
    for name in ("none.safetensors", "none.zarr"):
        save_file(tmp_path / name, {})
        assert len(open_file(tmp_path / name)) == 0
    assert safetensors.numpy.load_file(tmp_path / "none.safetensors") == {}


def test_zarr_stores_are_read_by_zarr(tmp_path):
    array = np.arange(12.0).reshape(3, 4).T
    save_file(tmp_path / "one.zarr", array, metadata={"unit": "m"})
    stored = zarr.open_array(tmp_path / "one.zarr", mode="r")
    assert dict(stored.attrs) == {"unit": "m"}
    np.testing.assert_array_equal(stored[...], array)
    save_file(tmp_path / "two.zarr", {"a/b": array, "c": array[0]}, metadata={"epoch": 3})
    group = zarr.open_group(tmp_path / "two.zarr", mode="r")
    assert dict(group.attrs) == {"epoch": 3}
    np.testing.assert_array_equal(group["a/b"][...], array)
    np.testing.assert_array_equal(group["c"][...], array[0])


@pytest.mark.parametrize("format", FORMATS)
def test_saving_again_replaces_everything(tmp_path, format):
    path = tmp_path / f"array.{format}"
    save_file(path, np.arange(100))
    save_file(path, np.arange(3, dtype=np.int8))
    assert read_back(path, np.zeros(3, np.int8)).tolist() == [0, 1, 2]
    assert os.listdir(tmp_path) == [path.name]


def test_a_mapped_file_can_be_replaced_by_itself(tmp_path):
    path = tmp_path / "a.npy"
    save_file(path, np.arange(1000))
    window = open_npy(path).window()
    save_file(path, window[::-1])
    assert np.load(path).tolist() == list(range(1000))[::-1]
    assert window.tolist() == list(range(1000))


class Broken(Mapping):
    """A mapping whose last array cannot be computed."""

    def __iter__(self):
        return iter(["a", "b"])

    def __len__(self):
        return 2

    def __getitem__(self, name):
        if name == "b":
            raise ZeroDivisionError("while producing")
        return np.arange(3)


def fill_disk(monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    def partly(file, array):
        file.write(b"half of it")
        full()

    for module in (npy, safetensors_format):
        monkeypatch.setattr(module, "write_elements", partly)
    monkeypatch.setattr("onebuf.interop.files.dispatch.write_elements", partly)
    monkeypatch.setattr("onebuf.interop.files.zarr._write_array", full)


def fail_at_the_end(monkeypatch):
    """Refuse to give the target's name to what was written, and that only once."""
    for name in ("replace", "rename"):
        genuine = getattr(os, name)

        def refuse(source, target, name=name, genuine=genuine):
            if os.path.basename(target).startswith("target"):
                monkeypatch.setattr(atomic_write.os, name, genuine)
                raise PermissionError("not now")
            genuine(source, target)

        monkeypatch.setattr(atomic_write.os, name, refuse)


def interrupt(monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(npy, "write_elements", stop)
    monkeypatch.setattr(safetensors_format, "write_elements", stop)
    monkeypatch.setattr("onebuf.interop.files.dispatch.write_elements", stop)
    monkeypatch.setattr("onebuf.interop.files.zarr._write_array", stop)


@pytest.mark.parametrize("existing", [True, False], ids=["over an old file", "new"])
@pytest.mark.parametrize(
    "inject, error",
    [(fill_disk, OSError), (fail_at_the_end, PermissionError), (interrupt, KeyboardInterrupt)],
)
@pytest.mark.parametrize("format", FORMATS)
def test_a_failure_leaves_everything_as_it_was(
    tmp_path, monkeypatch, format, inject, error, existing
):
    path = tmp_path / f"target.{format}"
    if existing:
        save_file(path, np.arange(50))
    before = contents(tmp_path)
    inject(monkeypatch)
    with pytest.raises(error):
        save_file(path, np.arange(7.0))
    assert contents(tmp_path) == before
    assert os.listdir(tmp_path) == ([path.name] if existing else [])


@pytest.mark.parametrize(
    "arrays, options, error",
    [
        (np.array([object()]), {}, DTypeError),
        (np.array(["text"]), {}, DTypeError),
        (np.zeros(2, [("a", "f4")]), {}, DTypeError),
        ({"a": np.arange(3), "b": np.array([None])}, {}, DTypeError),
        ({1: np.arange(3)}, {}, ArgumentTypeError),
        (Broken(), {}, ZeroDivisionError),
    ],
    ids=["object", "text", "structured", "object in a mapping", "number as name", "broken"],
)
@pytest.mark.parametrize("format", FORMATS)
def test_arrays_that_cannot_be_saved_leave_everything_as_it_was(
    tmp_path, format, arrays, options, error
):
    path = tmp_path / f"target.{format}"
    save_file(path, np.arange(50))
    before = contents(tmp_path)
    with pytest.raises(error):
        save_file(path, arrays, **options)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "name, arrays, options, error",
    [
        ("a.npy", {"x": np.arange(3)}, {}, ArgumentTypeError),
        ("a.raw", {"x": np.arange(3)}, {}, ArgumentTypeError),
        ("a.npy", np.arange(3), {"metadata": {"a": "b"}}, ArgumentError),
        ("a.bin", np.arange(3), {"metadata": {"a": "b"}}, ArgumentError),
        ("a.txt", np.arange(3), {}, ArgumentError),
        ("a.npy", np.arange(3), {"format": "hdf5"}, ArgumentError),
        ("a.safetensors", {"__metadata__": np.arange(3)}, {}, ArgumentError),
        ("a.safetensors", {"\ud800": np.arange(3)}, {}, ArgumentError),
        ("a.safetensors", np.arange(3), {"metadata": {"a": 1}}, ArgumentTypeError),
        ("a.safetensors", {"x": np.zeros(1, complex)}, {}, DTypeError),
        ("a.safetensors", {"x": np.arange(3)}, {"metadata": {"a": "b" * 10**8}}, ArgumentError),
        ("a.zarr", {"../x": np.arange(3)}, {}, ArgumentError),
        ("a.zarr", {"": np.arange(3)}, {}, ArgumentError),
        ("a.zarr", {"/x": np.arange(3)}, {}, ArgumentError),
        ("a.zarr", {"zarr.json": np.arange(3)}, {}, ArgumentError),
        ("a.zarr", {"x/y": np.arange(3), "x": np.arange(3)}, {}, ArgumentError),
        ("a.zarr", {"x": np.arange(3), "y": np.zeros(1, ml_dtypes.bfloat16)}, {}, DTypeError),
        ("no/a.npy", np.arange(3), {}, FileNotFoundError),
        ("no/a.zarr", np.arange(3), {}, FileNotFoundError),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path, name, arrays, options, error):
    with pytest.raises(error):
        save_file(tmp_path / name, arrays, **options)
    assert os.listdir(tmp_path) == []


def test_only_a_zarr_store_is_replaced_by_one(tmp_path):
    (tmp_path / "folder.zarr").mkdir()
    (tmp_path / "folder.zarr" / "thesis.txt").write_text("years of work")
    (tmp_path / "file.zarr").write_text("more work")
    before = contents(tmp_path)
    for name in ("folder.zarr", "file.zarr"):
        with pytest.raises(ArgumentError, match="not replaced"):
            save_file(tmp_path / name, np.arange(3))
    assert contents(tmp_path) == before
    assert sorted(os.listdir(tmp_path)) == ["file.zarr", "folder.zarr"]


def test_a_directory_is_not_replaced_by_a_file(tmp_path):
    (tmp_path / "a.npy").mkdir()
    with pytest.raises(ArgumentError, match="directory"):
        save_file(tmp_path / "a.npy", np.arange(3))
    assert os.listdir(tmp_path) == ["a.npy"]


@pytest.mark.skipif(os.name == "nt", reason="needs Unix permissions")
def test_permissions_and_links_are_kept(tmp_path):
    target = tmp_path / "target.npy"
    (tmp_path / "fresh").touch()
    save_file(target, np.arange(3))
    usual = stat.S_IMODE((tmp_path / "fresh").stat().st_mode)
    assert stat.S_IMODE(target.stat().st_mode) == usual
    target.chmod(0o640)
    (tmp_path / "link.npy").symlink_to(target)
    save_file(tmp_path / "link.npy", np.arange(4))
    assert (tmp_path / "link.npy").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert np.load(target).tolist() == [0, 1, 2, 3]
