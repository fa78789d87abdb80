"""Conversions by the names of types.

A module of its own, because these names hide Python's ``int``, ``float`` and ``bool`` in a class.
"""

from __future__ import annotations

from typing import Self

from onebuf.compat.tinygrad.dtype import dtypes
from onebuf.compat.tinygrad.tensor.core import TensorCore


class Conversion(TensorCore):
    """Elements as another type.

    >>> from onebuf.compat.tinygrad import Tensor
    >>> Tensor([1.5, 0.0]).int().tolist(), Tensor([1.5, 0.0]).bool().tolist()
    ([1, 0], [True, False])
    """

    __slots__ = ()

    def float(self) -> Self:
        """The elements as float32."""
        return self.cast(dtypes.float32)

    def half(self) -> Self:
        """The elements as float16."""
        return self.cast(dtypes.half)

    def bfloat16(self) -> Self:
        """The elements as bfloat16."""
        return self.cast(dtypes.bfloat16)

    def double(self) -> Self:
        """The elements as float64."""
        return self.cast(dtypes.double)

    def int(self) -> Self:
        """The elements as int32."""
        return self.cast(dtypes.int32)

    def long(self) -> Self:
        """The elements as int64."""
        return self.cast(dtypes.int64)

    def short(self) -> Self:
        """The elements as int16."""
        return self.cast(dtypes.int16)

    def bool(self) -> Self:
        """Whether each element is not 0."""
        return self.cast(dtypes.bool)
