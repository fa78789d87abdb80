"""Matrix products of layouts: each with the routine that touches stored elements alone.

A product of two sparse matrices is sparse, and where it is certainly 0 follows from both. A product
with a dense factor is dense. What has no routine is expanded, and multiplied as any other matrix.
"""

from __future__ import annotations

from onebuf.dtypes import DT, kind
from onebuf.graph import Node
from onebuf.layout.arrangement.blocks import Blocks
from onebuf.layout.arrangement.elements import Elements
from onebuf.layout.layout import Layout
from onebuf.ops.apply import cast
from onebuf.ops.contraction import expanded
from onebuf.ops.library import library
from onebuf.ops.movement import permute
from onebuf.ops.structured.nodes import (
    Structured,
    structured,
    triangle_of,
    with_layout,
)
from onebuf.ops.structured.sparse_product import (
    blocks_by_blocks,
    blocks_by_dense,
    elements_by_dense,
    elements_by_elements,
)
from onebuf.ops.structured.symmetric_product import multiply
from onebuf.sparsity import product


def multiplied(x: Node, y: Node, shape: tuple[int, ...], dtype: DT) -> Node | None:
    """The matrix product of factors of which one has a layout; None: expand them."""
    if len(x.shape) > 2 or len(y.shape) > 2 or (x.device and not x.device.is_host):
        return None
    one, two = structured(x), structured(y)
    if one is not None and two is not None and len(x.shape) == len(y.shape) == 2:
        found = _both(one, two, shape, dtype)
        if found is not None:
            return found
    if one is not None and len(x.shape) == 2:
        return _left(one, expanded(y), shape, dtype)
    if two is not None and len(y.shape) == 2:
        turned = _turned(two)
        other = expanded(x)
        if len(x.shape) == 1:
            return _left(turned, other, shape, dtype)
        found = _left(turned, permute(other, (1, 0)), shape[::-1], dtype)
        return None if found is None else permute(found, (1, 0))
    return None


def _turned(part: Structured) -> Structured:
    return Structured(part.storage, part.layout, part.axes[::-1])


def _left(part: Structured, other: Node, shape: tuple[int, ...], dtype: DT) -> Node | None:
    """The product of a matrix with a layout and a dense factor."""
    layout = part.layout
    power = triangle_of(layout)
    stored, factor = cast(part.storage, dtype), cast(other, dtype)
    if power is not None:
        if part.is_turned and (power.negates or power.conjugates):
            return None
        return library(multiply, (stored, factor), (power,), shape, dtype, "matmul")
    arrangement = layout.arrangement
    static = (arrangement, part.is_turned, shape[0])
    if isinstance(arrangement, Blocks):
        return library(blocks_by_dense, (stored, factor), static, shape, dtype, "matmul")
    if isinstance(arrangement, Elements) and kind(dtype) != "b":
        return library(elements_by_dense, (stored, factor), static, shape, dtype, "matmul")
    return None


def _both(one: Structured, two: Structured, shape: tuple[int, ...], dtype: DT) -> Node | None:
    """The product of two sparse matrices; None: expand the second."""
    a, b = one.layout, two.layout
    if a.symmetry is not None or b.symmetry is not None or kind(dtype) == "b":
        return None
    if a.sparsity is None or b.sparsity is None:
        return None
    left, right = "ki" if one.is_turned else "ik", "jk" if two.is_turned else "kj"
    layout = Layout(shape, sparsity=product(f"{left},{right}->ij", a.sparsity, b.sparsity))
    mine, theirs, result = a.arrangement, b.arrangement, layout.arrangement
    static = ((mine, one.is_turned), (theirs, two.is_turned), result)
    nodes = (cast(one.storage, dtype), cast(two.storage, dtype))
    if not layout.stored:
        return None
    if isinstance(mine, Elements) and isinstance(theirs, Elements):
        values = library(elements_by_elements, nodes, static, (layout.stored,), dtype, "matmul")
        return with_layout(values, layout)
    if isinstance(mine, Blocks) and isinstance(theirs, Blocks) and isinstance(result, Blocks):
        tiles = [_tile(mine, one.is_turned), _tile(theirs, two.is_turned), result.tile]
        if None in tiles:
            return None
        (high, inner), (other, wide), (rows, columns) = tiles  # type: ignore[misc]
        if inner == other and (rows, columns) == (high, wide):
            values = library(blocks_by_blocks, nodes, static, (layout.stored,), dtype, "matmul")
            return with_layout(values, layout)
    return None


def _tile(blocks: Blocks, is_turned: bool) -> tuple[int, ...] | None:
    return None if blocks.tile is None else blocks.tile[::-1] if is_turned else blocks.tile
