"""Random numbers as expressions of random bits.

Every element is a function of (key, stream, position): see `onebuf.ops.random.philox`. Floats take
as many bits as their mantissa has; normals come in pairs by the method of Box and Muller.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import pi, prod
from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import finfo

from onebuf.dtypes import DT, Array, float32, float64, int64, kind, uint32, uint64
from onebuf.errors import ArgumentError, DTypeError
from onebuf.graph import BINARY, CONSTANT, RANDOM_BITS, UNARY, Node
from onebuf.machine import device
from onebuf.ops.allocation import adopted, place
from onebuf.ops.apply import binary, cast, general, unary
from onebuf.ops.movement import concat, index, reshape
from onebuf.ops.random.small_draws import small_draw

_CALM = 1e30
"""Below this, scaling cannot overflow."""


class Draw(NamedTuple):
    """Where in the endless supply of bits a buffer's bits start."""

    key: tuple[int, int]
    stream: int


def bits32(draw: Draw, numel: int, first: int = 0) -> Node:
    """``numel`` words of 32 random bits, flat."""
    arg = (draw.key, draw.stream, first)
    return general(RANDOM_BITS, (), arg, (numel,), uint32, device=device())


def bits64(draw: Draw, numel: int) -> Node:
    """``numel`` words of 64 random bits, flat."""
    return general(RANDOM_BITS, (), (draw.key, draw.stream, 0), (numel,), uint64, device=device())


def unit(draw: Draw, numel: int, dtype: DT) -> Node:
    """Floats in [0, 1), flat: as many random bits as ``dtype`` holds exactly, in float32 or 64."""
    return unit_of(bits64(draw, numel) if _kept(dtype) > 32 else bits32(draw, numel), dtype)


def unit_of(words: Node, dtype: DT) -> Node:
    """Floats in [0, 1) from random words."""
    keep = _kept(dtype)
    kept = binary(BINARY["bitwise_right_shift"], words, 8 * words.dtype.itemsize - keep)
    return binary(BINARY["multiply"], cast(kept, float64 if keep > 32 else float32), 2.0**-keep)


def uniform(draw: Draw, shape: tuple[int, ...], low: float, high: float, dtype: DT) -> Node:
    """Floats spread evenly over [low, high)."""
    _check_float("uniform", dtype)
    if not low < high:
        raise ArgumentError(f"uniform needs low < high, got low={low} and high={high}")
    numel = prod(shape)
    known = small_draw(_units, *draw, numel, dtype)
    if known is not None and -_CALM < low < high < _CALM:
        return _uniform_now(known, shape, low, high, dtype)
    flat = unit(draw, numel, dtype)
    if (low, high) != (0.0, 1.0):
        scaled = binary(BINARY["multiply"], flat, float(high - low))
        flat = binary(BINARY["add"], scaled, float(low))
        # Rounding must not reach what the interval leaves out.
        return reshape(binary(BINARY["minimum"], cast(flat, dtype), _below(high, dtype)), shape)
    return reshape(cast(flat, dtype), shape)


def _uniform_now(known: Array, shape: tuple[int, ...], low: float, high: float, dtype: DT) -> Node:
    """`uniform` from what is known: the same operations on arrays, with no nodes in between."""
    result = place(shape, dtype, known.size)
    out: Any = result.array
    known = known.reshape(shape)
    if (low, high) == (0.0, 1.0):
        out[...] = known
        return result
    np.multiply(known, high - low, out)
    np.add(out, low, out)
    np.minimum(out, _largest_below(high, dtype), out=out)
    return result


def normal(draw: Draw, shape: tuple[int, ...], mean: float, std: float, dtype: DT) -> Node:
    """Floats of the normal distribution."""
    _check_float("normal", dtype)
    if std < 0:
        raise ArgumentError(f"normal needs a standard deviation of at least 0, got {std}")
    numel = prod(shape)
    known = small_draw(_normals, *draw, numel, dtype)
    if known is not None and -_CALM < mean < _CALM and std < _CALM:
        return _normal_now(known, shape, mean, std, dtype)
    both = normal_of(unit(draw, numel + numel % 2, dtype), numel)
    if (mean, std) != (0.0, 1.0):
        both = binary(BINARY["add"], binary(BINARY["multiply"], both, float(std)), float(mean))
    return reshape(cast(both, dtype), shape)


def normal_of(flat: Node, numel: int) -> Node:
    """``numel`` floats of the normal distribution from floats in [0, 1), along the last axis."""
    pairs = flat.shape[-1] // 2
    radius_from = binary(BINARY["subtract"], 1.0, index(flat, (..., slice(0, pairs))))  # in (0, 1]
    log = unary(UNARY["log"], radius_from)
    radius = unary(UNARY["sqrt"], binary(BINARY["multiply"], log, -2.0))
    angle = binary(BINARY["multiply"], index(flat, (..., slice(pairs, None))), 2.0 * pi)
    halves = [
        binary(BINARY["multiply"], radius, unary(UNARY[name], angle)) for name in ("cos", "sin")
    ]
    return index(concat(halves, len(flat.shape) - 1), (..., slice(0, numel)))


def _normal_now(known: Array, shape: tuple[int, ...], mean: float, std: float, dtype: DT) -> Node:
    """`normal` from what is known: the same operations on arrays, with no nodes in between."""
    result = place(shape, dtype, known.size)
    out: Any = result.array
    known = known.reshape(shape)
    if (mean, std) == (0.0, 1.0):
        out[...] = known
        return result
    np.multiply(known, std, out)
    np.add(out, mean, out)
    return result


def integers(draw: Draw, shape: tuple[int, ...], low: int, high: int, dtype: DT) -> Node:
    """Integers in [low, high).

    A 64-bit word modulo the width of the range: a value is favoured by at most width / 2**64.
    """
    if kind(dtype) not in "iu":
        raise DTypeError(f"integers needs an integer dtype, got {dtype.name}")
    first, last = _limits(dtype)
    if not first <= low < high <= last + 1:
        raise ArgumentError(
            f"integers needs low < high, with every number in {first}..{last} for "
            f"{dtype.name}; got low={low} and high={high}"
        )
    numel = prod(shape)
    known = small_draw(_words, *draw, numel, uint64)
    if known is not None:
        result = place(shape, dtype, numel)
        if high - low < 2**64:
            known = known % np.uint64(high - low)
        result.array[...] = (known + np.uint64(low % 2**64)).reshape(shape)  # type: ignore[index]
        return result
    word = bits64(draw, numel)
    if high - low < 2**64:
        word = binary(BINARY["remainder"], word, high - low)
    # Two's complement: adding modulo 2**64 and reinterpreting gives the right signed number.
    shifted = binary(BINARY["add"], word, low % 2**64)
    return reshape(cast(cast(shifted, int64 if kind(dtype) == "i" else uint64), dtype), shape)


def _units(words: Array, numel: int, dtype: DT) -> Node:
    return unit_of(adopted(words), dtype)


def _normals(words: Array, numel: int, dtype: DT) -> Node:
    return normal_of(unit_of(adopted(words), dtype), numel)


def _words(words: Array, numel: int, dtype: DT) -> Node:
    return adopted(words)


@cache
def _kept(dtype: DT) -> int:
    """How many random bits a float of ``dtype`` in [0, 1) has."""
    return int(finfo(dtype).nmant) + 1  # type: ignore[no-untyped-call]


def _below(high: float, dtype: DT) -> Node:
    """The largest number of ``dtype`` that is less than ``high``, as a node."""
    return general(CONSTANT, (), _largest_below(high, dtype), (), dtype, device=None)


@lru_cache(64)
def _largest_below(high: float, dtype: DT) -> Any:
    nearest = dtype.type(high)
    if float(nearest) >= high:
        nearest = np.nextafter(nearest, dtype.type(-1) * abs(nearest) - dtype.type(1))
    return nearest


@cache
def _limits(dtype: DT) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _check_float(what: str, dtype: DT) -> None:
    if kind(dtype) != "f":
        raise DTypeError(f"{what} needs a real floating dtype, got {dtype.name}")
