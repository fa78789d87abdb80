"""Matrix-vector products by pointers: NumPy's bits, for whatever BLAS can take as it lies."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onebuf.backends import cpu
from onebuf.engine.cpu import blas, gemm, gemv
from onebuf.memory import address_of, address_of_bytes

pytestmark = pytest.mark.skipif(
    blas.gemv_address(np.dtype("f")) is None, reason="needs the OpenBLAS of NumPy's wheels"
)
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def loaded():
    assert cpu.cores() > 0  # the compiler is loaded


def matrices(batch: tuple[int, ...], rows: int, columns: int, layout: int, dtype: str) -> Array:
    """Random matrices: by rows, by columns, with gaps, or with their rows in between others'."""
    if layout == 1:
        return matrices(batch, columns, rows, 0, dtype).swapaxes(-1, -2)
    if layout == 2:
        return matrices(batch, rows, columns + 3, 0, dtype)[..., :columns]
    if layout == 3 and batch:
        return matrices((*batch[:-1], rows), batch[-1], columns, 0, dtype).swapaxes(-3, -2)
    return RNG.standard_normal((*batch, rows, columns)).astype(dtype)


@st.composite
def products(draw: st.DrawFn) -> tuple[Array, Array]:
    """A row times matrices, or matrices times a column, in any layouts."""
    extent, inner = draw(st.integers(2, 300)), draw(st.integers(2, 300))
    batch = draw(st.sampled_from([(), (3,), (2, 3), (1, 4)]))
    other = draw(st.sampled_from([(), batch]))
    layouts, dtype = st.integers(0, 3), draw(st.sampled_from("fd"))
    rows, columns = draw(st.sampled_from([(1, extent), (extent, 1)]))
    return (
        matrices(batch, rows, inner, draw(layouts), dtype),
        matrices(other, inner, columns, draw(layouts), dtype),
    )


def multiplied(x: Array, y: Array) -> Array | None:
    """The product by pointers; None if there is none for these."""
    wanted = np.matmul(x, y)
    out = np.zeros_like(wanted)
    layouts = [(array.shape, array.strides) for array in (x, y, out)]
    ready = gemv.prepared(out.dtype, *layouts)
    if ready is None:
        return None
    words = ready.words + struct.pack("3q", *[address_of(array) for array in (x, y, out)])
    ready.call(address_of_bytes(words), 0, ready.matrices)
    return out


@given(products())
@settings(max_examples=200, deadline=None)
def test_products_have_numpys_bits(factors):
    found = multiplied(*factors)
    assert found is not None
    np.testing.assert_array_equal(found, np.matmul(*factors))


@pytest.mark.parametrize(("extent", "inner"), [(3000, 1000), (1, 4), (65, 8193)])
def test_large_products_have_numpys_bits(extent, inner):
    x, y = matrices((), 1, inner, 0, "f"), matrices((), extent, inner, 0, "f")
    found = multiplied(x, y.T)
    assert (found is None) == (extent == 1)
    if found is not None:
        np.testing.assert_array_equal(found, x @ y.T)


def test_what_blas_cannot_take_is_refused():
    row = matrices((), 1, 8, 0, "f")
    assert multiplied(row, matrices((), 8, 10, 0, "f")[:, ::2]) is None
    assert multiplied(row[:, ::-1], matrices((), 8, 5, 0, "f")) is None
    assert multiplied(matrices((), 2, 8, 0, "f"), matrices((), 8, 5, 0, "f")) is None
    assert multiplied(row.astype("i4"), np.ones((8, 5), "i4")) is None
    assert multiplied(row[0], matrices((), 8, 5, 0, "f")) is None


def test_nothing_is_prepared_before_there_is_a_compiler(monkeypatch):
    monkeypatch.setattr(gemv, "COMPILER", "a module that is not there")
    assert multiplied(matrices((), 1, 8, 0, "f"), matrices((), 8, 5, 0, "f")) is None
    assert gemm.COMPILER != gemv.COMPILER
