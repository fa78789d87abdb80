"""Reductions, scans, order, and products of matrices.

Sums of small integers are int32 or uint32; sums of floats have the type of the floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Self

import numpy as np

from onebuf import tensor as ours
from onebuf.compat.tinygrad.dtype import DType, dtypes, from_numpy, least_upper_dtype
from onebuf.compat.tinygrad.tensor.core import TensorCore, numpy_dtype, promoted, unwrap
from onebuf.errors import ArgumentError

Axes = int | Sequence[int] | None


class Reduce(TensorCore):
    """Elements along axes as fewer.

    >>> from onebuf.compat.tinygrad import Tensor
    >>> x = Tensor([[1.0, 2.0], [3.0, 5.0]])
    >>> x.sum(0).tolist(), x.max(axis=1, keepdim=True).tolist(), x.std().item()
    ([4.0, 7.0], [[2.0], [5.0]], 1.707825...)
    """

    __slots__ = ()

    # -- reductions --------------------------------------------------------------------------------

    def sum(
        self, axis: Axes = None, keepdim: bool = False, dtype: DType | str | None = None
    ) -> Self:
        """The sum along some axes, or of all elements."""
        wanted = self._wide() if dtype is None else numpy_dtype(dtype)
        return self._of(self._tensor.sum(_axes(axis), dtype=wanted, keepdims=keepdim))

    def prod(
        self, axis: Axes = None, keepdim: bool = False, dtype: DType | str | None = None
    ) -> Self:
        """The product along some axes, or of all elements."""
        wanted = self.dtype.numpy if dtype is None else numpy_dtype(dtype)
        return self._of(self._tensor.prod(_axes(axis), dtype=wanted, keepdims=keepdim))

    def _wide(self) -> np.dtype[Any]:
        """The type that sums of these elements have."""
        if self.is_floating_point():
            return self._tensor.dtype
        least = dtypes.uint32 if dtypes.is_unsigned(self.dtype) else dtypes.int32
        return least_upper_dtype(self.dtype, least).numpy

    def max(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """The greatest element along some axes, or of all."""
        return self._of(self._tensor.max(_axes(axis), keepdims=keepdim))

    def min(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """The least element along some axes, or of all."""
        return self._of(self._tensor.min(_axes(axis), keepdims=keepdim))

    def any(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """Whether any element is not 0."""
        return self._of(self._tensor.any(_axes(axis), keepdims=keepdim))

    def all(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """Whether no element is 0."""
        return self._of(self._tensor.all(_axes(axis), keepdims=keepdim))

    def mean(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """The mean, as floats."""
        return self._of(self._floats().mean(_axes(axis), keepdims=keepdim))

    def var(self, axis: Axes = None, keepdim: bool = False, correction: int = 1) -> Self:
        """The variance: squares of differences from the mean, over their number - correction."""
        found = self._floats().var(_axes(axis), keepdims=keepdim, correction=correction)
        return self._of(found)

    def std(self, axis: Axes = None, keepdim: bool = False, correction: int = 1) -> Self:
        """The square root of `var`."""
        found = self._floats().std(_axes(axis), keepdims=keepdim, correction=correction)
        return self._of(found)

    def std_mean(
        self, axis: Axes = None, keepdim: bool = False, correction: int = 1
    ) -> tuple[Self, Self]:
        """`std` and `mean`."""
        return self.std(axis, keepdim, correction), self.mean(axis, keepdim)

    def var_mean(
        self, axis: Axes = None, keepdim: bool = False, correction: int = 1
    ) -> tuple[Self, Self]:
        """`var` and `mean`."""
        return self.var(axis, keepdim, correction), self.mean(axis, keepdim)

    def argmax(self, axis: int | None = None, keepdim: bool = False) -> Self:
        """Where the greatest element is: the first of them."""
        return self._of(self._tensor.argmax(axis, keepdims=keepdim)).cast(dtypes.default_int)

    def argmin(self, axis: int | None = None, keepdim: bool = False) -> Self:
        """Where the least element is: the first of them."""
        return self._of(self._tensor.argmin(axis, keepdims=keepdim)).cast(dtypes.default_int)

    # -- exponentials ------------------------------------------------------------------------------

    def softmax(self, axis: int = -1, dtype: DType | str | None = None) -> Self:
        """Positive numbers that add up to 1 along an axis, in proportion to ``exp(x)``."""
        return self._of(self._as(dtype).softmax(axis))

    def log_softmax(self, axis: int = -1, dtype: DType | str | None = None) -> Self:
        """The logarithm of `softmax`."""
        return self._of(self._as(dtype).log_softmax(axis))

    def logsumexp(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """``log(sum(exp(x)))`` along some axes, without overflow."""
        axes = range(self.ndim) if axis is None else _axes(axis)
        reduced = sorted(n % self.ndim for n in ([axes] if isinstance(axes, int) else axes or ()))
        kept = [n for n in range(self.ndim) if n not in reduced]
        rows = self._floats().permute(*kept, *reduced) if self.ndim else self._floats()
        inner = prod(self.shape[n] for n in reduced)
        found = rows.reshape(*[self.shape[n] for n in kept], inner).logsumexp(-1)
        if not keepdim:
            return self._of(found)
        shape = tuple(1 if n in reduced else extent for n, extent in enumerate(self.shape))
        return self._of(found.reshape(shape))

    def _as(self, dtype: DType | str | None) -> ours.Tensor:
        return self._floats() if dtype is None else self._tensor.astype(numpy_dtype(dtype))

    # -- scans and order ---------------------------------------------------------------------------

    def cumsum(self, axis: int = 0) -> Self:
        """The sums of the elements up to each one."""
        found = self._tensor.cumsum(axis)
        return self._of(found).cast(from_numpy(self._wide()))

    def cumprod(self, axis: int) -> Self:
        """The products of the elements up to each one."""
        return self._of(self._tensor.cumprod(axis)).cast(self.dtype)

    def argsort(self, dim: int = -1, descending: bool = False) -> Self:
        """The places of the elements in ascending order, equal ones as they are."""
        keys = self._tensor.detach()
        if descending:
            keys = -keys if self.is_floating_point() else ~keys
        found = keys.argsort(dim, stable=True)  # type: ignore[attr-defined]
        return self._of(found).cast(dtypes.default_int)

    def sort(self, dim: int = -1, descending: bool = False) -> tuple[Self, Self]:
        """The elements in order along an axis, and where they were."""
        places = self.argsort(dim, descending)
        return self._of(ours.take_along_axis(self._tensor, places._tensor, dim)), places

    def topk(
        self, k: int, dim: int = -1, largest: bool = True, sorted_: bool = True
    ) -> tuple[Self, Self]:
        """The ``k`` greatest elements along an axis in order, or the least, and where they were."""
        extent = self.shape[dim]
        if k > extent:
            raise ArgumentError(f"topk needs at most the {extent} elements of axis {dim}, got {k}")
        places = self.argsort(dim, descending=largest)._tensor
        bounds = [(0, extent) for extent in self.shape]
        bounds[dim] = (0, k)
        first = places.shrink(bounds)
        return self._of(ours.take_along_axis(self._tensor, first, dim)), self._of(first)

    # -- products ----------------------------------------------------------------------------------

    def dot(self, w: Any, dtype: DType | str | None = None) -> Self:
        """The product of matrices along the last axis of one and the last but one of the other."""
        one, two = promoted(self, w)
        wanted = one.dtype if dtype is None else numpy_dtype(dtype)
        return self._of(one @ two).cast(from_numpy(wanted))

    def matmul(self, x: Any, reverse: bool = False, dtype: DType | str | None = None) -> Self:
        """`dot`; with ``reverse``, ``x`` comes first."""
        return x.dot(self, dtype) if reverse else self.dot(x, dtype)

    def __matmul__(self, x: Any) -> Self:
        return self.dot(x)

    @classmethod
    def einsum(cls, formula: str, *operands: Any, dtype: DType | str | None = None) -> Self:
        """The sum of products that ``formula`` describes."""
        is_list = len(operands) == 1 and not isinstance(operands[0], TensorCore)
        given = operands[0] if is_list else operands
        parts = given if dtype is None else [one.cast(dtype) for one in given]
        return cls._of(ours.einsum(formula, *unwrap(list(parts))))


def _axes(axis: Axes) -> int | tuple[int, ...] | None:
    return axis if axis is None or isinstance(axis, int) else tuple(axis)
