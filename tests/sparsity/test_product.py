"""Products of sparsities, against einsum of their masks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.shapes import Tiled
from onebuf.sparsity import Block, Element, Norm, product

SUBSCRIPTS = [
    *("ik,kj->ij", "ij,ij->ij", "ij,ji->", "i,j->ij", "ij,jk->", "ij,jk->ijk", "ij,kj->ik"),
    *("ii,ij->j", "ii,jj->ij", "ij,k->k", "ijk,kj->i", "ij,jk,kl->il", "ij,ji,ij->i"),
    *("ij->ji", "ii->i", "ij->", "iij->ij", "ij", "ik,kj", ",i->i", "i,i", "bij,bjk->bik"),
]


def einsum(subscripts: str, *masks: np.ndarray) -> np.ndarray:
    return np.einsum(subscripts, *[mask.astype(int) for mask in masks]) > 0


def drawn_element(random, shape) -> Element:
    return Element.of_flat(shape, np.flatnonzero(random.random(shape) < 0.3))


def drawn_block(random, shape) -> Block:
    mask, boxes = np.zeros(shape, bool), []
    for _ in range(5 if mask.size else 0):
        first = [int(random.integers(0, n)) for n in shape]
        last = [int(random.integers(low + 1, n + 1)) for low, n in zip(first, shape, strict=True)]
        box = tuple(slice(*bounds) for bounds in zip(first, last, strict=True))
        if not mask[box].any():
            mask[box] = True
            boxes.append((first, last))
    return Block(shape, boxes)


def drawn_tiles(random, shape) -> Block:
    tiled = Tiled.regular(shape, (2,) * len(shape))
    chosen = np.argwhere(random.random(tiled.grid) < 0.4)
    return Block.tiles(tiled, nonzero=chosen)


DRAWN = {"element": drawn_element, "block": drawn_block, "tiles": drawn_tiles}


@settings(max_examples=400)
@given(st.sampled_from(SUBSCRIPTS), st.integers(0, 2**32), st.data())
def test_a_product_is_nonzero_where_einsum_of_the_masks_is(subscripts, seed, data) -> None:
    random = np.random.default_rng(seed)
    inputs = subscripts.partition("->")[0].split(",")
    extents = {label: data.draw(st.integers(0, 5)) for label in "ijklb"}
    kinds = [data.draw(st.sampled_from(sorted(DRAWN))) for _ in inputs]
    operands = [
        DRAWN[kind](random, tuple(extents[label] for label in labels))
        for kind, labels in zip(kinds, inputs, strict=True)
    ]
    result = product(subscripts, *operands)
    expected = einsum(subscripts, *[operand.mask() for operand in operands])
    np.testing.assert_array_equal(result.mask(), expected)
    assert type(result) is (Element if set(kinds) == {"element"} else Block)
    count = np.zeros(result.shape, int)
    for box in result.boxes.tolist():
        count[tuple(slice(*bounds) for bounds in box)] += 1
    np.testing.assert_array_equal(count, expected.astype(int))
    if set(kinds) == {"tiles"}:
        assert result.grid == Tiled.regular(result.shape, (2,) * result.rank).bounds
        tiles = {tile.box for tile in Tiled.regular(result.shape, (2,) * result.rank).tiles}
        assert tiles >= {
            (tuple(low), tuple(high)) for low, high in result.boxes.transpose(0, 2, 1).tolist()
        }


def test_the_product_of_a_list_of_elements_and_blocks() -> None:
    a = Element((3, 3), [(0, 1), (2, 2)])
    b = Block((3, 4), [((1, 0), (2, 2))])
    assert product("ik,kj->ij", a, b) == Block((3, 4), [((0, 0), (1, 2))])
    assert product("ik,kj->ij", a, a) == Element((3, 3), [(2, 2)])


def test_tiles_of_different_grids_give_boxes_without_one() -> None:
    a = Block.tiles((6,), 2, [0, 1])
    b = Block.tiles((6,), 3, [0])
    result = product("i,i->i", a, b)
    assert result.grid is None
    assert result.boxes.tolist() == [[[0, 2]], [[2, 3]]]
    assert product("i,j->ij", a, b).grid == ((0, 2, 4, 6), (0, 3, 6))


def test_large_element_products_are_joined_and_not_tried_pair_by_pair() -> None:
    random = np.random.default_rng(0)
    shape = (10**5, 10**5)
    a = Element(shape, np.unique(random.integers(0, 10**5, (10**5, 2)), axis=0))
    b = Element(shape, np.unique(random.integers(0, 10**5, (10**5, 2)), axis=0))
    result = product("ik,kj->ij", a, b)
    by_row: dict[int, list[int]] = {}
    for k, j in b.indices.tolist():
        by_row.setdefault(k, []).append(j)
    expected = {(i, j) for i, k in a.indices.tolist() for j in by_row.get(k, [])}
    assert {tuple(index) for index in result.indices.tolist()} == expected


def test_a_hundred_by_hundred_tiles_are_multiplied() -> None:
    random = np.random.default_rng(1)
    masks = random.random((2, 100, 100)) < 0.1
    a, b = [Block.tiles((1000, 1000), 10, np.argwhere(mask)) for mask in masks]
    result = product("ik,kj->ij", a, b)
    assert result == Block.tiles((1000, 1000), 10, np.argwhere(einsum("ik,kj->ij", *masks)))


# Norms


def test_norms_of_a_product_are_sums_of_products() -> None:
    a = Norm(((2, 2), (3, 1)), [[1, 1e-9], [0.5, 2]], 1e-6)
    b = Norm(((3, 1), (5,)), [[0.25], [4]], 1e-3)
    result = product("ik,kj->ij", a, b)
    assert isinstance(result, Norm)
    np.testing.assert_allclose(result.norms, [[0.25], [8.125]])
    assert result.threshold == 1e-3
    assert result.tiles == Tiled((2, 2), (5,))


@given(st.integers(0, 2**32))
def test_the_norm_of_a_tile_bounds_that_of_the_product(seed) -> None:
    random = np.random.default_rng(seed)
    tiles, bounds = Tiled((2, 1), (2, 1)), [0, 2, 3]
    x, y = random.normal(size=(2, 3, 3)) * (random.random((2, 3, 3)) < 0.5)

    def norms(x):
        parts = np.array_split(x, bounds[1:-1])
        return [
            [np.linalg.norm(part) for part in np.array_split(p, bounds[1:-1], 1)] for p in parts
        ]

    estimate = product("ik,kj->ij", Norm(tiles, norms(x), 0), Norm(tiles, norms(y), 0))
    assert (np.array(norms(x @ y)) <= estimate.norms + 1e-12).all()


def test_norms_whose_tiles_do_not_fit_give_blocks() -> None:
    a = Norm(((2, 2), (3, 1)), [[1, 1], [1, 1]], 0.5)
    b = Norm(((2, 2), (5,)), [[1], [0]], 0.5)
    result = product("ik,kj->ij", a, b)
    assert isinstance(result, Block)
    np.testing.assert_array_equal(result.mask(), einsum("ik,kj->ij", a.mask(), b.mask()))
    assert isinstance(product("ik,kj->ij", a, Element((4, 5), [(0, 0)])), Block)


def test_norms_that_overflow_stay_finite() -> None:
    a = Norm(((2, 2),), [1e308, 1e308], 0)
    assert np.isfinite(product("i,i->i", a, a).norms).all()
    assert np.isfinite((a | a).norms).all()


@pytest.mark.parametrize(
    "subscripts, error, match",
    [
        ("ik,jk->ij", ShapeError, "label 'k'"),
        ("ij,jk", ShapeError, "label 'j'"),
        ("ik,k->i", ShapeError, "2 labels for operand 1"),
        ("ik->ik", ArgumentError, "2 operands"),
        ("ik,kj->iz", ArgumentError, "'z'"),
        ("ik,kj->ii", ArgumentError, "'i' twice"),
        ("i1,1j->ij", ArgumentError, "letters"),
        ("...k,kj->j", ArgumentError, "letters"),
        (3, ArgumentTypeError, "subscripts"),
    ],
)
def test_wrong_subscripts_are_errors(subscripts, error, match) -> None:
    a, b = Element((2, 3), []), Element((4, 5), [])
    if subscripts in ("ik,kj->iz", "ik,kj->ii"):
        b = Element((3, 5), [])
    with pytest.raises(error, match=match):
        product(subscripts, a, b)


def test_operands_have_to_be_sparsities() -> None:
    with pytest.raises(ArgumentTypeError, match="sparsities"):
        product("i,i", Element((2,), []), np.zeros(2))
    huge = Element((2**40,), [0])
    with pytest.raises(ArgumentError, match=r"2\*\*63"):
        product("i,j->ij", huge, huge)
