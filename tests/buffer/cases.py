"""Buffers for the tests: all dtypes, shapes and layouts, stored or still to be computed.

A `Case` is one piece of data in one layout; it is made into a NumPy array, the oracle, and into a
buffer, whose elements are in memory (``eager``) or pending (``lazy``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, dtypes

MODES = ("eager", "lazy")
Array = np.ndarray[Any, Any]

shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)


def lazily() -> AbstractContextManager[Any]:
    """Operations run when they are read, not before."""
    return onebuf.config(eager_numel=0)


def in_mode(mode: str) -> AbstractContextManager[Any]:
    return lazily() if mode == "lazy" else onebuf.config()


def pending(x: Buffer) -> Buffer:
    """The elements of ``x``, to the bit, as work that is still to be done."""
    with lazily():
        return onebuf.where(Buffer(True), x, x)


def make(array: Array, mode: str) -> Buffer:
    stored = onebuf.asarray(np.array(array))
    # What an operation gives without axes is a number; asarray makes memory of it.
    return onebuf.asarray(pending(stored)) if mode == "lazy" else stored


@contextmanager
def only_views() -> Iterator[None]:
    """Fails if anything inside computes, copies or allocates."""
    before = onebuf.memory_stats()["CPU"].in_use
    with onebuf.counters() as counted:
        yield
    assert (counted.kernels, counted.copies, counted.bytes_allocated) == (0, 0, 0)
    assert onebuf.memory_stats()["CPU"].in_use <= before


class Case(NamedTuple):
    """``base[key]`` with its axes in the order ``axes``."""

    base: Array
    key: tuple[Any, ...]
    axes: tuple[int, ...]

    def array(self) -> Array:
        return np.array(self.base)[self.key].transpose(self.axes)

    def buffer(self, mode: str = "eager") -> Buffer:
        return make(self.base, mode)[self.key].permute(self.axes)


_SPECIAL = {
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.25, 1e-3, 100.0, np.inf, -np.inf, np.nan],
    "c": [0, 1, -1, 1j, -2.5j, 3 + 4j, -0.5 + 2j, complex(np.inf, 1), complex(np.nan, 0)],
}


def fill(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int, tame: bool = False) -> Array:
    """Elements that try edges; only small positive ones if ``tame``."""
    rng = np.random.default_rng(seed)
    kind = dtypes.kind(dtype)
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if tame:
        return rng.integers(1, 5, shape).astype(dtype)
    if kind in "iu":
        info = np.iinfo(dtype)
        edges = np.array([0, 1, 2, 3, 7, info.max, info.min, info.max - 1], dtype)
        return rng.choice(edges, shape).astype(dtype)
    with np.errstate(all="ignore"):
        return rng.choice(np.array(_SPECIAL[kind]), shape).astype(dtype)


@st.composite
def cases(
    draw: st.DrawFn, types: Any = dtypes.ALL, shape: Any = shapes, tame: bool = False
) -> Case:
    """Data of any dtype in any layout that slicing and permuting make."""
    dtype = draw(st.sampled_from(list(types)))
    extents = draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    axes = tuple(draw(st.permutations(range(len(extents)))))
    stored = [extents[axes.index(axis)] for axis in range(len(extents))]
    steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in stored]
    seed = draw(st.integers(0, 999))
    base = fill(dtype, tuple(n * abs(k) for n, k in zip(stored, steps, strict=True)), seed, tame)
    return Case(base, (..., *(slice(None, None, step) for step in steps)), axes)


@st.composite
def broadcast_pairs(draw: st.DrawFn, types: Any = dtypes.STANDARD) -> tuple[Case, Case]:
    """Two cases whose shapes broadcast."""
    whole = draw(shapes)
    parts = []
    for _ in range(2):
        part = [draw(st.sampled_from([n, 1])) for n in whole]
        parts.append(tuple(part[draw(st.integers(0, len(part))) :]))
    return draw(cases(types, parts[0])), draw(cases(types, parts[1]))


def values(x: Buffer) -> Array:
    """The elements of ``x`` as an array that shares nothing with it."""
    return np.array(x.unwrap())


def assert_same(got: Buffer, wanted: Any, ulps: int = 0) -> None:
    """Dtype, shape and elements are NumPy's, a few units in the last place apart at most."""
    want = np.asarray(wanted)
    assert isinstance(got, Buffer)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    have = values(got)
    if dtypes.kind(want.dtype) not in "fc":
        np.testing.assert_array_equal(have, want)
        return
    wide = np.result_type(want.dtype, np.float32) if want.dtype.kind in "fc" else np.float32
    if want.dtype not in (*dtypes.EXTENDED,):
        wide = want.dtype
    with np.errstate(all="ignore"):
        have, want = have.astype(wide), want.astype(wide)
        if ulps:
            epsilon = np.finfo(wide).eps if got.dtype not in dtypes.EXTENDED else 0.25
            np.testing.assert_allclose(have, want, rtol=ulps * epsilon, atol=0)
        else:
            np.testing.assert_array_equal(have, want)


def assert_bits(one: Buffer, two: Buffer) -> None:
    """The same dtype, shape and bits, where all NaNs count as one."""
    assert (one.dtype, one.shape) == (two.dtype, two.shape)
    a, b = values(one), values(two)
    with np.errstate(all="ignore"):
        nan = a != a
        np.testing.assert_array_equal(nan, b != b)
        a[nan] = b[nan] = 0
    assert a.tobytes() == b.tobytes()
