"""Files as buffers: what `onebuf.open` and `onebuf.save` promise, whatever the format."""

from __future__ import annotations

import gc
import io
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, OnebufError
from onebuf.dtypes import ALL

FORMATS = ["npy", "safetensors", "bin", "zarr"]
NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
CANNOT_HOLD = {"npy": NARROW, "zarr": NARROW, "safetensors": ("complex128",), "bin": ()}
HELD = [(f, d.name) for f in FORMATS for d in ALL if d.name not in CANNOT_HOLD[f]]
REFUSED = [(suffix, name) for suffix in FORMATS for name in CANNOT_HOLD[suffix]]


def open_one(path: Path, like: np.ndarray, mode: str = "r") -> Buffer:
    if path.suffix == ".bin":
        return onebuf.open(path, mode, dtype=like.dtype, shape=like.shape)
    opened = onebuf.open(path, mode)
    return opened["data"] if path.suffix == ".safetensors" else opened


def numbers() -> np.ndarray:
    return np.arange(60, dtype=np.float32).reshape(4, 3, 5)


@pytest.mark.parametrize("suffix, dtype", REFUSED)
def test_a_dtype_that_a_format_lacks_is_named(tmp_path: Path, suffix: str, dtype: str) -> None:
    with pytest.raises(OnebufError, match=dtype):
        onebuf.save(tmp_path / f"x.{suffix}", Buffer([1.0], dtype=dtype))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix, dtype", HELD)
def test_every_dtype_comes_back(tmp_path: Path, suffix: str, dtype: str) -> None:
    wanted = Buffer(np.arange(6).reshape(2, 3), dtype=dtype)
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, wanted)
    found = open_one(path, np.asarray(wanted))
    assert found.dtype == wanted.dtype
    assert found.to_python() == wanted.to_python()


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_lazy_and_permuted_buffer_is_saved_as_it_reads(tmp_path: Path, suffix: str) -> None:
    with onebuf.config(eager_numel=0):
        buffer = (Buffer(numbers()) * 2).permute(2, 0, 1)[::-1]
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, buffer)
    wanted = (numbers() * 2).transpose(2, 0, 1)[::-1]
    assert open_one(path, wanted).to_python() == wanted.tolist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_parts_are_read_as_of_an_array(tmp_path: Path, suffix: str) -> None:
    array = numbers()
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, Buffer(array))
    buffer = open_one(path, array)
    assert buffer[1:3, ::2, -1].to_python() == array[1:3, ::2, -1].tolist()
    assert buffer.T[2:, :, ::-2].to_python() == array.T[2:, :, ::-2].tolist()
    assert buffer.reshape(12, 5)[3:9].to_python() == array.reshape(12, 5)[3:9].tolist()
    assert buffer.flip().sum(axis=1).to_python() == np.flip(array).sum(axis=1).tolist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_slice_writes_its_elements_and_no_others(tmp_path: Path, suffix: str) -> None:
    array = numbers()
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, Buffer(array))
    buffer = open_one(path, array, "r+")
    buffer[1:3, ::2, 1:4] = -1
    buffer.permute(2, 0, 1)[4] = 7
    buffer.flush()
    array[1:3, ::2, 1:4] = -1
    array.transpose(2, 0, 1)[4] = 7
    assert open_one(path, array).to_python() == array.tolist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_masks_lists_and_operators_write_to_the_file(tmp_path: Path, suffix: str) -> None:
    array = numbers()
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, Buffer(array))
    buffer = open_one(path, array, "r+")
    with onebuf.config(eager_numel=0):
        before = buffer[0] * 1
    buffer += 1
    part = buffer[1:3]
    part *= 2
    buffer[Buffer(array > 50)] = -1
    buffer[[0, 3], 1] = -2
    buffer.flush()
    wanted = array + 1
    wanted[1:3] *= 2
    wanted[array > 50] = -1
    wanted[[0, 3], 1] = -2
    assert open_one(path, array).to_python() == wanted.tolist()
    assert before.to_python() == array[0].tolist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_opened_for_reading_refuses_operators(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, Buffer(numbers()))
    buffer = open_one(path, numbers())
    with pytest.raises(ValueError, match=r"mode='r\+'"):
        buffer += 1
    with pytest.raises(ValueError, match=r"mode='r\+'"):
        buffer[[0]] = 1
    assert buffer.to_python() == numbers().tolist()


def test_numpy_cannot_be_told_to_write_to_a_store(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    onebuf.save(path, Buffer(numbers()))
    buffer = onebuf.open(path, "r+")
    with pytest.raises(BufferError, match="assign the result"):
        np.add(buffer, 1, out=buffer)
    with pytest.raises(BufferError, match="assign the result"):
        np.sum(buffer, axis=0, out=buffer[0])
    assert onebuf.open(path).to_python() == numbers().tolist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_work_on_a_file_never_sees_a_later_write(tmp_path: Path, suffix: str) -> None:
    array = numbers()
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, Buffer(array))
    buffer = open_one(path, array, "r+")
    with onebuf.config(eager_numel=0):
        total = buffer[:2].sum() + 1
        copied = buffer.copy()
    buffer[...] = 0
    assert total.item() == array[:2].sum() + 1
    assert copied.to_python() == array.tolist()
    assert buffer.to_python() == (array * 0).tolist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_opened_for_reading_refuses_writes(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, Buffer(numbers()))
    buffer = open_one(path, numbers())
    with pytest.raises(ValueError, match=r"mode='r\+'") as caught:
        buffer[0] = 1
    assert isinstance(caught.value, OnebufError)
    assert buffer.to_python() == numbers().tolist()


@pytest.mark.parametrize("suffix", ["npy", "bin"])
def test_closing_waits_for_windows_and_views(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    onebuf.save(path, Buffer(numbers()))
    buffer = open_one(path, numbers())
    window, view = np.asarray(buffer), buffer[0]
    with pytest.raises(BufferError, match="window"):
        buffer.close()
    del window
    with pytest.raises(BufferError, match="view"):
        buffer.close()
    assert view.to_python() == numbers()[0].tolist()
    del view
    gc.collect()
    buffer.close()
    with pytest.raises(BufferError, match="freed"):
        buffer.to_python()


def test_a_window_outlives_the_buffer_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    onebuf.save(path, Buffer(numbers()))
    window = np.asarray(onebuf.open(path))
    gc.collect()
    os.remove(path)
    assert window.tolist() == numbers().tolist()


def test_an_archive_is_a_mapping_of_buffers(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    parts = {"w": Buffer([[1.0, 2.0]]), "b": Buffer([3], dtype="bfloat16"), "none": Buffer([])}
    onebuf.save(path, parts, metadata={"made": "here"})
    with onebuf.open(path) as archive:
        assert list(archive) == ["w", "b", "none"]
        assert archive.metadata == {"made": "here"}
        assert {name: part.to_python() for name, part in archive.items()} == {
            "w": [[1.0, 2.0]],
            "b": [3.0],
            "none": [],
        }
        with pytest.raises(KeyError, match="no 'x'; it has w, b, none"):
            archive["x"]
    assert len(archive) == 0


def test_opening_a_missing_file_creates_nothing(tmp_path: Path) -> None:
    for suffix in FORMATS:
        for mode in ("r", "r+", "c"):
            with pytest.raises(FileNotFoundError):
                onebuf.open(tmp_path / f"missing.{suffix}", mode)
    assert list(tmp_path.iterdir()) == []


def test_a_file_larger_than_what_is_read_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.bin"
    with path.open("wb") as file:
        file.truncate(64 * 2**30)
    before = onebuf.memory_stats()["CPU"].in_use
    buffer = onebuf.open(path, dtype="float64", shape=(-1, 1024))
    assert buffer.shape == (8 * 2**20, 1024)
    assert buffer[123456, ::512].to_python() == [0.0, 0.0]
    assert buffer.T[5, -3:].sum().item() == 0.0
    assert onebuf.memory_stats()["CPU"].in_use - before < 10_000


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    onebuf.save(path, Buffer([1, 2]))
    with pytest.raises(OnebufError, match="safetensors"):
        onebuf.save(path, Buffer([1, 2], dtype="bfloat16"))
    with pytest.raises(TypeError, match="asarray"):
        onebuf.save(path, None)
    assert [p.name for p in tmp_path.iterdir()] == ["x.npy"]
    assert onebuf.open(path).to_python() == [1, 2]


def test_a_file_can_be_saved_over_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    onebuf.save(path, Buffer([1, 2, 3]))
    onebuf.save(path, onebuf.open(path).flip())
    assert onebuf.open(path).to_python() == [3, 2, 1]


@pytest.mark.parametrize("suffix", ["npy", "safetensors"])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_header_is_an_error_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("hostile") / f"x.{suffix}"
    onebuf.save(path, Buffer(np.arange(6.0).reshape(2, 3)))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, min(128, len(content) - 1)))] = data.draw(
            st.integers(0, 255)
        )
    content = content[: data.draw(st.sampled_from([len(content), len(content) // 2, 9]))]
    path.write_bytes(content)
    before = onebuf.memory_stats()["CPU"].in_use
    fault = None
    opened: object = []
    try:
        opened = onebuf.open(path, format=suffix)
    except OnebufError as error:
        fault = error
    if fault is None:
        buffers = opened.values() if suffix == "safetensors" else [opened]
        assert sum(buffer.nbytes for buffer in buffers) <= len(content)
    else:
        assert isinstance(fault, ValueError)
        assert str(path) in str(fault)
    assert path.read_bytes() == content
    assert onebuf.memory_stats()["CPU"].in_use - before < 100_000


# -- NumPy's names --------------------------------------------------------------------------------


def test_load_reads_what_numpy_and_we_saved(tmp_path: Path) -> None:
    array = numbers().transpose(2, 0, 1)
    for number, save in enumerate((np.save, onebuf.save)):
        path = tmp_path / f"{number}.npy"
        save(path, array)
        found = onebuf.load(path)
        assert isinstance(found, Buffer)
        assert found.dtype == array.dtype
        assert found.to_python() == array.tolist()
        found[0, 0, 0] = 99  # memory of its own
        assert found[0, 0, 0] == 99
        assert np.load(path).tolist() == array.tolist()


@pytest.mark.parametrize("dtype", [">f8", ">i2", ">c8", ">u4", ">f2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_load_turns_other_byte_orders_into_ours(tmp_path: Path, dtype: str, order: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype, order=order)
    np.save(tmp_path / "x.npy", array)
    found = onebuf.load(tmp_path / "x.npy")
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.to_python() == array.tolist()
    with pytest.raises(OnebufError, match="byte order"):
        onebuf.open(tmp_path / "x.npy")


def test_load_with_a_mode_maps_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    onebuf.save(path, [1.0, 2.0])
    mapped = onebuf.load(path, mmap_mode="r+")
    mapped[0] = 5
    mapped.close()
    assert np.load(path).tolist() == [5, 2]


def test_save_adds_a_suffix_as_numpy_does(tmp_path: Path) -> None:
    for name in ("plain", "version.1", "notes.txt"):
        onebuf.save(tmp_path / name, [1, 2])
        assert np.load(tmp_path / f"{name}.npy").tolist() == [1, 2]
    onebuf.savez(tmp_path / "several", [1, 2], x=[3.0])
    assert sorted(np.load(tmp_path / "several.npz")) == ["arr_0", "x"]
    with pytest.raises(OnebufError, match="ends in"):
        onebuf.save(tmp_path / "unclear.txt", {"x": Buffer([1])})


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_savez_is_read_by_numpy_and_by_us(tmp_path: Path, save: str) -> None:
    path = tmp_path / "x.npz"
    getattr(onebuf, save)(path, Buffer([1, 2]), numbers(), weight=Buffer([0.5]), bias=3)
    wanted = {"weight": [0.5], "bias": 3, "arr_0": [1, 2], "arr_1": numbers().tolist()}
    assert {name: array.tolist() for name, array in np.load(path).items()} == wanted
    for archive in (onebuf.open(path), onebuf.load(path)):
        assert archive.files == list(archive) == list(wanted)
        assert {name: buffer.to_python() for name, buffer in archive.items()} == wanted


def test_an_archive_that_was_loaded_gives_new_buffers_each_time(tmp_path: Path) -> None:
    onebuf.savez(tmp_path / "x.npz", a=[1, 2])
    archive = onebuf.load(tmp_path / "x.npz")
    first = archive["a"]
    first += 1
    assert archive["a"].to_python() == [1, 2]
    opened = onebuf.open(tmp_path / "x.npz")
    assert opened["a"] is opened["a"]


def test_a_name_given_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="arr_0"):
        onebuf.savez(tmp_path / "x.npz", [1], arr_0=[2])
    assert list(tmp_path.iterdir()) == []


def test_open_files_hold_one_array_after_another() -> None:
    file = io.BytesIO()
    arrays = [np.arange(3), np.ones((2, 2)), np.array(5, np.int8)]
    for array in arrays:
        onebuf.save(file, Buffer(array))
    file.seek(0)
    assert [np.load(file).tolist() for _ in arrays] == [array.tolist() for array in arrays]
    file.seek(0)
    assert [onebuf.load(file).tolist() for _ in arrays] == [array.tolist() for array in arrays]
    with pytest.raises(OnebufError):
        onebuf.load(file)


def test_archives_go_to_open_files_too() -> None:
    file = io.BytesIO()
    onebuf.savez(file, a=[1, 2])
    file.seek(0)
    assert np.load(file)["a"].tolist() == [1, 2]
    file.seek(0)
    assert onebuf.load(file)["a"].tolist() == [1, 2]


def test_a_pipe_that_ends_early_is_an_error_without_a_large_allocation() -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.left = io.BytesIO(content)

        def read(self, size: int = -1) -> bytes:
            return self.left.read(size)

    with pytest.raises(OnebufError, match="only 64 follow"):
        onebuf.load(Pipe())
    with pytest.raises(OnebufError, match="only 64 follow"):
        onebuf.load(io.BytesIO(content))


@pytest.mark.parametrize("file", [3, None, io.StringIO(), object()])
def test_what_is_no_file_is_named(file: object) -> None:
    for function in (onebuf.load, lambda file: onebuf.save(file, [1]), onebuf.savez):
        with pytest.raises(TypeError, match="needed a path"):
            function(file)


# -- with -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.npy", "x.safetensors", "x.npz"])
def test_with_does_not_hide_the_error_of_its_block(tmp_path: Path, name: str) -> None:
    onebuf.save(tmp_path / name, Buffer([1.0, 2.0, 3.0]))
    views = []

    def fail() -> None:
        with onebuf.open(tmp_path / name) as opened:
            buffer = opened if isinstance(opened, Buffer) else next(iter(opened.values()))
            views.append(buffer[1:])
            raise ZeroDivisionError("the user's")

    with pytest.raises(ZeroDivisionError) as caught:
        fail()
    assert any("closing failed, too" in note for note in caught.value.__notes__)
    assert views[0].to_python() == [2, 3]


def test_with_closes_when_its_block_fails_and_nothing_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    onebuf.save(path, Buffer([1.0, 2.0]))
    opened = onebuf.open(path, "r+")

    def fail() -> None:
        with opened:
            opened[0] = 7
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        fail()
    assert not hasattr(caught.value, "__notes__")
    assert np.load(path).tolist() == [7, 2]
    with pytest.raises(OnebufError):
        opened.tolist()


def test_an_archive_closes_what_it_can(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    onebuf.save(path, {"a": Buffer([1.0]), "b": Buffer([2.0])})
    archive = onebuf.open(path)
    other, view = archive["b"], archive["a"][:1]
    with pytest.raises(BufferError, match="views"):
        archive.close()
    with pytest.raises(OnebufError):
        other.tolist()
    assert list(archive) == ["a"]
    assert view.tolist() == [1.0]
    del view
    archive.close()
    assert list(archive) == []
