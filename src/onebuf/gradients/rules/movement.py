"""Rules of operations that move elements: views, copies, pads and joins."""

from __future__ import annotations

from itertools import accumulate, pairwise

from onebuf.engine import moved
from onebuf.gradients.rules.table import differentiates
from onebuf.gradients.rules.views import adjoint
from onebuf.graph import CONCAT, COPY, MOVE, PAD, VIEW, Node
from onebuf.machine import CPU, home_of
from onebuf.ops import index, shrink


@differentiates(COPY)
def _copy(node: Node, g: Node) -> tuple[Node]:
    return (g,)


@differentiates(MOVE)
def _move(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    return (moved(g, home_of(x.device or CPU)),)


@differentiates(VIEW)
def _view(node: Node, g: Node) -> tuple[Node | None, ...]:
    return (adjoint(node, g), *[None] * (len(node.srcs) - 1))


@differentiates(PAD)
def _pad(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    widths = node.arg.widths
    bounds = [(before, before + n) for (before, _), n in zip(widths, x.shape, strict=True)]
    return (shrink(g, bounds),)


@differentiates(CONCAT)
def _concat(node: Node, g: Node) -> tuple[Node, ...]:
    before = (slice(None),) * node.arg
    ends = accumulate([src.shape[node.arg] for src in node.srcs], initial=0)
    return tuple([index(g, (*before, slice(*bounds))) for bounds in pairwise(ends)])
