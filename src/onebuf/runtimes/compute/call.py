"""Library calls that go element by element or along one axis: sorts of rows, where the rows are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.engine import read
from onebuf.graph import Node
from onebuf.ops.library import LibraryCall
from onebuf.placement import Box
from onebuf.placement.box import within
from onebuf.runtimes.compute.expression import Expression
from onebuf.runtimes.protocols import Fetch, Need

_ALONG = frozenset({"sort", "argsort"})
"""Calls whose first argument that is no array is the axis that they go along."""


_POINTWISE = frozenset({"mean"})
"""Calls that go element by element: the division of a complex sum by a count."""


def is_pointwise_call(node: Node) -> bool:
    """Whether a library call gives each element from the element at the same index."""
    return isinstance(node.arg, LibraryCall) and node.arg.name in _POINTWISE


def axis_of_call(node: Node) -> int | None:
    """The axis that a library call goes along; None if it needs its operands whole."""
    call = node.arg
    if isinstance(call, LibraryCall) and call.name in _ALONG and len(node.srcs) == 1:
        axis: int = call.static[0]
        return axis
    return None


@dataclass(frozen=True)
class AlongAxis:
    """A call on rows along an axis that is not cut; None: on elements."""

    operand: Expression
    call: LibraryCall
    axis: int | None
    dtype: DT

    @property
    def name(self) -> str:
        """What is called."""
        return self.call.name

    def _whole(self, box: Box) -> Box:
        if self.axis is None:
            return box
        extent = self.operand.shape[self.axis]
        return (*box[: self.axis], (0, extent), *box[self.axis + 1 :])

    def needs(self, box: Box) -> list[Need]:
        """Whole rows."""
        return self.operand.needs(self._whole(box))

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Call the library."""
        whole = self._whole(box)
        found = self.call(read(self.operand.part(whole, fetch)))
        out[...] = np.asarray(found)[within(box, whole)]
