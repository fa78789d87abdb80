"""Products run: some rows of a matrix product by BLAS, then the kernel on these, and so on.

The rows wait in a tile of memory, or in that of the whole product if it may be wanted too. A block
has as many rows as BLAS needs to be fast; a small product is one block, and is kept: it is free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from onebuf.engine.holding import is_held
from onebuf.engine.kernels import launch
from onebuf.engine.vectors import matrix_product
from onebuf.events import KernelRan, listeners, tell
from onebuf.graph import Node, attach
from onebuf.layout import View
from onebuf.memory import Block
from onebuf.ops import new_array, quietly
from onebuf.scheduler import reading
from onebuf.scheduler.grouping import Group
from onebuf.scheduler.products import Factors, Product
from onebuf.scheduler.tracing import Reach

Array = np.ndarray[Any, Any]
Fetch = Callable[[Node], Array]
"""The elements of a node that needs no computing."""

TILE_NBYTES = 16 << 20
"""About as many bytes of products as wait at a time."""
LEAST_ROWS = 2048
"""BLAS packs its second operand again for each block, which takes a few hundredths of the time that
so many rows take."""


def run_product(product: Product, fetch: Fetch) -> None:
    """Compute the outputs of ``product``, which become stored."""
    start = perf_counter()
    try:
        made = _compute(product, fetch)
    except Exception as error:
        node = product.node
        if node.origin is not None:
            error.add_note(f"while computing {node.op.name}, asked for at {node.origin}")
        raise
    if listeners():
        nbytes = product.bytes_written
        tell(KernelRan(product.name, nbytes, perf_counter() - start, 2))
    for node, array, block in made:
        attach(node, array, block)


def _compute(product: Product, fetch: Fetch) -> list[tuple[Node, Array, Block]]:
    """All outputs, and the products that are kept, with the blocks that they lie on."""
    group, factors = product.group, product.factors
    pairs = [[fetch(reading(operand)) for operand in part.item.inputs] for part in factors]
    extent, count = group.extents[0], indices_at_a_time(product)
    stacks = [_stacks(x, y) if count < extent else None for x, y in pairs]
    if None in stacks:
        count = extent
    made = [(node, *new_array(node.shape, node.dtype)) for node in group.outputs]
    outputs = [array for _, array, _ in made]
    tiles = [_tile(part, group, count) for part in factors]
    nodes = tuple([part.node for part in factors])
    for first in range(0, extent, count):
        last = min(first + count, extent)
        rows = []
        for part, pair, stack, tile in zip(factors, pairs, stacks, tiles, strict=True):
            begin, end = first * part.numel, last * part.numel
            out = tile.rows(begin, end)
            if stack is None or count == extent:
                quietly(matrix_product, *pair, out.reshape(part.node.shape))
            else:
                quietly(multiply, *stack, begin // part.columns, end // part.columns, out)
            rows.append(out)
        launch(_part(group, nodes, first, last), [*outputs, *rows])
    for part, tile in zip(factors, tiles, strict=True):
        if tile.is_whole:
            made.append((part.node, tile.array.reshape(part.node.shape), tile.block))
    return made


class Tile(NamedTuple):
    """Memory for a product: all of it, or a block at a time."""

    array: Array
    block: Block
    is_whole: bool

    def rows(self, begin: int, end: int) -> Array:
        """The place of some of its elements."""
        return self.array[begin:end] if self.is_whole else self.array[: end - begin]


def _tile(part: Factors, group: Group, count: int) -> Tile:
    """Memory for a product that ``count`` indices at a time take; for all that others may want."""
    whole = part.is_kept or count == group.extents[0] or is_held(part.item, group)
    numel = part.node.numel if whole else count * part.numel
    return Tile(*new_array((numel,), part.node.dtype), whole)


def indices_at_a_time(product: Product) -> int:
    """How many outermost indices of the kernel make a block."""
    extent, nbytes, least = product.group.extents[0], 0, 1
    for part in product.factors:
        nbytes += part.numel * part.node.dtype.itemsize
        least = max(least, -(-LEAST_ROWS * part.columns // part.numel))
    count = max(least, TILE_NBYTES // nbytes)
    blocks = max(1, round(extent / count))
    even, step = -(-extent // blocks), product.step
    return min(extent, -(-even // step) * step)


def _part(group: Group, products: tuple[Node, ...], first: int, last: int) -> Group:
    """The kernel for some outermost indices; ``products`` are there for these alone."""
    if last - first == group.extents[0]:
        return replace(group, outputs=(*group.outputs, *products))
    extents = (last - first, *group.extents[1:])
    reaches = []
    for reach in group.reaches:
        view = reach.view
        is_product = any(reach.node is node for node in products)
        offset = view.offset + (0 if is_product else first * view.stride[0])
        reaches.append(Reach(reach.node, View(extents, view.stride, offset), reach.is_index))
    outputs = (*group.outputs, *products)
    return replace(group, extents=extents, reaches=tuple(reaches), outputs=outputs)


def multiply(x: Array, y: Array, begin: int, end: int, out: Array) -> None:
    """Rows ``begin`` to ``end`` of the product, counted through all of its matrices, into ``out``.

    Either the second factor is one matrix, or both are stacks of as many.
    """
    columns = y.shape[-1]
    if y.ndim == 2:
        matrix_product(x[begin:end], y, out.reshape(end - begin, columns))
        return
    rows = x.shape[1]
    first, last = begin // rows, -(-end // rows)
    if begin % rows == 0 and end % rows == 0:
        matrix_product(x[first:last], y[first:last], out.reshape(last - first, rows, columns))
        return
    done = 0
    for number in range(first, last):
        top, bottom = max(begin - number * rows, 0), min(end - number * rows, rows)
        into = out[done : done + (bottom - top) * columns].reshape(-1, columns)
        matrix_product(x[number, top:bottom], y[number], into)
        done += into.size


def _stacks(x: Array, y: Array) -> tuple[Array, Array] | None:
    """Both factors as `multiply` takes them; None if strides cannot say that."""
    x, y = x[None, :] if x.ndim == 1 else x, y[:, None] if y.ndim == 1 else y
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    if prod(y.shape[:-2]) == 1:
        wide = np.broadcast_to(x, (*batch, *x.shape[-2:]))
        flat = _seen_as(wide, (prod(wide.shape[:-1]), wide.shape[-1]))
        if flat is not None:
            return flat, y.reshape(y.shape[-2:])
    stacks = []
    for factor in (x, y):
        matrix = factor.shape[-2:]
        stacks.append(_seen_as(np.broadcast_to(factor, (*batch, *matrix)), (prod(batch), *matrix)))
    one, two = stacks
    return None if one is None or two is None else (one, two)


def _seen_as(array: Array, shape: tuple[int, ...]) -> Array | None:
    """The same memory in another shape, if there is a view of it."""
    try:
        return np.reshape(array, shape, copy=False)
    except ValueError:
        return None
