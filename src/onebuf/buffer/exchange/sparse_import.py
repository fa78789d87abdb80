"""Sparse arrays of other libraries as nodes with a layout, on the same values if in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import as_dtype
from onebuf.engine import taken
from onebuf.errors import CopyError
from onebuf.graph import Leaf, Node
from onebuf.interop.sparse_arrays import Coordinates, Rows, parts_of
from onebuf.layout.layout import Layout
from onebuf.memory import Block as Memory
from onebuf.ops import copied
from onebuf.ops.structured.nodes import with_layout
from onebuf.sparsity import Block, Element


def sparse_node(native: Any, copy: bool | None) -> Node:
    """A node on the values of a sparse array."""
    parts = parts_of(native)
    if copy is False and not _is_shared(native, parts.values):
        raise CopyError(
            f"copy=False needs sorted elements in one of the formats csr, coo and bsr, got "
            f"{type(native).__name__} with values in another order; leave out copy=False"
        )
    if isinstance(parts, Rows):
        layout = Layout.of_rows(parts.shape, parts.starts, parts.columns)
    elif isinstance(parts, Coordinates):
        layout = Layout(parts.shape, sparsity=Element.of_flat(parts.shape, parts.flat))
    else:
        _, high, wide = parts.values.shape
        tiles = list(zip(parts.row.tolist(), parts.column.tolist(), strict=True))
        layout = Layout(parts.shape, sparsity=Block.tiles(parts.shape, (high, wide), nonzero=tiles))
    values = np.ascontiguousarray(parts.values).reshape(-1)
    stored = Leaf(values.view(as_dtype(values.dtype)), Memory.foreign(values))
    return with_layout(taken(copied(stored)) if copy else stored, layout)


def _is_shared(native: Any, values: np.ndarray[Any, Any]) -> bool:
    held = getattr(native, "data", None)
    is_in_order = values.flags.c_contiguous and isinstance(held, np.ndarray)
    return is_in_order and (not values.size or np.may_share_memory(held, values))
