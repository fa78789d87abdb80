"""Shapes and dtypes of results, by the operations themselves.

An operation is applied to placeholders: nodes with a shape and a dtype that are never computed. So
the rules are those of buffers, and there is no second copy of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from onebuf.dtypes import DT
from onebuf.errors import OpGraphError
from onebuf.graph import EMPTY, Node
from onebuf.machine import CPU, Device
from onebuf.op_graph.labels import apply_labelled
from onebuf.op_graph.operation_table import Row, apply_row, check_size
from onebuf.op_graph.vertices import Labels


class Kind(NamedTuple):
    """What is known of a tensor before anything is computed."""

    shape: tuple[int, ...]
    dtype: DT

    def __str__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)}"


class Axes(NamedTuple):
    """The labels of an operation: one for each axis of each operand, and of the result."""

    operands: tuple[Labels, ...]
    result: Labels


REFUSALS = (ValueError, TypeError, LookupError, ArithmeticError, MemoryError, NotImplementedError)
"""What an operation may raise for operands or arguments that it does not take."""


def apply(
    row: Row,
    nodes: Sequence[Node],
    arguments: Mapping[str, Any],
    labels: Axes | None,
    device: Device = CPU,
) -> Node:
    """The result of an operation on nodes; without operands, on ``device``."""
    if labels is None:
        return apply_row(row, tuple(nodes), arguments, device)

    def on_placed(*placed: Node) -> Node:
        return apply_row(row, placed, arguments, device)

    return apply_labelled(row.name, on_placed, nodes, labels.operands, labels.result)


def infer(
    row: Row, operands: Sequence[Kind], arguments: Mapping[str, Any], labels: Axes | None, who: str
) -> Kind:
    """The shape and dtype of a result; an error that names the node ``who`` if there is none.

    >>> import numpy as np
    >>> from onebuf.op_graph.operation_table import row_of
    >>> matrix = Kind((2, 3), np.dtype("float32"))
    >>> str(infer(row_of("sum"), [matrix], {"axis": (0,), "keepdims": False}, None, "sum"))
    'float32[3]'
    """
    placeholders = [Node(EMPTY, (), None, kind.shape, kind.dtype, None) for kind in operands]
    try:
        found = apply(row, placeholders, arguments, labels)
    except REFUSALS as error:
        told = ", ".join(map(str, operands)) or "no operands"
        raise OpGraphError(f"{who} cannot be done on {told}: {error}") from error
    check_size(found.shape, who)
    return Kind(tuple(found.shape), found.dtype)


def axes_of(
    row: Row, operands: Sequence[Labels | None], result: Labels | None, who: str
) -> Axes | None:
    """The labels of an operation, which has all or none; None if it has none."""
    given = [labels for labels in operands if labels is not None]
    if not given and result is None:
        if row.needs_labels:
            raise OpGraphError(f"{who} needs labels on each operand and on its result, got none")
        return None
    if not row.takes_labels:
        raise OpGraphError(f"{who} takes no labels: its operands go by position")
    if len(given) != len(operands) or result is None:
        without = "its result" if result is None else f"operand {list(operands).index(None)}"
        raise OpGraphError(
            f"{who} needs labels on each operand and on its result; {without} has none"
        )
    return Axes(tuple(given), result)
