"""LAPACK of one small matrix: NumPy's loops called directly.

Of an inverse of 4 by 4 elements, the work is a fifth; NumPy's function spends the rest on checks
that were made here already. The functions take arrays, and raise `NotUsual` for whatever is not
usual, and for what the loops refuse, such as a singular matrix: then `onebuf.ops.numpy.lapack` is
asked, which has the errors. The native core calls them first; without it, `at_once` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array, as_dtype
from onebuf.graph import Loose, Node, Number
from onebuf.ops.quiet import quiet_context
from onebuf.quick import quick_limit

MOST = 4096
"""Elements of a matrix from which the checks no longer show."""


class NotUsual(Exception):
    """Something else has to compute this."""


_loops: Any = getattr(np.linalg, "_umath_linalg", None)
"""The loops, in a module that NumPy does not promise to keep."""
_TYPES: dict[DT, str] = {}
"""By dtype the one that NumPy computes in: the wide one, whatever the operand is."""
if all(hasattr(_loops, name) for name in ("inv", "det", "solve", "solve1", "cholesky_lo")):
    for _name in ("float32", "float64", "complex64", "complex128"):
        _TYPES[as_dtype(_name)] = "D" if _name.startswith("complex") else "d"


def inv(x: Array, /) -> Array:
    """The inverse."""
    kind = _type_of(x)
    return _whole(_loops.inv(x, signature=f"{kind}->{kind}"), x.dtype)


def cholesky(x: Array, /) -> Array:
    """The lower triangular factor of a Hermitian positive definite matrix."""
    kind = _type_of(x)
    return _whole(_loops.cholesky_lo(x, signature=f"{kind}->{kind}"), x.dtype)


def det(x: Array, /) -> Any:
    """The determinant."""
    kind = _type_of(x)
    return x.dtype.type(_loops.det(x, signature=f"{kind}->{kind}"))


def solve(a: Array, b: Array, /) -> Array:
    """The solution ``x`` of ``a @ x == b``, for one right-hand side or several."""
    kind = _type_of(a)
    if b.dtype is not a.dtype or not 0 < b.size <= MOST or b.ndim > 2 or len(b) != len(a):
        raise NotUsual
    loop = _loops.solve1 if b.ndim == 1 else _loops.solve
    return _whole(loop(a, b, signature=f"{kind}{kind}->{kind}"), a.dtype)


def at_once(function: Callable[..., Any], *nodes: Node) -> Node | None:
    """What ``function`` of this module gives for the elements of ``nodes``; None if it declines."""
    arrays = [node.array for node in nodes]
    if any(array is None or array.size > quick_limit() or not array.ndim for array in arrays):
        return None
    try:
        found = quiet_context().run(function, *arrays)
    except NotUsual:
        return None
    if isinstance(found, np.ndarray):
        return Loose(found, nodes[0].dtype)
    return Number.of(found, nodes[0].dtype)


def _type_of(x: Array) -> str:
    """The dtype that NumPy computes in, of a square matrix that is small."""
    kind = _TYPES.get(x.dtype)
    if kind is None or x.ndim != 2 or x.shape[0] != x.shape[1] or not 0 < x.size <= MOST:
        raise NotUsual
    return kind


def _whole(found: Array, dtype: DT) -> Array:
    """``found``, unless the matrix was refused: then all elements are NaN, the first as well."""
    first = found.item(0)
    if first != first:
        raise NotUsual
    return found if found.dtype is dtype else found.astype(dtype)
