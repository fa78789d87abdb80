"""Movement methods: the same elements in other shapes, orders and parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onebuf import ops
from onebuf.buffer.handle import Handle
from onebuf.buffer.numpy.order import memory_order
from onebuf.errors import ArgumentTypeError, AxisError
from onebuf.graph import Leaf
from onebuf.late import Late
from onebuf.layout import normalize_axes

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.shapes import box
else:
    box = Late("onebuf.shapes.box")
    engine = Late("onebuf.engine")


class Movement(Handle):
    """What moves no element: each result is a view wherever strides can express it."""

    __slots__ = ()

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Self:
        """The elements in row-major order under another shape; one extent may be -1.

        In column-major order if ``order`` is "F". A copy where strides cannot express it, unless
        ``copy=False``, which then raises.
        """
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = (int(shape[0]),) if isinstance(shape[0], np.integer) else tuple(shape[0])
        if order != "C":
            letter = memory_order("reshape", order, known="ACF")
            if letter == "F" or (letter == "A" and self._is_turned()):
                return self.T.reshape(*shape[::-1], copy=copy).T
        node = ops.reshape(self._node, shape, copy)
        return self._view(engine.taken(node) if copy else node)

    def _is_turned(self) -> bool:
        """Whether the elements lie in column-major order and not in row-major order."""
        view = ops.view_of(self._node)
        return not view.is_contiguous and ops.view_of(self.T._node).is_contiguous

    def permute(self, *axes: Any) -> Self:
        """The axes in another order: axis ``axes[i]`` becomes axis ``i``."""
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = tuple(axes[0])
        return self._view(ops.permute(self._node, axes))

    def transpose(self, *axes: Any) -> Self:
        """`permute`; without arguments, the axes reversed."""
        if not axes or (len(axes) == 1 and axes[0] is None):
            axes = tuple(range(len(self._node.shape)))[::-1]
        return self.permute(*axes)

    @property
    def T(self) -> Self:
        """The axes reversed."""
        node = self._node
        array = node.array
        if array is None or not node.shape:
            return self.transpose()
        return self._view(Leaf(array.T, node.block))  # type: ignore[arg-type]

    @property
    def mT(self) -> Self:
        """The last two axes exchanged."""
        ndim = len(self._node.shape)
        if ndim < 2:
            raise AxisError(
                f"mT needs at least 2 dimensions, got {ndim} (matrix transpose with ndim < 2 is "
                f"undefined: the array must be at least 2-dimensional); use reshape first"
            )
        return self.permute(*range(ndim - 2), ndim - 1, ndim - 2)

    def expand(self, *shape: Any) -> Self:
        """Axes of extent 1 repeated and new leading axes, storing nothing twice."""
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = tuple(shape[0])
        return self._view(ops.expand(self._node, shape))

    def flip(self, axes: int | Sequence[int] | None = None) -> Self:
        """The order along ``axes`` reversed; along all of them if None."""
        ndim = len(self._node.shape)
        chosen = axes if axes is None or isinstance(axes, int) else tuple(axes)
        return self._view(ops.flip(self._node, normalize_axes(chosen, ndim)))

    def squeeze(self, axis: int | Sequence[int] | None = None) -> Self:
        """Axes of extent 1 left out."""
        return self._view(ops.squeeze(self._node, axis))

    def expand_dims(self, axis: int | Sequence[int]) -> Self:
        """A new axis of extent 1."""
        return self._view(ops.expand_dims(self._node, axis))

    unsqueeze = expand_dims

    def ravel(self, order: str = "C") -> Self:
        """The elements in row-major order, flat; in column-major order if ``order`` is "F"."""
        return self.reshape(-1) if order == "C" else self._ordered("ravel", order).reshape(-1)

    def flatten(self, order: str = "C") -> Self:
        """The elements in row-major order, flat, in memory of their own."""
        source = self if order == "C" else self._ordered("flatten", order)
        return self._value(ops.reshape(engine.taken(ops.copied(source._node)), (-1,)))

    def _ordered(self, name: str, order: Any) -> Self:
        """A view whose row-major order is the ``order`` asked for."""
        letter = memory_order(name, order)
        turned = letter == "F" or (letter in "AK" and self._is_turned())
        return self.T if turned else self

    def shrink(self, bounds: Sequence[tuple[int, int]]) -> Self:
        """The box between ``bounds``: one (first, end) an axis."""
        return self._view(ops.shrink(self._node, bounds))

    def slice(self, *bounds: Any) -> Self:
        """A box of the elements, with all axes: ``slice(first, last)``, half open.

        ``first`` and ``last`` are indices inside the shape, one number an axis; a shape with an
        origin says both. Integers alone pin the leading axes: ``slice(i, j)`` is the box of extent
        1 along the first two. The view counts its elements from 0.

        >>> from onebuf import Buffer
        >>> x = Buffer([[1, 2], [3, 4]])
        >>> x.slice((1, 0), (2, 2)).tolist(), x.slice(0).shape
        ([[3, 4]], (1, 2))
        """
        first, last = box.box_of(bounds, self._node.shape, "slice")
        return self._boxed([*map(slice, first, last)])

    def chip(self, *bounds: Any) -> Self:
        """`slice` without the axes that are pinned to one index.

        >>> from onebuf import Buffer
        >>> x = Buffer([[1, 2], [3, 4]])
        >>> x.chip(1).tolist(), x.chip((0, 1), (2, 2)).tolist()
        ([3, 4], [2, 4])
        """
        first, last = box.box_of(bounds, self._node.shape, "chip")
        key: list[Any] = [*map(slice, first, last)]
        for axis in box.pinned_axes(bounds, (first, last), "chip"):
            key[axis] = first[axis]
        return self._boxed(key)

    def _boxed(self, key: list[Any]) -> Self:
        """The view of a box; without axes too it is a view, which can be written."""
        return self._view(ops.index(self._node, tuple(key)))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The diagonal of two axes, as a new last axis."""
        return self._view(ops.diagonal(self._node, offset, axis1, axis2))

    def sliding_window(self, size: int, axis: int = -1, step: int = 1) -> Self:
        """Overlapping windows along ``axis``, whose elements form a new last axis."""
        return self._view(ops.windows(self._node, size, axis, step))

    def pad(self, widths: Sequence[tuple[int, int]], value: Any = 0) -> Self:
        """The elements inside a border of ``value``: (before, after) for each axis."""
        try:
            pairs = [(before, after) for before, after in widths]
        except (TypeError, ValueError):
            raise ArgumentTypeError(
                f"pad needs one (before, after) pair for each of {len(self._node.shape)} axes, "
                f"got {widths!r}"
            ) from None
        return self._alike(ops.pad(self._node, pairs, value))
