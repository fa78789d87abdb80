"""Vector lanes of an upcast kernel: how many copies of each step are written.

A lane is one index for each part that is upcast. A step is written once for each lane in which its
value differs: a step that does not vary along an axis serves all lanes of that axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product

from onebuf.kernel.linear.opts import AxisPart
from onebuf.kernel.nest.nest import FOLDS, INDEX, LOAD, STORE, Nest
from onebuf.layout import View

Lane = tuple[int, ...]
"""One index for each part that is upcast."""
Values = dict[Lane, int]
"""The number of an instruction, for each lane."""


class Lanes:
    """The lanes of one nest."""

    def __init__(self, nest: Nest, views: Sequence[View], upcast: Sequence[AxisPart]) -> None:
        self.nest = nest
        self.views = views
        self.upcast = upcast
        self._all = list(product(*[range(part.extent) for part in upcast]))

    def moves(self, slot: int) -> frozenset[int]:
        """The axes along which a slot moves."""
        view = self.views[slot]
        pairs = zip(view.shape, view.stride, strict=True)
        return frozenset([n for n, (extent, step) in enumerate(pairs) if step and extent > 1])

    @cached_property
    def varies(self) -> list[frozenset[int]]:
        """For each step, the axes along which it changes."""
        found: list[frozenset[int]] = []
        for step in self.nest.steps:
            axes: frozenset[int] = frozenset().union(*[found[arg] for arg in step.args])
            if step.op in FOLDS:
                axes -= {step.arg.axis}
            if step.op in (LOAD, INDEX, STORE):
                axes |= self.moves(step.arg)
            found.append(axes)
        return found

    def lane(self, number: int, lane: Lane) -> Lane:
        """The lane whose copy of a step has the value for ``lane``."""
        varies = self.varies[number]
        return tuple(
            [n if part.axis in varies else 0 for part, n in zip(self.upcast, lane, strict=True)]
        )

    def of(self, number: int) -> list[Lane]:
        """The lanes in which a step differs."""
        return list(dict.fromkeys([self.lane(number, lane) for lane in self._all]))
