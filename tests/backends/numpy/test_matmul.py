"""Long matrix products are made in pieces, and every piece in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf as ob
from onebuf.backends.numpy import matmul as loops
from onebuf.backends.numpy.matmul import multiply_into


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Pieces of at most 60 multiplications; the list says how many each took."""
    taken: list[int] = []

    def matmul(x: Any, y: Any, out: Any) -> None:
        taken.append(out.size * x.shape[-1])
        np.matmul(x, y, out=out)

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return matmul if name == "matmul" else getattr(np, name)

    monkeypatch.setattr(loops, "np", Counting())
    monkeypatch.setattr(loops, "MOST_PRODUCTS", {"f": 60, "c": 60})
    monkeypatch.setattr(loops, "MOST_PLAIN", 60)
    monkeypatch.setattr(loops, "LEAST_EXTENT", 1)
    return taken


SHAPES = st.tuples(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("xyb")), max_size=2),
    *[st.integers(0, 9)] * 3,
)


@given(SHAPES, st.sampled_from(["int64", "float64", "complex128", "bool"]), st.booleans())
def test_pieces_make_the_product(shapes: Any, dtype: str, turned: bool) -> None:
    batch, rows, inner, columns = shapes
    wide = {name: [1 if who not in (name, "b") else n for n, who in batch] for name in "xy"}
    x = np.arange(np.prod([*wide["x"], rows, inner])).reshape([*wide["x"], rows, inner]) % 5
    y = np.arange(np.prod([*wide["y"], inner, columns])).reshape([*wide["y"], inner, columns]) % 7
    x, y = x.astype(dtype), y.astype(dtype)
    if turned:
        x = np.ascontiguousarray(x.mT).mT
    wanted = np.matmul(x, y)
    out = np.empty_like(wanted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "MOST_PRODUCTS", {"f": 20, "c": 20})
        patch.setattr(loops, "MOST_PLAIN", 20)
        patch.setattr(loops, "LEAST_EXTENT", 1)
        multiply_into(x, y, out)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_no_piece_is_longer_than_it_may_be(dtype: Any, small_pieces: list[int]) -> None:
    x, y = np.ones((3, 20, 5), dtype), np.ones((3, 5, 30), dtype)
    out = np.empty((3, 20, 30), dtype)
    multiply_into(x, y, out)
    assert (out == 5).all()
    assert sum(small_pieces) == 3 * 20 * 30 * 5
    assert max(small_pieces) <= 60


@pytest.mark.parametrize("tier", ["interpret", "compile"])
def test_products_of_buffers_are_made_in_pieces(tier: Any, small_pieces: list[int]) -> None:
    with ob.config(tier=tier, eager_numel=0):
        product = ob.ones((40, 5)) @ ob.ones((5, 30)) + 1
        assert (np.asarray(product) == 6).all()
    assert max(small_pieces) <= 60


def test_a_product_that_is_interrupted_can_be_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, small_pieces: list[int]
) -> None:
    with ob.config(eager_numel=0):
        x = ob.asarray(np.arange(200.0).reshape(40, 5))
        product = x @ x.mT
    original = loops._multiply

    def interrupted(*args: Any) -> None:
        if len(small_pieces) == 3:
            small_pieces.append(0)
            raise KeyboardInterrupt
        original(*args)

    monkeypatch.setattr(loops, "_multiply", interrupted)
    with pytest.raises(KeyboardInterrupt):
        product.realize()
    array = np.arange(200.0).reshape(40, 5)
    np.testing.assert_array_equal(np.asarray(product), array @ array.T)
