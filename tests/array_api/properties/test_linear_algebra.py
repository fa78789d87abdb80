"""Linear algebra functions, of the main namespace and of the linalg extension."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    STANDARD,
    Operand,
    agree,
    assert_same,
    axis_tuples,
    broadcastable,
    covers,
    each,
    examples,
    matrix_shapes,
    modes,
    operands,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.array_utils import normalize_axis_index

import onebuf as xp
from onebuf import OnebufError

some = examples(40)
TYPES = INTEGERS + FLOATS + COMPLEX
ULPS = 64
extents = st.integers(0, 4)


def spaces(name: str) -> tuple[Any, Any]:
    """A function by its name, ours and NumPy's."""
    ours, theirs = xp, np
    if name.startswith("linalg."):
        ours, theirs, name = xp.linalg, np.linalg, name.removeprefix("linalg.")
    return getattr(ours, name), getattr(theirs, name)


@each("matmul", "linalg.matmul")
@some
@given(data=st.data(), mode=modes)
def test_matmul_is_numpys(name: str, data: st.DataObject, mode: str) -> None:
    ours, theirs = spaces(name)
    one, two = data.draw(broadcastable())
    inner, rows, columns = (data.draw(extents) for _ in range(3))
    left, right = (*one[:1], rows, inner), (*two[:1], inner, columns)
    if data.draw(st.integers(0, 3)) == 0:
        left = (inner,)
    if data.draw(st.integers(0, 3)) == 0:
        right = (inner,)
    if data.draw(st.integers(0, 9)) == 0:
        right = two
    x = data.draw(operands(STANDARD, left, "finite"))
    y = data.draw(operands(STANDARD, right, "finite"))
    agree(
        mode,
        lambda: ours(x.buffer, y.buffer),
        lambda: theirs(x.array, y.array),
        *(x, y),
        ulps=ULPS,
        scale=300,
    )


@some
@given(data=st.data(), mode=modes)
def test_the_operator_is_matmul(data: st.DataObject, mode: str) -> None:
    inner = data.draw(extents)
    x = data.draw(operands(TYPES, (data.draw(extents), inner), "finite"))
    y = data.draw(operands(TYPES, (inner, data.draw(extents)), "finite"))
    agree(
        mode,
        lambda: x.buffer @ y.buffer,
        lambda: x.array @ y.array,
        *(x, y),
        ulps=ULPS,
        scale=300,
    )
    agree(mode, lambda: x.array @ y.buffer, lambda: x.array @ y.array, y, ulps=ULPS, scale=300)


@some
@given(data=st.data(), mode=modes)
def test_the_operator_in_place_keeps_the_buffer(data: st.DataObject, mode: str) -> None:
    rows, inner = data.draw(extents), data.draw(extents)
    cuts = ("whole", "offset", "step", "back", "pad")
    x = data.draw(operands(TYPES, (rows, inner), "finite", cuts))
    columns = inner if data.draw(st.integers(0, 4)) else data.draw(extents)
    y = data.draw(operands(TYPES, (inner, columns), "finite"))
    with in_mode(mode):
        later = x.buffer + 0

    def theirs() -> Any:
        product = x.array @ y.array
        if product.shape != x.array.shape:
            raise ValueError("there is no room for the product")
        return product.astype(x.array.dtype, casting="same_kind")

    def ours() -> Any:
        before = changed = x.buffer
        changed @= y.buffer
        assert changed is before
        return changed

    if agree(mode, ours, theirs, y, ulps=ULPS, scale=300) is None:
        x.check()
    assert_same(later, x.array + 0)


@each("matrix_transpose", "linalg.matrix_transpose")
@some
@given(x=operands(), mode=modes)
def test_matrix_transpose_is_a_view(name: str, x: Operand, mode: str) -> None:
    ours, theirs = spaces(name)
    got = agree(mode, lambda: ours(x.buffer), lambda: theirs(x.array), x, fresh=False)
    if got is not None and got.numel:
        assert np.shares_memory(got.unwrap(), x.buffer.unwrap())


@each("tensordot", "linalg.tensordot")
@some
@given(data=st.data(), mode=modes)
def test_tensordot_is_numpys(name: str, data: st.DataObject, mode: str) -> None:
    ours, theirs = spaces(name)
    x = data.draw(operands(TYPES, values="finite"))
    if data.draw(st.booleans()):
        chosen = data.draw(axis_tuples(x.array.ndim))
        others = data.draw(st.lists(extents, max_size=2))
        shape = list(others)
        places: list[int] = []
        for axis in chosen:
            place = data.draw(st.integers(0, len(shape)))
            shape.insert(place, x.array.shape[axis])
            places = [p + 1 if p >= place else p for p in places] + [place]
        axes: Any = (chosen, tuple(places))
    else:
        axes = data.draw(st.integers(0, x.array.ndim))
        shape = [*x.array.shape[x.array.ndim - axes :], *data.draw(st.lists(extents, max_size=1))]
    y = data.draw(operands(TYPES, tuple(shape), "finite"))
    agree(
        mode,
        lambda: ours(x.buffer, y.buffer, axes=axes),
        lambda: theirs(x.array, y.array, axes=axes),
        *(x, y),
        ulps=ULPS,
        scale=1000,
    )


@each("vecdot", "linalg.vecdot")
@some
@given(data=st.data(), mode=modes)
def test_vecdot_is_numpys(name: str, data: st.DataObject, mode: str) -> None:
    ours, theirs = spaces(name)
    one, two = data.draw(broadcastable())
    one, two = one[:2], two[:2]
    extent = data.draw(extents)
    axis = data.draw(st.integers(-min(len(one), len(two)) - 1, -1))
    shapes = []
    for shape in (one, two):
        place = len(shape) + 1 + axis
        shapes.append((*shape[:place], extent, *shape[place:]))
    x, y = (data.draw(operands(TYPES, shape, "finite")) for shape in shapes)
    agree(
        mode,
        lambda: ours(x.buffer, y.buffer, axis=axis),
        lambda: theirs(x.array, y.array, axis=axis),
        *(x, y),
        ulps=ULPS,
        scale=300,
    )


@each("vecdot", "linalg.vecdot")
@some
@given(data=st.data(), mode=modes)
def test_vecdot_refuses_what_numpy_refuses(name: str, data: st.DataObject, mode: str) -> None:
    ours, theirs = spaces(name)
    x, y = (data.draw(operands(FLOATS, values="finite")) for _ in range(2))
    ndim = max(x.array.ndim, y.array.ndim)
    axis = data.draw(st.integers(-ndim - 1, ndim))
    agree(
        mode,
        lambda: ours(x.buffer, y.buffer, axis=axis),
        lambda: theirs(x.array, y.array, axis=axis),
        *(x, y),
        ulps=ULPS,
        scale=300,
    )


@covers("linalg.outer")
@some
@given(data=st.data(), mode=modes)
def test_outer_is_numpys(data: st.DataObject, mode: str) -> None:
    shapes = st.lists(extents, min_size=1, max_size=1).map(tuple) | matrix_shapes
    x, y = (data.draw(operands(STANDARD, shapes, "finite")) for _ in range(2))
    agree(
        mode,
        lambda: xp.linalg.outer(x.buffer, y.buffer),
        lambda: np.linalg.outer(x.array, y.array),
        *(x, y),
        ulps=ULPS,
        scale=100,
    )


@covers("linalg.cross")
@some
@given(data=st.data(), mode=modes)
def test_cross_is_numpys(data: st.DataObject, mode: str) -> None:
    one, two = data.draw(broadcastable())
    one, two = one[:2], two[:2]
    axis = data.draw(st.integers(-min(len(one), len(two)) - 1, -1))
    extent = data.draw(st.sampled_from([3, 3, 3, 2]))
    shapes = []
    for shape in (one, two):
        place = len(shape) + 1 + axis
        shapes.append((*shape[:place], extent, *shape[place:]))
    x, y = (data.draw(operands(TYPES, shape, "finite")) for shape in shapes)
    agree(
        mode,
        lambda: xp.linalg.cross(x.buffer, y.buffer, axis=axis),
        lambda: np.linalg.cross(x.array, y.array, axis=axis),
        *(x, y),
        ulps=ULPS,
        scale=100,
    )


@covers("linalg.diagonal")
@some
@given(x=operands(), offset=st.integers(-5, 5), mode=modes)
def test_diagonal_is_numpys(x: Operand, offset: int, mode: str) -> None:
    got = agree(
        mode,
        lambda: xp.linalg.diagonal(x.buffer, offset=offset),
        lambda: np.linalg.diagonal(x.array, offset=offset),
        x,
        fresh=False,
    )
    if got is not None and got.numel:
        assert np.shares_memory(got.unwrap(), x.buffer.unwrap())


@covers("diag")
@some
@given(x=operands(), k=st.integers(-5, 5), mode=modes)
def test_diag_is_numpys(x: Operand, k: int, mode: str) -> None:
    agree(mode, lambda: xp.diag(x.buffer, k), lambda: np.diag(x.array, k), x, fresh=False)


@covers("linalg.trace")
@some
@given(data=st.data(), offset=st.integers(-5, 5), mode=modes)
def test_trace_is_numpys(data: st.DataObject, offset: int, mode: str) -> None:
    x = data.draw(operands(TYPES, values="finite"))
    dtype = data.draw(st.none() | st.sampled_from(COMPLEX))
    agree(
        mode,
        lambda: xp.linalg.trace(x.buffer, offset=offset, dtype=dtype),
        lambda: np.linalg.trace(x.array, offset=offset, dtype=dtype),
        x,
        ulps=ULPS,
        scale=100,
    )


@each("vecdot", "linalg.cross", "linalg.vector_norm")
@examples(10)
@given(data=st.data(), mode=modes)
def test_an_axis_that_is_not_there_is_an_index_error(
    name: str, data: st.DataObject, mode: str
) -> None:
    ours, _ = spaces(name)
    x = data.draw(operands(FLOATS))
    ndim = x.array.ndim
    axis = data.draw(st.sampled_from([ndim, -ndim - 1, ndim + 7]))
    arguments = [x.buffer] if "norm" in name else [x.buffer, x.buffer]
    with pytest.raises(IndexError):
        normalize_axis_index(axis, ndim)
    with pytest.raises(IndexError) as caught, in_mode(mode):
        ours(*arguments, axis=axis)
    assert isinstance(caught.value, OnebufError)
    x.check()
