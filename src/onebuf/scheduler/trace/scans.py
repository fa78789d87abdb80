"""Scans: the iteration space of running sums and products.

The axis of the scan is the last one of its space, wherever it is in memory; the other axes come
before it. Everything in the kernel of a scan has its shape, and is read in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onebuf.graph import Node
from onebuf.kernel import FOLDS, SCANS
from onebuf.layout import View
from onebuf.scheduler.trace.iteration_space import Space, bare, fold_space, folded
from onebuf.scheduler.trace.tracer import Cut, scan_view


@dataclass(frozen=True, slots=True)
class ScanSpace(Space):
    """The space of results of shape ``whole``, in the order of a scan along ``axis``."""

    whole: tuple[int, ...] = ()
    axis: int = 0

    def view(self, shape: tuple[int, ...]) -> View | None:
        """Where a result of ``shape`` is stored; None: nowhere."""
        return scan_view(self.whole, self.axis) if shape == self.whole else None


def scan_space(node: Node, folds: Sequence[Node]) -> Space | None:
    """The space of ``node`` if there are scans among ``folds``, which are in its kernel."""
    scans = [fold for fold in folds if fold.op in SCANS]
    if not scans:
        return None
    first = scans[0]
    axis = first.arg
    if node.op in FOLDS:
        raise Cut(first, "it is folded afterwards")
    for other in scans:
        if other.shape != node.shape or other.arg != axis:
            raise Cut(other, "its result is read at another shape, or along another axis")
    for fold in folds:
        if fold.op in SCANS:
            continue
        source, axes, _ = folded(fold)
        if source != node.shape or axes != (axis,) or axis != len(source) - 1:
            raise Cut(fold, "a scan needs it in another order")
    kept = [extent for place, extent in enumerate(node.shape) if place != axis]
    return ScanSpace(bare(tuple(kept)), node.shape[axis], False, None, node.shape, axis)


def space_of(node: Node, folds: Sequence[Node]) -> Space:
    """The space in which ``node`` is computed: ``folds`` are its own, the outermost one first."""
    return scan_space(node, folds) or fold_space(node, folds)
