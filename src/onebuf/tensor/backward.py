"""Backward: gradients of one tensor with respect to all leaves that it was made from.

The walk goes through calls by their depth, the deepest first. Gradients are added up where several
paths meet. Nothing is computed before all gradients are known: then they are, in one plan, together
with the tensor itself. An error leaves the gradients of all leaves as they were.
"""

from __future__ import annotations

from heapq import heappop, heappush

from onebuf.buffer import Buffer
from onebuf.engine import realize
from onebuf.ops import copied
from onebuf.tensor.base import TensorState
from onebuf.tensor.function import Function, check_gradient


def backward(root: TensorState, gradient: Buffer, retain_graph: bool) -> None:
    """Add to the gradient of every leaf that ``root`` depends on; ``gradient`` is that of root."""
    totals = _Totals()
    totals.add(root if root._source is None else root._source, gradient)
    visited = []
    while totals.calls:
        call, gradients = totals.deepest()
        visited.append(call)
        for edge, found in zip(call.edges, call.pulled(gradients), strict=True):
            if edge is not None and found is not None:
                totals.add(edge, found)
        for place, kept in call.kept.items():
            tensor, total = kept(), gradients[place]
            if tensor is not None and total is not None:
                totals.add(tensor, total)
    _deliver(root, gradient, totals)
    if not retain_graph:
        for call in visited:
            call.free()


class _Totals:
    """Gradients that were added up so far."""

    def __init__(self) -> None:
        self.leaves: dict[int, tuple[TensorState, Buffer]] = {}
        self.calls: list[tuple[int, int]] = []
        """A heap of calls that have a gradient: their depths, negated, and their ids."""
        self._found: dict[int, tuple[Function, list[Buffer | None]]] = {}

    def add(self, edge: TensorState | tuple[Function, int], gradient: Buffer) -> None:
        """Add a gradient to what has arrived at a leaf, or at the result of a call."""
        if isinstance(edge, TensorState):
            gradient = _fitted(gradient, edge)
            _, total = self.leaves.get(id(edge), (edge, None))
            self.leaves[id(edge)] = edge, gradient if total is None else total + gradient
            return
        call, place = edge
        if id(call) not in self._found:
            call.check_alive()
            heappush(self.calls, (-call.depth, id(call)))
            self._found[id(call)] = call, [None] * len(call.results)
        gradients = self._found[id(call)][1]
        result = call.results[place]
        check_gradient(gradient, result.shape, str(call.metadata))
        if gradient.dtype != result.dtype:
            gradient = gradient.astype(result.dtype)
        before = gradients[place]
        gradients[place] = gradient if before is None else before + gradient

    def deepest(self) -> tuple[Function, list[Buffer | None]]:
        """The deepest call, all of whose gradients have arrived, and these."""
        return self._found.pop(heappop(self.calls)[1])


def _fitted(gradient: Buffer, leaf: TensorState) -> Buffer:
    check_gradient(gradient, leaf.shape, "a leaf")
    return gradient if gradient.dtype == leaf.dtype else gradient.astype(leaf.dtype)


def _deliver(root: TensorState, seed: Buffer, totals: _Totals) -> None:
    """Compute all gradients and give them to the leaves, each in memory of its own."""
    made = []
    held = {id(seed)}
    for leaf, gradient in totals.leaves.values():
        before = leaf._grad
        if before is not None:
            gradient = before._data + gradient
        elif id(gradient) in held:
            gradient = Buffer._place(copied(gradient._node))
        held.add(id(gradient))
        made.append((leaf, gradient))
    realize([root._data._node, *[gradient._node for _, gradient in made]])
    for leaf, gradient in made:
        leaf._grad = type(leaf)._of(gradient)
