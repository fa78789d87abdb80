"""Groups: kernels to run, each with everything that a run of it asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onebuf.graph import Kind, Node
from onebuf.kernel import Nest
from onebuf.scheduler.trace.argmax import names
from onebuf.scheduler.trace.recorder import Giver, Reach

MOST_NAMES = 6
_ELEMENTWISE = frozenset({Kind.STORED, Kind.CONSTANT, Kind.ELEMENTWISE})


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A kernel to run: a nest, the extents of its axes, and what each of its slots reaches."""

    nest: Nest
    extents: tuple[int, ...]
    reaches: tuple[Reach, ...]
    scalars: tuple[np.generic, ...]
    givers: tuple[Giver | None, ...]
    """The constants that the scalars are the values of, as far as nodes hold them."""
    outputs: tuple[Node, ...]
    reason: str
    picks: tuple[Node, ...] = ()
    """The nodes whose indices the kernel looks at."""

    whole = ()
    """The nodes that others than kernels read."""

    @property
    def parts(self) -> tuple[Group]:
        """Itself: a kernel of one part."""
        return (self,)

    @property
    def passes(self) -> tuple[Group]:
        """Itself: it goes over its memory once."""
        return (self,)

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run asks for: for their elements, their values or their indices."""
        givers = [giver.node for giver in self.givers if giver is not None]
        return (*self.inputs, *self.outputs, *givers, *self.picks)

    @property
    def kind(self) -> str:
        """That of its operation if there is one, else that it is a kernel of several."""
        return self.node.op.kind if len(self._names) <= 1 else "kernel"

    @property
    def is_elementwise(self) -> bool:
        """Whether an element that it reads is read only to write to one place."""
        return all(step.op.kind in _ELEMENTWISE for step in self.nest.steps)

    @property
    def node(self) -> Node:
        """The first output."""
        return self.outputs[0]

    @property
    def name(self) -> str:
        """The operations that it does, in order."""
        told = self._names
        if len(told) > MOST_NAMES:
            told[MOST_NAMES - 1 :] = [f"{len(told) - MOST_NAMES + 1} more"]
        return " + ".join(told) or self.node.op.name

    @property
    def _names(self) -> list[str]:
        return names(self.nest)

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands, each counted once."""
        return sum(node.nbytes for node in self.inputs)

    @property
    def bytes_written(self) -> int:
        """Bytes of the results."""
        return sum(node.nbytes for node in self.outputs)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        written = self.nest.written
        reads = (r.node for n, r in enumerate(self.reaches) if n not in written and not r.is_index)
        return tuple({id(node): node for node in reads}.values())
