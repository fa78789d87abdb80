"""Regions: elements that are read and written on demand, no more than the box a view touches.

A file or a store hands out boxes (`onebuf.interop.Source`). A node on one is never stored: what it
sees is read each time that it is asked for, and a write goes straight to the store.
"""

from __future__ import annotations

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import ReadOnlyError
from onebuf.graph import Node
from onebuf.layout import View, compose

Bounds = tuple[tuple[int, int], ...]


def read_region(node: Node) -> Array:
    """The elements of ``node``, which are read on demand."""
    source = node.on_demand
    assert source is not None, f"{node} is not read on demand"
    bounds, inside = _box(node.view, source.shape)
    return np.ascontiguousarray(_through(np.ascontiguousarray(source.read(bounds)), inside))


def check_region(node: Node) -> None:
    """Raise unless the elements of ``node``, which are read on demand, may be written."""
    source = node.on_demand
    if source is not None and not source.writable:
        raise ReadOnlyError(f"{source.name} was opened for reading; open it with mode='r+'")


def write_region(node: Node, value: Array) -> None:
    """Write ``value`` to the elements of ``node``, and to no others."""
    source = node.on_demand
    assert source is not None, f"{node} is not written on demand"
    bounds, inside = _box(node.view, source.shape)
    shape = tuple(high - low for low, high in bounds)
    whole = inside.numel == View.contiguous(shape).numel and not inside.overlaps_itself
    box = np.empty(shape, source.dtype) if whole else np.array(source.read(bounds))
    np.copyto(_through(box, inside), value, casting="unsafe")
    source.write(bounds, box)


def _box(view: View, shape: tuple[int, ...]) -> tuple[Bounds, View]:
    """The smallest box that holds all that ``view`` sees, and the view of that box alone."""
    bounds = tuple(_range(view, shape, axis) for axis in range(len(shape)))
    stride = View.contiguous([high - low for low, high in bounds]).stride
    start = sum(low * step for (low, _), step in zip(bounds, stride, strict=True))
    inside = compose(view, View(shape, stride, -start))
    if inside is None:
        return tuple((0, extent) for extent in shape), view
    return bounds, inside


def _range(view: View, shape: tuple[int, ...], axis: int) -> tuple[int, int]:
    """First and one past the last index along ``axis`` that ``view`` touches."""
    only = tuple(1 if other == axis else 0 for other in range(len(shape)))
    along = compose(view, View(shape, only))
    return (0, shape[axis]) if along is None else along.span


def _through(box: Array, view: View) -> Array:
    if view.numel == 0:
        return np.empty(view.shape, box.dtype)
    flat = box.reshape(-1)
    strides = tuple(step * box.itemsize for step in view.stride)
    return np.lib.stride_tricks.as_strided(flat[view.offset :], view.shape, strides)
