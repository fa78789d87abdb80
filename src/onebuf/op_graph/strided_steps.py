"""Strided views as steps that people know: index, permute, reshape, expand.

Pure arithmetic. A view of a tensor in row-major order is taken apart, and put together again to
check: steps are given only if they lead to the very same view. What has no such steps, as windows
and diagonals, is one step ``strided``, which says strides and offset.
"""

from __future__ import annotations

from math import prod
from typing import Any

from onebuf.layout import View
from onebuf.layout.reshape import row_major

Step = tuple[str, dict[str, Any]]
"""An operation and its static arguments."""
Shape = tuple[int, ...]


def strided_steps(shape: Shape, view: View) -> list[Step]:
    """The operations that lead from a tensor of ``shape``, in row-major order, to a view of it.

    >>> strided_steps((2, 3), View((3, 2), (1, 3)))
    [('permute', {'axes': (1, 0)})]
    >>> strided_steps((4, 6), View((2, 4), (3, 6), 2))
    [('index', {'key': ((0, 4, 1), (2, 6, 3))}), ('permute', {'axes': (1, 0)})]
    """
    assert view.mask is None, f"{view} has elements that are nowhere"
    if view.numel:
        for attempt in (_reshaped, _permuted, _expanded, _cut, _refined):
            steps = attempt(shape, view)
            if steps is not None and _is_same(_applied(shape, steps), view):
                return steps
    stride = {"shape": view.shape, "stride": view.stride, "offset": max(view.offset, 0)}
    return [("strided", stride)]


def _is_same(found: View | None, view: View) -> bool:
    """Whether two views place every element alike; the stride of a single element is nothing."""
    if found is None or found.shape != view.shape or found.offset != view.offset:
        return False
    steps = zip(view.shape, found.stride, view.stride, strict=True)
    return all(one == two for extent, one, two in steps if extent > 1)


def _applied(shape: Shape, steps: list[Step]) -> View | None:
    """The view that steps lead to; None if one of them would need a copy."""
    view: View | None = View.contiguous(shape)
    for name, arguments in steps:
        assert view is not None
        if name == "index":
            key = [slice(*one) if isinstance(one, tuple) else one for one in arguments["key"]]
            view = view.index(tuple(key))
        elif name == "permute":
            view = view.permute(arguments["axes"])
        elif name == "expand":
            view = view.expand(arguments["shape"])
        else:
            view = view.reshape(arguments["shape"])
            if view is None:
                return None
    return view


def _reshaped(shape: Shape, view: View) -> list[Step] | None:
    """All elements in the same order."""
    if view.shape == shape:
        return []
    return [("reshape", {"shape": view.shape})] if view.numel == prod(shape) else None


def _permuted(shape: Shape, view: View) -> list[Step] | None:
    """All axes in another order; those of extent 1 among themselves as they were."""
    if sorted(shape) != sorted(view.shape):
        return None
    strides = row_major(shape)
    long = {strides[axis]: axis for axis, extent in enumerate(shape) if extent > 1}
    short = iter([axis for axis, extent in enumerate(shape) if extent == 1])
    pairs = zip(view.shape, view.stride, strict=True)
    axes = [next(short) if extent == 1 else long.get(stride) for extent, stride in pairs]
    return None if None in axes else [("permute", {"axes": tuple(axes)})]


def _expanded(shape: Shape, view: View) -> list[Step] | None:
    """Axes of extent 1 repeated, and axes in front."""
    ending = view.shape[max(0, len(view.shape) - len(shape)) :]
    if len(ending) != len(shape):
        return None
    fits = all(was in (1, extent) for was, extent in zip(shape, ending, strict=True))
    return [("expand", {"shape": view.shape})] if fits else None


def _cut(shape: Shape, view: View) -> list[Step] | None:
    """A part of each axis, in another order, with axes of extent 1 and repeated ones between."""
    strides = row_major(shape)
    starts = [view.offset // step % extent for step, extent in zip(strides, shape, strict=True)]
    chosen = _assigned(shape, strides, view)
    if chosen is None:
        return None
    key: list[Any] = list(starts)
    for axis, base in chosen.items():
        step, count = view.stride[axis] // strides[base], view.shape[axis]
        if not 0 <= starts[base] + step * (count - 1) < shape[base]:
            return None
        key[base] = _slice(starts[base], step, count)
    steps: list[Step] = []
    whole = [(0, extent, 1) for extent in shape]
    if key != whole:
        steps.append(("index", {"key": tuple(key)}))
    return steps + _arranged(view, sorted(chosen, key=chosen.__getitem__))


def _assigned(shape: Shape, strides: Shape, view: View) -> dict[int, int] | None:
    """Which axis of the base each axis of a view runs along; None if one runs along several."""
    chosen: dict[int, int] = {}
    free = {base for base, extent in enumerate(shape) if extent > 1}
    for axis in sorted(_running(view), key=lambda one: -abs(view.stride[one])):
        extent, stride = view.shape[axis], view.stride[axis]
        fitting = [
            base
            for base in free
            if stride % strides[base] == 0
            and abs(stride) // strides[base] * (extent - 1) < shape[base]
        ]
        if not fitting:
            return None
        chosen[axis] = max(fitting, key=lambda base: strides[base])
        free.remove(chosen[axis])
    return chosen


def _running(view: View) -> list[int]:
    """The axes along which a view goes to other elements."""
    pairs = enumerate(zip(view.shape, view.stride, strict=True))
    return [axis for axis, (extent, stride) in pairs if extent > 1 and stride]


def _slice(start: int, step: int, count: int) -> tuple[int, int | None, int]:
    last = start + step * (count - 1)
    if step < 0:
        return start, last - 1 if last else None, step
    return start, last + 1, step


def _refined(shape: Shape, view: View) -> list[Step] | None:
    """All elements under another shape, then in another order."""
    order = sorted(_running(view), key=lambda axis: -view.stride[axis])
    extents = tuple([view.shape[axis] for axis in order])
    if prod(extents) != prod(shape) or view.offset:
        return None
    steps: list[Step] = [("reshape", {"shape": extents})] if extents != shape else []
    return steps + _arranged(view, order)


def _arranged(view: View, order: list[int]) -> list[Step]:
    """From axes in ``order`` to those of a view: permuted, with the others inserted."""
    steps: list[Step] = []
    wanted = sorted(order)
    if order != wanted:
        steps.append(("permute", {"axes": tuple([order.index(axis) for axis in wanted])}))
    extents = [extent if axis in order else 1 for axis, extent in enumerate(view.shape)]
    leading = next((axis for axis in range(len(extents)) if axis in order), len(extents))
    kept = tuple(extents[leading:]) if leading and view.shape != tuple(extents) else tuple(extents)
    if kept != tuple([view.shape[axis] for axis in wanted]):
        steps.append(("reshape", {"shape": kept}))
    if kept != view.shape:
        steps.append(("expand", {"shape": view.shape}))
    return steps
