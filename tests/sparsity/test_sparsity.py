"""Sparsities, against arrays of bools that say the same."""

import copy
import pickle
from itertools import product as grid_of

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    IndexRangeError,
    RegionError,
    ShapeError,
)
from onebuf.shapes import Smooth, Tiled
from onebuf.sparsity import Block, Element, Norm, Sparsity

EXAMPLES = [
    Element((10,), {3, 5, 7}),
    Element((), [()]),
    Element((), []),
    Element((0, 3), []),
    Element((2, 3), [(0, 0), (0, 1), (1, 0)]),
    Element((2, 3), zero=[(0, 1)]),
    Block((10,), [(1, 2), (3, 7)]),
    Block((), [((), ())]),
    Block((), []),
    Block((0, 3), []),
    Block((10, 20), [((0, 0), (5, 10)), ((5, 10), (10, 20))]),
    Block((4, 4), zero=[((1, 1), (3, 3))]),
    Block.tiles((6, 6), 3, nonzero=[(0, 0), (1, 1)]),
    Block.tiles((6, 5), ((1, 2, 3), 2), zero=[(0, 0)]),
    Norm(((2, 2), (3, 1)), [[1, 1e-9], [0.5, 2]], 1e-6),
    Norm(Tiled(), 2.0, 1.0),
]


@pytest.mark.parametrize("pattern", EXAMPLES, ids=repr)
def test_a_sparsity_evaluates_from_its_repr_and_can_be_pickled_and_copied(pattern) -> None:
    for same in (eval(repr(pattern)), pickle.loads(pickle.dumps(pattern)), copy.deepcopy(pattern)):
        assert same == pattern
        assert hash(same) == hash(pattern)
    assert getattr(pickle.loads(pickle.dumps(pattern)), "grid", 0) == getattr(pattern, "grid", 0)


@pytest.mark.parametrize("pattern", EXAMPLES, ids=repr)
def test_counts_and_questions_agree_with_the_mask(pattern) -> None:
    mask = pattern.mask()
    assert mask.shape == pattern.shape
    assert pattern.size == mask.size
    assert pattern.rank == mask.ndim
    assert pattern.nonzero_count == mask.sum()
    assert pattern.sparsity() == ((~mask).mean() if mask.size else 0)
    assert isinstance(pattern, Sparsity)
    for index in np.ndindex(mask.shape):
        assert pattern.is_zero(index) == (not mask[index])


@pytest.mark.parametrize("pattern", EXAMPLES, ids=repr)
def test_boxes_are_sorted_disjoint_and_not_empty(pattern) -> None:
    boxes = pattern.boxes
    assert boxes.dtype == np.int64
    assert boxes.shape[1:] == (pattern.rank, 2)
    assert boxes[:, :, 0].tolist() == sorted(boxes[:, :, 0].tolist())
    assert (boxes[:, :, 0] < boxes[:, :, 1]).all()
    count = np.zeros(pattern.shape, int)
    for box in boxes.tolist():
        count[tuple(slice(*bounds) for bounds in box)] += 1
    np.testing.assert_array_equal(count, pattern.mask().astype(int))


@pytest.mark.parametrize("pattern", EXAMPLES, ids=repr)
def test_a_box_is_zero_if_all_its_elements_are(pattern) -> None:
    mask = pattern.mask()
    bounds = [[(a, b) for a in range(n) for b in range(a + 1, n + 1)] for n in pattern.shape]
    for box in list(grid_of(*bounds))[::7]:
        first, last = [b[0] for b in box], [b[1] for b in box]
        inside = mask[tuple(slice(*b) for b in box)]
        assert pattern.is_zero(first, last) == (not inside.any())


def test_no_two_examples_are_equal() -> None:
    assert len(set(EXAMPLES)) == len(EXAMPLES)
    assert EXAMPLES[0] != 3


def test_a_sparsity_does_not_change() -> None:
    pattern = Element((10,), [3])
    with pytest.raises(AttributeError, match="does not change"):
        pattern.shape = (3,)
    with pytest.raises(ValueError, match="read-only"):
        pattern.flat[0] = 4
    with pytest.raises(ValueError, match="read-only"):
        Block((10,), [(1, 2)]).boxes[0] = 0


def test_memory_of_the_caller_is_not_kept() -> None:
    indices, norms = np.array([3, 5]), np.array([1.0, 2.0])
    element, norm = Element((10,), indices), Norm(((1, 1),), norms, 0.5)
    indices[:], norms[:] = 0, 0
    assert element.flat.tolist() == [3, 5]
    assert norm.norms.tolist() == [1, 2]


def test_sparsities_are_an_attribute_of_the_namespace() -> None:
    assert onebuf.sparsity.Element is Element


# Element


def test_three_of_ten_elements_are_seven_tenths_sparse() -> None:
    pattern = Element((10,), {3, 5, 7})
    assert pattern.sparsity() == 0.7
    assert pattern == Element(10, [7, 3, 5]) == Element(Smooth(10), np.array([[3], [5], [7]]))
    assert pattern == Element((10,), (i for i in (3, 5, 7)))
    assert pattern == Element((10,), zero={0, 1, 2, 4, 6, 8, 9})
    assert pattern == Element((10,), np.array([3, 5, 7], np.uint8))
    assert pattern == Element((10,), onebuf.asarray([3, 5, 7]))
    assert pattern.flat.tolist() == [3, 5, 7]
    assert pattern.flat.dtype == np.int64


def test_a_zero_scalar_and_a_nonzero_one() -> None:
    assert Element((), []).is_zero(())
    assert not Element((), [()]).is_zero(())
    assert not Element((), zero=[]).is_zero(())
    assert Element((), [()]).sparsity() == 0


def test_shapes_beyond_memory_can_have_nonzero_elements() -> None:
    pattern = Element((10**6, 10**6), [(999_999, 999_999), (5, 7)])
    assert pattern.flat.tolist() == [5 * 10**6 + 7, 10**12 - 1]
    assert pattern.is_zero((5, 6))
    assert not pattern.is_zero((5, 7))
    assert pattern.is_zero((6, 0), (999_999, 10**6))
    with pytest.raises(ArgumentError, match="kept one by one"):
        Element((10**6, 10**6), zero=[(0, 0)])


def test_a_million_indices_are_sorted() -> None:
    flat = np.random.default_rng(0).permutation(2 * 10**6)[: 10**6]
    pattern = Element((2000, 1000), np.stack(np.divmod(flat, 1000), axis=1))
    np.testing.assert_array_equal(pattern.flat, np.sort(flat))


@pytest.mark.parametrize(
    "shape, indices, error, match",
    [
        ((10,), [10], IndexRangeError, r"\(10,\)"),
        ((10,), [-1], IndexRangeError, r"\(-1,\)"),
        ((2, 3), [(0, 3)], IndexRangeError, r"\(0, 3\)"),
        ((10,), [2**70], IndexRangeError, "nonzero"),
        ((10,), [3, 3], ArgumentError, r"\(3,\) several"),
        ((2, 3), [(1, 2), (0, 0), (1, 2)], ArgumentError, r"\(1, 2\) several"),
        ((2, 3), [1, 2], ShapeError, "2 numbers"),
        ((2, 3), [(1, 2, 3)], ShapeError, "2 numbers"),
        ((2, 3), [(1, 2), (3,)], ShapeError, "nonzero"),
        ((10,), [1.0], ArgumentTypeError, "integers"),
        ((10,), [True], ArgumentTypeError, "integers"),
        ((10,), ["a"], ArgumentTypeError, "integers"),
        ((10,), [None], ArgumentTypeError, "integers"),
        ((10,), 3, ArgumentTypeError, "list"),
        ((10,), "3", ArgumentTypeError, "list"),
        ((), [(), ()], ArgumentError, "several"),
        ((), [0], ShapeError, "nonzero"),
        ((-1,), [], ArgumentError, "extents"),
        ((2.5,), [], ArgumentTypeError, "integer"),
        ((2**32, 2**32), [], ArgumentError, "less than"),
        (Smooth(2, origin=(1,)), [], ArgumentError, "begin"),
    ],
)
def test_wrong_lists_of_elements_are_errors(shape, indices, error, match) -> None:
    with pytest.raises(error, match=match):
        Element(shape, indices)


@pytest.mark.parametrize("kind", [Element, Block])
def test_exactly_one_list_is_needed(kind) -> None:
    with pytest.raises(ArgumentTypeError, match="neither"):
        kind((10,))
    with pytest.raises(ArgumentTypeError, match="both"):
        kind((10,), [], zero=[])


@pytest.mark.parametrize("pattern", [Element((4, 4), []), Block((4, 4), [])])
@pytest.mark.parametrize(
    "arguments, error",
    [
        (((4, 0),), IndexRangeError),
        (((0, -1),), IndexRangeError),
        (((0,),), ShapeError),
        ((0,), ShapeError),
        (((0, 0.5),), ArgumentTypeError),
        (((0, 0), (0, 4)), RegionError),
        (((2, 0), (1, 4)), RegionError),
        (((0, 0), (4, 5)), RegionError),
        (((0, 0), (4,)), ShapeError),
        (((0, 0), 4), ArgumentTypeError),
    ],
)
def test_questions_about_what_is_not_there_are_errors(pattern, arguments, error) -> None:
    with pytest.raises(error):
        pattern.is_zero(*arguments)


# Block


def test_boxes_may_be_pairs_shapes_or_an_array() -> None:
    shape = Smooth(10, 20)
    pattern = Block((10, 20), [((0, 0), (5, 10)), ((5, 10), (10, 20))])
    assert pattern == Block(shape, [shape.slice((5, 10), (10, 20)), shape.slice((0, 0), (5, 10))])
    assert pattern == Block(shape, np.array([[(0, 0), (5, 10)], [(5, 10), (10, 20)]]))
    assert pattern.boxes.tolist() == [[[0, 5], [0, 10]], [[5, 10], [10, 20]]]
    assert Block((10,), [((1,), (2,))]) == Block((10,), [(1, 2)])


def test_overlapping_boxes_are_an_error_that_names_them() -> None:
    boxes = [((0, 0), (2, 2)), ((2, 2), (4, 4)), ((3, 0), (4, 3))]
    with pytest.raises(ArgumentError, match=r"\(\(2, 2\), \(4, 4\)\) and \(\(3, 0\), \(4, 3\)\)"):
        Block((4, 4), boxes)
    with pytest.raises(ArgumentError, match="overlap"):
        Block((4, 4), zero=boxes)
    with pytest.raises(ArgumentError, match="overlap"):
        Block((), [((), ()), ((), ())])


@pytest.mark.parametrize(
    "shape, boxes, error",
    [
        ((4, 4), [((0, 0), (0, 4))], RegionError),
        ((4, 4), [((2, 0), (1, 4))], RegionError),
        ((4, 4), [((0, 0), (4, 5))], RegionError),
        ((4, 4), [((-1, 0), (4, 4))], RegionError),
        ((4, 4), [((0, 0), (4,))], ShapeError),
        ((4, 4), [((0,), (4,))], ShapeError),
        ((4, 4), [(0, 4)], ShapeError),
        ((4, 4), [((0, 0), (4.0, 4))], ArgumentTypeError),
        ((4, 4), 3, ArgumentTypeError),
        ((), 3, ArgumentTypeError),
        ((), [((0,), (1,))], ShapeError),
        ((), [3], ShapeError),
    ],
)
def test_wrong_boxes_are_errors(shape, boxes, error) -> None:
    with pytest.raises(error):
        Block(shape, boxes)


def test_tiles_remember_their_grid() -> None:
    pattern = Block.tiles((6, 6), 3, nonzero=[(1, 1), (0, 0)])
    assert pattern.grid == ((0, 3, 6), (0, 3, 6))
    assert pattern == Block((6, 6), [((0, 0), (3, 3)), ((3, 3), (6, 6))])
    assert pattern == Block.tiles((6, 6), (3, 3), zero=[(1, 0), (0, 1)])
    assert pattern == Block.tiles(Tiled((3, 3), (3, 3)), nonzero=[(0, 0), (1, 1)])
    assert pattern == Block.tiles((6, 6), ((3, 3), 3), np.array([(0, 0), (1, 1)]))
    uneven = Block.tiles((5,), 2, nonzero=[2])
    assert uneven.boxes.tolist() == [[[4, 5]]]
    assert Block.tiles((), (), nonzero=[()]).grid == ()


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: Block.tiles((6, 6), 3), ArgumentTypeError),
        (lambda: Block.tiles((6, 6), nonzero=[]), ArgumentTypeError),
        (lambda: Block.tiles(Tiled((3,)), 3, nonzero=[]), ArgumentTypeError),
        (lambda: Block.tiles((6, 6), (3,), nonzero=[]), ShapeError),
        (lambda: Block.tiles((6,), ((3, 2),), nonzero=[]), ShapeError),
        (lambda: Block.tiles((6,), 0, nonzero=[]), ArgumentError),
        (lambda: Block.tiles((6,), 3, nonzero=[2]), IndexRangeError),
        (lambda: Block.tiles((6,), 3, nonzero=[1, 1]), ArgumentError),
        (lambda: Block.tiles((6, 6), 3, nonzero=[1]), ShapeError),
    ],
)
def test_wrong_tiles_are_errors(make, error) -> None:
    with pytest.raises(error):
        make()


def test_ten_thousand_boxes_are_checked_and_complemented() -> None:
    coordinates = [(i, j) for i in range(200) for j in range(200) if (i + j) % 4 == 0]
    boxes = [((10 * i, 10 * j), (10 * i + 10, 10 * j + 10)) for i, j in coordinates]
    pattern = Block((2000, 2000), boxes)
    assert pattern == Block.tiles((2000, 2000), 10, coordinates)
    rest = Block((2000, 2000), zero=boxes)
    assert rest.nonzero_count + pattern.nonzero_count == 2000 * 2000
    assert (pattern | rest).sparsity() == 0


@st.composite
def masks(draw, rank=None):
    shape = draw(st.lists(st.integers(0, 4), min_size=rank or 0, max_size=rank or 3))
    return draw(st.integers(0, 2**32)), tuple(shape), draw(st.floats(0, 1))


def random_mask(seed: int, shape: tuple[int, ...], density: float):
    return np.asarray(np.random.default_rng(seed).random(shape) < density)


def random_block(seed: int, shape: tuple[int, ...], count: int = 4) -> tuple[Block, np.ndarray]:
    """Boxes that do not overlap, drawn one after another, and their elements."""
    random, mask, boxes = np.random.default_rng(seed), np.zeros(shape, bool), []
    for _ in range(count if mask.size else 0):
        first = [int(random.integers(0, n)) for n in shape]
        last = [int(random.integers(low + 1, n + 1)) for low, n in zip(first, shape, strict=True)]
        box = tuple(slice(*bounds) for bounds in zip(first, last, strict=True))
        if not mask[box].any():
            mask[box] = True
            boxes.append((first, last))
    return Block(shape, boxes), mask


@given(masks())
def test_elements_are_those_of_the_mask(drawn) -> None:
    mask = random_mask(*drawn)
    nonzero, zero = [[tuple(i) for i in np.argwhere(m).tolist()] for m in (mask, ~mask)]
    pattern = Element(mask.shape, nonzero)
    np.testing.assert_array_equal(pattern.mask(), mask)
    np.testing.assert_array_equal(pattern.flat, np.flatnonzero(mask))
    assert pattern == Element(mask.shape, zero=zero)


@given(st.integers(0, 2**32), st.lists(st.integers(0, 6), max_size=3))
def test_zero_boxes_leave_the_rest(seed, shape) -> None:
    pattern, mask = random_block(seed, tuple(shape))
    np.testing.assert_array_equal(pattern.mask(), mask)
    pairs = pattern.boxes.transpose(0, 2, 1)
    rest = Block(pattern.shape, zero=pairs.tolist() if mask.ndim else [((), ())] * len(pairs))
    np.testing.assert_array_equal(rest.mask(), ~mask)


@settings(max_examples=200)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 5), max_size=3), st.data())
def test_a_union_is_nonzero_where_either_is(seed, shape, data) -> None:
    shape = tuple(shape)
    tiled = Tiled.regular(shape, (2,) * len(shape))

    def one(seed):
        kind = data.draw(st.sampled_from(["element", "block", "tiles", "norm"]))
        if kind == "element":
            mask = random_mask(seed, shape, 0.5)
            return Element.of_flat(shape, np.flatnonzero(mask))
        if kind == "block":
            return random_block(seed, shape)[0]
        norms = random_mask(seed, tiled.grid, 0.5).astype(float)
        if kind == "norm":
            return Norm(tiled, norms, 0.5)
        return Block.tiles(tiled, nonzero=np.argwhere(norms))

    a, b = one(seed), one(seed + 1)
    union = a | b
    np.testing.assert_array_equal(union.mask(), a.mask() | b.mask())
    assert type(union) is (type(a) if type(a) is type(b) else Block)
    assert union.same_elements(b | a)
    test_boxes_are_sorted_disjoint_and_not_empty(union)
    if getattr(union, "grid", None) is not None:
        assert {tile.box for tile in Tiled(*tiled.axes).tiles} >= {
            (tuple(low), tuple(high)) for low, high in union.boxes.transpose(0, 2, 1).tolist()
        }


def test_unions_need_one_shape_and_sparsities() -> None:
    with pytest.raises(ShapeError, match="one shape"):
        Element((3,), []) | Element((4,), [])
    with pytest.raises(TypeError):
        Element((3,), []) | 3


def test_different_boxes_may_have_the_same_elements() -> None:
    one, two = Block((4,), [(0, 4)]), Block((4,), [(0, 2), (2, 4)])
    assert one != two
    assert one.same_elements(two)
    assert one.same_elements(Element((4,), range(4)))
    assert not one.same_elements(Element((4,), range(3)))
    assert not one.same_elements(Element((5,), range(4)))


# Norm


def test_tiles_with_norms_below_the_threshold_are_zero() -> None:
    pattern = Norm(((2, 2), (3, 1)), [[1, 1e-9], [0.5, 2]], 0.5)
    assert pattern.is_zero((0, 3))
    assert not pattern.is_zero((2, 0))  # equal to the threshold
    assert pattern.grid == ((0, 2, 4), (0, 3, 4))
    assert pattern.norms.tolist() == [[1, 1e-9], [0.5, 2]]
    assert pattern.threshold == 0.5
    assert Norm(((2, 2),), [0.0, 1e-300], 0).nonzero_count == 2


def test_norms_of_a_union_add_and_the_larger_threshold_stays() -> None:
    a = Norm(((1, 1, 1),), [0.6, 0.4, 0.1], 0.5)
    b = Norm(((1, 1, 1),), [0.3, 0.4, 0.3], 0.3)
    union = a | b
    np.testing.assert_allclose(union.norms, [0.9, 0.4, 0.3])
    assert union.threshold == 0.5
    assert union.boxes.tolist() == [[[0, 1]]]
    assert isinstance(a | Norm(((2, 1),), [1, 1], 0.5), Block)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((((1, 1),), [1], 0.5), ShapeError),
        ((((1, 1),), [[1, 1]], 0.5), ShapeError),
        ((((1, 1),), [1, -1], 0.5), ArgumentError),
        ((((1, 1),), [1, np.nan], 0.5), ArgumentError),
        ((((1, 1),), [1, np.inf], 0.5), ArgumentError),
        ((((1, 1),), [1, 1j], 0.5), ArgumentTypeError),
        ((((1, 1),), ["a", "b"], 0.5), ArgumentTypeError),
        ((((1, 1),), [1, 1], -1), ArgumentError),
        ((((1, 1),), [1, 1], np.nan), ArgumentError),
        ((((1, 1),), [1, 1], [1, 1]), ArgumentError),
        ((((1, 1),), [1, 1], None), ArgumentTypeError),
        ((3, [1, 1], 1), ArgumentTypeError),
        (((1, 1), [1, 1], 1), ArgumentTypeError),
        ((((1, 0),), [1, 1], 1), ArgumentError),
    ],
)
def test_wrong_norms_are_errors(arguments, error) -> None:
    with pytest.raises(error):
        Norm(*arguments)
