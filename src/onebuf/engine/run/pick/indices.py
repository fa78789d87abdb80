"""Several arrays of indices: whether elements are selected by a compiled kernel, or by NumPy.

The rule is that of masks: a few elements are selected before a compiler is loaded. What NumPy
refuses it is left to refuse.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.engine.cpu.fallback import attempt
from onebuf.engine.run.pick.masks import ITEMSIZES, is_due
from onebuf.graph import Node
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.engine.cpu.select import index_select
else:
    index_select = Late("onebuf.engine.cpu.select.index_select")


def pick(array: Array, key: Any) -> Node | None:
    """What ``key`` takes of ``array``, if it has arrays of indices and it is time for kernels."""
    parts = key if key.__class__ is tuple else (key,)
    shapes = [part.shape for part in parts if part.__class__ is np.ndarray]
    if not shapes or array.itemsize not in ITEMSIZES or not is_due(_numel(shapes)):
        return None
    return attempt("an index", index_select.pick, array, parts)  # type: ignore[no-any-return]


def _numel(shapes: list[tuple[int, ...]]) -> int:
    """How many elements arrays of these shapes have, broadcast together; 0 if they cannot be."""
    try:
        return prod(np.broadcast_shapes(*shapes))
    except ValueError:
        return 0
