"""What may be written where: by shape, and by the kind of number."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import Array, kind
from onebuf.errors import DTypeError, ShapeError
from onebuf.graph import Node
from onebuf.layout import broadcast_shapes


def check_in_place(name: str, result: np.dtype[Any], dtype: np.dtype[Any]) -> None:
    """Raise unless the ``result`` of an operation may be written to elements of ``dtype``."""
    if not np.can_cast(result, dtype, "same_kind"):
        raise DTypeError(
            f"Cannot cast ufunc {name!r} output from dtype({result.name!r}) to "
            f"dtype({dtype.name!r}) with casting rule 'same_kind': {name} in place would turn "
            f"{result.name} into {dtype.name}; "
            f"write x = x {name} y for a new buffer, or convert with astype(...)"
        )


def check_fits(shape: tuple[int, ...], target: tuple[int, ...], in_place: bool = False) -> None:
    """Raise unless ``shape`` broadcasts to ``target``, or does without leading axes of extent 1.

    An operator in place has a result of its own, whose axes cannot be left out.
    """
    if shape == target or shape == ():
        return
    trimmed = shape
    while len(trimmed) > len(target) and trimmed[0] == 1 and not in_place:
        trimmed = trimmed[1:]
    try:
        if len(trimmed) <= len(target) and broadcast_shapes(trimmed, target) == target:
            return
    except ShapeError:
        pass  # what does not fit is told below
    raise ShapeError(
        f"could not broadcast input array from shape {shape} into shape {target}: needed elements "
        f"that broadcast to the place written to, of shape {target}; got shape {shape}; reshape or "
        f"slice one of them"
    )


def check_kind(new: Array | Node, target: Node) -> None:
    """Raise unless the kind of number in ``new`` can be written to ``target``."""
    if kind(new.dtype) == "c" and kind(target.dtype) != "c":
        raise DTypeError(
            f"Cannot cast complex numbers to {target.dtype.name}, a dtype that cannot hold complex "
            f"numbers; write real(x) or abs(x) instead"
        )
