"""Types of the methods that are made by functions: every one gives a buffer.

Operators and reductions are made from tables (`operators`, `reductions`, `numpy.methods`), where
a type checker sees only that something can be called. This class declares their types; it has no
members at run time. Methods of one type are declared once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from onebuf.buffer.handle import Handle

Axis = int | tuple[int, ...] | Sequence[int] | None


class MethodTypes(Handle):
    """What the methods of a buffer take and give."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __add__(self, other: Any, /) -> Self: ...

        __radd__ = __iadd__ = __add__
        __sub__ = __rsub__ = __isub__ = __add__
        __mul__ = __rmul__ = __imul__ = __add__
        __truediv__ = __rtruediv__ = __itruediv__ = __add__
        __floordiv__ = __rfloordiv__ = __ifloordiv__ = __add__
        __mod__ = __rmod__ = __imod__ = __add__
        __pow__ = __rpow__ = __ipow__ = __add__
        __and__ = __rand__ = __iand__ = __add__
        __or__ = __ror__ = __ior__ = __add__
        __xor__ = __rxor__ = __ixor__ = __add__
        __lshift__ = __rlshift__ = __ilshift__ = __add__
        __rshift__ = __rrshift__ = __irshift__ = __add__
        __matmul__ = __rmatmul__ = __imatmul__ = __add__
        __lt__ = __le__ = __gt__ = __ge__ = maximum = minimum = __add__

        def __eq__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __ne__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __neg__(self, /) -> Self: ...

        __pos__ = __abs__ = __invert__ = __neg__
        exp = log = sqrt = sin = cos = tanh = abs = square = __neg__

        def conj(self, out: Any = None) -> Self: ...

        conjugate = conj

        def sum(
            self,
            axis: Axis = None,
            dtype: Any = None,
            out: Any = None,
            keepdims: bool = False,
            initial: Any = None,
            where: Any = True,
            *,
            axes: Axis = None,
        ) -> Self: ...

        prod = sum

        def max(
            self,
            axis: Axis = None,
            out: Any = None,
            keepdims: bool = False,
            initial: Any = None,
            where: Any = True,
            *,
            axes: Axis = None,
        ) -> Self: ...

        min = max

        def all(
            self,
            axis: Axis = None,
            out: Any = None,
            keepdims: bool = False,
            *,
            where: Any = True,
            axes: Axis = None,
        ) -> Self: ...

        any = all

        def argmax(
            self,
            axis: Axis = None,
            out: Any = None,
            *,
            keepdims: bool = False,
            axes: Axis = None,
        ) -> Self: ...

        argmin = argmax

        def var(
            self,
            axis: Axis = None,
            dtype: Any = None,
            out: Any = None,
            ddof: float = 0,
            keepdims: bool = False,
            *,
            where: Any = True,
            mean: Any = None,
            correction: float = 0.0,
            axes: Axis = None,
        ) -> Self: ...

        std = var

        def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self: ...
        def cumprod(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self: ...
        def dot(self, b: Any, out: Any = None) -> Self: ...
        def take(
            self, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
        ) -> Self: ...
        def repeat(self, repeats: Any, axis: int | None = None) -> Self: ...
        def swapaxes(self, axis1: int, axis2: int) -> Self: ...
        def trace(
            self,
            offset: int = 0,
            axis1: int = 0,
            axis2: int = 1,
            dtype: Any = None,
            out: Any = None,
        ) -> Self: ...
        def round(self, decimals: int = 0, out: Any = None) -> Self: ...
        def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Self: ...
        def choose(self, *choices: Any, out: Any = None, mode: str = "raise") -> Self: ...
        def argpartition(
            self, kth: Any, axis: int | None = -1, kind: str = "introselect"
        ) -> Self: ...
        def ptp(self, axis: Axis = None, out: Any = None, keepdims: bool = False) -> Self: ...
        def nonzero(self) -> tuple[Self, ...]: ...
