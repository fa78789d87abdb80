"""The order in which the elements of new buffers lie in memory: by rows, by columns, or as others.

NumPy calls them "C", "F", "A" (columns if the source lies so) and "K" (axes as in the source).
"""

from __future__ import annotations

from typing import Any

from onebuf.array_api.arguments import flag, in_order
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.order import memory_order
from onebuf.errors import ArgumentError, CopyError


def copying(name: str, copy: Any) -> bool | None:
    """Whether to copy; None for where it is needed, which NumPy has a name for, too."""
    if isinstance(copy, str):
        raise ArgumentError(
            f"strings are not allowed for 'copy' keyword. Use True/False/None instead. {name} "
            f"needs one of these, got {copy!r}"
        )
    if copy.__class__.__name__ == "_CopyMode":
        return None if copy.name == "IF_NEEDED" else bool(copy.name == "ALWAYS")
    return flag(name, "copy", copy)


def laid_out(name: str, x: Buffer, order: Any, copy: Any = None) -> Buffer:
    """``x``, or a copy of it in the order of memory asked for: "C" rows first, "F" columns."""
    if in_order(name, order):
        made = x if x.T.is_contiguous() else x.T.copy().T
    else:
        made = x.contiguous() if order in ("C", "c") else x
    if copy is not None and made is not x and copying(name, copy) is False:
        raise CopyError(
            f"copy=False needs elements that lie in order {order!r} already, got strides "
            f"{x.strides}; allow the copy with copy=None"
        )
    return made


def alike_in_order(name: str, x: Buffer, order: Any) -> Buffer:
    """``x``, whose elements are all alike or of no value, in the order of memory asked for."""
    if order != "C" and in_order(name, order):
        return x.reshape(x.shape[::-1]).T
    return x


def lying_as(x: Buffer, made: Buffer, order: Any, name: str, alike: bool = True) -> Buffer:
    """``made`` with its axes in memory in the order of ``x``'s, which is what "K" asks for.

    "A" asks for column-major order if ``x`` lies in that alone. Elements that are ``alike`` need
    not be moved for it.
    """
    if order == "K" and (x.ndim < 2 or x.is_contiguous()):
        return made
    letter = memory_order(name, order, "K")
    axes = list(range(made.ndim))
    if letter == "F" or (letter == "A" and x.flags.fnc):
        axes.reverse()
    elif letter == "K" and made.ndim == x.ndim:
        strides = [abs(step) for step in x.stride]
        axes.sort(key=lambda axis: -strides[axis])
    if axes == sorted(axes):
        return made
    extents = [made.shape[axis] for axis in axes]
    turned = made.reshape(extents) if alike else made.permute(axes).contiguous()
    return turned.permute(sorted(axes, key=axes.__getitem__))
