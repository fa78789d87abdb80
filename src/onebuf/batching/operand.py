"""Operands of a batched operation: a node for every example, or one for all of them.

The batch axis, if there is one, is the first. All other axes are those that one example has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from onebuf import ops
from onebuf.errors import NotBatched
from onebuf.graph import Node
from onebuf.ops.library import Shared


class Operand(NamedTuple):
    """An operand: ``node`` has the batch axis in front if ``is_batched``, else it has none."""

    node: Node
    is_batched: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that one example has."""
        return self.node.shape[1:] if self.is_batched else self.node.shape

    def aligned(self, ndim: int) -> Node:
        """The node that broadcasts as examples of ``ndim`` axes do: new axes follow the batch axis.

        Operands that are the same for all examples broadcast as they are.
        """
        missing = ndim - len(self.shape)
        if not self.is_batched or missing <= 0:
            return self.node
        return ops.expand_dims(self.node, tuple(range(1, 1 + missing)))

    def repeated(self, size: int) -> Node:
        """The node with the batch axis in any case, where the same example may come again."""
        return self.node if self.is_batched else ops.expand(self.node, (size, *self.node.shape))


@dataclass(frozen=True, slots=True)
class Batch:
    """What the rules of one transformation share.

    ``calls`` has the batched call for each call with several results, which runs once for all.
    """

    size: int
    calls: dict[Shared, Shared] = field(default_factory=dict)


def not_batched(node: Node, name: str, advice: str = "") -> NotBatched:
    """The error for an operation without a rule, with the line that made it."""
    place = f" (at {node.origin})" if node.origin is not None else ""
    return NotBatched(
        f"vmap needs operations that have a rule for batches, got {name}{place}; "
        + (advice or "call the function for each example, and stack the results")
    )
