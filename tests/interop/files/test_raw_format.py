"""Opening raw files: the caller says what is in them, and it must fit."""

import numpy as np
import pytest

from onebuf import dtypes
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError, FileFormatError
from onebuf.interop.files import open_raw


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "numbers.bin"
    path.write_bytes(np.arange(6, dtype=np.int32).tobytes())
    return path


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda d: d.name)
def test_every_dtype_opens(tmp_path, dtype):
    array = np.arange(6).astype(dtype)
    path = tmp_path / "numbers.bin"
    path.write_bytes(array.tobytes())
    for spec in (dtype, dtype.name):
        held = open_raw(path, dtype=spec)
        assert (held.dtype, held.view.shape) == (dtype, (6,))
        assert held.window().tobytes() == array.tobytes()


def test_bytes_are_the_default(path):
    held = open_raw(path)
    assert (held.dtype, held.view.shape) == (dtypes.uint8, (24,))


@pytest.mark.parametrize(
    "shape, expected",
    [
        (6, (6,)),
        (-1, (6,)),
        ((2, 3), (2, 3)),
        ([2, -1], (2, 3)),
        ((-1, 6), (1, 6)),
        ((np.int64(3), 2), (3, 2)),
        ((1, -1, 1), (1, 6, 1)),
    ],
)
def test_shapes_fill_the_file(path, shape, expected):
    held = open_raw(path, dtype="int32", shape=shape)
    assert held.view.shape == expected
    assert held.window().tolist() == np.arange(6).reshape(expected).tolist()


def test_an_offset_skips_bytes_and_may_be_unaligned(path):
    assert open_raw(path, dtype="int32", offset_bytes=8).window().tolist() == [2, 3, 4, 5]
    path.write_bytes(b"x" + path.read_bytes())
    assert open_raw(path, dtype="int32", offset_bytes=1).window().tolist() == [0, 1, 2, 3, 4, 5]
    assert open_raw(path, dtype="int32", offset_bytes=25).view.shape == (0,)


def test_one_element_may_have_no_axes(path):
    assert open_raw(path, dtype="int32", shape=(), offset_bytes=20).window() == 5


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_an_empty_file_opens_empty(tmp_path, mode):
    path = tmp_path / "empty.bin"
    path.touch()
    held = open_raw(path, mode, "float32")
    assert held.view.shape == (0,)
    assert held.window().size == 0
    assert open_raw(path, mode, shape=(0, 5)).view.shape == (0, 5)
    held.block.flush()


@pytest.mark.parametrize(
    "arguments",
    [
        {"shape": 5, "dtype": "int32"},
        {"shape": 7, "dtype": "int32"},
        {"shape": (0,)},
        {"shape": (2**60, 2**60)},
        {"shape": (4, -1), "dtype": "int32"},
        {"dtype": "complex128"},
        {"dtype": "int32", "offset_bytes": 1},
        {"offset_bytes": 25},
    ],
    ids=str,
)
def test_what_does_not_fit_raises(path, arguments):
    with pytest.raises(FileFormatError) as caught:
        open_raw(path, **arguments)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"shape": (-1, -1)}, ArgumentError),
        ({"shape": (-2,)}, ArgumentError),
        ({"shape": (0, -1)}, ArgumentError),
        ({"shape": 2.5}, ArgumentTypeError),
        ({"shape": "12"}, ArgumentTypeError),
        ({"offset_bytes": -1}, ArgumentError),
        ({"mode": "w"}, ArgumentError),
        ({"dtype": object}, DTypeError),
        ({"dtype": ">i4"}, DTypeError),
        ({"dtype": np.dtype(">i4")}, DTypeError),
    ],
    ids=str,
)
def test_arguments_that_mean_nothing_raise(path, arguments, error):
    with pytest.raises(error):
        open_raw(path, **arguments)
