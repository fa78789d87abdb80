"""The batching rule of functions with gradients that a program gave."""

from __future__ import annotations

from collections.abc import Sequence

from onebuf.batching.api import vmap
from onebuf.batching.operand import Batch, Operand
from onebuf.batching.rules import RULES
from onebuf.graph import CUSTOM, Node, make
from onebuf.machine import Tracer


def _custom(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """The result of each example; in a trace around this one, with the gradient of each."""
    nodes = tuple([operand.repeated(batch.size) for operand in operands])
    if not any(isinstance(one.device, Tracer) for one in nodes):
        return nodes[0]
    given = node.arg
    kept = given.kept.unflatten([0 if one is None else None for one in given.others])
    shape = (batch.size, *node.shape)
    arg = given._replace(
        backward=vmap(given.backward, in_axes=(kept, 0)),
        kinds=tuple([((batch.size, *one), dtype) for one, dtype in given.kinds]),
    )
    return make(CUSTOM, nodes, arg, shape, node.dtype, unique=True)


RULES[CUSTOM] = _custom
