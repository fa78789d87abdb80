"""Regions: elements that are read and written on demand, no more than the box a view touches.

A file, a store or a generator hands out boxes (`onebuf.interop.Source`). A node on one is never
stored: what it sees is read each time that it is asked for, and a write goes straight to the store.
"""

from __future__ import annotations

from math import prod

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import OutOfMemory, ReadOnlyError
from onebuf.graph import ON_DEMAND, Node
from onebuf.layout import View, compose
from onebuf.memory import most_nbytes

Bounds = tuple[tuple[int, int], ...]


def read_region(node: Node) -> Array:
    """The elements of ``node``, which are read on demand."""
    source = node.on_demand
    assert source is not None, f"{node} is not read on demand"
    bounds, inside = box_of(node.view, source.shape)
    check_fits(prod([high - low for low, high in bounds]) * node.dtype.itemsize, source.name)
    box = np.asarray(source.read(bounds), order="C")
    return np.asarray(_through(box, inside), order="C")  # ascontiguousarray adds an axis to none


def check_fits(nbytes: int, name: str) -> None:
    """Raise, before anything is computed, if a region cannot be in memory at once."""
    most = most_nbytes()
    if nbytes > most:
        raise OutOfMemory(
            f"needed {nbytes} bytes for a region of {name}, and there are {most}; read a part of "
            f"it, x[a:b], or reduce it: sums and the like take it tile by tile"
        )


def check_region(node: Node) -> None:
    """Raise unless the elements of ``node``, which are read on demand, may be written."""
    source = node.on_demand
    if source is None or source.writable:
        return
    if node.base.op is ON_DEMAND:
        raise ReadOnlyError(
            f"{source.name} makes its elements when they are read, and has none to write to; "
            f"take a copy() first and write to that"
        )
    raise ReadOnlyError(f"{source.name} was opened for reading; open it with mode='r+'")


def write_region(node: Node, value: Array) -> None:
    """Write ``value`` to the elements of ``node``, and to no others."""
    source = node.on_demand
    assert source is not None, f"{node} is not written on demand"
    bounds, inside = box_of(node.view, source.shape)
    shape = tuple(high - low for low, high in bounds)
    whole = inside.numel == View.contiguous(shape).numel and not inside.overlaps_itself
    box = np.empty(shape, source.dtype) if whole else np.array(source.read(bounds))
    np.copyto(_through(box, inside), value, casting="unsafe")
    source.write(bounds, box)


def box_of(view: View, shape: tuple[int, ...]) -> tuple[Bounds, View]:
    """The smallest box that holds all that ``view`` sees, and the view of that box alone.

    >>> box_of(View.contiguous((4, 6)).index((slice(1, 3), slice(None, None, 2))), (4, 6))
    (((1, 3), (0, 5)), View(shape=(2, 3), stride=(5, 2), offset=0))
    >>> box_of(View((5,), (1,), 9), (4, 6))[0]
    ((1, 3), (0, 6))
    """
    if not view.numel:
        return tuple((0, 0) for _ in shape), View(view.shape, view.stride)
    around = _rows_around(view.span, shape)
    ranges = [_range(view, shape, axis) for axis in range(len(shape))]
    bounds = tuple(rows if one is None else one for one, rows in zip(ranges, around, strict=True))
    stride = View.contiguous([high - low for low, high in bounds]).stride
    start = sum(low * step for (low, _), step in zip(bounds, stride, strict=True))
    inside = compose(view, View(shape, stride, -start))
    if inside is not None:
        return bounds, inside
    # Rows that follow one another in row-major order: positions only begin elsewhere.
    whole = View.contiguous(shape).stride
    first = sum(low * step for (low, _), step in zip(around, whole, strict=True))
    return around, View(view.shape, view.stride, view.offset - first)


def _range(view: View, shape: tuple[int, ...], axis: int) -> tuple[int, int] | None:
    """First and one past the last index along ``axis`` that ``view`` touches; None: no one view
    says it."""
    only = tuple(1 if other == axis else 0 for other in range(len(shape)))
    along = compose(view, View(shape, only))
    return None if along is None else along.span


def _rows_around(span: tuple[int, int], shape: tuple[int, ...]) -> Bounds:
    """The smallest box of whole rows around a range of positions in row-major order."""
    first, last = span[0], span[1] - 1
    found: list[tuple[int, int]] = []
    is_one_row = True
    for step, extent in zip(View.contiguous(shape).stride, shape, strict=True):
        low, high = first // step % extent, last // step % extent
        found.append((low, high + 1) if is_one_row else (0, extent))
        is_one_row = is_one_row and low == high
    return tuple(found)


def _through(box: Array, view: View) -> Array:
    if view.numel == 0:
        return np.empty(view.shape, box.dtype)
    flat = box.reshape(-1)
    strides = tuple(step * box.itemsize for step in view.stride)
    return np.lib.stride_tricks.as_strided(flat[view.offset :], view.shape, strides)
