"""Selections: what ``x[key]`` names, and reading the elements that a view names.

A key has integers and slices that step forwards, no more; a selection without elements has shape
``(0,)``, however many axes it would have had.
"""

from __future__ import annotations

from typing import Any

from onebuf.compat.tinygpt.dtype import Scalar
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.layout import View


def select(view: View, key: Any) -> View:
    """The part of ``view`` that the key names.

    >>> select(View.contiguous((4, 4)), (slice(1, 3), 0))
    View(shape=(2,), stride=(4,), offset=4)
    >>> select(View.contiguous((4, 4)), (slice(3, 1), slice(None)))
    View(shape=(0,), stride=(1,), offset=0)
    """
    for part in key if isinstance(key, tuple) else (key,):
        _check_part(part)
    selected = view.index(key)
    return selected if selected.numel else View((0,), (1,), view.offset)


def positions(view: View) -> list[int]:
    """Where each element of the view is in the flat list, in row-major order.

    >>> positions(View((2, 3), (1, 2), offset=1))
    [1, 3, 5, 2, 4, 6]
    """
    found = [view.offset]
    for extent, step in zip(view.shape, view.stride, strict=True):
        shifts = [i * step for i in range(extent)]
        found = [start + shift for start in found for shift in shifts]
    return found


def read(data: list[Scalar], view: View) -> list[Scalar]:
    """The view's elements in row-major order, as a new list.

    >>> read([1, 2, 3, 4], View((2, 2), (1, 2)))
    [1, 3, 2, 4]
    """
    if view.is_contiguous:
        return data[view.offset : view.offset + view.numel]
    return [data[position] for position in positions(view)]


def _check_part(part: object) -> None:
    if isinstance(part, slice):
        if isinstance(part.step, int) and part.step < 1:
            raise ArgumentError(
                f"a slice needs a step of at least 1, got {part!r}; a buffer is read forwards only"
            )
    elif not hasattr(part, "__index__"):
        raise ArgumentTypeError(
            f"indexing needs ints and slices, got {part!r}; write one int or slice for each axis"
        )
