"""Boolean masks: whether elements are selected by compiled kernels, or by NumPy.

NumPy goes through a mask element by element, which soon costs more than compiling; a few elements
are selected before a compiler is loaded. The rule is that of `onebuf.engine.plan.decide`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.engine.cpu.fallback import attempt
from onebuf.graph import Node
from onebuf.late import Late
from onebuf.ops import quietly
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.engine.cpu.select import mask_select
    from onebuf.engine.plan import decide
else:
    decide = Late("onebuf.engine.plan.decide")
    mask_select = Late("onebuf.engine.cpu.select.mask_select")


ELEMENT_SECONDS = 5e-9
"""What NumPy takes for an element of a mask, about."""
LEAST = 12288
"""NumPy is done with fewer elements than this before a kernel has begun."""
ITEMSIZES = (1, 2, 4, 8, 16)

_spent = 0.0
"""Seconds that NumPy took for masks and arrays of indices."""


def pick(array: Array, key: Any) -> Node | None:
    """What ``key`` takes of ``array``, if that is a mask and it is time for kernels."""
    if _is_row_mask(key, array) and is_due(key.size):
        return attempt("a mask", mask_select.pick_rows, array, key)  # type: ignore[no-any-return]
    if _is_mask(key, array) and is_due(key.size):
        return attempt("a mask", mask_select.pick, array, key)  # type: ignore[no-any-return]
    return None


def positions(array: Array) -> list[Node] | None:
    """Where ``array`` is not zero, axis by axis, if it is time for kernels."""
    if not is_due(array.size):
        return None
    mask = array if array.dtype == np.bool else array != 0
    return attempt("nonzero", mask_select.positions, mask)  # type: ignore[no-any-return]


def put(array: Array, key: Any, value: Any) -> bool:
    """Write ``value`` to what ``key`` takes of ``array``; False if that is left to NumPy.

    Whatever NumPy would refuse it is left to refuse.
    """
    if not _is_mask(key, array) or not array.flags.c_contiguous or not is_due(array.size):
        return False
    new = np.asarray(value)
    if new.ndim and (new.ndim > 1 or new.dtype != array.dtype or np.may_share_memory(new, array)):
        return False
    if np.may_share_memory(key, array):
        return False
    if new.size != 1:
        return bool(attempt("a mask", mask_select.spread, array, key, new))
    typed = np.empty(1, array.dtype)
    quietly(typed.__setitem__, ..., value)
    return attempt("a mask", _filled, array, key, typed[0]) is True


def _filled(array: Array, key: Array, value: Any) -> bool:
    mask_select.fill(array, key, value)
    return True


def _is_mask(key: Any, array: Array) -> bool:
    return (
        key.__class__ is np.ndarray
        and key.dtype == np.bool
        and key.ndim > 0
        and key.shape == array.shape
        and array.itemsize in ITEMSIZES
    )


def _is_row_mask(key: Any, array: Array) -> bool:
    """Whether ``key`` is a mask of the first axes of ``array``, and others are left."""
    return (
        key.__class__ is np.ndarray
        and key.dtype == np.bool
        and 0 < key.ndim < array.ndim
        and key.shape == array.shape[: key.ndim]
        and array.size > 0
    )


def is_due(numel: int) -> bool:
    """Whether it is time for kernels, if NumPy would go through ``numel`` flags or indices."""
    global _spent
    tier = options().tier
    if tier != "auto":
        return tier == "compile"
    if numel < LEAST:
        return False
    _spent += numel * ELEMENT_SECONDS
    return _spent > decide.COMPILE_SECONDS
