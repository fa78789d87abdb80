"""Buffers as sparse arrays of SciPy and of sparse, on the same values where these fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.buffer.exchange.export import window
from onebuf.buffer.handle import Handle
from onebuf.engine import read
from onebuf.errors import ArgumentError
from onebuf.graph import Node
from onebuf.interop.sparse_arrays import (
    Coordinates,
    Rows,
    Tiles,
    scipy_array,
    sparse_array,
)
from onebuf.layout.arrangement.blocks import Blocks
from onebuf.layout.arrangement.elements import Elements
from onebuf.ops.structured.nodes import layout_of

FORMATS = ("bsr", "coo", "csr")


def to_scipy(buffer: Handle, format: str | None) -> Any:
    """``buffer`` as a sparse array of SciPy."""
    node = buffer._node
    if format is not None and format not in FORMATS:
        raise ArgumentError(f"to_scipy needs one of the formats {FORMATS}, got {format!r}")
    layout = layout_of(node)
    arrangement = None if layout is None or layout.symmetry is not None else layout.arrangement
    if isinstance(arrangement, Blocks) and len(node.shape) == 2 and arrangement.tile is not None:
        values = window(node.base).reshape(arrangement.storage)
        row, column = (arrangement.boxes[:, :, 0] // arrangement.tile).T
        whole = all(n % t == 0 for n, t in zip(node.shape, arrangement.tile, strict=True))
        if whole:
            return scipy_array(Tiles(_matrix(node.shape), values, row, column), format or "bsr")
    if isinstance(arrangement, Elements) and arrangement.rows > 1 and len(node.shape) == 2:
        rows = Rows(_matrix(node.shape), window(node.base), arrangement.columns, arrangement.starts)
        return scipy_array(rows, format or "csr")
    return scipy_array(_coordinates(node), format or "coo")


def to_sparse(buffer: Handle) -> Any:
    """``buffer`` as a COO array of the package sparse."""
    return sparse_array(_coordinates(buffer._node))


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    rows, columns = shape
    return rows, columns


def _coordinates(node: Node) -> Coordinates:
    """The elements that are not 0, with their positions."""
    layout = layout_of(node)
    if layout is not None and layout.symmetry is None and isinstance(layout.arrangement, Elements):
        return Coordinates(node.shape, window(node.base), layout.arrangement.flat)
    if layout is not None and layout.symmetry is None and isinstance(layout.arrangement, Blocks):
        flat = layout.arrangement.flat
        order = np.argsort(flat, kind="stable")
        return Coordinates(node.shape, read(node.base)[order], flat[order])
    dense = read(node).reshape(-1)
    flat = np.flatnonzero(dense)
    return Coordinates(node.shape, dense[flat], flat)
