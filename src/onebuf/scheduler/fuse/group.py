"""Groups: the operations that are fused into one kernel, with all that a launch of it needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onebuf.graph import Kind, Node
from onebuf.kernel import Nest
from onebuf.scheduler.items import Traffic
from onebuf.scheduler.trace.argmax import names
from onebuf.scheduler.trace.recorder import Giver, Reach

MOST_NAMES = 6
_ELEMENTWISE = frozenset({Kind.STORED, Kind.CONSTANT, Kind.ELEMENTWISE})


@dataclass(frozen=True, slots=True, eq=False)
class Group(Traffic):
    """A fused kernel: a nest, the extents of its axes, and the memory that each slot reaches."""

    nest: Nest
    extents: tuple[int, ...]
    reaches: tuple[Reach, ...]
    scalars: tuple[np.generic, ...]
    givers: tuple[Giver | None, ...]
    """The node that each scalar is read from; None: the scalar is the same in every run."""
    outputs: tuple[Node, ...]
    reason: str
    picks: tuple[Node, ...] = ()
    """The gather nodes whose indices the kernel checks."""

    whole = ()
    """The nodes that BLAS reads, as whole arrays."""

    @property
    def parts(self) -> tuple[Group]:
        """Itself: a kernel of one part."""
        return (self,)

    @property
    def passes(self) -> tuple[Group]:
        """Itself: it reads its memory once."""
        return (self,)

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run needs: for their elements, their values or their indices."""
        givers = [giver.node for giver in self.givers if giver is not None]
        return (*self.inputs, *self.outputs, *givers, *self.picks)

    @property
    def kind(self) -> str:
        """The kind of its operation; "kernel" if it fuses several."""
        return self.node.op.kind if len(self._names) <= 1 else "kernel"

    @property
    def is_elementwise(self) -> bool:
        """Whether each element that it reads is used for one element of the result only."""
        return all(step.op.kind in _ELEMENTWISE for step in self.nest.steps)

    @property
    def name(self) -> str:
        """The operations, in order."""
        told = self._names
        if len(told) > MOST_NAMES:
            told[MOST_NAMES - 1 :] = [f"{len(told) - MOST_NAMES + 1} more"]
        return " + ".join(told) or self.node.op.name

    @property
    def _names(self) -> list[str]:
        return names(self.nest)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        written = self.nest.written
        reads = (r.node for n, r in enumerate(self.reaches) if n not in written and not r.is_index)
        return tuple({id(node): node for node in reads}.values())
