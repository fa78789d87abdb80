"""The reverse walk: from the gradients of results to the gradients of inputs.

The walk goes once over the nodes between results and inputs, results first, so that a node comes
when all that use it have said what they want of it. Its time is linear in their number, and it
needs no stack of Python's however deep a graph is. Nodes that depend on no input are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from onebuf.gradients.accumulate import accumulated
from onebuf.gradients.rules import NOT_DIFFERENTIABLE, rule_of
from onebuf.gradients.rules.table import has_gradients
from onebuf.graph import Node


def pullback(
    outputs: Sequence[Node], seeds: Sequence[Node], inputs: Sequence[Node]
) -> list[Node | None]:
    """The gradient of each of ``inputs``; None for one on which no output depends.

    Parameters
    ----------
    outputs
        Pending nodes that were computed from the inputs.
    seeds
        The gradient of each output, in its shape and dtype.
    inputs
        Nodes as they occur in the graph. The walk ends there: what they were computed from gets
        nothing.

    Examples
    --------
    >>> from onebuf.dtypes import float64
    >>> from onebuf.graph import UNARY
    >>> from onebuf.ops import constant, full, unary
    >>> from onebuf.options import config
    >>> with config(eager_numel=0):
    ...     x = unary(UNARY["positive"], full((3,), 2.0, float64))
    ...     y = unary(UNARY["exp"], x)
    ...     pullback([y], [constant((3,), 1, float64)], [x])
    [<multiply(constant, exp) float64[3]>]
    """
    order = _between(outputs, inputs)
    wanted = {id(node) for node in order}
    ends = {id(node) for node in inputs}
    gradients: dict[int, list[Node]] = {}
    for output, seed in zip(outputs, seeds, strict=True):
        assert (seed.shape, seed.dtype) == (output.shape, output.dtype), "a seed is a gradient"
        gradients.setdefault(id(output), []).append(seed)
    for node in reversed(order):
        found = gradients.get(id(node))
        if not found or id(node) in ends:
            continue
        del gradients[id(node)]
        srcs = node.srcs
        pulled = rule_of(node)(node, accumulated(found))
        for src, g in zip(srcs, pulled, strict=True):
            if g is not None and id(src) in wanted:
                gradients.setdefault(id(src), []).append(g)
    return [accumulated(gradients[id(x)]) if id(x) in gradients else None for x in inputs]


def _between(outputs: Sequence[Node], inputs: Sequence[Node]) -> list[Node]:
    """The nodes from inputs to outputs through which gradients go, operands before results."""
    depends = {id(node): True for node in inputs}
    order = list({id(node): node for node in inputs}.values())
    stack = [(node, False) for node in outputs]
    while stack:
        node, is_left = stack.pop()
        if is_left:
            depends[id(node)] = any([depends[id(src)] for src in node.srcs])
            if depends[id(node)]:
                order.append(node)
        elif id(node) not in depends:
            if not has_gradients(node.dtype) or node.op in NOT_DIFFERENTIABLE:
                depends[id(node)] = False
                continue
            stack.append((node, True))
            stack.extend([(src, False) for src in node.srcs if id(src) not in depends])
    return order
