"""Types of the methods of tensors that are made from tables: every one gives a tensor.

A type checker cannot see what `onebuf.tensor.methods` makes. This class declares it; it has no
members at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

Axis = int | tuple[int, ...] | Sequence[int] | None


class MethodTypes:
    """What the methods of a tensor take and give."""

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
        __lt__ = __le__ = __gt__ = __ge__ = __add__
        add = subtract = multiply = divide = maximum = minimum = pow = remainder = __add__
        atan2 = copysign = floor_divide = hypot = logaddexp = __add__

        def __eq__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __ne__(self, other: Any, /) -> Self: ...  # type: ignore[override]
        def __neg__(self, /) -> Self: ...

        __pos__ = __abs__ = __invert__ = __neg__
        abs = acos = acosh = asin = asinh = atan = atanh = cbrt = ceil = conj = cos = __neg__
        cosh = erf = erfc = exp = exp2 = expm1 = floor = isfinite = isinf = isnan = __neg__
        log = log10 = log1p = log2 = negative = positive = reciprocal = sign = __neg__
        sin = sinh = sqrt = square = tan = tanh = trunc = contiguous = copy = __neg__

        @property
        def T(self) -> Self: ...
        @property
        def mT(self) -> Self: ...
        @property
        def real(self) -> Self: ...
        @property
        def imag(self) -> Self: ...

        def sum(self, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Self: ...

        prod = mean = sum

        def max(self, axis: Axis = None, *, keepdims: bool = False) -> Self: ...

        min = all = any = argmax = argmin = max

        def var(
            self, axis: Axis = None, *, keepdims: bool = False, correction: float = 0.0
        ) -> Self: ...

        std = var

        def reshape(self, *shape: Any) -> Self: ...

        permute = transpose = expand = reshape

        def astype(self, dtype: Any, *, copy: bool = True) -> Self: ...
        def clip(self, min: Any = None, max: Any = None) -> Self: ...
        def cumsum(self, axis: int | None = None) -> Self: ...
        def cumprod(self, axis: int | None = None) -> Self: ...
        def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self: ...
        def dot(self, b: Any) -> Self: ...
        def expand_dims(self, axis: int | Sequence[int]) -> Self: ...

        unsqueeze = expand_dims

        def flatten(self) -> Self: ...

        ravel = flatten

        def flip(self, axes: int | Sequence[int] | None = None) -> Self: ...
        def pad(self, widths: Sequence[tuple[int, int]], value: Any = 0) -> Self: ...
        def repeat(self, repeats: Any, axis: int | None = None) -> Self: ...
        def round(self, decimals: int = 0) -> Self: ...
        def shrink(self, bounds: Sequence[tuple[int, int]]) -> Self: ...
        def sliding_window(self, size: int, axis: int = -1, step: int = 1) -> Self: ...
        def squeeze(self, axis: int | Sequence[int] | None = None) -> Self: ...
        def swapaxes(self, axis1: int, axis2: int) -> Self: ...
        def take(self, indices: Any, axis: int | None = None) -> Self: ...
        def to_device(self, device: Any, /) -> Self: ...
        def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self: ...
