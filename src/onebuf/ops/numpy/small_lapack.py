"""LAPACK of one small matrix: NumPy's loops called directly.

Of an inverse of 4 by 4 elements, the work is a fifth; NumPy's function spends the rest on checks
that were made here already. A function gives None for whatever is not usual, and for what the loops
refuse, such as a singular matrix: then `onebuf.ops.numpy.lapack` is asked, which has the errors.
"""

from __future__ import annotations

from contextvars import copy_context
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array, as_dtype
from onebuf.graph import Loose, Node, Number
from onebuf.ops.quiet import quiet_context
from onebuf.quick import quick_limit

MOST = 4096
"""Elements of a matrix from which the checks no longer show."""

_loops: Any = getattr(np.linalg, "_umath_linalg", None)
"""The loops, in a module that NumPy does not promise to keep."""
_TYPES: dict[DT, str] = {}
"""By dtype the one that NumPy computes in: the wide one, whatever the operand is."""
if all(hasattr(_loops, name) for name in ("inv", "det", "solve", "solve1", "cholesky_lo")):
    for _name in ("float32", "float64", "complex64", "complex128"):
        _TYPES[as_dtype(_name)] = "D" if _name.startswith("complex") else "d"


def _refuse(error: str, flag: int) -> None:
    raise np.linalg.LinAlgError(error)


def _let_refuse() -> None:
    np.seterr(all="ignore")
    np.seterr(invalid="call")
    np.seterrcall(_refuse)


_REFUSING = copy_context()
_REFUSING.run(_let_refuse)


def inv(x: Node) -> Node | None:
    """The inverse."""
    return _of_one("inv", x)


def cholesky(x: Node, upper: bool) -> Node | None:
    """The triangular factor of a Hermitian positive definite matrix."""
    return None if upper else _of_one("cholesky_lo", x)


def det(x: Node) -> Node | None:
    """The determinant."""
    array = _square(x)
    if array is None:
        return None
    kind = _TYPES[x.dtype]
    found = quiet_context().run(_loops.det, array, signature=f"{kind}->{kind}")
    return Number.of(x.dtype.type(found), x.dtype)


def solve(a: Node, b: Node) -> Node | None:
    """The solution ``x`` of ``a @ x == b``, for one right-hand side or several."""
    array, right = _square(a), b.array
    if array is None or right is None or b.dtype is not a.dtype or right.size > MOST:
        return None
    if not 0 < right.ndim < 3 or right.shape[0] != array.shape[0] or not right.size:
        return None
    kind = _TYPES[a.dtype]
    loop = _loops.solve1 if right.ndim == 1 else _loops.solve
    return _result(loop, (array, right), f"{kind}{kind}->{kind}", a.dtype)


def _of_one(name: str, x: Node) -> Node | None:
    array = _square(x)
    if array is None:
        return None
    kind = _TYPES[x.dtype]
    return _result(getattr(_loops, name), (array,), f"{kind}->{kind}", x.dtype)


def _square(x: Node) -> Array | None:
    """The elements of a square matrix that is small, stored and of a type that LAPACK has."""
    array = x.array
    if array is None or array.ndim != 2 or x.dtype not in _TYPES:
        return None
    rows, columns = array.shape
    return array if rows == columns and 0 < array.size <= min(MOST, quick_limit()) else None


def _result(loop: Any, arrays: tuple[Array, ...], signature: str, dtype: DT) -> Node | None:
    try:
        found = _REFUSING.copy().run(loop, *arrays, signature=signature)
    except np.linalg.LinAlgError:
        return None
    return Loose(found if found.dtype is dtype else found.astype(dtype), dtype)
