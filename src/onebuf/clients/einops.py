"""einops: its backend for buffers.

einops finds its backends among the subclasses of ``AbstractBackend`` and makes an instance of each
whose ``framework_name`` is an imported module, so defining the class is all. (``einops.array_api``
needs no backend: it asks a buffer for its namespace.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from einops._backends import AbstractBackend

from onebuf.array_api.creation import arange, asarray
from onebuf.array_api.manipulation import concat, stack, tile
from onebuf.buffer import Buffer
from onebuf.buffer.einsum import einsum
from onebuf.dtypes import kind


class OnebufBackend(AbstractBackend):  # type: ignore[misc]
    """What einops does to arrays, by functions of the namespace.

    Axes that einops repeats are expanded, not stored, wherever the result is one view.
    """

    framework_name = "onebuf"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether ``tensor`` is a buffer."""
        return isinstance(tensor, Buffer)

    def from_numpy(self, x: np.ndarray[Any, Any]) -> Any:
        """A buffer on the memory of ``x``."""
        return asarray(x)

    def to_numpy(self, x: Any) -> np.ndarray[Any, Any]:
        """A NumPy array on the memory of ``x``."""
        return np.asarray(x)

    def arange(self, start: int, stop: int) -> Any:
        """The integers from ``start`` up to ``stop``."""
        return arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
        """Buffers of one shape along a new first axis."""
        return stack(tensors)

    def add_axis(self, x: Any, new_position: int) -> Any:
        """A view with an axis of extent 1."""
        return x.expand_dims(new_position)

    def tile(self, x: Any, repeats: tuple[int, ...]) -> Any:
        """``x`` laid out several times along each axis."""
        return tile(x, repeats)

    def add_axes(self, x: Any, n_axes: int, pos2len: dict[int, int]) -> Any:
        """A view with new axes, along which nothing is stored twice."""
        for position in pos2len:
            x = x.expand_dims(position)
        return x.expand([pos2len.get(axis, x.shape[axis]) for axis in range(n_axes)])

    def concat(self, tensors: list[Any], axis: int) -> Any:
        """Buffers one after another."""
        return concat(tensors, axis=axis)

    def is_float_type(self, x: Any) -> bool:
        """Whether a mean of ``x`` has its dtype."""
        return kind(x.dtype) in "fc"

    def einsum(self, pattern: str, *x: Any) -> Any:
        """Einstein's sum."""
        return einsum(pattern, *x)
