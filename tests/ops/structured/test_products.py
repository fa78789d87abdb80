"""Products with packed and with sparse factors are those of dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_layouts import ANTIHERMITIAN, GROUPS, dense_array, sparsities_of

import onebuf
from onebuf import Buffer, Layout
from onebuf.ops.structured.symmetric_product import LEAF
from onebuf.sparsity import Block, Element
from onebuf.symmetry import Antisymmetric, Group, Hermitian, Symmetric

Array = np.ndarray[Any, Any]
MATRICES = {
    "symmetric": Symmetric(0, 1),
    "antisymmetric": Antisymmetric(0, 1),
    "hermitian": Hermitian(0, 1),
    "antihermitian": ANTIHERMITIAN,
}
SIZES = [0, 1, 2, 3, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF, 2 * LEAF + 1, 3 * LEAF + 5, 4 * LEAF + 2]


def made(layout: Layout, dtype: Any, seed: int = 0) -> tuple[Buffer, Array]:
    """A buffer with a layout, and its elements."""
    array = dense_array(layout, dtype, seed)
    return onebuf.allocator().construct(layout, array), array


def numbers(shape: tuple[int, ...], dtype: Any, seed: int = 9) -> Array:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_packed_matrices_multiply(name: str, size: int, dtype: str) -> None:
    x, dense = made(Layout((size, size), MATRICES[name]), dtype)
    matrix, vector = numbers((size, 3), dtype), numbers((size,), dtype)
    for result, expected in (
        (x @ matrix, dense @ matrix),
        (x @ vector, dense @ vector),
        (vector @ x, vector @ dense),
        (onebuf.asarray(matrix.T) @ x, matrix.T @ dense),
        (x.T @ matrix, dense.T @ matrix),
        (x @ x, dense @ dense),
    ):
        assert np.array_equal(np.asarray(result), expected)


def test_a_batch_of_matrices_multiplies_a_packed_one() -> None:
    x, dense = made(Layout((5, 5), Symmetric(0, 1)), float)
    batch = numbers((2, 3, 5), float)
    assert np.array_equal(np.asarray(onebuf.asarray(batch) @ x), batch @ dense)


@settings(max_examples=150)
@given(
    st.tuples(*[st.integers(1, 6)] * 3),
    st.sampled_from(["float64", "complex64", "int64", "bool"]),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_sparse_matrices_multiply(
    sizes: tuple[int, int, int], dtype: str, turns: bool, turns_other: bool, data: Any
) -> None:
    rows, inner, columns = sizes
    one = (inner, rows) if turns else (rows, inner)
    two = (columns, inner) if turns_other else (inner, columns)
    x, dense = made(Layout(one, sparsity=data.draw(sparsities_of(one))), dtype, 1)
    y, other = made(Layout(two, sparsity=data.draw(sparsities_of(two))), dtype, 2)
    if turns:
        x, dense = x.T, dense.T
    if turns_other:
        y, other = y.T, other.T
    full, vector = numbers((inner, columns), dtype), numbers((inner,), dtype)
    left = numbers((columns, rows), dtype)
    assert np.allclose(np.asarray(x @ y), dense @ other)
    assert np.allclose(np.asarray(x @ full), dense @ full)
    assert np.allclose(np.asarray(x @ vector), dense @ vector)
    assert np.allclose(np.asarray(onebuf.asarray(left) @ x), left @ dense)


def test_a_product_of_sparse_matrices_is_sparse() -> None:
    x, dense = made(Layout((6, 6), sparsity=Element((6, 6), [(0, 1), (2, 3)])), float)
    y, other = made(Layout((6, 6), sparsity=Element((6, 6), [(1, 5), (4, 4)])), float)
    assert (x @ y).sparsity == Element((6, 6), [(0, 5)])
    assert np.array_equal(np.asarray(x @ y), dense @ other)
    tiles = Block.tiles((6, 6), (2, 2), nonzero=[(0, 1), (2, 2)])
    z, third = made(Layout((6, 6), sparsity=tiles), float)
    found = (z @ z).sparsity
    assert found.nonzero_count == 4
    assert np.array_equal(np.asarray(z @ z), third @ third)


PAIRS = {
    "eightfold": GROUPS["eightfold"],
    "twisted": GROUPS["twisted"],
    "negated exchange": GROUPS["negated exchange"],
    "pairs": GROUPS["pairs"],
    "crossed pairs": GROUPS["crossed pairs"],
    "hermitian pairs": GROUPS["hermitian pairs"],
    "klein": GROUPS["klein"],
    "two products": GROUPS["two products"],
    "S4": GROUPS["S4"],
}
CONTRACTIONS = [
    "ijkl,kl->ij",
    "ijkl,lk->ij",
    "ijkl,ij->kl",
    "ijkl,jk->il",
    "ijkl,ik->jl",
    "ijkl,klm->ijm",
    "ijkl,klm->mij",
    "ijkl,mkl->ijm",
    "ijkl,l->ijk",
    "ijkl,ijkl->",
    "kl,ijkl->ji",
    "ijkl,ijm->klm",
]


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_packed_tensors_contract(name: str, dtype: str) -> None:
    group: Group = PAIRS[name]
    x, dense = made(Layout((3, 3, 3, 3), group), dtype)
    for subscripts in CONTRACTIONS:
        terms = subscripts.split("->")[0].split(",")
        (at,) = [n for n, term in enumerate(terms) if len(term) == 4][:1]
        sizes = {label: 3 for label in "ijkl"} | {"m": 2}
        factor = numbers(tuple([sizes[label] for label in terms[1 - at]]), dtype)
        operands: list[Any] = [factor, factor]
        operands[at] = dense
        expected = np.einsum(subscripts, *operands)
        operands = [onebuf.asarray(one) for one in operands]
        operands[at] = x
        found = np.asarray(onebuf.einsum(subscripts, *operands))
        assert np.allclose(found, expected), subscripts


def test_a_contraction_over_a_half_has_the_symmetry_of_the_other() -> None:
    x, _ = made(Layout((3, 3, 3, 3), GROUPS["eightfold"]), float)
    density = onebuf.asarray(numbers((3, 3), float))
    assert onebuf.einsum("ijkl,kl->ij", x, density).symmetry == Symmetric(0, 1)
