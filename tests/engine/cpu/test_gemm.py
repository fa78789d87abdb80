"""Matrix products on the threads of the kernels: the same bits, for whatever BLAS can take."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, config
from onebuf.backends import cpu
from onebuf.engine.cpu import blas, gemm

pytestmark = pytest.mark.skipif(
    blas.gemm_address() is None, reason="needs the OpenBLAS of NumPy's wheels for Linux"
)
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gemm, "_done", [gemm.LOAD_MULTIPLICATIONS + 1])
    assert cpu.cores() > 0  # the compiler is loaded


def matrices(batch: tuple[int, ...], rows: int, columns: int, layout: int) -> Array:
    """Random matrices: by rows, by columns, with gaps, or with their rows in between others'."""
    if layout == 1:
        return matrices(batch, columns, rows, 0).swapaxes(-1, -2)
    if layout == 2:
        return matrices(batch, rows, columns + 3, 0)[..., :columns]
    if layout == 3 and batch:
        return matrices((*batch[:-1], rows), batch[-1], columns, 0).swapaxes(-3, -2)
    return RNG.standard_normal((*batch, rows, columns), np.float32)


@st.composite
def products(draw: st.DrawFn) -> tuple[Array, Array]:
    """Factors, each in some layout, with a sum that BLAS divides in one way only."""
    rows, columns = draw(st.integers(2, 300)), draw(st.integers(2, 300))
    inner = draw(st.integers(2, gemm.SHORT) | st.sampled_from([160, 512, 1024]))
    batch = draw(st.sampled_from([(), (3,), (2, 3), (1, 4)]))
    other = draw(st.sampled_from([(), batch]))
    layouts = st.integers(0, 3)
    return (
        matrices(batch, rows, inner, draw(layouts)),
        matrices(other, inner, columns, draw(layouts)),
    )


@cache
def numpy_keeps_bits() -> bool:
    """Whether NumPy's OpenBLAS computes an element in one way, wherever it divides a product."""
    x, y = matrices((), 300, 128, 0), matrices((), 128, 310, 0)
    whole = x @ y
    return all(
        np.array_equal(whole[:top, :left], x[:top] @ y[:, :left])
        for top, left in [(299, 310), (150, 155), (300, 309), (77, 201)]
    )


def check(found: Array, x: Array, y: Array) -> None:
    """That a product is NumPy's: to the bit, unless NumPy's own bits depend on its threads."""
    wanted = np.matmul(x, y)
    if numpy_keeps_bits():
        np.testing.assert_array_equal(found, wanted)
    exact = np.matmul(x.astype(np.float64), y.astype(np.float64))
    sizes = np.matmul(abs(x).astype(np.float64), abs(y).astype(np.float64))
    assert (abs(found - exact) <= 1e-6 * sizes + 1e-30).all()


def product(x: Array, y: Array, threads: int) -> Array | None:
    """The product of this module, if it is for it."""
    out = np.full(
        (*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1]),
        np.nan,
        np.float32,
    )
    with config(threads=threads):
        return out if gemm.multiply(x, y, out) else None


@given(products())
@settings(max_examples=150, deadline=None)
def test_products_have_the_same_bits_on_any_number_of_threads(factors):
    x, y = factors
    one, *others = [product(x, y, threads) for threads in (1, 2, 3, 5)]
    rows, count = x.size // x.shape[-1], np.matmul(x, y).size * x.shape[-1]
    if count <= gemm.LEAST:
        assert one is None
    elif rows >= 2 * gemm.TILE:  # otherwise it may have too few to divide
        assert one is not None
    if one is None:
        assert others == [None] * 3
    else:
        check(one, x, y)
        for other in others:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("rows", [48, 49, 71, 96, 127, 128, 1000, 1024, 1031])
def test_a_large_product_is_divided_between_tiles(rows):
    x, y = matrices((), rows, 384, 0), matrices((), 384, 1000, 1)
    one = product(x, y, 1)
    assert one is not None
    check(one, x, y)
    for threads in (2, 3, 4, 7, 64):
        np.testing.assert_array_equal(product(x, y, threads), one)


def test_columns_are_left_to_numpy():
    x, y = matrices((), 47, 512, 0), matrices((), 512, 1024, 0)
    assert product(x, y, 1) is product(x, y, 2) is None
    stack = matrices((5,), 47, 512, 0), matrices((5,), 512, 1024, 0)
    assert product(*stack, 2) is not None


def test_the_result_may_have_gaps():
    x, y = matrices((2, 3), 128, 64, 3), matrices((2, 3), 64, 128, 1)
    out = np.zeros((2, 128, 3, 130), np.float32)
    assert gemm.multiply(x, y, out.swapaxes(1, 2)[..., :128])
    check(out.swapaxes(1, 2)[..., :128], x, y)
    assert not out[..., 128:].any()


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.ones((200, 200)), np.ones((200, 200))),
        (matrices((), 200, 201, 0), matrices((), 201, 200, 0)),
        (matrices((), 400, 200, 0)[::2, ::2], matrices((), 100, 200, 0)),
        (matrices((), 200, 200, 0), matrices((), 200, 20, 0)[:, 0]),
        (matrices((), 1, 1024, 0), matrices((), 1024, 1024, 0)),
        (matrices((), 20, 20, 0), matrices((), 20, 20, 0)),
        (matrices((2, 3, 4), 64, 64, 0).transpose(2, 1, 0, 3, 4), matrices((4, 3, 2), 64, 64, 3)),
    ],
    ids=["doubles", "a long odd sum", "steps", "a vector", "a row", "little", "three axes"],
)
def test_what_is_not_for_this_module_is_refused(x, y):
    out = np.empty_like(np.matmul(x, y))
    assert not gemm.multiply(x, y, out)


def test_a_matrix_times_its_own_transpose_is_left_to_numpy():
    x = matrices((), 256, 256, 0)
    assert not gemm.multiply(x, x.T, np.empty((256, 256), np.float32))


def test_nothing_is_loaded_before_it_is_worth_it(monkeypatch):
    monkeypatch.setattr(gemm, "_done", [0])
    monkeypatch.setattr(gemm, "LOAD_MULTIPLICATIONS", 3 << 24)
    x = matrices((), 256, 256, 0)
    y, out = x.copy(), np.empty_like(x)
    assert [gemm.multiply(x, y, out) for _ in range(5)] == [False] * 4 + [True]


def test_without_such_a_blas_numpy_multiplies(monkeypatch):
    monkeypatch.setattr(gemm, "gemm_address", lambda: None)
    gemm._prepared.cache_clear()
    x = matrices((), 256, 256, 0)
    try:
        assert not gemm.multiply(x, x.copy(), np.empty_like(x))
    finally:
        gemm._prepared.cache_clear()


def test_a_product_in_a_lazy_graph_has_the_same_bits():
    x, y = matrices((4, 2), 128, 64, 3), matrices((4, 2), 64, 128, 1)
    with config(eager_numel=0, tier="compile"):
        one, two = Buffer(x), Buffer(y)
        found = one @ two
        onebuf.realize(found)
        check(np.asarray(found), x, y)
        np.testing.assert_array_equal(np.asarray(one @ two + 1), np.asarray(found) + 1)
