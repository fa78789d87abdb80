"""Matmul steps: rows of a matrix product by BLAS, then the kernel that reads them, block by block.

The rows are still in the cache when the kernel reads them. A product that is read only here needs
memory for one block of rows. Blocks are as large as BLAS needs to be fast; a small product is one
block, and becomes stored, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.dtypes import Array
from onebuf.engine.cpu import gemm
from onebuf.engine.cpu.atomic_calls import Action
from onebuf.engine.cpu.gemm import Layout
from onebuf.engine.step.kernel_step import KernelCall, KernelStep, Limits
from onebuf.engine.step.matvec import matrix_product
from onebuf.engine.step.operand import fetch
from onebuf.engine.step.plan import Held, Homes, Numbers, held_node
from onebuf.graph import Node, attach, attaching, engine_lock
from onebuf.layout import View
from onebuf.memory import Block, address_of
from onebuf.ops import new_array, quietly
from onebuf.scheduler import reading
from onebuf.scheduler.fuse.concat import ConcatKernel
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.matmul import FusedMatmul, MatmulKernel
from onebuf.scheduler.trace.recorder import Reach

TILE_NBYTES = 16 << 20
"""About as many bytes of products as wait at a time."""
LEAST_ROWS = 2048
"""BLAS packs its second operand again for each block, which takes a few hundredths of the time that
so many rows take."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A product that a kernel takes ``numel`` elements of at each outermost index."""

    number: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    numel: int
    columns: int
    is_whole: bool
    """Whether all of it has memory, and becomes stored."""


class MatmulStep(KernelStep):
    """Matrix products, and the kernel that takes rows of them as they come."""

    __slots__ = ("_matrices", "_extent", "_count", "_slots", "_turned")

    def __init__(self, product: MatmulKernel, homes: Homes, private: Collection[int]) -> None:
        self._extent = product.group.extents[0]
        self._count = indices_at_a_time(product)
        self._matrices = [
            Matrix(
                homes.numbers[id(part.node)],
                part.node.shape,
                part.node.dtype,
                part.numel,
                part.columns,
                self._is_whole(part, private),
            )
            for part in product.matmuls
        ]
        nodes = [part.node for part in product.matmuls]
        self._slots = [_slot(reach, nodes) for reach in product.group.reaches]
        self._turned = self._turned_layout(product, private)
        """Where the product goes if the kernel only copies it: straight there."""
        super().__init__(product.group, product, homes, nodes)

    def _turned_layout(self, product: MatmulKernel, private: Collection[int]) -> Layout | None:
        first, *others = product.matmuls
        if others or first.is_kept or id(first.node) not in private or self._count < self._extent:
            return None
        return layout_of_copy(product.group, first.node)

    def _is_whole(self, part: FusedMatmul, private: Collection[int]) -> bool:
        one_block = self._count == self._extent
        return part.is_kept or one_block or id(part.node) not in private

    def calls(
        self, kernel: Group | ConcatKernel, bases: dict[int, int], numbers: Numbers
    ) -> list[KernelCall]:
        """The kernel for a block of outermost indices, and for those that are left over."""
        (group,) = kernel.parts
        counts = [self._count, self._extent % self._count or self._count]
        return [KernelCall(_for(group, count), bases, numbers) for count in dict.fromkeys(counts)]

    def perform(self, bases: list[int], limits: Limits | None, held: Held) -> None:
        """Make a block of rows, launch the kernel on it, and so on."""
        turn = engine_lock.current()
        nodes = [held_node(m.number, held) for m in self._matrices]
        found = [_factors(node) for node in nodes]  # held while they are read
        pairs = [[fetch(src) for src in pair] for pair in found]
        if self._turned is not None and limits is None and pairs[0]:
            x, y = pairs[0]
            if gemm.multiply_to(x, y, bases[-1], self._turned):
                return
        extent, count = self._extent, self._count
        stacks = [_stacks(*pair) if pair and count < extent else None for pair in pairs]
        tiles = list(map(self._tile, self._matrices, nodes, stacks))
        bases = [*bases, *[address_of(tile.array) for tile in tiles]]
        if limits is not None:
            limits = [*limits, *[byte_bounds(tile.array) for tile in tiles]]
        shifts = [0 if at >= 0 and not tiles[at].is_whole else step for at, step in self._slots]
        for first in range(0, extent, count):
            last = min(first + count, extent)
            for m, pair, stack, tile in zip(self._matrices, pairs, stacks, tiles, strict=True):
                begin, end = first * m.numel, last * m.numel
                if stack is not None:
                    out = tile.rows(begin, end)
                    quietly(multiply, *stack, begin // m.columns, end // m.columns, out)
                elif pair and not first:
                    quietly(matrix_product, *pair, tile.array.reshape(m.shape))
            call = self._calls[0 if last - first == count else -1]
            call.run(bases, limits, held, [first * shift for shift in shifts])
        engine_lock.check(turn)
        for m, node, tile in zip(self._matrices, nodes, tiles, strict=True):
            if m.is_whole and node.array is None:
                attach(node, tile.array.reshape(m.shape), tile.block)

    def _overwrite(
        self,
        bases: list[int],
        held: Held,
        made: list[tuple[Array, Block] | None],
        turn: object,
        more: Sequence[Action] = (),
    ) -> None:
        """Make the products, then run the kernel that overwrites an operand, which is one block."""
        nodes = [held_node(m.number, held) for m in self._matrices]
        tiles = [self._tile(m, node, None) for m, node in zip(self._matrices, nodes, strict=True)]
        then = list(more)
        for m, node, tile in zip(self._matrices, nodes, tiles, strict=True):
            found = _factors(node)
            if found:
                out = tile.array.reshape(m.shape)
                quietly(matrix_product, *[fetch(src) for src in found], out)
                then += attaching(node, out, tile.block)
        places = [address_of(tile.array) for tile in tiles]
        super()._overwrite([*bases, *places], held, made, turn, then)

    def _tile(self, matrix: Matrix, node: Node, stack: object) -> Tile:
        """Memory for a product: for all of it if it is kept, or cannot be made in blocks.

        A product that is stored already, because the step is run again, has memory.
        """
        if node.array is not None and node.block is not None:
            return Tile(node.array.reshape(-1), node.block, True)
        is_whole = matrix.is_whole or stack is None
        numel = prod(matrix.shape) if is_whole else self._count * matrix.numel
        return Tile(*new_array((numel,), matrix.dtype), is_whole)


class Tile(NamedTuple):
    """Memory for a product: all of it, or a block at a time."""

    array: Array
    block: Block
    is_whole: bool

    def rows(self, begin: int, end: int) -> Array:
        """The place of some of its elements."""
        return self.array[begin:end] if self.is_whole else self.array[: end - begin]


def layout_of_copy(group: Group, node: Node) -> Layout | None:
    """Shape and strides in bytes by which ``node`` lies in the result of a kernel that copies it.

    None if the kernel does anything else, or does not copy all of it.
    """
    if len(group.nest.steps) != 2 or any(step.args != () for step in group.nest.steps[:1]):
        return None
    views = {id(reach.node): reach.view for reach in group.reaches}
    (result,) = group.outputs
    if len(views) != 2 or result.dtype != node.dtype or prod(group.extents) != node.numel:
        return None
    read, written = views[id(node)], views[id(result)]
    if read.offset or written.offset or result.numel != node.numel:
        return None
    axes = list(zip(group.extents, read.stride, written.stride, strict=True))
    strides = []
    for extent, step in zip(node.shape, View.contiguous(node.shape).stride, strict=True):
        found = [
            step // one * two
            for count, one, two in axes
            if one > 0 and step % one == 0 and step // one * extent <= count
        ]
        if extent > 1 and not found:
            return None
        strides.append(found[0] * node.dtype.itemsize if extent > 1 else 0)
    return node.shape, tuple(strides)


def _factors(node: Node) -> list[Node]:
    """The factors of a product, near to memory; none if it is stored already."""
    return [] if node.array is not None else [reading(src) for src in node.srcs]


def indices_at_a_time(product: MatmulKernel) -> int:
    """How many outermost indices of the kernel make a block."""
    extent, nbytes, least = product.group.extents[0], 0, 1
    for part in product.matmuls:
        nbytes += part.numel * part.node.dtype.itemsize
        least = max(least, -(-LEAST_ROWS * part.columns // part.numel))
    count = max(least, TILE_NBYTES // nbytes)
    blocks = max(1, round(extent / count))
    even, step = -(-extent // blocks), product.step
    return min(extent, -(-even // step) * step)


def _for(group: Group, count: int) -> Group:
    """The kernel for the first ``count`` outermost indices."""
    extents = (count, *group.extents[1:])
    reaches = [replace(reach, view=reach.view.with_shape(extents)) for reach in group.reaches]
    return replace(group, extents=extents, reaches=tuple(reaches))


def _slot(reach: Reach, products: list[Node]) -> tuple[int, int]:
    """Which of the products a slot is of, and how much further on the next outermost index is.

    -1: it is of none. Further on by bytes, or by positions.
    """
    at = next((place for place, node in enumerate(products) if reach.node is node), -1)
    return at, reach.view.stride[0] * (1 if reach.is_index else reach.node.dtype.itemsize)


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
