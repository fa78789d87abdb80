"""Merged axes: a trace as a finished kernel, with as few loops as its memory allows."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from onebuf.graph import Node
from onebuf.kernel import FOLDS, SCANS, Nest, Slot, Step, stride_class
from onebuf.layout import View
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.trace.gather import MovingTrace, merged_mask
from onebuf.scheduler.trace.recorder import Reach


def merged(trace: MovingTrace, outputs: tuple[Node, ...], reason: str) -> Group:
    """The finished kernel, without axes of extent 1, and with contiguous axes merged."""
    ndim = len(trace.shape)
    strides = [reach.view.stride for reach in trace.reaches]
    axes: list[tuple[int, ...]] = []
    outer = ndim - trace.folds
    for axis in range(ndim):
        if trace.shape[axis] == 1 and axis < outer:
            continue
        if axes and axis < outer:
            before = axes[-1][-1]
            if all(step[before] == step[axis] * trace.shape[axis] for step in strides):
                axes[-1] = (*axes[-1], axis)
                continue
        axes.append((axis,))
    if not axes:
        axes.append(())
    extents = tuple([prod([trace.shape[axis] for axis in merged]) for merged in axes])
    slots, reaches = [], []
    for reach, step in zip(trace.reaches, strides, strict=True):
        merged = tuple([step[part[-1]] if part else 0 for part in axes])
        classes = tuple(map(stride_class, merged, extents))
        slots.append(Slot(reach.node.dtype, classes))
        view = View(extents, merged, reach.view.offset, merged_mask(reach.view, axes))
        reaches.append(Reach(reach.node, view, reach.is_index))
    steps = tuple([_moved(step, len(axes) - ndim) for step in trace.steps])
    nest = Nest(len(axes), tuple(slots), steps, tuple([s.dtype for s in trace.scalars]))
    scalars, givers = tuple(trace.scalars), tuple(trace.givers)
    picks = tuple(trace.picks)
    return Group(nest, extents, tuple(reaches), scalars, givers, outputs, reason, picks)


def _moved(step: Step, by: int) -> Step:
    """The step with the number of its fold axis, if it has one, changed by ``by``."""
    if step.op not in FOLDS and step.op not in SCANS:
        return step
    fold = replace(step.arg, axis=step.arg.axis + by)
    return Step(step.op, step.args, step.dtype, fold)
