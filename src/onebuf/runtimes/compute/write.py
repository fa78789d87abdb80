"""Writes in place: new elements that are there already, copied to where a view has its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.placement import Box, is_empty
from onebuf.placement.derived import Along
from onebuf.runtimes.protocols import Fetch, Need

NEW, OLD = 0, 1


@dataclass(frozen=True)
class Written:
    """Boxes of elements of which a view is written: input `NEW` has the view's new elements.

    Index ``t`` of the view leads to ``along.at(t)``. Where the view has gaps, what is between them
    is read from input `OLD`, the elements themselves.
    """

    along: Along
    shape: tuple[int, ...]
    dtype: DT

    name = "write"

    @property
    def has_gaps(self) -> bool:
        """Whether elements in the region are not written."""
        steps = zip(self.along.axes, self.along.steps, self.shape, strict=True)
        return any(axis is not None and abs(step) > 1 and n > 1 for axis, step, n in steps)

    def region(self) -> Box:
        """The box of the elements around all that is written."""
        first = self.along.at([0] * len(self.shape))
        last = self.along.at([extent - 1 for extent in self.shape])
        pairs = zip(first, last, strict=True)
        return tuple([(min(a, b), max(a, b) + 1) for a, b in pairs])

    def _indices(self, box: Box) -> Box:
        """The view's indices that lead into ``box``."""
        found = []
        for extent, axis, step in zip(self.shape, self.along.axes, self.along.steps, strict=True):
            if axis is None:
                found.append((0, extent))
                continue
            low, high = box[axis]
            start = self.along.start[axis]
            if step > 0:
                ends = (-((start - low) // step), (high - 1 - start) // step + 1)
            else:
                ends = (-((high - 1 - start) // -step), (start - low) // -step + 1)
            first = max(0, ends[0])
            found.append((first, max(first, min(extent, ends[1]))))
        return tuple(found)

    def needs(self, box: Box) -> list[Need]:
        """The new elements, and the old ones if there are gaps."""
        indices = self._indices(box)
        found: list[Need] = [] if is_empty(indices) else [(NEW, indices)]
        return [*found, (OLD, box)] if self.has_gaps else found

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Copy."""
        if self.has_gaps:
            out[...] = fetch(OLD, box)
        indices = self._indices(box)
        if is_empty(indices):
            return
        new = fetch(NEW, indices)
        where: list[slice | int] = [
            start - low for start, (low, _) in zip(self.along.start, box, strict=True)
        ]
        order = []
        for number, (axis, step) in enumerate(zip(self.along.axes, self.along.steps, strict=True)):
            if axis is None:
                continue
            first, last = indices[number]
            begin = self.along.start[axis] + step * first - box[axis][0]
            end = begin + step * (last - 1 - first) + (1 if step > 0 else -1)
            where[axis] = slice(begin, end if end >= 0 else None, step)
            order.append((axis, number))
        order.sort()
        moved = [number for _, number in order]
        rest = [number for number in range(len(self.shape)) if number not in moved]
        turned = np.transpose(new, (*moved, *rest)).reshape([new.shape[n] for n in moved])
        out[tuple(where)] = turned
