"""Graphs as rows that can be sent to another process: one for each node, operands first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from onebuf.dtypes import DT
from onebuf.errors import NotDistributed
from onebuf.graph import (
    ARANGE,
    BINARY,
    CAST,
    CONCAT,
    CONSTANT,
    COPY,
    EMPTY,
    FULL,
    ON_DEMAND,
    PAD,
    RANDOM_BITS,
    REDUCE,
    SCAN,
    SOURCE,
    STORED,
    TAKE,
    TAKE_ALONG,
    UNARY,
    VIEW,
    WHERE,
    Node,
    Op,
    make,
    settle,
)
from onebuf.machine import CPU
from onebuf.ops import adopted

_OPS: dict[str, Op] = {
    f"{op.kind}:{op.name}": op
    for op in (
        *(VIEW, CONSTANT, FULL, EMPTY, ARANGE, RANDOM_BITS, SOURCE, ON_DEMAND, CAST, WHERE, COPY),
        *(PAD, CONCAT, TAKE, TAKE_ALONG, STORED, *UNARY.values(), *BINARY.values()),
        *(*REDUCE.values(), *SCAN.values()),
    )
}
_UNIQUE = frozenset({FULL, EMPTY, COPY, SOURCE})
"""Operations of which each node is one of its own."""


class Row(NamedTuple):
    """A node: ``sources`` are the numbers of rows before it."""

    op: str
    sources: tuple[int, ...]
    arg: Any
    shape: tuple[int, ...]
    dtype: DT


Rows: TypeAlias = tuple[Row, ...]


def rows_of(root: Node) -> Rows:
    """The rows of the graph below ``root``, which is the last one."""
    numbers: dict[int, int] = {}
    rows: list[Row] = []
    for node in operands_first(root):
        array = settle(node)
        if array is not None:
            row = Row("stored:stored", (), np.array(array, order="C"), node.shape, node.dtype)
        else:
            name = f"{node.op.kind}:{node.op.name}"
            if name not in _OPS:
                raise NotDistributed(f"{node.op.name} cannot be sent to another process")
            sources = tuple([numbers[id(src)] for src in node.srcs])
            row = Row(name, sources, node.arg, node.shape, node.dtype)
        numbers[id(node)] = len(rows)
        rows.append(row)
    return tuple(rows)


def rebuilt(rows: Rows) -> Node:
    """The graph of rows, on the host."""
    nodes: list[Node] = []
    for row in rows:
        op = _OPS[row.op]
        if op is STORED:
            nodes.append(adopted(row.arg))
            continue
        srcs = tuple([nodes[number] for number in row.sources])
        device = None if op is CONSTANT else CPU
        nodes.append(make(op, srcs, row.arg, row.shape, row.dtype, op in _UNIQUE, device))
    return nodes[-1]


def operands_first(root: Node) -> Iterator[Node]:
    """The nodes below ``root`` that are not stored, and those that are but not what is below them;
    each after its operands. Not recursive: graphs may be thousands of operations deep."""
    done: set[int] = set()
    todo = [(root, False)]
    while todo:
        node, visited = todo.pop()
        if visited:
            yield node
        elif id(node) not in done:
            done.add(id(node))
            todo.append((node, True))
            if settle(node) is None:
                todo.extend([(src, False) for src in reversed(node.srcs)])
