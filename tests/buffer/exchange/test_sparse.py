"""Sparse arrays of SciPy and of the package sparse come and go, on the same values if they fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_layouts import dense_array, layouts

import onebuf
from onebuf import Buffer, Layout
from onebuf.errors import ArgumentError, CopyError, DTypeError
from onebuf.sparsity import Block, Element
from onebuf.symmetry import Symmetric

scipy_sparse = pytest.importorskip("scipy.sparse", reason="the package scipy is missing")

Array = np.ndarray[Any, Any]
FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]
DTYPES = ["float64", "float32", "complex128", "int64", "int8", "bool"]


def matrix(shape: tuple[int, int], seed: int, dtype: str = "float64") -> Array:
    rng = np.random.default_rng(seed)
    return (rng.integers(-3, 4, shape) * (rng.random(shape) < 0.4)).astype(dtype)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", ["array", "matrix"])
def test_every_format_of_scipy_becomes_a_buffer(name: str, dtype: str, make: str) -> None:
    dense = matrix((6, 4), 1, dtype)
    native = getattr(scipy_sparse, f"{name}_{make}")(dense)
    x = Buffer(native)
    assert x.dtype == dense.dtype
    assert np.array_equal(np.asarray(x), dense)
    assert x.layout.stored < dense.size or name == "bsr"
    assert np.array_equal(np.asarray(x * 2), dense * 2) or dtype == "bool"
    if dtype != "bool":
        assert np.array_equal(np.asarray(x @ dense.T), dense @ dense.T)
        assert np.array_equal(np.asarray(x.sum(axis=0)), dense.sum(axis=0))


@settings(max_examples=60)
@given(layouts(("none", "symmetric", "antisymmetric", "first two"), most=5), st.integers(0, 99))
def test_every_layout_becomes_arrays_of_scipy(layout: Layout, seed: int) -> None:
    dense = dense_array(layout, float, seed)
    x = onebuf.allocator().construct(layout, dense)
    if layout.rank == 2 and layout.size:
        for name in ("csr", "coo", "bsr"):
            found = x.to_scipy(name)
            assert found.format == name
            assert np.array_equal(found.toarray(), dense)
        assert np.array_equal(x.to_scipy().toarray(), dense)
        assert np.array_equal(x.T.to_scipy().toarray(), dense.T)


def test_rows_share_their_values_and_indices() -> None:
    native = scipy_sparse.csr_array(matrix((6, 4), 2))
    x = onebuf.asarray(native)
    assert np.shares_memory(x.unwrap(), native.data)
    assert all(table.dtype == np.int32 for table in x.layout.tables)
    assert np.shares_memory(x.layout.tables[1], native.indices)
    back = x.to_scipy()
    assert back.format == "csr"
    assert np.shares_memory(back.data, native.data)
    assert np.shares_memory(back.indices, native.indices)
    first = tuple(np.argwhere(native.toarray())[0].tolist())
    x[first] = 50.0
    assert native.data[0] == 50
    assert back[first] == 50


def test_coordinates_share_their_values() -> None:
    native = scipy_sparse.coo_array(matrix((6, 4), 3))
    x = onebuf.asarray(native)
    assert np.shares_memory(x.unwrap(), native.data)
    assert np.shares_memory(x.to_scipy("coo").data, native.data)


def test_tiles_share_their_values() -> None:
    dense = matrix((6, 4), 4)
    native = scipy_sparse.bsr_array(dense, blocksize=(2, 2))
    x = onebuf.asarray(native)
    assert np.shares_memory(x.unwrap(), native.data)
    back = x.to_scipy()
    assert back.format == "bsr"
    assert np.shares_memory(back.data, native.data)
    assert np.array_equal(back.toarray(), dense)


def test_a_copy_shares_nothing() -> None:
    native = scipy_sparse.csr_array(matrix((6, 4), 5))
    x = onebuf.asarray(native, copy=True)
    assert not np.shares_memory(x.unwrap(), native.data)
    native.data[:] = 0
    assert np.asarray(x).any()


def test_values_in_another_order_are_not_shared_silently() -> None:
    native = scipy_sparse.csr_array(matrix((6, 4), 5))
    assert np.shares_memory(onebuf.asarray(native, copy=False).unwrap(), native.data)
    for name in ("csc", "lil", "dok"):
        with pytest.raises(CopyError, match="copy=False"):
            onebuf.asarray(native.asformat(name), copy=False)
    twice = scipy_sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), (2, 2))
    with pytest.raises(CopyError, match="copy=False"):
        onebuf.asarray(twice, copy=False)


def test_elements_that_are_stored_twice_are_added_up() -> None:
    rows, columns, values = [0, 1, 0, 0], [1, 0, 1, 0], [1.0, 2.0, 4.0, 8.0]
    native = scipy_sparse.coo_array((values, (rows, columns)), (2, 3))
    assert np.asarray(Buffer(native)).tolist() == [[8, 5, 0], [2, 0, 0]]
    starts = np.array([0, 3, 4])
    unsorted = scipy_sparse.csr_array((np.array([1.0, 2, 4, 8]), np.array([2, 0, 2, 1]), starts))
    expected = unsorted.toarray()
    assert np.asarray(Buffer(unsorted)).tolist() == expected.tolist()
    assert unsorted.data.size == 4  # the caller's array stays as it is
    blocks = np.arange(12.0).reshape(3, 2, 2)
    twice = scipy_sparse.bsr_array((blocks, np.array([1, 0, 1]), np.array([0, 3])), (2, 4))
    expected = twice.toarray()
    assert np.asarray(Buffer(twice)).tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (1, 5), (5, 1)])
@pytest.mark.parametrize("name", ["csr", "coo", "csc"])
def test_arrays_with_few_elements_or_none_become_buffers(shape: Any, name: str) -> None:
    native = getattr(scipy_sparse, f"{name}_array")(np.ones(shape))
    assert np.array_equal(np.asarray(Buffer(native)), np.ones(shape))
    nothing = getattr(scipy_sparse, f"{name}_array")(shape)
    assert np.array_equal(np.asarray(Buffer(nothing)), np.zeros(shape))
    if 0 not in shape:
        assert np.array_equal(Buffer(nothing).to_scipy().toarray(), np.zeros(shape))


def test_other_dtypes_and_formats_are_refused() -> None:
    x = onebuf.allocator().construct(Layout((2, 2), sparsity=Element((2, 2), [(0, 1)])), 0.0)
    with pytest.raises(ArgumentError, match="formats"):
        x.to_scipy("nonsense")
    with pytest.raises(DTypeError, match="float16"):
        x.astype("float16").to_scipy()


def test_a_dense_buffer_becomes_a_sparse_array() -> None:
    dense = matrix((3, 4), 6)
    assert np.array_equal(onebuf.asarray(dense).to_scipy("csr").toarray(), dense)


sparse = pytest.importorskip("sparse", reason="the package sparse is missing")


@settings(max_examples=40)
@given(layouts(most=4), st.integers(0, 99))
def test_every_layout_becomes_an_array_of_sparse_and_back(layout: Layout, seed: int) -> None:
    dense = dense_array(layout, float, seed)
    x = onebuf.allocator().construct(layout, dense)
    if layout.rank and layout.size:
        native = x.to_sparse()
        assert np.array_equal(native.todense(), dense)
        assert np.array_equal(np.asarray(Buffer(native)), dense)


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4)])
@pytest.mark.parametrize("name", ["coo", "gcxs", "dok"])
def test_arrays_of_sparse_become_buffers(shape: tuple[int, ...], name: str) -> None:
    rng = np.random.default_rng(7)
    dense = rng.integers(1, 5, shape) * (rng.random(shape) < 0.5)
    native = sparse.COO.from_numpy(dense).asformat(name)
    x = Buffer(native)
    assert np.array_equal(np.asarray(x), dense)
    assert x.layout.stored == np.count_nonzero(dense)


def test_coordinates_of_sparse_share_their_values() -> None:
    native = sparse.COO.from_numpy(matrix((4, 5), 8))
    x = onebuf.asarray(native)
    assert np.shares_memory(x.unwrap(), native.data)
    assert np.shares_memory(x.to_sparse().data, native.data)


def test_another_value_than_0_between_elements_is_refused() -> None:
    native = sparse.COO.from_numpy(np.eye(3)) + 1
    with pytest.raises(ArgumentError, match="fill_value"):
        Buffer(native)


def test_symmetric_and_tiled_buffers_become_arrays_of_their_elements() -> None:
    x = onebuf.allocator().construct(Layout((3, 3), Symmetric(0, 1)), lambda i, j: i * j)
    assert np.array_equal(x.to_sparse().todense(), np.asarray(x))
    tiles = Block.tiles((4, 4), (2, 2), nonzero=[(0, 1), (1, 0)])
    y = onebuf.allocator().construct(Layout((4, 4), sparsity=tiles), lambda i, j: i + j)
    assert np.array_equal(y.to_sparse().todense(), np.asarray(y))
