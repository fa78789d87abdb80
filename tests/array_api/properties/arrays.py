"""Buffers with NumPy twins: what the property tests of the namespace are given and hold results to.

An `Operand` is a buffer in some layout and state, and an array of the same elements in the same
layout that shares no memory with it. The layout is any mixture of steps, negative steps, offsets,
stride 0, borders and orders of axes; the state says where the elements are: in pool memory, in
memory of NumPy's, not computed yet, or computed after the views of them were made.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import pytest
from buffer.cases import in_mode, lazily, pending
from hypothesis import settings
from hypothesis import strategies as st

import onebuf as xp
from onebuf import Buffer, OnebufError, dtypes

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]

# -- which functions have a property ---------------------------------------------------------------

COVERED: set[str] = set()
"""Every function of the namespace, of ``linalg.`` and of ``fft.`` that some property is about."""


def covers(*names: str) -> Callable[[Any], Any]:
    """Mark a property as one of these functions."""
    COVERED.update(names)
    return lambda test: test


def each(*names: str, of: str = "") -> Callable[[Any], Any]:
    """One test for each of these functions of an extension, which it gets as ``name``."""
    COVERED.update(of + name for name in names)
    return pytest.mark.parametrize("name", names)


EFFORT = int(os.environ.get("PROPERTY_EFFORT", "1"))
"""How many times as many examples as usual to try."""


def examples(count: int) -> settings:
    """That many examples of a property, in the usual case."""
    return settings(max_examples=count * EFFORT)


# -- dtypes, shapes, axes --------------------------------------------------------------------------

BOOL = (dtypes.bool,)
SIGNED = tuple(dtype for dtype in dtypes.STANDARD if dtype.kind == "i")
UNSIGNED = tuple(dtype for dtype in dtypes.STANDARD if dtype.kind == "u")
INTEGERS = SIGNED + UNSIGNED
FLOATS = (dtypes.float32, dtypes.float64)
NARROW = (dtypes.float16, dtypes.bfloat16)
COMPLEX = (dtypes.complex64, dtypes.complex128)
STANDARD = dtypes.STANDARD
REAL = INTEGERS + FLOATS
NUMERIC = REAL + COMPLEX
EVERY = STANDARD + NARROW

modes = st.sampled_from(["eager", "lazy"])
shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)
full_shapes = st.lists(st.integers(1, 4), max_size=3).map(tuple)
deep_shapes = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)
full_deep_shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
matrix_shapes = st.lists(st.integers(0, 4), min_size=2, max_size=3).map(tuple)


@st.composite
def broadcastable(draw: st.DrawFn, count: int = 2) -> list[tuple[int, ...]]:
    """Shapes that broadcast."""
    whole = draw(shapes)
    found = []
    for _ in range(count):
        number = draw(st.integers(0, (len(whole) + 1) * 2 ** len(whole) - 1))
        ones, cut = divmod(number, len(whole) + 1)
        found.append(
            tuple([1 if ones >> place & 1 else whole[place] for place in range(cut, len(whole))])
        )
    return found


def one_axis(ndim: int) -> st.SearchStrategy[int]:
    """An axis of an array of ``ndim`` dimensions, counted from either end."""
    return st.integers(-ndim, ndim - 1)


def several_axes(ndim: int) -> st.SearchStrategy[Any]:
    """None, one axis, or a tuple of some: what a reduction takes."""
    return st.sampled_from([None, *range(-ndim, ndim)]) | axis_tuples(ndim)


def axis_tuples(ndim: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Some axes, none twice."""
    return st.sampled_from(_axis_tuples(ndim))


@cache
def _axis_tuples(ndim: int) -> list[tuple[int, ...]]:
    return [
        chosen
        for count in range(ndim + 1)
        for chosen in permutations(range(-ndim, ndim), count)
        if len({axis % ndim for axis in chosen}) == count
    ]


# -- elements --------------------------------------------------------------------------------------

_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.25, 1e-3, 100.0, np.inf, -np.inf, np.nan]


def elements(dtype: DT, shape: tuple[int, ...], seed: int, values: str = "any") -> Array:
    """Elements of a dtype.

    ``any``: limits, zeros of both signs, infinities and NaN among ordinary numbers; ``finite``:
    ordinary numbers and zeros; ``tame``: numbers from 1 to 4; ``ties``: few, so that many are
    equal, with zeros of both signs among them.
    """
    rng = np.random.default_rng(seed)
    kind = dtypes.kind(dtype)
    with np.errstate(all="ignore"):
        if kind == "b":
            return rng.integers(0, 2, shape).astype(bool)
        if values == "tame":
            return rng.integers(1, 5, shape).astype(dtype)
        if kind in "iu":
            low, high = (-9, 10) if kind == "i" else (0, 19)
            found = rng.integers(low, high, shape).astype(dtype)
            edges = np.array([0, 1, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
        else:
            found = _numbers(rng, shape, dtype)
            limits = xp.finfo(dtype)
            extremes = [limits.max, limits.min, limits.smallest_normal, limits.eps]
            edges = np.array([*_FLOATS, *extremes]).astype(dtype)
            if kind == "c":
                edges = edges + 1j * rng.permutation(edges)
        if values == "ties":
            few = np.array([0, 1, 2] if kind in "iu" else [0.0, -0.0, 1.0, -1.0, np.nan])
            return np.asarray(rng.choice(few, shape).astype(dtype))
        if values == "any":
            found = np.where(rng.random(shape) < 0.4, rng.choice(edges, shape), found)
        return np.asarray(found.astype(dtype))


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: DT) -> Array:
    found = rng.integers(-32, 33, shape) / 8
    if dtype.kind == "c":
        found = found + 1j * rng.integers(-32, 33, shape) / 8
    return np.asarray(found)


# -- operands --------------------------------------------------------------------------------------

CUTS = ("whole", "whole", "offset", "step", "back", "back step", "expand", "pad")
STATES = ("stored", "foreign", "foreign view", "pending", "settled")


class Operand(NamedTuple):
    """A buffer, and an array that it has to equal."""

    buffer: Buffer
    array: Array

    def check(self) -> None:
        """Fails if the buffer's elements are other than they were."""
        assert_bits(np.array(self.buffer.unwrap()), self.array)

    def __repr__(self) -> str:
        return (
            f"Operand({self.array!r}, dtype={self.array.dtype}, shape={self.array.shape}, "
            f"strides={self.array.strides}, realized={self.buffer.is_realized})"
        )


class Layout(NamedTuple):
    """What is done to a row-major base on the way to an operand's shape."""

    inner: tuple[int, ...]
    borders: tuple[tuple[int, int], ...]
    key: tuple[Any, ...]
    wide: tuple[int, ...]
    order: tuple[int, ...]

    def of_buffer(self, x: Buffer) -> Buffer:
        if any(border != (0, 0) for border in self.borders):
            x = x.pad(self.borders)
        return x[self.key].expand(self.wide).permute(self.order)

    def of_array(self, x: Array) -> Array:
        if any(border != (0, 0) for border in self.borders):
            extents = [n + sum(pair) for n, pair in zip(x.shape, self.borders, strict=True)]
            whole = np.zeros(extents, x.dtype)
            inside = [slice(a, n - b) for (a, b), n in zip(self.borders, extents, strict=True)]
            whole[tuple(inside)] = x
            x = whole
        x = x[self.key]
        wide = x if x.shape == self.wide else np.broadcast_to(x, self.wide)
        return wide.transpose(self.order)


def layout(shape: tuple[int, ...], cuts: Sequence[str], order: int) -> Layout:
    """The layout that ends in ``shape``, with one cut an axis and the axes in some order."""
    ndim = len(shape)
    axes = next(p for n, p in enumerate(permutations(range(ndim))) if n == order)
    wide = tuple([shape[axes.index(axis)] for axis in range(ndim)])
    inner, borders, key = [], [], []
    for extent, cut in zip(wide, cuts, strict=True):
        base, border, part = extent, (0, 0), slice(None)
        if cut == "offset":
            base, part = extent + 3, slice(1, extent + 1)
        elif cut == "step":
            base, part = 2 * extent, slice(None, None, 2)
        elif cut == "back":
            part = slice(None, None, -1)
        elif cut == "back step":
            base, part = 3 * extent, slice(None, None, -3)
        elif cut == "expand":
            base = 1
        elif cut == "pad" and extent > 1:
            base, border = extent - 1, (1, 0) if extent % 2 else (0, 1)
        inner.append(base)
        borders.append(border)
        key.append(part)
    return Layout(tuple(inner), tuple(borders), (*key, ...), wide, axes)


def build(base: Array, how: Layout, state: str) -> Operand:
    """The operand of a base's elements in a layout and a state."""
    twin = how.of_array(np.array(base))
    if state == "foreign view":
        return Operand(xp.asarray(how.of_array(np.array(base))), twin)
    stored = xp.asarray(np.array(base), copy=state != "foreign")
    if state == "pending":
        with lazily():
            return Operand(how.of_buffer(pending(stored)), twin)
    if state == "settled":
        with lazily():
            whole = pending(stored)
            seen = how.of_buffer(whole)
        seen.base.realize()
        return Operand(seen, twin)
    return Operand(how.of_buffer(stored), twin)


_SEEDS = st.integers(0, 9999)


@st.composite
def operands(
    draw: st.DrawFn,
    types: Sequence[DT] = EVERY,
    shape: Any = shapes,
    values: str = "any",
    cuts: Sequence[str] = CUTS,
) -> Operand:
    """An operand of one of ``types``, in a shape or one that a strategy draws."""
    dtype = draw(st.sampled_from(types))
    extents = draw(shape) if isinstance(shape, st.SearchStrategy) else tuple(shape)
    how, state = draw(arrangements(extents, cuts))
    return build(elements(dtype, how.inner, draw(_SEEDS), values), how, state)


def arrangements(
    shape: tuple[int, ...], cuts: Sequence[str] = CUTS
) -> st.SearchStrategy[tuple[Layout, str]]:
    """A layout that ends in ``shape``, and a state."""
    # One number stands for all choices, because drawing is what takes the time of these tests.
    count = len(STATES) * len(cuts) ** len(shape) * factorial(len(shape))
    return st.integers(0, count - 1).map(lambda number: _arrangement(shape, cuts, number))


def _arrangement(shape: tuple[int, ...], cuts: Sequence[str], number: int) -> tuple[Layout, str]:
    chosen = []
    for _ in shape:
        number, cut = divmod(number, len(cuts))
        chosen.append(cuts[cut])
    order, state = divmod(number, len(STATES))
    return layout(shape, chosen, order), STATES[state]


@st.composite
def pairs(
    draw: st.DrawFn, types: Sequence[DT] = STANDARD, values: str = "any", same: bool = False
) -> tuple[Operand, Operand]:
    """Two operands whose shapes broadcast; of one dtype if ``same``."""
    one, two = draw(broadcastable())
    x = draw(operands(types, one, values))
    others = (x.array.dtype,) if same else types
    return x, draw(operands(others, two, values))


def of_array(array: Array) -> st.SearchStrategy[Operand]:
    """An operand with exactly these elements, in any layout that shows them all, in any state."""
    return _of_array(np.asarray(array))


@st.composite
def _of_array(draw: st.DrawFn, array: Array) -> Operand:
    how, state = draw(arrangements(array.shape, ("whole", "offset", "step", "back", "back step")))
    base = np.zeros(how.inner, array.dtype)
    how.of_array(base)[...] = array
    return build(base, how, state)


# -- holding results to NumPy's --------------------------------------------------------------------

REFUSALS = (TypeError, ValueError, IndexError, OverflowError, ArithmeticError)


def quietly(function: Callable[[], Any]) -> Any:
    """What a call of NumPy gives, without its warnings."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


def agree(
    mode: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    *given: Operand,
    ulps: float = 0,
    scale: float = 0,
    zeros: bool = True,
    fresh: bool = True,
) -> Any:
    """Fails unless a call gives what NumPy's gives, or refuses what NumPy refuses.

    ``ulps`` of the result, or of ``scale`` if that is larger, are allowed for; without ``zeros``,
    the sign of a zero may differ. The operands have to keep their elements, and share no memory
    with a ``fresh`` result. Returns what the call gave, None if it refused.
    """
    try:
        wanted = quietly(theirs)
    except REFUSALS:
        with pytest.raises(OnebufError), in_mode(mode):
            xp.realize(*parts(ours()))
        for operand in given:
            operand.check()
        return None
    with in_mode(mode):
        got = ours()
    found, sought = parts(got), parts(wanted)
    assert len(found) == len(sought)
    for one, two in zip(found, sought, strict=True):
        assert_same(one, two, ulps, scale, zeros)
    for operand in given:
        operand.check()
        if fresh:
            for one in found:
                assert_apart(one, operand.buffer)
    return got


def parts(result: Any) -> list[Any]:
    """The results of a call, which may be several."""
    return list(result) if isinstance(result, list | tuple) else [result]


def assert_apart(result: Buffer, operand: Buffer) -> None:
    """Fails if a result lies in the memory of an operand."""
    assert result is not operand
    assert not np.may_share_memory(result.unwrap(), operand.unwrap())


def assert_same(
    got: Any, wanted: Any, ulps: float = 0, scale: float = 0, zeros: bool = True
) -> None:
    """Type, dtype, shape and elements are as wanted: to the bit, or but for ``ulps``."""
    want = np.asarray(wanted)
    assert type(got) is Buffer
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    have = np.array(got.unwrap())
    if not ulps or dtypes.kind(want.dtype) not in "fc":
        assert_bits(have, want, zeros)
        return
    epsilon = xp.finfo(want.dtype).eps
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        have, want = have.astype(wide), want.astype(wide)
        for a, b in _real_parts(have, want):
            whole = np.where(np.isfinite(want), np.abs(want), 0)
            near = np.abs(a - b) <= ulps * epsilon * np.maximum(whole, scale)
            same = (a == b) | (np.isnan(a) & np.isnan(b)) | near
            assert same.all(), f"got {have!r}, wanted {want!r}"


def assert_bits(have: Array, want: Array, zeros: bool = True) -> None:
    """Equal to the bit, where all NaN are one; zeros of both signs as well unless ``zeros``."""
    assert (have.dtype, have.shape) == (want.dtype, want.shape)
    if dtypes.kind(want.dtype) not in "fc":
        np.testing.assert_array_equal(have, want)
        return
    for a, b in _real_parts(have, want):
        with np.errstate(all="ignore"):
            nan = a != a
            same = (a == b) | (nan & (b != b))
            if zeros:
                same &= nan | (np.signbit(a) == np.signbit(b))
        assert same.all(), f"got {have!r}, wanted {want!r}"


def _real_parts(have: Array, want: Array) -> list[tuple[Array, Array]]:
    if have.dtype.kind != "c":
        return [(have, want)]
    return [(have.real, want.real), (have.imag, want.imag)]
