"""Flat: the elements of a buffer in row-major order, by one index, whatever their strides.

Where strides can express the flat order, reading and writing are those of a view. Elsewhere an
index is turned into one for each axis, so that writes reach the buffer itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from onebuf.errors import IndexRangeError, ShapeError


class Flat:
    """What ``x.flat`` gives: an iterator that can be indexed and written.

    >>> from onebuf.buffer.buffer import Buffer
    >>> x = Buffer([[1, 2], [3, 4]])
    >>> x.T.flat[1:3].to_python(), list(map(int, x.T.flat))
    ([3, 2], [1, 3, 2, 4])
    >>> x.T.flat[::3] = 0
    >>> x.to_python()
    [[0, 2], [3, 0]]
    """

    __slots__ = ("_next", "base")

    def __init__(self, base: Any) -> None:
        self.base = base
        self._next = 0

    @property
    def index(self) -> int:
        """Where iteration is."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """Where iteration is, by axis."""
        return tuple([int(i) for i in np.unravel_index(self._next, self.base.shape)])

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def copy(self) -> Any:
        """The elements in memory of their own."""
        return self.base.flatten()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.base.reshape(-1), dtype=dtype)

    def __getitem__(self, key: Any) -> Any:
        found = self.base.reshape(-1)[_only(key)]
        return found if isinstance(found, np.generic) else found.copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        places = np.arange(len(self))[_plain(_only(key))]
        new = np.asarray(value)
        if places.ndim == 0 and new.size != 1:
            raise ShapeError(f"Error setting single item of array: got {new.size} values for it")
        if not new.size:
            if places.size:
                raise ShapeError(f"{places.size} elements cannot be set to no value at all")
            return
        self.base[np.unravel_index(places, self.base.shape)] = np.resize(new, places.shape)


def _only(key: Any) -> Any:
    """``key``, if it is one index; of a tuple of one, that one."""
    if isinstance(key, tuple):
        if len(key) == 1:
            return key[0]
        if key:
            raise IndexRangeError(f"unsupported iterator index: needed one index, got {key!r}")
        return slice(None)
    return key


def _plain(key: Any) -> Any:
    """``key`` as NumPy takes it."""
    return key if isinstance(key, int | slice | np.generic) or key is ... else np.asarray(key)
