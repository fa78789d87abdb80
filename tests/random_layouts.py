"""Layouts to draw, and arrays that have them: what tests of symmetry and sparsity share.

The arrays are the oracle. They are made from the definition of a layout: the sum of what every
operation of the group makes of an array, and zeros where the sparsity has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from onebuf import Layout
from onebuf.shapes import Jagged, Tiled
from onebuf.sparsity import Block, Element, Norm
from onebuf.symmetry import Antisymmetric, Group, Hermitian, Operation, Permutation, Symmetric

Array = np.ndarray[Any, Any]


def _group(*generators: Any) -> Group:
    return Group(*generators)


ANTIHERMITIAN = Group(Operation(Permutation([1, 0]), -1, True))
EIGHTFOLD = Group(Permutation([1, 0, 2, 3]), Permutation([0, 1, 3, 2]), Permutation([2, 3, 0, 1]))
TWISTED = Group(
    (Permutation([1, 0, 2, 3]), -1), (Permutation([0, 1, 3, 2]), -1), Permutation([2, 3, 0, 1])
)
"""Antisymmetric in each pair, symmetric under the exchange of both: a curvature tensor."""

GROUPS: dict[str, Group] = {
    "none": Group(rank=2),
    "symmetric": Symmetric(0, 1),
    "antisymmetric": Antisymmetric(0, 1),
    "hermitian": Hermitian(0, 1),
    "antihermitian": ANTIHERMITIAN,
    "S3": Symmetric(0, 1, 2),
    "signed S3": Antisymmetric(0, 1, 2),
    "hermitian S3": Hermitian(0, 1, 2),
    "first two": Symmetric(0, 1, rank=3),
    "last two": Antisymmetric(1, 2, rank=3),
    "outer two": Symmetric(0, 2, rank=3),
    "cyclic": _group(Permutation([1, 2, 0])),
    "eightfold": EIGHTFOLD,
    "twisted": TWISTED,
    "negated exchange": _group(
        Permutation([1, 0, 2, 3]), Permutation([0, 1, 3, 2]), (Permutation([2, 3, 0, 1]), -1)
    ),
    "pairs": Symmetric((0, 1), (2, 3)),
    "crossed pairs": Antisymmetric((0, 3), (2, 1)),
    "hermitian pairs": Hermitian((0, 1), (2, 3)),
    "klein": _group(Permutation([1, 0, 3, 2]), Permutation([2, 3, 0, 1])),
    "signed klein": _group((Permutation([1, 0, 3, 2]), -1), Permutation([2, 3, 0, 1])),
    "cyclic of four": _group((Permutation([1, 2, 3, 0]), -1)),
    "two products": _group(Symmetric(0, 1, rank=4), Antisymmetric(2, 3)),
    "S4": Symmetric(0, 1, 2, 3),
    "signed S4": Antisymmetric(0, 1, 2, 3),
    "pair and one": _group(Permutation([1, 0, 2, 4, 3])),
}


def extents_of(group: Group, sizes: list[int]) -> tuple[int, ...]:
    """A shape that ``group`` allows: the axes of each orbit have one of ``sizes``."""
    first = [min(one.permutation.image(axis) for one in group) for axis in range(group.rank)]
    return tuple([sizes[axis] for axis in first])


@st.composite
def shapes_of(draw: Any, group: Group, most: int = 6) -> tuple[int, ...]:
    """Shapes that a group allows, of which some have no elements or one."""
    most = most if group.rank < 4 else min(most, 4)
    return extents_of(group, [draw(st.integers(0, most)) for _ in range(group.rank)])


@st.composite
def boxes_of(draw: Any, shape: tuple[int, ...]) -> Block:
    """Boxes of all sizes that do not overlap."""
    cuts = []
    for extent in shape:
        inner = draw(st.lists(st.integers(1, max(extent - 1, 1)), max_size=3, unique=True))
        cuts.append(sorted({0, extent, *[cut for cut in inner if cut < extent]}))
    cells = list(np.ndindex(*[len(cut) - 1 for cut in cuts]))
    chosen = draw(st.lists(st.sampled_from(cells), unique=True)) if cells else []
    boxes = []
    for cell in chosen:
        low = tuple([cut[i] for cut, i in zip(cuts, cell, strict=True)])
        high = tuple([cut[i + 1] for cut, i in zip(cuts, cell, strict=True)])
        boxes.append((low, high))
    return Block(shape, boxes)


@st.composite
def elements_of(draw: Any, shape: tuple[int, ...]) -> Element:
    """Single elements: none of them, some, or all."""
    size = int(np.prod(shape))
    seed, share = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from([0, 0.1, 0.5, 1]))
    chosen = np.flatnonzero(np.random.default_rng(seed).random(size) < share)
    return Element.of_flat(shape, chosen.astype(np.int64))


@st.composite
def tiles_of(draw: Any, shape: tuple[int, ...]) -> Block:
    """Tiles of one size, of which those at the end may be cut."""
    tile = [draw(st.integers(1, max(extent, 1))) for extent in shape]
    cells = list(np.ndindex(*[-(-n // t) for n, t in zip(shape, tile, strict=True)]))
    chosen = draw(st.lists(st.sampled_from(cells), unique=True)) if cells else []
    return Block.tiles(shape, tuple(tile), nonzero=chosen)


@st.composite
def norms_of(draw: Any, shape: tuple[int, ...]) -> Norm:
    """Tiles with norms, of which some are below the threshold."""
    seed = draw(st.integers(0, 2**32 - 1))
    axes = []
    for extent in shape:
        cut = draw(st.integers(0, extent))
        axes.append(tuple([part for part in (cut, extent - cut) if part]) or (0,))
    tiled = Tiled(*axes)
    return Norm(tiled, np.random.default_rng(seed).random(tiled.grid), 0.5)


def sparsities_of(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """Every sort of sparsity."""
    sorts = [elements_of(shape), boxes_of(shape)]
    if shape and all(shape):
        sorts += [tiles_of(shape), norms_of(shape)]
    return st.one_of(sorts)


def closed(group: Group, mask: Array) -> Array:
    """``mask`` and all that the operations of ``group`` lead to."""
    found = mask.copy()
    for one in group:
        found |= mask.transpose([one.permutation.image(axis) for axis in range(mask.ndim)])
    return found


@st.composite
def layouts(draw: Any, names: tuple[str, ...] = tuple(GROUPS), most: int = 6) -> Layout:
    """Layouts with a symmetry, with a sparsity, with both, or with tiles."""
    group = GROUPS[draw(st.sampled_from(names))]
    shape = draw(shapes_of(group, most))
    if not group.is_trivial:
        if draw(st.booleans()):
            return Layout(shape, group)
        pattern = draw(sparsities_of(shape))
        mask = closed(group, pattern.mask())
        return Layout(shape, group, Element.of_flat(shape, np.flatnonzero(mask)))
    sort = draw(st.sampled_from(["sparsity", "sparsity", "tiles", "jagged", "rank 1", "rank 3"]))
    if sort == "jagged":
        return Layout(Jagged(draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))))
    if sort == "tiles":
        shape = tuple([max(extent, 1) for extent in shape])
        return Layout(shape, tiles=draw(st.integers(1, 4)))
    extra = {"sparsity": shape, "rank 1": shape[:1], "rank 3": (*shape, 3)}[sort]
    return Layout(extra, sparsity=draw(sparsities_of(extra)))


def mask_of(layout: Layout) -> Array:
    """Where a layout has elements that may be other than 0, by its definition."""
    mask = np.ones(layout.shape, bool) if layout.sparsity is None else layout.sparsity.mask()
    index = np.indices(layout.shape)
    for one in layout.group:
        if one.sign < 0 and not one.conjugate:
            moved = index[[one.permutation.image(axis) for axis in range(layout.rank)]]
            mask &= ~(index == moved).all(axis=0)
    return mask


def dense_array(layout: Layout, dtype: Any = float, seed: int = 0) -> Array:
    """A dense array that has the layout; its numbers are small, and sums of them exact."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    found = rng.integers(-3, 4, layout.shape).astype(dtype)
    if dtype.kind == "c":
        found = found + (1j * rng.integers(-3, 4, layout.shape)).astype(dtype)
    total = np.zeros(layout.shape, dtype)
    for one in layout.group:
        part = found.transpose([one.permutation.image(axis) for axis in range(layout.rank)])
        part = part.conj() if one.conjugate and dtype.kind == "c" else part
        total = total - part if one.sign < 0 else total + part
    return np.where(mask_of(layout), total, np.zeros((), dtype)).astype(dtype)
