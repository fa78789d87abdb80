"""zarr arrays written from buffers and read into them.

What onebuf itself does with stores (`onebuf.open`, `onebuf.save`) is in tests/interop/files.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.core.buffer import default_buffer_prototype

import onebuf
from onebuf import Buffer

A = np.arange(24.0).reshape(4, 6) - 3


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """An array of zeros in chunks that do not divide it evenly."""
    return zarr.create_array(tmp_path / "a.zarr", shape=A.shape, chunks=(3, 4), dtype="f8")


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize(
    "write",
    [
        lambda z, a: z.__setitem__(slice(None), a),
        lambda z, a: z.__setitem__(..., a + 1),
        lambda z, a: z.__setitem__((slice(1, 3), slice(0, 4)), a[:2, :4] * 10),
        lambda z, a: z.__setitem__((slice(None), 0), a.T[1]),
        lambda z, a: z.__setitem__((slice(None), slice(None)), a[::-1, ::-1]),
        lambda z, a: z.__setitem__(slice(None), a.astype("float32")),
        lambda z, a: z.oindex.__setitem__(([0, 2], slice(None)), a[:2]),
        lambda z, a: z.vindex.__setitem__(([0, 2], [1, 1]), a[0, :2]),
        lambda z, a: z.set_mask_selection(A > 15, a[1, :5]),
        lambda z, a: z.blocks.__setitem__((0, 0), a[:3, :4] * 3),
        lambda z, a: z.append(a, axis=0),
        lambda z, a: z.__setitem__((0, 0), a[3, 3]),
    ],
)
def test_a_store_written_from_a_buffer_holds_its_elements(
    write: Any, eager_numel: int, store: Any, tmp_path: Path
) -> None:
    other = zarr.create_array(tmp_path / "b.zarr", shape=A.shape, chunks=(3, 4), dtype="f8")
    write(other, A)
    with onebuf.config(eager_numel=eager_numel):
        write(store, onebuf.asarray(A) + 0)
    np.testing.assert_array_equal(store[...], other[...])
    assert np.any(store[...])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
def test_an_array_created_from_a_buffer_has_its_dtype(dtype: str, tmp_path: Path) -> None:
    x = onebuf.asarray(A, dtype=dtype)
    z = zarr.create_array(tmp_path / "x.zarr", data=x, chunks=(2, 3))
    assert z.dtype == x.dtype
    np.testing.assert_array_equal(z[...], np.asarray(x))


def test_buffers_are_saved_alone_and_in_groups(tmp_path: Path) -> None:
    x = onebuf.asarray(A)
    zarr.save(tmp_path / "one.zarr", x)
    zarr.save_group(tmp_path / "two.zarr", x=x, y=x.T * 2)
    np.testing.assert_array_equal(zarr.load(tmp_path / "one.zarr"), A)
    group = zarr.open_group(tmp_path / "two.zarr", mode="r")
    np.testing.assert_array_equal(group["y"][...], A.T * 2)


def test_chunks_equal_to_the_fill_value_are_found_in_buffers(tmp_path: Path) -> None:
    config = {"write_empty_chunks": False}
    z = zarr.create_array(
        tmp_path / "a.zarr", shape=(4,), chunks=(2,), dtype="f8", fill_value=0.0, config=config
    )
    z[:] = onebuf.asarray([0.0, 0.0, 1.0, 0.0])
    assert z.nchunks_initialized == 1
    z[:] = onebuf.asarray([-0.0, 0.0, 1.0, 0.0])  # negative zero is another bit pattern
    assert z.nchunks_initialized == 2


def test_a_store_is_read_into_a_buffer(store: Any) -> None:
    store[...] = A
    out = onebuf.zeros((2, 6))
    into = default_buffer_prototype().nd_buffer.from_ndarray_like(out)
    store.get_basic_selection(slice(1, 3), out=into)
    np.testing.assert_array_equal(np.asarray(out), A[1:3])


def test_work_that_waits_never_sees_what_is_read_into_its_memory(store: Any) -> None:
    out = onebuf.asarray(np.ones((200, 300)))
    waiting = out + 1
    big = zarr.create_array({}, data=np.full((200, 300), 7.0), chunks=(100, 100))
    big.get_basic_selection(..., out=default_buffer_prototype().nd_buffer.from_ndarray_like(out))
    assert (waiting == 2).all()
    assert (out == 7).all()


def test_buffers_choose_what_is_read(store: Any) -> None:
    store[...] = A
    np.testing.assert_array_equal(store.oindex[onebuf.asarray([0, 2])], A[[0, 2]])
    np.testing.assert_array_equal(store.get_mask_selection(onebuf.asarray(A > 15)), A[A > 15])


def test_what_is_read_becomes_a_buffer(store: Any) -> None:
    store[...] = A
    for x in (onebuf.asarray(store[1:3]), onebuf.asarray(store)[1:3]):
        assert type(x) is Buffer
        np.testing.assert_array_equal(np.asarray(x), A[1:3])


def test_a_pipeline_through_a_store_block_by_block(store: Any, tmp_path: Path) -> None:
    store[...] = A
    target = zarr.create_array(tmp_path / "t.zarr", shape=A.shape, chunks=(3, 4), dtype="f8")
    with onebuf.open(tmp_path / "a.zarr") as source:
        scaled = (source - source.mean()) / source.std()
        for low in range(0, 4, 2):
            # zarr cannot read a store for a buffer while it writes another one
            target[low : low + 2] = scaled[low : low + 2].realize()
    np.testing.assert_allclose(target[...], (A - A.mean()) / A.std())
