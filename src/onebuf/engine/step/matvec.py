"""Matrix-vector products: a kernel of our own for operands that BLAS cannot take.

BLAS multiplies floats, and needs unit stride along one axis of each operand. For everything else
NumPy has a plain loop. A matrix-vector product uses each element of the matrix once, so a reduction
of products is bound by memory alone: it has the order of `onebuf.kernel.Fold`, or goes row by row
if the matrix is column-major. Small products are left to NumPy.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.backends.numpy.loops import run_into
from onebuf.dtypes import DT, Array, float32, float64, kind
from onebuf.engine.cpu import gemm
from onebuf.engine.cpu.fallback import attempt
from onebuf.engine.cpu.launch import Launch, prepare
from onebuf.graph import BINARY, CAST, MATMUL, REDUCE, STORED, Node, reduce_dtype
from onebuf.kernel import LOAD, STORE, Fold, Nest, Slot, Step, stride_class
from onebuf.layout import View
from onebuf.memory import address_of
from onebuf.options import options
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.trace.recorder import Reach

LEAST = 32768
"""A matrix of fewer elements than this is left to NumPy."""


class Form(NamedTuple):
    """``matrix`` (batch, rows, inner) times ``vector`` (batch, inner)."""

    matrix: Array
    vector: Array


def matrix_product(x: Array, y: Array, out: Array) -> None:
    """The matrix product of ``x`` and ``y`` into ``out``, by the fastest way there is."""
    if not (x.ndim > 1 < y.ndim and 1 not in out.shape[-2:]) and multiply_vector(x, y, out):
        return
    if not gemm.multiply(x, y, out):
        run_into(MATMUL, (x, y), None, out)


def multiply_vector(x: Array, y: Array, out: Array) -> bool:
    """Compute the product into ``out`` if it is one with a vector that BLAS cannot take."""
    dtype = out.dtype
    if kind(dtype) not in "iu" and dtype not in (float32, float64):
        return False
    form = form_of(x, y)
    if form is None or form.matrix.size < LEAST:
        return False
    if kind(dtype) == "f" and _is_for_blas(form):
        return False
    return _run(form, out.reshape(form.matrix.shape[:2]))


def form_of(x: Array, y: Array) -> Form | None:
    """The two factors, if every element of one is used once; None otherwise."""
    one = x[None, :] if x.ndim == 1 else x
    two = y[:, None] if y.ndim == 1 else y
    rows, columns = one.shape[-2], two.shape[-1]
    if rows != 1 and columns != 1:
        return None
    matrix, vector = (one, two.mT) if columns == 1 else (two.mT, one)
    batch = np.broadcast_shapes(one.shape[:-2], two.shape[:-2])
    if matrix.size != prod(batch) * prod(matrix.shape[-2:]):
        return None
    count, inner = prod(batch), matrix.shape[-1]
    try:
        wide = np.broadcast_to(vector[..., 0, :], (*batch, inner))
        return Form(
            np.reshape(matrix, (count, matrix.shape[-2], inner), copy=False),
            np.reshape(wide, (count, inner), copy=False),
        )
    except ValueError:
        return None


def _is_for_blas(form: Form) -> bool:
    """Whether the factors lie in memory as BLAS needs them."""
    matrix, vector = form
    _, down, along = matrix.strides
    _, rows, inner = matrix.shape
    by_rows = along == matrix.itemsize and down >= inner * matrix.itemsize
    by_columns = down == matrix.itemsize and along >= rows * matrix.itemsize
    return (by_rows or by_columns or 1 in (rows, inner)) and vector.strides[1] > 0


def _lies_by_columns(matrix: Array) -> bool:
    """Whether neighbours in memory are in different rows."""
    _, rows, inner = matrix.shape
    return rows > 1 and inner > 1 and abs(matrix.strides[1]) < abs(matrix.strides[2])


def _run(form: Form, out: Array) -> bool:
    """Compute the product; False if there is no kernel for it."""
    matrix, vector = form
    size = out.itemsize
    strides = [
        [step // size for step in matrix.strides],
        [vector.strides[0] // size, 0, vector.strides[1] // size],
        [step // size for step in (*out.strides, 0)],
    ]
    shape = matrix.shape
    if all(step[0] == step[1] * shape[1] for step in strides):
        shape = (1, shape[0] * shape[1], shape[2])
    axes = [*[axis for axis in (0, 1) if shape[axis] > 1], 2]
    extents = tuple([shape[axis] for axis in axes])
    moved = tuple([tuple([step[axis] for axis in axes]) for step in strides])
    ready = _launch(out.dtype, extents, moved, _lies_by_columns(matrix))
    if ready is None:
        return False
    arrays = (matrix, vector, out)
    addresses = [address_of(array) for array in arrays]
    if options().check_bounds:
        ready.check(addresses, b"", [byte_bounds(array) for array in arrays])
    else:
        ready.run(addresses, b"")
    return True


@lru_cache(256)
def _launch(
    dtype: DT, extents: tuple[int, ...], strides: tuple[tuple[int, ...], ...], sequential: bool
) -> Launch | None:
    """The kernel for factors that lie like this."""
    return attempt("matmul", _prepared, dtype, extents, strides, sequential)  # type: ignore[no-any-return]


def _prepared(
    dtype: DT, extents: tuple[int, ...], strides: tuple[tuple[int, ...], ...], sequential: bool
) -> Launch:
    classes = tuple([tuple(map(stride_class, stride, extents)) for stride in strides])
    node = Node(STORED, (), None, extents, dtype, None)
    reaches = tuple([Reach(node, View(extents, stride)) for stride in strides])
    nest = _nest(dtype, classes, sequential)
    return prepare(Group(nest, extents, reaches, (), (), (node,), "a product with a vector"))


@cache
def _nest(dtype: DT, classes: tuple[tuple[int, ...], ...], sequential: bool) -> Nest:
    """The sum of products over the innermost axis."""
    total = reduce_dtype(REDUCE["sum"], dtype)
    inner = len(classes[0]) - 1
    steps = [
        Step(LOAD, (), dtype, 0),
        Step(LOAD, (), dtype, 1),
        Step(BINARY["multiply"], (0, 1), dtype),
        Step(REDUCE["sum"], (2,), total, Fold(inner, sequential)),
    ]
    if total != dtype:
        steps.append(Step(CAST, (3,), dtype))
    steps.append(Step(STORE, (len(steps) - 1,), dtype, 2))
    return Nest(inner + 1, tuple([Slot(dtype, steps) for steps in classes]), tuple(steps))
