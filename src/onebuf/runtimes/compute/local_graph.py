"""Local graphs: expressions on a runtime, as those of this process with inputs for leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onebuf.errors import NotDistributed
from onebuf.graph import Kind, Node, make
from onebuf.machine import CPU
from onebuf.runtimes.compute.expression import Expression, input_node
from onebuf.runtimes.compute.steps import Value

FUSED = frozenset(
    {
        *(Kind.VIEW, Kind.CONSTANT, Kind.GENERATE, Kind.ELEMENTWISE, Kind.COPY, Kind.PAD),
        *(Kind.JOIN, Kind.SOURCE),
    }
)
"""The kinds of nodes of which any box is computed from boxes of their operands."""


def localized(
    roots: Sequence[Node], value_of: Callable[[Node], Value | None]
) -> tuple[list[Expression], tuple[Value, ...]]:
    """The expressions that compute ``roots``, and the inputs of all of them.

    ``value_of`` gives the value of nodes that are there, or are computed by earlier steps.
    """
    made: dict[int, Node] = {}
    leaves: dict[int, Node] = {}
    values: list[Value] = []
    todo = [(root, False) for root in reversed(roots)]
    while todo:
        node, visited = todo.pop()
        me = id(node)
        if me in made:
            continue
        if visited:
            made[me] = _moved(node, tuple([made[id(src)] for src in node.srcs]))
            continue
        value = value_of(node)
        if value is not None:
            if id(value) not in leaves:
                leaves[id(value)] = input_node(len(values), node.shape, node.dtype)
                values.append(value)
            made[me] = leaves[id(value)]
            continue
        if node.device is None or node.device.is_host:
            made[me] = node
            continue
        check(node)
        todo.append((node, True))
        todo.extend([(src, False) for src in node.srcs])
    names = ["copy" if value_of(root.base) is not None else root.base.op.name for root in roots]
    expressions = [
        Expression(made[id(root)], name) for root, name in zip(roots, names, strict=True)
    ]
    return expressions, tuple(values)


def check(node: Node) -> None:
    """Raise unless boxes of ``node`` are computed from boxes of its operands."""
    if node.op.kind not in FUSED:
        raise not_distributed(node)
    if not node.has_strides:
        raise NotDistributed(
            f"a layout with symmetry or sparsity cannot be distributed yet, got one of shape "
            f"{node.shape}; distribute a buffer with all elements: onebuf.asarray(x, copy=True)"
        )


def not_distributed(node: Node, name: str = "") -> NotDistributed:
    """The error for an operation that there is only for local buffers."""
    call = getattr(node.arg, "shared", node.arg)
    called = name or getattr(call, "name", "") or node.op.name
    where = "" if node.origin is None else f" ({node.origin})"
    return NotDistributed(
        f"{called} is not there for distributed buffers{where}, and nothing is gathered unasked; "
        f"gather its operand: x.to_local(), or work on x.slice(first, last).local_buffer()"
    )


def _moved(node: Node, srcs: tuple[Node, ...]) -> Node:
    """The same operation in this process."""
    return make(node.op, srcs, node.arg, node.shape, node.dtype, node.op.kind is Kind.COPY, CPU)
