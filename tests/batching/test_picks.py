"""Picks and scatters by arrays of indices, on a batch of examples and on one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batching.oracle import check
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf.ops import scatter
from onebuf.ops.numpy import picking
from onebuf.ops.numpy.picking import SLOT

SIZE = 3
RNG = np.random.default_rng(3)
BOTH_OR_ONE = [(True, True), (True, False), (False, True)]
KEYS: list[tuple[Any, ...]] = [
    (SLOT, SLOT),
    (SLOT, SLOT, SLOT),
    (SLOT, slice(None), SLOT),
    (slice(None), SLOT, SLOT),
    (slice(1, None), SLOT),
    (..., SLOT, SLOT),
    (..., SLOT),
    (SLOT, ..., SLOT),
    (None, SLOT, None, SLOT),
    (SLOT, 1, SLOT),
    (1, slice(None), SLOT),
    (SLOT, None, slice(None, None, -1)),
]
SHAPES = [((),) * 3, ((2,),) * 3, ((), (2,), ()), ((2, 1), (5,), ()), ((2,), (3, 1), (3, 2))]
"""Shapes of the indices of up to three slots, which broadcast."""
EXTENT = 7
BOX = (EXTENT,) * 3


def of(node: Any) -> Any:
    return onebuf.Buffer._value(node)


@st.composite
def operands(draw: Any, key: tuple[Any, ...]) -> tuple[list[Any], list[bool]]:
    """A box of elements and indices for the slots of ``key``, and which of them have examples.

    The indices of a slot are all different, so that no two values are written to one place.
    """
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    count = key.count(SLOT)
    mapped = draw(st.lists(st.booleans(), min_size=1 + count, max_size=1 + count).filter(any))
    shapes = draw(st.sampled_from(SHAPES))
    indices = []
    for shape, is_mapped in zip(shapes, mapped[1:], strict=False):
        rows = [rng.permutation(EXTENT)[: np.prod(shape, dtype=int)] for _ in range(SIZE)]
        made = np.stack(rows).reshape(SIZE, *shape) - EXTENT * draw(st.integers(0, 1))
        indices.append(made if is_mapped else made[0])
    x = rng.normal(size=(SIZE, *BOX) if mapped[0] else BOX)
    return [x, *indices], mapped


@given(st.data())
def test_a_pick(data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(KEYS))
    arrays, mapped = data.draw(operands(key))

    def picked(x: Any, *indices: Any) -> Any:
        return of(picking.pick(x._node, key, [index._node for index in indices]))

    check(picked, *arrays, mapped=mapped)


@given(st.data())
def test_a_put(data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(KEYS))
    (x, *indices), mapped = data.draw(operands(key))
    one = [at[0] if is_mapped else at for at, is_mapped in zip(indices, mapped[1:], strict=True)]
    shape = np.empty(BOX)[picking.filled(key, one)].shape
    shape = shape[data.draw(st.integers(0, len(shape))) :]
    is_mapped = data.draw(st.booleans())
    values = RNG.normal(size=(SIZE, *shape) if is_mapped else shape)

    def written(x: Any, values: Any, *indices: Any) -> Any:
        nodes = [index._node for index in indices]
        return of(picking.put(x._node, key, nodes, values._node))

    check(written, x, values, *indices, mapped=[mapped[0], is_mapped, *mapped[1:]])


@pytest.mark.parametrize("mapped", BOTH_OR_ONE)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("places", [(4,), (2, 3)])
def test_slices_added_at_indices(
    places: tuple[int, ...], axis: int, mapped: tuple[bool, bool]
) -> None:
    at = RNG.integers(-3, 3, (SIZE, *places))
    updates = RNG.normal(size=(SIZE, *(3, 3)[:axis], *places, *(3, 3)[axis + 1 :]))
    arrays = [x if m else x[0] for x, m in zip((at, updates), mapped, strict=True)]
    check(lambda at, new: added(scatter.scatter_add, at, new, axis), *arrays, mapped=mapped)


@pytest.mark.parametrize("mapped", BOTH_OR_ONE)
@pytest.mark.parametrize("axis", [0, 1])
def test_elements_added_each_at_its_index(axis: int, mapped: tuple[bool, bool]) -> None:
    shape = (5, 3) if axis == 0 else (3, 5)
    pair = RNG.integers(-3, 3, (SIZE, *shape)), RNG.normal(size=(SIZE, *shape))
    arrays = [x if m else x[0] for x, m in zip(pair, mapped, strict=True)]
    check(lambda at, new: added(scatter.scatter_add_along, at, new, axis), *arrays, mapped=mapped)


def added(function: Any, at: Any, new: Any, axis: int) -> Any:
    return of(function((3, 3), at._node, new._node, axis))


@pytest.mark.parametrize(
    "mapped", [(True, True, True), (True, False, False), (False, True, False), (False, False, True)]
)
def test_elements_put_at_indices(mapped: tuple[bool, bool, bool]) -> None:
    at = np.stack([RNG.permutation(6)[:4] for _ in range(SIZE)])
    given = RNG.normal(size=(SIZE, 6)), at, RNG.normal(size=(SIZE, 4))
    arrays = [x if m else x[0] for x, m in zip(given, mapped, strict=True)]

    def written(x: Any, at: Any, new: Any) -> Any:
        return of(scatter.scatter_put(x._node, at._node, new._node))

    check(written, *arrays, mapped=mapped)
