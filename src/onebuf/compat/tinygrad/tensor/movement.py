"""Movement: the same elements along other axes, parts of them, and several tensors as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, prod
from typing import Any, Self

import onebuf
from onebuf import tensor as ours
from onebuf.compat.tinygrad.missing import NotCarried
from onebuf.compat.tinygrad.tensor.core import TensorCore, extents, promoted, unwrap
from onebuf.errors import ArgumentError, AxisError, ShapeError

_roll: Callable[..., Any] = ours.recorded(onebuf.roll)
_tile: Callable[..., Any] = ours.recorded(onebuf.tile)
_tril: Callable[..., Any] = ours.recorded(onebuf.tril)
_triu: Callable[..., Any] = ours.recorded(onebuf.triu)


class Movement(TensorCore):
    """Axes, indexing, padding, joining and splitting.

    >>> from onebuf.compat.tinygrad import Tensor
    >>> x = Tensor.arange(6).reshape(2, 3)
    >>> x.T.shape, x[:, 1].tolist(), x.pad((0, 1)).shape, x.cat(x, dim=1).shape
    ((3, 2), [1, 4], (2, 4), (2, 6))
    """

    __slots__ = ()

    # -- axes --------------------------------------------------------------------------------------

    def reshape(self, shape: Any, *args: Any) -> Self:
        """The elements along other axes; -1 is the extent that is left, None one that stays."""
        wanted = [
            self.shape[place] if extent is None else extent
            for place, extent in enumerate(extents(shape, *args))
        ]
        return self._of(self._tensor.reshape(*wanted)) if wanted else self._scalar()

    def _scalar(self) -> Self:
        return self._of(self._tensor.reshape(()))

    view = reshape

    def permute(self, order: Any, *args: Any) -> Self:
        """The axes in another order."""
        wanted = extents(order, *args)
        return self._of(self._tensor.permute(*wanted)) if wanted else self

    def transpose(self, dim0: int = 1, dim1: int = 0) -> Self:
        """Two axes exchanged."""
        return self._of(self._tensor.swapaxes(self._axis(dim0), self._axis(dim1)))

    @property
    def T(self) -> Self:
        """The first two axes exchanged."""
        return self.transpose()

    def expand(self, shape: Any, *args: Any) -> Self:
        """Axes of extent 1 repeated; -1 and None are extents that stay."""
        wanted = extents(shape, *args)
        old = (1,) * (len(wanted) - self.ndim) + self.shape
        kept = [a if b in (-1, None) else b for a, b in zip(old, wanted, strict=True)]
        return self._of(self._tensor.expand(*kept))

    def flip(self, axis: Any, *args: Any) -> Self:
        """The elements in the opposite order along some axes."""
        return self._of(self._tensor.flip(extents(axis, *args)))

    def squeeze(self, dim: int | None = None) -> Self:
        """Without the axes of extent 1, or without one of them."""
        if dim is None:
            return self.reshape(tuple(n for n in self.shape if n != 1))
        axis = self._axis(dim)
        return self._of(self._tensor.squeeze(axis)) if self.shape[axis] == 1 else self

    def unsqueeze(self, dim: int) -> Self:
        """With an axis of extent 1 more."""
        return self._of(self._tensor.expand_dims(dim))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self:
        """Axes from the one to the other as one axis."""
        if self.ndim == 0:
            return self.reshape(1)
        first, last = self._axis(start_dim), self._axis(end_dim)
        inner = prod(self.shape[first : last + 1])
        return self.reshape(*self.shape[:first], inner, *self.shape[last + 1 :])

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Self:
        """One axis as several."""
        axis = self._axis(dim)
        return self.reshape(*self.shape[:axis], *sizes, *self.shape[axis + 1 :])

    def _axis(self, dim: int) -> int:
        if not -self.ndim <= dim < self.ndim:
            raise AxisError(
                f"needed an axis of a tensor with {self.ndim} axes, got {dim}; count from 0, or "
                "from -1 at the end"
            )
        return dim % self.ndim

    # -- parts -------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Self:
        return self._of(self._tensor[unwrap(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._tensor[unwrap(key)] = unwrap(value)

    def shrink(self, arg: Sequence[tuple[int, int] | None]) -> Self:
        """The elements from a begin to an end along each axis; None is all of them."""
        pairs = zip(arg, self.shape, strict=True)
        return self._of(
            self._tensor.shrink([(0, n) if part is None else part for part, n in pairs])
        )

    def pad(self, padding: Sequence[Any], mode: str = "constant", value: float = 0.0) -> Self:
        """With more elements around.

        ``padding`` has a pair (before, after) or None for each axis; or numbers, two for the last
        axis, two for the one before, and so on. Negative numbers take elements away.
        """
        if mode != "constant":
            raise NotCarried(f"pad has mode='constant' here, got {mode!r}; join with cat")
        pairs = self._paddings(padding)
        inside = [
            (max(0, -low), n - max(0, -high))
            for (low, high), n in zip(pairs, self.shape, strict=True)
        ]
        around = [(max(0, low), max(0, high)) for low, high in pairs]
        number = value if self._tensor.dtype.kind not in "biu" else int(value)
        return self._of(self._tensor.shrink(inside).pad(around, number))

    def _paddings(self, padding: Sequence[Any]) -> list[tuple[int, int]]:
        if any(isinstance(part, tuple | list | None.__class__) for part in padding):
            pairs = [(0, 0) if part is None else (part[0], part[1]) for part in padding]
        else:
            if len(padding) % 2:
                raise ArgumentError(f"pad needs two numbers for each axis, got {tuple(padding)}")
            pairs = [(padding[n], padding[n + 1]) for n in range(0, len(padding), 2)][::-1]
            pairs = [(0, 0)] * (self.ndim - len(pairs)) + pairs
        if len(pairs) != self.ndim:
            raise ShapeError(
                f"pad needs a pair for each of {self.ndim} axes, got {tuple(padding)} for shape "
                f"{self.shape}"
            )
        return pairs

    def tril(self, diagonal: int = 0) -> Self:
        """The elements on and below a diagonal of the last two axes, and 0 above it."""
        return self._of(_tril(self._tensor, k=diagonal))

    def triu(self, diagonal: int = 0) -> Self:
        """The elements on and above a diagonal of the last two axes, and 0 below it."""
        return self._of(_triu(self._tensor, k=diagonal))

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Self:
        """The elements on a diagonal of two axes."""
        return self._of(self._tensor.diagonal(offset, dim1, dim2))

    def gather(self, dim: int, index: TensorCore) -> Self:
        """Elements chosen along ``dim`` by an index for each place."""
        axis = self._axis(dim)
        bounds = [
            (0, old if place == axis else new)
            for place, (old, new) in enumerate(zip(self.shape, index.shape, strict=True))
        ]
        part = self._tensor.shrink(bounds)
        return self._of(ours.take_along_axis(part, index._tensor, axis))

    # -- several -----------------------------------------------------------------------------------

    def cat(self, *args: Any, dim: int = 0) -> Self:
        """This tensor and others one after another along an axis."""
        return self._of(ours.concat(promoted(self, *args), dim))

    def stack(self, *args: Any, dim: int = 0) -> Self:
        """This tensor and others along a new axis."""
        return self._of(ours.stack(promoted(self, *args), dim))

    def split(self, sizes: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        """Parts along an axis: of that size each, or of those sizes."""
        axis = self._axis(dim)
        extent = self.shape[axis]
        if isinstance(sizes, int):
            step = max(1, sizes)
            sizes = [min(step, extent - begin) for begin in range(0, max(1, extent), step)]
        if sum(sizes) != extent:
            raise ShapeError(
                f"split needs sizes that add up to {extent}, the extent of axis {dim}, got "
                f"{tuple(sizes)}"
            )
        ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
        return tuple(
            self._part(axis, end - size, end) for size, end in zip(sizes, ends, strict=True)
        )

    def chunk(self, chunks: int, dim: int = 0) -> list[Self]:
        """At most ``chunks`` parts of one size along an axis; the last one may be smaller."""
        if chunks < 1:
            raise ArgumentError(f"chunk needs at least one part, got {chunks}")
        return list(self.split(ceil(self.shape[self._axis(dim)] / chunks), dim))

    def _part(self, axis: int, begin: int, end: int) -> Self:
        bounds = [(begin, end) if place == axis else None for place in range(self.ndim)]
        return self.shrink(bounds)

    def repeat(self, repeats: Any, *args: Any) -> Self:
        """The whole tensor so many times along each axis."""
        return self._of(_tile(self._tensor, extents(repeats, *args)))

    def repeat_interleave(self, repeats: int, dim: int | None = None) -> Self:
        """Each element so many times in a row."""
        return self._of(self._tensor.repeat(repeats, dim))

    def roll(self, shifts: Any, dims: Any = None) -> Self:
        """The elements moved along axes; those that leave at one end come in at the other."""
        return self._of(_roll(self._tensor, shifts, dims))
