"""Sums, means, spreads and extremes of floats of which some are missing: NaN.

NumPy copies its operand, fills the gaps, and goes over the copy several times, on one thread. Of
real floats these are expressions here: the gaps are filled by the kernel that folds, and where
all elements are missing the result is NaN, without a warning. All other operands and arguments are
NumPy's function's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from math import inf, nan
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.elementwise import isnan, sqrt
from onebuf.array_api.searching import where as choose
from onebuf.array_api.statistical import max, min, sum
from onebuf.array_api.ufunc.reduction import as_axes
from onebuf.buffer import Buffer
from onebuf.machine import Tracer
from onebuf.numpy_api.delegation import delegated

_FLOATS = (dtypes.float32, dtypes.float64)


def _by_kernels(theirs: Any, ours: Callable[..., Buffer], known: tuple[str, ...]) -> Any:
    """``ours`` of real floats and arguments that are ``known``; of others, NumPy's function."""
    numpys = delegated(theirs)

    def call(a: Any, axis: Any = None, *args: Any, **named: Any) -> Any:
        is_known = not args and set(named).issubset(known)
        if not is_known or not _is_usual(a) or (axis is None and ours in _EXTREMES):
            return numpys(a, axis, *args, **named)
        return ours(a, as_axes(axis), **named)

    update_wrapper(call, numpys)
    del call.__wrapped__  # type: ignore[attr-defined]
    call.__signature__ = numpys.__signature__  # type: ignore[attr-defined]
    return call


def _is_usual(a: Any) -> bool:
    """Whether ``a`` has real floats that are not traced: gradients have forms of their own."""
    if a.__class__ is not Buffer or a.dtype not in _FLOATS:
        return False
    return bool(a.size and a.ndim) and not isinstance(a._node.device, Tracer)


def _count(is_missing: Buffer, axis: Any, keepdims: bool) -> Buffer:
    """How many elements there are along ``axis``."""
    return sum(~is_missing, axis, keepdims=keepdims)


def _narrow(quotient: Buffer, x: Buffer) -> Buffer:
    """A quotient with a number of elements, which is float64, in the type of ``x``."""
    if quotient.dtype == x.dtype:
        return quotient
    return Buffer._value(ops.cast(quotient._node, x.dtype))


def _mean(x: Buffer, axis: Any, keepdims: Any = False) -> Buffer:
    is_missing = isnan(x)
    total = sum(choose(is_missing, 0.0, x), axis, keepdims=keepdims)
    return _narrow(total / _count(is_missing, axis, keepdims), x)


def _var(x: Buffer, axis: Any, ddof: Any = 0, keepdims: Any = False) -> Buffer:
    is_missing = isnan(x)
    centred = choose(is_missing, 0.0, x - _mean(x, axis, keepdims=True))
    total = sum(centred * centred, axis, keepdims=keepdims)
    freedom = _count(is_missing, axis, keepdims) - ddof
    return choose(freedom > 0, _narrow(total / freedom, x), nan)  # type: ignore[no-any-return]


def _std(x: Buffer, axis: Any, ddof: Any = 0, keepdims: Any = False) -> Buffer:
    return sqrt(_var(x, axis, ddof, keepdims))


def _extreme(fold: Callable[..., Buffer], least: float) -> Callable[..., Buffer]:
    def extreme(x: Buffer, axis: Any, keepdims: Any = False) -> Buffer:
        is_missing = isnan(x)
        found = fold(choose(is_missing, least, x), axis, keepdims=keepdims)
        return choose(is_missing.all(axis, keepdims=keepdims), nan, found)  # type: ignore[no-any-return]

    return extreme


# Those of all elements NumPy finds in one vectorised pass.
_EXTREMES = _largest, _least = _extreme(max, -inf), _extreme(min, inf)

nanmax = _by_kernels(np.nanmax, _largest, ("keepdims",))
nanmean = _by_kernels(np.nanmean, _mean, ("keepdims",))
nanmin = _by_kernels(np.nanmin, _least, ("keepdims",))
nanstd = _by_kernels(np.nanstd, _std, ("ddof", "keepdims"))
nanvar = _by_kernels(np.nanvar, _var, ("ddof", "keepdims"))
