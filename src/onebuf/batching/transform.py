"""A graph for one example turned into the graph for a batch of them.

Every node that depends on a batched input is built again by the rule of its operation, with the
batch axis in front. All other nodes are the same for every example and stay as they are. The walk
is iterative and visits each node once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from onebuf.batching.operand import Batch, Operand, not_batched
from onebuf.batching.rules import RULES
from onebuf.graph import Node


def _itself(node: Node) -> Node:
    return node


def batched(
    outputs: Sequence[Node],
    inputs: Mapping[Node, Node],
    size: int,
    shared: Callable[[Node], Node] = _itself,
) -> list[Operand]:
    """The nodes that compute ``outputs`` for ``size`` examples, and whether each is batched.

    ``inputs`` maps a node of the graph to the node that takes its place, which has the batch axis
    in front. An output that is not batched is the same for all examples, and has no batch axis.
    ``shared`` gives the node to use for one that depends on no input, by default that node itself.

    >>> import numpy as np
    >>> from onebuf.graph import UNARY, make
    >>> from onebuf.ops import adopted, binary, constant
    >>> from onebuf.graph import BINARY
    >>> x = make(UNARY["positive"], (constant((3,), 1, np.dtype("float64")),), None, (3,),
    ...          np.dtype("float64"))
    >>> doubled = binary(BINARY["add"], x, x)
    >>> [(node, is_batched)] = batched([doubled], {x: adopted(np.ones((2, 3)))}, 2)
    >>> node.shape, is_batched
    ((2, 3), True)
    """
    batch = Batch(size)
    done = {node: Operand(found, True) for node, found in inputs.items()}
    for node, given in inputs.items():
        assert given.shape == (size, *node.shape), "an input has the batch axis in front"
        assert given.dtype == node.dtype, "an input has the dtype of its examples"
    todo = [(node, False) for node in reversed(outputs)]
    while todo:
        node, is_ready = todo.pop()
        if node in done:
            continue
        srcs = node.srcs
        if not is_ready and srcs:
            todo.append((node, True))
            todo.extend([(src, False) for src in srcs if src not in done])
            continue
        operands = [done[src] for src in srcs]
        if any(operand.is_batched for operand in operands):
            made = [one if one.is_batched else Operand(shared(one.node), False) for one in operands]
            done[node] = Operand(_applied(node, made, batch), True)
        else:
            done[node] = Operand(node, False)
    found = [done[node] for node in outputs]
    return [one if one.is_batched else Operand(shared(one.node), False) for one in found]


def _applied(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    rule = RULES.get(node.op)
    if rule is None:
        raise not_batched(node, node.op.name)
    found = rule(node, operands, batch)
    assert found.shape == (batch.size, *node.shape), f"{node!r} became {found!r}"
    assert found.dtype == node.dtype, f"{node!r} became {found!r}"
    return found
