"""Streaming: what is computed from elements that are made on demand, tile by tile.

A source hands out regions, and its function may compute with buffers itself. So regions are read
before anything is planned, outside of the engine's lock: the graph that is planned then has stored
elements in their place (`onebuf.engine.run.tiles.pushdown`). Where a region would be large, results
are computed tile by tile, in row-major order, and no more than one tile is in memory besides the
result. Reductions over tiles are in `onebuf.engine.run.tiles.tiled_fold`.

If a tile fails or is interrupted, everything that was asked for stays pending.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from onebuf.dtypes import Array
from onebuf.engine.plan.decide import EXPRESSION_NBYTES
from onebuf.engine.run.tiles.pushdown import POINTWISE, Pushdown, sourced
from onebuf.engine.run.tiles.tiled_fold import Compute, Tile, fold_tiles
from onebuf.engine.step.region import check_fits, read_region
from onebuf.errors import IndexRangeError
from onebuf.events import progress
from onebuf.graph import TAKE, Kind, Node, attach, engine_lock, make, place_on
from onebuf.interop.files.streamed import row_major_boxes
from onebuf.layout import View
from onebuf.memory import Block, PoolBlock, most_nbytes
from onebuf.ops import adopted, new_array
from onebuf.options import config, options

TILE_NBYTES = 64 << 20
"""The most bytes of a tile."""
_FEW = 8
"""A part of fewer than one element in so many is computed alone."""
_TILES_AT_ONCE = 16
"""As many tiles have to fit into memory: those of operands, results and what is between."""


def tile_numel(itemsize: int) -> int:
    """The most elements of a tile; ``itemsize`` are the bytes of one."""
    return max(1, min(TILE_NBYTES, most_nbytes() // _TILES_AT_ONCE) // itemsize)


def stream(wanted: Sequence[Node], compute: Compute) -> None:
    """Make ``wanted`` stored, which are computed from elements that are made on demand."""
    bases = {id(node.base): node.base for node in wanted}
    for node in sourced(list(bases.values())):
        if node.block is not None:
            continue
        if node.op.kind is Kind.REDUCE and node.srcs[0].numel:
            _reduce(node, compute)
        elif node.op is TAKE and not _is_afar(node):
            _pick(node, compute)
        elif node.op.kind not in POINTWISE:
            _whole(node, compute)
        elif id(node) in bases:
            _fill(node, compute)


def region(node: Node, compute: Compute) -> Array:
    """The elements of ``node``, of which no more is computed: for reading a part of something."""
    for below in sourced([node]):
        if below.op.kind is Kind.REDUCE or below.op.kind not in POINTWISE:
            stream([below], compute)
    check_fits(node.nbytes, "what is read")
    limit = tile_numel(_width(node))
    if node.numel <= limit:
        return part(node, None, compute)
    out = np.empty(node.shape, node.dtype)
    _fill_tiles(node, out, limit, compute)
    return out


def part(root: Node, view: View | None, compute: Compute) -> Array:
    """The elements of ``root``, or those at ``view``, which counts them in row-major order."""
    down = Pushdown(_read)
    return _computed(down.part(root, view), down, compute)


def _computed(node: Node, down: Pushdown, compute: Compute) -> Array:
    """The elements of ``node``; a long expression is compiled, as NumPy would need memory."""
    is_auto = options().tier == "auto"
    nbytes = max([node.nbytes, *[src.nbytes for src in node.srcs]])
    if not (is_auto and down.has_expression and nbytes > EXPRESSION_NBYTES):
        return compute(node)
    with config(tier="compile"):
        return compute(node)


def is_few(part: Node, whole: Node) -> bool:
    """Whether ``part`` is read alone: ``whole`` is large, and most of it would not be needed."""
    if whole.nbytes <= TILE_NBYTES:
        return False
    return part.numel * _FEW < whole.numel or whole.nbytes > most_nbytes()


def _read(node: Node) -> Node:
    return adopted(read_region(node))


def _reduce(node: Node, compute: Compute) -> None:
    """Compute a reduction from tiles of its operand."""
    (operand,) = node.srcs
    if _is_afar(node) or operand.numel <= tile_numel(_width(operand)):
        _whole(node, compute)
        return

    def read_tile(box: Tile) -> Array:
        return part(operand, View.contiguous(operand.shape).shrink(box), compute)

    out, block = new_array(node.shape, node.dtype)
    with progress(node.op.name, operand.numel) as tick:
        fold_tiles(node, out, tile_numel(_width(operand)), read_tile, compute, tick)
    _record(node, out, block)


def _whole(node: Node, compute: Compute) -> None:
    """Compute an operation that needs its operands whole."""
    down = Pushdown(_read)
    operands = tuple([down.part(src) for src in node.srcs])
    made = make(node.op, operands, node.arg, node.shape, node.dtype, unique=True)
    _take(node, made, down, compute)


def _pick(node: Node, compute: Compute) -> None:
    """Compute a gather from the rows that its indices name, and from no others."""
    source, indices = node.srcs
    axis, extent = node.arg, source.shape[node.arg]
    wanted = np.array(part(indices, None, compute))
    if not wanted.size:
        _record(node, *new_array(node.shape, node.dtype))
        return
    if wanted.min() < -extent or wanted.max() >= extent:
        outside = wanted[(wanted < -extent) | (wanted >= extent)].flat[0]
        raise IndexRangeError(
            f"index {outside} is out of bounds for axis {axis} with size {extent}; the buffer has "
            f"shape {source.shape}"
        )
    rows, places = np.unique(wanted % extent, return_inverse=True)
    shape = (*source.shape[:axis], len(rows), *source.shape[axis + 1 :])
    check_fits(prod(shape) * source.dtype.itemsize, "what is picked")
    found = np.empty(shape, source.dtype)
    whole = View.contiguous(source.shape)
    for begin, end in _runs(rows):
        where = whole.slice(axis, slice(int(rows[begin]), int(rows[end - 1]) + 1))
        key = (slice(None),) * axis
        found[(*key, slice(begin, end))] = part(source, where, compute)
    places = places.reshape(wanted.shape).astype(np.int64)
    operands = (adopted(found), adopted(places))
    made = make(TAKE, operands, axis, node.shape, node.dtype, unique=True)
    _take(node, made, Pushdown(_read), compute)


def _runs(rows: Array) -> Iterator[tuple[int, int]]:
    """Where rows that follow one another begin and end."""
    ends = (*(np.flatnonzero(np.diff(rows) != 1) + 1).tolist(), len(rows))
    return zip((0, *ends[:-1]), ends, strict=True)


def _fill(node: Node, compute: Compute) -> None:
    """Compute an element-wise expression, tile by tile if it is large."""
    limit = tile_numel(_width(node))
    if _is_afar(node) or node.numel <= limit:
        down = Pushdown(_read)
        _take(node, down.part(node), down, compute)
        return
    out, block = new_array(node.shape, node.dtype)
    _fill_tiles(node, out, limit, compute)
    _record(node, out, block)


def _fill_tiles(node: Node, out: Array, limit: int, compute: Compute) -> None:
    with progress(node.base.op.name, node.numel) as tick:
        for box in row_major_boxes(node.shape, limit):
            where = View.contiguous(node.shape).shrink(box)
            out[tuple([slice(*one) for one in box])] = part(node, where, compute)
            tick(prod([high - low for low, high in box]))


def _width(node: Node) -> int:
    """Bytes of the widest element in the expression that gives ``node``."""
    widest = 8
    todo, seen = [node], {id(node)}
    while todo:
        here = todo.pop()
        widest = max(widest, here.dtype.itemsize)
        if here.op.kind in POINTWISE or here.is_view:
            todo += [src for src in here.srcs if id(src) not in seen]
            seen.update([id(src) for src in here.srcs])
    return widest


def _is_afar(node: Node) -> bool:
    return node.device is not None and not node.device.is_host


def _take(node: Node, made: Node, down: Pushdown, compute: Compute) -> None:
    """Let ``node`` have the elements of ``made``, which nothing else holds."""
    is_new = made.__class__ is Node and not made.is_view and made.block is None
    array = _computed(made, down, compute)
    if made.is_placed and is_new:
        with engine_lock.lock:
            engine_lock.turns.clear()
            place_on(node, made.block)  # type: ignore[arg-type]
        return
    block = made.block
    if is_new and made.array is not None and isinstance(block, PoolBlock):
        _record(node, made.array, block)
        return
    out, block = new_array(node.shape, node.dtype)
    out[...] = array
    _record(node, out, block)


def _record(node: Node, array: Array, block: Block) -> None:
    """Attach what was computed; a plan in the middle of which this comes is made anew."""
    with engine_lock.lock:
        engine_lock.turns.clear()
        attach(node, array, block)
