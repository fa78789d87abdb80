"""Short ways to what functions of NumPy's give: its loops without the checks around them.

Each takes arrays, and gives the bits that the function it stands for gives. The native core calls
them on the elements of a few stored buffers; where a call is unusual they are NumPy's function, or
raise, and then the usual way is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import Array, float64

_KINDS = frozenset((None, "quicksort", "mergesort", "heapsort", "stable"))
"""NumPy's choices of a method, which all give the stable order here."""


def argsort(x: Array, axis: int | None = -1, kind: Any = None, *, stable: Any = True) -> Array:
    """The order that sorts ``x``; equal elements keep theirs."""
    if kind not in _KINDS or stable not in (True, False, None):
        raise TypeError
    return x.argsort(axis, kind="stable")


def sort(x: Array, axis: int | None = -1, kind: Any = None, *, stable: Any = True) -> Array:
    """``x`` sorted; zeros of both signs keep their order."""
    if kind not in _KINDS or stable not in (True, False, None):
        raise TypeError
    is_short = x.size < _SHORT or x.dtype.kind not in "iuf"  # for which no order is faster
    return np.sort(x, axis, kind="stable" if is_short or has_negative_zero(x) else None)


_SHORT = 256
_SIGNED = {n: np.dtype(f"i{n}") for n in (1, 2, 4, 8)}


def has_negative_zero(x: Array) -> bool:
    """Whether zeros of both signs, which are equal, may be told apart."""
    if x.dtype.kind != "f":
        return False
    bits = np.ascontiguousarray(x).view(_SIGNED[x.itemsize])
    return bool((bits == -(1 << (8 * x.itemsize - 1))).any())


def nan_to_num(x: Array, *, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """A copy of ``x`` with numbers for NaN and infinities."""
    for value in (nan, posinf, neginf):
        if not isinstance(value, int | float | None):
            raise TypeError
    found: Array = np.nan_to_num(x, True, nan, posinf, neginf)
    return found


def count_nonzero(x: Array) -> Any:
    """How many elements are not zero."""
    return np.int64(np.count_nonzero(x))


def nonzero(x: Array) -> tuple[Array, ...]:
    """Where elements are not zero, in memory without gaps."""
    return tuple([np.ascontiguousarray(part) for part in np.nonzero(x)])


def argwhere(x: Array) -> Array:
    """The same, a row for each element."""
    if not x.ndim:
        raise TypeError
    return np.transpose(np.nonzero(x)).copy()


def tril(x: Array, k: int = 0) -> Array:
    """Matrices with zeros above a diagonal."""
    return np.tril(_matrices(x), _integer(k))


def triu(x: Array, k: int = 0) -> Array:
    """Matrices with zeros below a diagonal."""
    return np.triu(_matrices(x), _integer(k))


def _matrices(x: Any) -> Array:
    if x.ndim < 2:
        raise TypeError
    found: Array = x
    return found


def _integer(k: Any) -> int:
    if k.__class__ is not int:
        raise TypeError
    found: int = k
    return found


def unravel_index(indices: Any, *args: Any, **kwargs: Any) -> Any:
    """Flat indices along axes, in memory without gaps."""
    found = np.unravel_index(indices, *args, **kwargs)
    if not isinstance(found[0], np.ndarray):
        return found
    return tuple([np.ascontiguousarray(part) for part in found])


def take(x: Array, indices: Any, axis: int | None = None) -> Array:
    """Slices of ``x`` chosen by integers."""
    found: Array = x.take(_integers(indices), axis)
    return found


def repeat(x: Array, repeats: Any, axis: int | None = None) -> Array:
    """Elements several times in a row."""
    found: Array = x.repeat(_integers(repeats), axis)
    return found


def _integers(x: Any) -> Any:
    if x.__class__ is not int and x.dtype.kind not in "iu":
        raise TypeError
    return x


def extract(condition: Array, arr: Array) -> Array:
    """The elements where ``condition`` holds, which has as many."""
    if condition.size != arr.size:
        raise ValueError
    found: Array = arr.reshape(-1)[condition.reshape(-1) != 0]
    return found


def searchsorted(x1: Array, x2: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Where in the sorted ``x1`` each element of ``x2`` would go."""
    if _is_narrow(x1, x2):
        raise TypeError
    return x1.searchsorted(_elements(x2), side, sorter)


def isin(x1: Array, x2: Any, assume_unique: bool = False, invert: bool = False) -> Array:
    """Whether each element of ``x1`` is one of ``x2``."""
    if invert.__class__ is not bool or _is_narrow(x1, x2):
        raise TypeError
    return np.isin(x1, _elements(x2), assume_unique, invert)


def _is_narrow(x: Array, number: Any) -> bool:
    """Whether the dtype of ``x`` may not hold ``number``, if that is one of Python's."""
    return x.itemsize < 8 and number.__class__ in (int, float)


def _elements(x: Any) -> Any:
    if x is None or x.__class__ is str:
        raise TypeError
    return x


def round(x: Array, decimals: int = 0) -> Array:  # noqa: A001
    """Numbers rounded, halves to even ones."""
    if x.dtype.kind == "b":
        raise TypeError
    return x.round(decimals)


def isclose(a: Array, b: Any, *args: Any, **kwargs: Any) -> Any:
    """Whether floats are nearly equal."""
    return np.isclose(_floats(a), _floats(b), *args, **kwargs)


def allclose(a: Array, b: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether all floats are nearly equal."""
    return bool(np.allclose(_floats(a), _floats(b), *args, **kwargs))


def _floats(x: Any) -> Any:
    if x.__class__ is not float and x.dtype is not float64:
        raise TypeError
    return x
