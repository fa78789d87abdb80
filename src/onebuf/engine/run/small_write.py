"""Small writes: operations on few stored elements, straight into memory that exists.

Everything else is left to `onebuf.engine.run.write`: pending readers, listeners, conversions.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from onebuf import switch
from onebuf.dtypes import FIRST_ADDED, Array, kind, meet_scalar
from onebuf.engine.cpu.small_kernels import OUR_LOOPS, is_ours
from onebuf.events import listeners
from onebuf.graph import Fresh, Loose, Node, Op, elementwise_dtype
from onebuf.ops import SCALARS, quiet_context
from onebuf.options import options
from onebuf.quick import quick_limit

_SCALARS = frozenset(SCALARS)


def write_small(op: Op, target: Node, *operands: Any) -> bool:
    """Compute ``op`` of few stored elements in the memory of ``target``, if nothing is in the way.

    Operands are nodes or Python scalars, and are to have the shape of ``target`` or to broadcast to
    it. Whatever is not plain is left to the long way, and so are the errors.
    """
    array, dtype = target.array, target.dtype
    if array is None or array.nbytes > options().eager_nbytes or listeners() or switch.on:
        return False
    arrays: list[Any] = []
    dtypes: list[Any] = []
    for operand in operands:
        if operand.__class__ in _SCALARS:
            arrays.append(operand)
            dtypes.append(operand.__class__)
        else:
            found = operand.array
            if found is None:
                return False
            arrays.append(found)
            dtypes.append(operand.dtype)
    loop = plain_loop(op, dtype, *dtypes)
    if loop is None or not array.flags.writeable or _has_readers(target):
        return False
    if not _has_own_places(array):
        return False
    try:
        quiet_context().run(loop, *arrays, array)  # type: ignore[call-arg]
    except (OverflowError, ValueError):
        return False
    return True


def write_at(ufunc: np.ufunc, target: Node, indices: Node, *operands: Any) -> bool:
    """Apply ``ufunc`` at ``indices`` of few stored elements in their memory, if nothing is in the
    way; whether that was done. Errors are left to the long way, and what may come in the middle."""
    array = target.array
    if array is None or array.size > quick_limit() or switch.on or ufunc is np.power:
        return False
    others = [node.array if isinstance(node, Node) else node for node in (indices, *operands)]
    if not array.flags.writeable or _has_readers(target) or not _has_own_places(array):
        return False
    for other in others:
        if other is None or (other.__class__ is np.ndarray and np.may_share_memory(other, array)):
            return False
    at: Any = ufunc.at
    try:
        quiet_context().run(at, array, *others)
    except (IndexError, TypeError, ValueError, OverflowError):
        return False
    return True


def _has_own_places(array: Array) -> bool:
    """Whether no two elements share a place, for what is found quickly: rows that lie in order.

    Not of bools with gaps between them, which NumPy 2.4's ``isfinite`` writes to wrong places.
    """
    if array.flags.c_contiguous:
        return True
    if array.dtype == np.bool:
        return False
    reach = array.itemsize
    for extent, step in zip(array.shape[::-1], array.strides[::-1], strict=True):
        if extent != 1:
            if abs(step) < reach:
                return False
            reach = abs(step) * extent
    return True


@cache
def plain_loop(op: Op, result: np.dtype[Any], *operands: Any) -> Any:
    """NumPy's loop with this result in place; None if it takes more than that.

    Operands are dtypes, or Python's types for scalars that take the type of the others.
    """
    dtypes = [x for x in operands if x not in _SCALARS]
    if not dtypes:
        return None
    dtypes = [meet_scalar(dtypes[0], x) if x in _SCALARS else x for x in operands]
    if max(dtype.num for dtype in (*dtypes, result)) >= FIRST_ADDED or "c" in map(kind, dtypes):
        return None
    computed = elementwise_dtype(op, *dtypes)
    if not np.can_cast(computed, result, "same_kind"):
        return None
    if not op.is_exact or is_ours(op, computed, computed):
        return None
    return OUR_LOOPS.get(op)


def _has_readers(node: Node) -> bool:
    """Whether something may still have to read the memory of ``node``, which is stored."""
    is_fresh = node.__class__ is Fresh or node.__class__ is Loose
    return (not is_fresh or node.is_shared) and bool(node.readers)  # type: ignore[attr-defined]
