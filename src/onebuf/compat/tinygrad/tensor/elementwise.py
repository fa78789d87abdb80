"""Operations element by element, with tinygrad's rules for types.

Functions of real numbers make float32 of integers. Operators convert both operands to one type, in
which an integer beside a float is that float.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from onebuf import tensor as ours
from onebuf.compat.tinygrad.dtype import dtypes
from onebuf.compat.tinygrad.tensor.core import TensorCore, is_operand, promoted
from onebuf.errors import ArgumentError

FLOATING = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "exp2"),
    *("log", "log10", "log2", "reciprocal", "sigmoid", "silu", "sin", "sinh", "sqrt", "tan"),
    *("tanh",),
)
"""Functions of real numbers, by the name that onebuf's tensors have for them too."""
KEEPING = ("abs", "ceil", "floor", "isfinite", "isnan", "relu", "sign", "square", "trunc")
"""Functions that do not make floats of integers."""
OPERATORS = {
    **{"add": "add", "sub": "sub", "mul": "mul", "mod": "mod", "pow": "pow"},
    **{"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"},
    **{"lshift": "lshift", "rshift": "rshift"},
}
"""Operators with two operands, by the names of Python and of tinygrad's method."""
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


class Elementwise(TensorCore):
    """Operators, comparisons, elementary functions and activations.

    >>> from onebuf.compat.tinygrad import Tensor
    >>> x = Tensor([1, 2, 3])
    >>> (x / 2 + 1).tolist(), (x * 2).dtype, (2 - x).relu().tolist()
    ([1.5, 2.0, 2.5], dtypes.int, [1, 0, 0])
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def exp(self) -> Self: ...

        acos = acosh = asin = asinh = atan = atanh = cos = cosh = erf = exp2 = exp
        log = log10 = log2 = reciprocal = sigmoid = silu = sin = sinh = sqrt = tan = tanh = exp
        abs = ceil = floor = isfinite = isnan = relu = sign = square = trunc = exp

        def add(self, x: Any, reverse: bool = False) -> Self: ...

        sub = mul = mod = pow = bitwise_and = bitwise_or = bitwise_xor = lshift = rshift = add

        def __add__(self, x: Any) -> Self: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __add__
        __pow__ = __rpow__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __add__
        __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __add__
        __lt__ = __le__ = __gt__ = __ge__ = __add__

        def __eq__(self, x: Any) -> Self: ...  # type: ignore[override]
        def __ne__(self, x: Any) -> Self: ...  # type: ignore[override]

        eq = ne = __add__

    __hash__ = object.__hash__

    # -- operators ---------------------------------------------------------------------------------

    def div(self, x: Any, reverse: bool = False, rounding_mode: str | None = None) -> Self:
        """The quotient, as floats; with ``rounding_mode`` "floor" or "trunc", rounded."""
        one, two = promoted(x, self) if reverse else promoted(self, x)
        if rounding_mode == "floor":
            return self._of(one // two)
        one, two = (_real(part) for part in (one, two))
        if rounding_mode is None:
            return self._of(one / two)
        if rounding_mode != "trunc":
            raise ArgumentError(
                f"rounding_mode needs to be None, 'floor' or 'trunc', got {rounding_mode!r}"
            )
        whole = self._of(one / two).trunc()
        return whole if self.is_floating_point() else whole.cast(self.dtype)

    def __truediv__(self, x: Any) -> Self:
        return self.div(x) if is_operand(x) else NotImplemented

    def __rtruediv__(self, x: Any) -> Self:
        return self.div(x, reverse=True) if is_operand(x) else NotImplemented

    def __floordiv__(self, x: Any) -> Self:
        return self.div(x, rounding_mode="floor") if is_operand(x) else NotImplemented

    def __rfloordiv__(self, x: Any) -> Self:
        return self.div(x, True, "floor") if is_operand(x) else NotImplemented

    def neg(self) -> Self:
        """The negative of each element."""
        return self.logical_not() if dtypes.is_bool(self.dtype) else self._of(-self._tensor)

    def bitwise_not(self) -> Self:
        """Each bit inverted."""
        return self._of(~self._tensor)

    def logical_not(self) -> Self:
        """Whether each element is 0."""
        return self._of(self._tensor == 0)

    __neg__, __invert__ = neg, bitwise_not

    def maximum(self, x: Any) -> Self:
        """The greater of each two elements."""
        one, two = promoted(self, x)
        return self._of(one.maximum(two))

    def minimum(self, x: Any) -> Self:
        """The lesser of each two elements."""
        one, two = promoted(self, x)
        return self._of(one.minimum(two))

    def where(self, x: Any, y: Any) -> Self:
        """``x`` where this is true, else ``y``; each may be a number.

        >>> from onebuf.compat.tinygrad import Tensor
        >>> (Tensor([1, 5]) > 2).where(1.5, 0).tolist()
        [0.0, 1.5]
        """
        if not isinstance(x, TensorCore) and not isinstance(y, TensorCore):
            x = self._number(x, like=y)
        one, two = promoted(x, y)
        return self._of(ours.where(self._tensor.astype(bool, copy=False), one, two))

    def _number(self, value: Any, like: Any) -> Self:
        """A number as a tensor without axes, in a type that has room for ``like`` too."""
        is_float = isinstance(value, float) or isinstance(like, float)
        dtype = dtypes.default_float if is_float else dtypes.default_int
        if isinstance(value, bool) and isinstance(like, bool):
            dtype = dtypes.bool
        return self._of(ours.Tensor(value, dtype=dtype.numpy, device=self._tensor.device))

    def masked_fill(self, mask: Any, value: Any) -> Self:
        """``value`` where ``mask`` is true, else the elements."""
        return mask.where(value, self)  # type: ignore[no-any-return]

    def clamp(self, min_: Any = None, max_: Any = None) -> Self:
        """The elements, none of them below ``min_`` or above ``max_``."""
        if min_ is None and max_ is None:
            raise ArgumentError("clamp needs min_, max_ or both, got none")
        found = self if min_ is None else self.maximum(min_)
        return found if max_ is None else found.minimum(max_)

    clip = clamp

    def lerp(self, end: Any, weight: Any) -> Self:
        """The way from here to ``end``, by the part ``weight`` of it."""
        return self + (end - self) * weight  # type: ignore[no-any-return]

    def isinf(self, detect_positive: bool = True, detect_negative: bool = True) -> Self:
        """Whether each element is infinite."""
        found = self._tensor.isinf()
        if not detect_positive:
            found = found & (self._tensor < 0)
        return self._of(found if detect_negative else found & (self._tensor > 0))

    def isclose(
        self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
    ) -> Self:
        """Whether each two elements differ by no more than ``atol + rtol * abs(other)``."""
        other = other if isinstance(other, TensorCore) else self * 0 + other
        near: Self = (self == other) | ((self - other).abs() <= other.abs() * rtol + atol)
        near = near & (self.isfinite() == other.isfinite())
        return near | (self.isnan() & other.isnan()) if equal_nan else near

    # -- functions ---------------------------------------------------------------------------------

    def round(self) -> Self:
        """The nearest whole number, the even one of two."""
        return self._of(self._floats().round())

    def rsqrt(self) -> Self:
        """One over the square root."""
        return self.sqrt().reciprocal()

    def logaddexp(self, other: Any) -> Self:
        """``log(exp(x) + exp(y))``, without overflow."""
        one, two = promoted(self, other)
        return self._of(_real(one).logaddexp(two))

    # -- activations -------------------------------------------------------------------------------

    def gelu(self, approximate: str = "tanh") -> Self:
        """``x`` times the chance that a normal number is below it, by GPT-2's formula."""
        return self._of(self._floats().gelu(approximate))

    def quick_gelu(self) -> Self:
        """``x * sigmoid(1.702 * x)``."""
        return self * (self * 1.702).sigmoid()

    def swish(self) -> Self:
        """``x * sigmoid(x)``."""
        return self.silu()

    def relu6(self) -> Self:
        """``x`` between 0 and 6."""
        return self.clamp(0, 6)

    def leaky_relu(self, neg_slope: float = 0.01) -> Self:
        """``x``, times ``neg_slope`` where it is negative."""
        return (self < 0).where(self * neg_slope, self)

    def elu(self, alpha: float = 1.0) -> Self:
        """``x`` where it is positive, else ``alpha * (exp(x) - 1)``."""
        return (self > 0).where(self, (self.minimum(0).exp() - 1) * alpha)

    def celu(self, alpha: float = 1.0) -> Self:
        """``x`` where it is positive, else ``alpha * (exp(x / alpha) - 1)``."""
        return (self > 0).where(self, ((self.minimum(0) / alpha).exp() - 1) * alpha)

    def selu(self, alpha: float = 1.67326, gamma: float = 1.0507) -> Self:
        """``gamma`` times `elu`."""
        return self.elu(alpha) * gamma

    def softplus(self, beta: float = 1.0) -> Self:
        """``log(1 + exp(beta * x)) / beta``, without overflow."""
        return (self * beta).logaddexp(0.0) / beta

    def softsign(self) -> Self:
        """``x / (1 + abs(x))``."""
        return self / (self.abs() + 1)

    def mish(self) -> Self:
        """``x * tanh(softplus(x))``."""
        return self * self.softplus().tanh()

    def logsigmoid(self) -> Self:
        """The logarithm of `sigmoid`."""
        return -(-self).softplus()

    def hardtanh(self, min_val: float = -1, max_val: float = 1) -> Self:
        """``x`` between two bounds."""
        return self.clamp(min_val, max_val)

    def hardsigmoid(self, alpha: float = 1 / 6, beta: float = 0.5) -> Self:
        """``alpha * x + beta`` between 0 and 1."""
        return (self * alpha + beta).clamp(0, 1)

    def hardswish(self) -> Self:
        """``x * hardsigmoid(x)``."""
        return self * self.hardsigmoid()


def _real(part: Any) -> Any:
    """An operand for a quotient: integers as floats of the default type."""
    if not isinstance(part, ours.Tensor) or part.dtype.kind not in "biu":
        return part
    return part.astype(dtypes.default_float.numpy)


def _function(name: str, makes_floats: bool) -> Callable[..., Any]:
    compute = getattr(ours.Tensor, name)

    def applied(self: TensorCore) -> Any:
        return self._of(compute(self._floats() if makes_floats else self._tensor))

    return _named(applied, name, f"{name.capitalize()}, element by element.")


def _operation(name: str) -> Callable[..., Any]:
    compute = getattr(operator, f"{name}_" if name in ("and", "or") else name)

    def applied(self: TensorCore, x: Any, reverse: bool = False) -> Any:
        one, two = promoted(x, self) if reverse else promoted(self, x)
        return self._of(compute(one, two))

    method = OPERATORS[name]
    return _named(applied, method, f"{method.capitalize()}, element by element.")


def _infix(name: str, swapped: bool) -> Callable[..., Any]:
    compute = _operation(name)

    def applied(self: TensorCore, x: Any) -> Any:
        return compute(self, x, swapped) if is_operand(x) else NotImplemented

    return _named(applied, f"__{'r' * swapped}{name}__", None)


def _comparison(name: str) -> Callable[..., Any]:
    compute = getattr(operator, name)

    def applied(self: TensorCore, x: Any) -> Any:
        if not is_operand(x):
            return NotImplemented
        one, two = promoted(self, x)
        return self._of(compute(one, two))

    return _named(applied, f"__{name}__", None)


def _named(function: Callable[..., Any], name: str, text: str | None) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


for _name in FLOATING:
    setattr(Elementwise, _name, _function(_name, makes_floats=True))
for _name in KEEPING:
    setattr(Elementwise, _name, _function(_name, makes_floats=False))
for _name, _method in OPERATORS.items():
    setattr(Elementwise, _method, _operation(_name))
    setattr(Elementwise, f"__{_name}__", _infix(_name, swapped=False))
    setattr(Elementwise, f"__r{_name}__", _infix(_name, swapped=True))
for _name in COMPARISONS:
    setattr(Elementwise, f"__{_name}__", _comparison(_name))
for _name in ("eq", "ne"):
    setattr(Elementwise, _name, _comparison(_name))
