"""Matrix products, and elements taken by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.dtypes import bool as bool_
from onebuf.dtypes import complex64, complex128, float32, float64, int64, kind, promote
from onebuf.errors import ArgumentError, DTypeError, IndexTypeError, ShapeError
from onebuf.events import listeners
from onebuf.graph import (
    BINARY,
    COPY,
    MATMUL,
    REDUCE,
    TAKE,
    TAKE_ALONG,
    Node,
    Number,
    make,
)
from onebuf.layout import broadcast_shapes, normalize_axis
from onebuf.ops.allocation import pooled
from onebuf.ops.apply import binary, cast, general
from onebuf.ops.movement import expand, expand_dims, permute, reshape
from onebuf.ops.quiet import quiet_context
from onebuf.ops.reduction import reduce
from onebuf.options import options


def matmul(x: Node, y: Node) -> Node:
    """The matrix product of the last two axes, broadcast over the others."""
    a, b = x.array, y.array
    if a is not None and b is not None and x.dtype in _NUMPYS and y.dtype in _NUMPYS:
        found = _multiplied(a, b, x.dtype if x.dtype is y.dtype else promote(x.dtype, y.dtype))
        if found is not None:
            return found
    if not x.shape or not y.shape:
        raise ShapeError(
            f"matmul needs buffers of at least one dimension, got shapes {x.shape} and {y.shape}; "
            f"use * for a product with a scalar"
        )
    columns = y.shape[-2] if len(y.shape) > 1 else y.shape[0]
    if x.shape[-1] != columns:
        raise ShapeError(
            f"matmul needs as many columns on the left as rows on the right, got shapes {x.shape} "
            f"and {y.shape}, a mismatch in the core dimension (size {columns} is different from "
            f"{x.shape[-1]}); transpose or reshape one of them"
        )
    outer = x.shape[:-2]
    batch = outer if y.shape[:-2] == outer else broadcast_shapes(outer, y.shape[:-2])
    shape = (*batch, *x.shape[-2:-1], *(y.shape[-1:] if len(y.shape) > 1 else ()))
    dtype = promote(x.dtype, y.dtype)
    if not (x.has_strides and y.has_strides):
        found = _structured_product(x, y, shape, dtype)
        if found is not None:
            return found
        x, y = expanded(x), expanded(y)
    factors = (cast(x, dtype), cast(y, dtype))
    device = x.device or y.device
    if device is None or device.has_operations:
        return general(MATMUL, factors, None, shape, dtype)
    return reshape(_fold_of_products(*factors, batch), shape)


_structured_product: Callable[[Node, Node, tuple[int, ...], Any], Node | None]
_structured_take: Callable[[Node, Node, int], Node]
_spelled_out: Callable[[Node], Node]


def install_layouts(
    product: Callable[[Node, Node, tuple[int, ...], Any], Node | None],
    taken: Callable[[Node, Node, int], Node],
    spelled_out: Callable[[Node], Node],
) -> None:
    """Let ``product`` multiply views that have no strides, and ``taken`` pick elements of them.

    The product is None where both factors are to be expanded; ``spelled_out`` does that by
    operations that array libraries have.
    """
    global _structured_product, _structured_take, _spelled_out
    _structured_product, _structured_take, _spelled_out = product, taken, spelled_out


def expanded(node: Node) -> Node:
    """``node``; of a view that has no strides, a copy that has every element."""
    if node.has_strides:
        return node
    device = node.device
    if device is not None and device.has_operations and not device.is_host:
        return _spelled_out(node)  # libraries have no kernels that read through a layout
    return make(COPY, (node,), None, node.shape, node.dtype, unique=True)


_BLAS = frozenset((float32, float64, complex64, complex128))
"""Types whose products NumPy leaves to BLAS, as the other tiers do."""
FEW = 2048
"""Elements up to which the pool's bookkeeping would show next to a product itself."""
_NUMPYS = frozenset((int64, *_BLAS))
"""Types that NumPy itself makes one of those, if they meet one."""


def _multiplied(x: Any, y: Any, dtype: Any) -> Node | None:
    """The product of two vectors or matrices of few elements; None of anything else.

    More are few for a product with a vector, which takes each of them once.
    """
    limit = min(options().quick_numel, FEW) << 4
    if 1 in (x.ndim, y.ndim) and x.flags.forc and y.flags.forc:
        limit <<= 5
    if not 0 < x.size <= limit or not 0 < y.size <= limit or dtype not in _BLAS or listeners():
        return None
    ndim = x.ndim + y.ndim
    if ndim > 4 or not 0 < x.ndim < 3 or not y.ndim or x.shape[-1] != y.shape[0]:
        return None
    product = quiet_context().run(np.matmul, x, y)
    if product.__class__ is not np.ndarray:
        return Number.of(product, dtype)
    return pooled(product)


def _fold_of_products(x: Node, y: Node, batch: tuple[int, ...]) -> Node:
    """The matrix product as one fold, which a kernel computes together with what follows."""
    dtype = x.dtype
    rows = reshape(x, (1, x.shape[-1])) if len(x.shape) == 1 else x
    columns = reshape(y, (y.shape[0], 1)) if len(y.shape) == 1 else y
    turned = permute(columns, (*range(len(columns.shape) - 2), -1, -2))
    space = (*batch, rows.shape[-2], turned.shape[-2], rows.shape[-1])
    one = expand(expand_dims(rows, -2), space)
    two = expand(expand_dims(turned, -3), space)
    if kind(dtype) == "b":
        return reduce(REDUCE["any"], binary(BINARY["logical_and"], one, two), -1)
    return cast(reduce(REDUCE["sum"], binary(BINARY["multiply"], one, two), -1), dtype)


def take(x: Node, indices: Node, axis: int = 0) -> Node:
    """Slices of ``x`` along ``axis`` chosen by ``indices``."""
    if kind(indices.dtype) not in "iu" or indices.dtype == bool_:
        raise DTypeError(f"take needs integers as indices, got {indices.dtype.name}")
    axis = normalize_axis(axis, len(x.shape), "take")
    if not x.has_strides:
        return _structured_take(x, cast(indices, int64), axis)
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    return general(TAKE, (x, cast(indices, int64)), axis, shape, x.dtype)


def take_along_axis(x: Node, indices: Node, axis: int = -1) -> Node:
    """Elements of ``x`` chosen along ``axis`` by an index for each place."""
    if kind(indices.dtype) not in "iu" or indices.dtype == bool_:
        raise IndexTypeError(
            f"`indices` must be an integer array: take_along_axis needs integers, got "
            f"{indices.dtype.name}"
        )
    axis = normalize_axis(axis, len(x.shape), "take_along_axis")
    if len(indices.shape) != len(x.shape):
        raise ArgumentError(
            f"take_along_axis needs as many dimensions in both, got {x.shape} and {indices.shape}"
        )
    x = expanded(x)
    around = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    shape = broadcast_shapes(indices.shape, around)
    return general(TAKE_ALONG, (x, cast(indices, int64)), axis, shape, x.dtype)
