"""Arrow in both directions."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from onebuf import dtypes
from onebuf.errors import CopyError, DTypeError, ExportError
from onebuf.interop.foreign import view_foreign
from onebuf.memory import POOL

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from onebuf.interop.arrow import to_arrow  # noqa: E402 - after the skip

SHARED = [
    *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
    *(dtypes.float16, dtypes.float32, dtypes.float64),
]


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def take(obj: Any, copy: bool | None = None) -> Any:
    foreign = view_foreign(obj, copy=copy)
    assert foreign is not None
    return foreign


@pytest.mark.parametrize("dtype", SHARED, ids=str)
def test_numbers_are_shared_in_both_directions(dtype: np.dtype[Any]) -> None:
    window = np.arange(5).astype(dtype)
    array = to_arrow(window)
    array.validate(full=True)
    assert array.to_pylist() == window.tolist()
    assert array.buffers()[1].address == address(window)
    back = take(array, copy=False).array
    assert (address(back), back.dtype) == (address(window), dtype)


def test_booleans_become_bits() -> None:
    array = to_arrow(np.array([True, False, True]))
    assert (array.type, array.to_pylist()) == (pa.bool_(), [True, False, True])


def test_bits_come_back_as_a_copy() -> None:
    array = pa.array([True, False])
    found, reason = take(array)
    assert (found.dtype, found.tolist()) == (dtypes.bool, [True, False])
    assert reason is not None
    with pytest.raises(CopyError):
        take(array, copy=False)


def test_a_type_is_cast_to() -> None:
    array = to_arrow(np.array([1, 2]), type=pa.float32())
    assert (array.type, array.to_pylist()) == (pa.float32(), [1, 2])


def test_elements_with_gaps_are_copied() -> None:
    array = to_arrow(np.arange(6)[::-2])
    assert array.to_pylist() == [5, 3, 1]
    assert array.buffers()[1].address % 64 == 0


def test_nothing_is_an_empty_array() -> None:
    assert len(to_arrow(np.zeros(0, "int32"))) == 0


@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_more_or_fewer_axes_than_one_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ExportError, match="reshape"):
        to_arrow(np.zeros(shape))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "complex64"])
def test_types_that_arrow_lacks_are_refused(name: str) -> None:
    with pytest.raises(ExportError, match=f"no type for {name}"):
        to_arrow(np.zeros(2, dtypes.as_dtype(name)))


def test_an_array_outlives_the_memorys_owner() -> None:
    block = POOL.allocate(4096)
    window = block.window((512,), dtypes.int64)
    window[...] = 7
    array = to_arrow(window)
    del block, window
    gc.collect()
    others = [POOL.allocate(4096) for _ in range(64)]
    for other in others:
        other.window((4096,), dtypes.uint8)[...] = 255
    assert array.to_pylist() == [7] * 512


def test_the_foreign_array_outlives_its_owner() -> None:
    found = take(pa.array(range(1000))).array
    gc.collect()
    noise = [pa.array([1] * 1000) for _ in range(50)]
    assert found.tolist() == list(range(1000))
    assert len(noise) == 50


def test_foreign_arrays_are_read_only() -> None:
    assert not take(pa.array([1, 2])).array.flags.writeable


def test_a_slice_is_shared() -> None:
    array = pa.array([1, 2, 3, 4])[1:3]
    assert take(array, copy=False).array.tolist() == [2, 3]


@pytest.mark.parametrize(
    "obj", [pa.array([1, None]), pa.chunked_array([[1], [None]]), pa.array([None, 1.0])]
)
def test_nulls_are_refused(obj: Any) -> None:
    with pytest.raises(ExportError, match=r"1 nulls; pass \.fill_null"):
        view_foreign(obj)


def test_chunks_need_a_copy() -> None:
    chunks = pa.chunked_array([[1, 2], [3]])
    assert take(chunks).array.tolist() == [1, 2, 3]
    with pytest.raises(CopyError):
        take(chunks, copy=False)


def test_text_is_refused() -> None:
    with pytest.raises(DTypeError):
        view_foreign(pa.array(["a"]))


def test_a_buffer_is_shared_as_bytes() -> None:
    buffer = pa.py_buffer(b"abc")
    found = take(buffer, copy=False).array
    assert (found.tolist(), address(found)) == ([97, 98, 99], buffer.address)


def test_interop_does_not_import_pyarrow() -> None:
    program = "import sys, onebuf.interop; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
