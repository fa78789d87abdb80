"""Random numbers as expressions of random bits.

Every element is a function of (key, stream, position): see `onebuf.ops.philox`. Floats take as many
bits as their mantissa has; normals come in pairs by the method of Box and Muller.
"""

from __future__ import annotations

from math import pi, prod
from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import finfo

from onebuf.dtypes import float32, float64, int64, kind, uint32, uint64
from onebuf.errors import ArgumentError, DTypeError
from onebuf.graph import BINARY, CONSTANT, RANDOM_BITS, UNARY, Node
from onebuf.ops.apply import binary, cast, general, unary
from onebuf.ops.movement import concat, index, reshape

DT = np.dtype[Any]


class Draw(NamedTuple):
    """Where in the endless supply of bits a buffer's bits start."""

    key: tuple[int, int]
    stream: int


def bits32(draw: Draw, numel: int, first: int = 0) -> Node:
    """``numel`` words of 32 random bits, flat."""
    return general(RANDOM_BITS, (), (draw.key, draw.stream, first), (numel,), uint32)


def bits64(draw: Draw, numel: int) -> Node:
    """``numel`` words of 64 random bits, flat."""
    return general(RANDOM_BITS, (), (draw.key, draw.stream, 0), (numel,), uint64)


def unit(draw: Draw, numel: int, dtype: DT) -> Node:
    """Floats in [0, 1), flat: as many random bits as ``dtype`` holds exactly, in float32 or 64."""
    keep = int(finfo(dtype).nmant) + 1  # type: ignore[no-untyped-call]
    word = bits64(draw, numel) if keep > 32 else bits32(draw, numel)
    width = 8 * word.dtype.itemsize
    kept = binary(BINARY["bitwise_right_shift"], word, width - keep)
    return binary(BINARY["multiply"], cast(kept, float64 if keep > 32 else float32), 2.0**-keep)


def uniform(draw: Draw, shape: tuple[int, ...], low: float, high: float, dtype: DT) -> Node:
    """Floats spread evenly over [low, high)."""
    _check_float("uniform", dtype)
    if not low < high:
        raise ArgumentError(f"uniform needs low < high, got low={low} and high={high}")
    flat = unit(draw, prod(shape), dtype)
    if (low, high) != (0.0, 1.0):
        scaled = binary(BINARY["multiply"], flat, float(high - low))
        flat = binary(BINARY["add"], scaled, float(low))
        # Rounding must not reach what the interval leaves out.
        return reshape(binary(BINARY["minimum"], cast(flat, dtype), _below(high, dtype)), shape)
    return reshape(cast(flat, dtype), shape)


def normal(draw: Draw, shape: tuple[int, ...], mean: float, std: float, dtype: DT) -> Node:
    """Floats of the normal distribution."""
    _check_float("normal", dtype)
    if std < 0:
        raise ArgumentError(f"normal needs a standard deviation of at least 0, got {std}")
    numel = prod(shape)
    pairs = -(-numel // 2)
    flat = unit(draw, 2 * pairs, dtype)
    radius_from = binary(BINARY["subtract"], 1.0, index(flat, slice(0, pairs)))  # in (0, 1]
    log = unary(UNARY["log"], radius_from)
    radius = unary(UNARY["sqrt"], binary(BINARY["multiply"], log, -2.0))
    angle = binary(BINARY["multiply"], index(flat, slice(pairs, None)), 2.0 * pi)
    halves = [
        binary(BINARY["multiply"], radius, unary(UNARY[name], angle)) for name in ("cos", "sin")
    ]
    both = index(concat(halves, 0), slice(0, numel))
    if (mean, std) != (0.0, 1.0):
        both = binary(BINARY["add"], binary(BINARY["multiply"], both, float(std)), float(mean))
    return reshape(cast(both, dtype), shape)


def integers(draw: Draw, shape: tuple[int, ...], low: int, high: int, dtype: DT) -> Node:
    """Whole numbers in [low, high).

    A 64-bit word modulo the width of the range: a value is favoured by at most width / 2**64.
    """
    if kind(dtype) not in "iu":
        raise DTypeError(f"integers needs a dtype of whole numbers, got {dtype.name}")
    info = np.iinfo(dtype)
    if not info.min <= low < high <= info.max + 1:
        raise ArgumentError(
            f"integers needs low < high, with every number in {info.min}..{info.max} for "
            f"{dtype.name}; got low={low} and high={high}"
        )
    word = bits64(draw, prod(shape))
    if high - low < 2**64:
        word = binary(BINARY["remainder"], word, high - low)
    # Two's complement: adding modulo 2**64 and reinterpreting gives the right signed number.
    shifted = binary(BINARY["add"], word, low % 2**64)
    return reshape(cast(cast(shifted, int64 if kind(dtype) == "i" else uint64), dtype), shape)


def _below(high: float, dtype: DT) -> Node:
    """The largest number of ``dtype`` that is less than ``high``."""
    nearest = dtype.type(high)
    if float(nearest) >= high:
        nearest = np.nextafter(nearest, dtype.type(-1) * abs(nearest) - dtype.type(1))
    return general(CONSTANT, (), nearest, (), dtype, device=None)


def _check_float(what: str, dtype: DT) -> None:
    if kind(dtype) != "f":
        raise DTypeError(f"{what} needs a real floating dtype, got {dtype.name}")
