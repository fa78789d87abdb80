"""Strategies of the suites: elements of every dtype, shapes, chains of views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

import onebuf
from onebuf import dtypes
from onebuf.dtypes import DT, Array, kind

ALL = tuple(dtype.name for dtype in dtypes.ALL)
WHOLE = tuple(name for name in ALL if kind(np.dtype(dtypes.as_dtype(name))) in "iu")
FLOATS = ("float32", "float64", "float16", "bfloat16")
NARROW = ("float8_e4m3fn", "float8_e5m2")
COMPLEX = ("complex64", "complex128")
REAL = (*WHOLE, *FLOATS, *NARROW)

SHAPES = ((), (1,), (7,), (0,), (3, 4), (3, 0), (1, 5), (2, 3, 4), (2, 1, 3, 2), (2, 1, 2, 1, 3))
"""Without axes, without elements, with axes of extent one, with more axes than usual."""

LOOKS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x.T,
    lambda x: x[::-2, 1:],
    lambda x: x[1:],
    lambda x: x[:, 1:2],
    lambda x: x,
)
"""Ways to see what has two axes or more."""

seeds = st.integers(0, 2**32 - 1)
shapes = st.sampled_from(SHAPES)


def specials(dtype: DT) -> Array:
    """The values at which operations go wrong."""
    if dtype == np.bool:
        return np.array([False, True])
    if kind(dtype) in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, info.max, info.max - 1, info.min, info.min + 1], dtype)
    values = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 3.0, np.inf, -np.inf, np.nan])
    if kind(dtype) == "c":
        values = values[:8]
        return (values + 1j * values[::-1]).astype(dtype)
    largest = np.array([ml_dtypes.finfo(dtype).max], dtype)  # type: ignore[no-untyped-call]
    with np.errstate(all="ignore"):
        return np.concatenate([values.astype(dtype), largest, -largest])


def ordinary(dtype: DT, count: int, rng: np.random.Generator) -> Array:
    """Values like those of programs."""
    if dtype == np.bool:
        return rng.integers(0, 2, count).astype(dtype)
    if kind(dtype) in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, count, dtype, endpoint=True)
    if kind(dtype) == "c":
        return (rng.normal(size=count) + 1j * rng.normal(size=count)).astype(dtype)
    return (rng.normal(size=count) * 3).astype(dtype)


def elements(name: str, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Elements of a dtype, every third of them special."""
    dtype = dtypes.as_dtype(name)
    rng = np.random.default_rng(seed)
    count = prod(shape)
    made = ordinary(dtype, count, rng)
    odd = specials(dtype)
    places = rng.permutation(count)[: count // 3 + 1]
    made[places] = odd[(seed + np.arange(places.size)) % odd.size]
    return made.reshape(shape)


def small(name: str, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Integers so small that their sums and products are exact in every dtype."""
    dtype = dtypes.as_dtype(name)
    rng = np.random.default_rng(seed)
    low = 0 if kind(dtype) in "bu" else -1
    made = rng.integers(low, 2, shape)
    if kind(dtype) == "c":
        return np.asarray(made + 1j * rng.integers(-1, 2, shape), dtype)
    return np.asarray(made).astype(dtype)


@dataclass(frozen=True)
class Move:
    """One way to look at elements, of a buffer and of an array."""

    text: str
    apply: Callable[[Any, Any], Any]
    """Called with the namespace, `onebuf` or NumPy, and what is to be looked at."""

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Look:
    """A chain of views."""

    shape: tuple[int, ...]
    moves: tuple[Move, ...]

    def array(self, array: Array) -> Array:
        """What NumPy sees."""
        for move in self.moves:
            array = move.apply(np, array)
        return array

    def buffer(self, buffer: Any) -> Any:
        """What a buffer sees."""
        for move in self.moves:
            buffer = move.apply(onebuf, buffer)
        return buffer


def _slices(draw: Any, shape: tuple[int, ...]) -> Move:
    key: list[Any] = []
    for extent in shape:
        start = draw(st.integers(-extent - 1, extent))
        step = draw(st.sampled_from([1, 1, 2, -1, -2]))
        key.append(slice(None if draw(st.booleans()) else start, None, step))
    return Move(f"[{key}]", lambda xp, x: x[tuple(key)])


def _one(draw: Any, shape: tuple[int, ...]) -> Move:
    if not shape or not shape[0]:
        return Move("[None]", lambda xp, x: x[None])
    at = draw(st.integers(-shape[0], shape[0] - 1))
    return Move(f"[{at}]", lambda xp, x: x[at])


def _turned(draw: Any, shape: tuple[int, ...]) -> Move:
    order = tuple(draw(st.permutations(range(len(shape)))))
    return Move(f".permute{order}", lambda xp, x: xp.permute_dims(x, order))


def _flipped(draw: Any, shape: tuple[int, ...]) -> Move:
    axis = draw(st.sampled_from([None, *range(len(shape))]))
    return Move(f".flip({axis})", lambda xp, x: xp.flip(x, axis=axis))


def _expanded(draw: Any, shape: tuple[int, ...]) -> Move:
    wider = tuple([3 if extent == 1 else extent for extent in shape])
    new = (2, *wider) if draw(st.booleans()) else wider
    return Move(f".expand{new}", lambda xp, x: xp.broadcast_to(x, new))


def _reshaped(draw: Any, shape: tuple[int, ...]) -> Move:
    numel = prod(shape)
    flat = (-1,) if numel else (0,)
    new = draw(st.sampled_from([flat, shape[::-1], (*shape, 1), (1, *shape)]))
    return Move(f".reshape{new}", lambda xp, x: xp.reshape(x, new))


_MOVES = (_slices, _slices, _one, _turned, _flipped, _expanded, _reshaped)


@st.composite
def looks(draw: Any, most: int = 4) -> Look:
    """Chains of up to ``most`` views of one of the shapes."""
    start = draw(shapes)
    shape = start
    moves: list[Move] = []
    for _ in range(draw(st.integers(1, most))):
        move = draw(st.sampled_from(_MOVES))(draw, shape)
        seen = move.apply(np, np.empty(shape, bool)).shape
        if prod(seen) < 500 and len(seen) < 7:
            shape = seen
            moves.append(move)
    return Look(start, tuple(moves))
