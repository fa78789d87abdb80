"""Operators: each one is a Python function, applied element by element.

There are none that work in place, so that ``x += y`` makes a new buffer: a layer above may have
kept the old one for its gradients.
"""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

from onebuf.compat.tinygpt.arguments import check_number
from onebuf.compat.tinygpt.dtype import Real, Scalar
from onebuf.compat.tinygpt.elementwise import power


class Operators(ABC):
    """The arithmetic of a buffer, on top of one method that applies a function."""

    @abstractmethod
    def _apply(self, operation: str, function: Callable[..., Scalar], *operands: object) -> Self:
        """The function's values for the elements of the operands, which are buffers or scalars."""

    def __add__(self, other: object) -> Self:
        return self._apply("+", operator.add, self, other)

    def __radd__(self, other: object) -> Self:
        return self._apply("+", operator.add, other, self)

    def __sub__(self, other: object) -> Self:
        return self._apply("-", operator.sub, self, other)

    def __rsub__(self, other: object) -> Self:
        return self._apply("-", operator.sub, other, self)

    def __mul__(self, other: object) -> Self:
        return self._apply("*", operator.mul, self, other)

    def __rmul__(self, other: object) -> Self:
        return self._apply("*", operator.mul, other, self)

    def __truediv__(self, other: object) -> Self:
        return self._apply("/", operator.truediv, self, other)

    def __rtruediv__(self, other: object) -> Self:
        return self._apply("/", operator.truediv, other, self)

    def __pow__(self, exponent: Real) -> Self:
        return self._apply("**", power, self, check_number("the exponent of **", exponent))

    def __neg__(self) -> Self:
        return self._apply("-", operator.neg, self)

    def __lt__(self, other: object) -> Self:
        return self._apply("<", operator.lt, self, other)

    def __le__(self, other: object) -> Self:
        return self._apply("<=", operator.le, self, other)

    def __gt__(self, other: object) -> Self:
        return self._apply(">", operator.gt, self, other)

    def __ge__(self, other: object) -> Self:
        return self._apply(">=", operator.ge, self, other)

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._apply("==", operator.eq, self, other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._apply("!=", operator.ne, self, other)

    def exp(self) -> Self:
        """e to the power of each element.

        >>> from onebuf.compat.tinygpt import Buffer
        >>> Buffer([0.0, 1.0]).exp().to_python()
        [1.0, 2.718281828459045]
        """
        return self._apply("exp", math.exp, self)

    def log(self) -> Self:
        """The natural logarithm of each element.

        >>> from onebuf.compat.tinygpt import Buffer
        >>> Buffer([1.0, 2.0]).log().to_python()
        [0.0, 0.6931471805599453]
        """
        return self._apply("log", math.log, self)

    def maximum(self, other: object) -> Self:
        """The greater of each two elements.

        >>> from onebuf.compat.tinygpt import Buffer
        >>> Buffer([1, 5]).maximum(Buffer([3, 2])).to_python()
        [3, 5]
        """
        return self._apply("maximum", max, self, other)
