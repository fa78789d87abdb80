"""Values from nothing: constants, ranges and memory not yet written."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from operator import index as as_int
from typing import Any

import numpy as np

from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.graph import ARANGE, CONSTANT, EMPTY, Node, make
from onebuf.ops.apply import constant, general, is_small
from onebuf.options import options

DT = np.dtype[Any]


def as_shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    """A shape from what a caller passed: one whole number or a sequence of them.

    >>> as_shape(3), as_shape([2, 3])
    ((3,), (2, 3))
    """
    extents: tuple[int, ...]
    try:
        extents = (as_int(shape),)  # type: ignore[arg-type]
    except TypeError:
        try:
            extents = tuple([as_int(extent) for extent in shape])  # type: ignore[union-attr]
        except TypeError:
            raise ArgumentTypeError(
                f"a shape needs a whole number or a sequence of them, got {shape!r}"
            ) from None
    if any(extent < 0 for extent in extents):
        raise ShapeError(f"a shape needs extents that are 0 or more, got {extents}")
    return extents


def full(shape: tuple[int, ...], value: Any, dtype: DT) -> Node:
    """One value everywhere."""
    if is_small(shape, options().eager_numel):
        return general(CONSTANT, (), dtype.type(value), shape, dtype)
    return constant(shape, value, dtype)


def empty(shape: tuple[int, ...], dtype: DT) -> Node:
    """Elements of no particular value; no memory is taken before the first use."""
    return make(EMPTY, (), None, shape, dtype, unique=True)


def arange(start: Any, stop: Any, step: Any, dtype: DT) -> Node:
    """``start``, ``start + step``, ... up to but not including ``stop``."""
    if step == 0:
        raise ArgumentError("arange needs a step other than 0, got 0")
    extent = max(0, ceil((stop - start) / step))
    return general(ARANGE, (), (start, step), (extent,), dtype)
