"""Index expressions evaluated on NumPy's arrays of indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf.layout.expression import Expression, Strided, evaluate

Array = np.ndarray[Any, Any]


def evaluated(
    parts: Sequence[Expression | None], axes: Sequence[Any], tables: Sequence[Array]
) -> list[Any]:
    """Index expressions at ``axes``, an array of indices for each axis; None stays None."""
    flat = [table.reshape(-1) for table in tables]
    shape = np.broadcast_shapes(*[np.shape(axis) for axis in axes])

    def strided(part: Strided) -> Any:
        return sum(
            [axis * step for axis, step in zip(axes, part.stride, strict=False)], part.offset
        )

    def apply(op: str, args: tuple[Any, ...]) -> Any:
        return np.where(*args) if op == "where" else getattr(np, op)(*args)

    def value(part: Expression) -> Any:
        whole = evaluate(part, strided, apply, lambda number, at: flat[number][at])
        return np.broadcast_to(whole, shape)

    return [None if part is None else value(part) for part in parts]
