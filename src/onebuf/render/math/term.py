"""Terms: values with operators, so that a formula in the source reads as a formula.

A term is a value and the builder it is written with. Plain numbers next to a term become constants
of its type. Everything is data flow: a choice is ``where``, never a branch. Only operations that
IEEE 754 rounds correctly are used, each on its own, so that a result has the same bits on every
machine and at every number of lanes. `fma` is one of them: a product and a sum, rounded once.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TypeAlias

from onebuf.render.builder import FLOATS, Builder, Value

BITS = {"float": "i32", "double": "i64"}
"""The integer type as wide as each floating type."""


class Term:
    """A value in a formula.

    >>> b = Builder(4)
    >>> x = Term(b, Value("%x", "float"))
    >>> print((x * x + 1.0).value.name)
    %v2
    >>> print(b.text())
      %v1 = fmul <4 x float> %x, %x
      %v2 = fadd <4 x float> %v1, splat (float 0x3FF0000000000000)
    """

    __slots__ = ("b", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, b: Builder, value: Value) -> None:
        self.b = b
        self.value = value

    @property
    def type(self) -> str:
        """The type of an element."""
        return self.value.type

    def of(self, other: Operand) -> Term:
        """``other`` as a term of this type."""
        if isinstance(other, Term):
            return other
        return Term(self.b, self.b.constant(self.type, other))

    def _binary(self, floating: str, integer: str, other: Operand, swap: bool = False) -> Term:
        x, y = self, self.of(other)
        if swap:
            x, y = y, x
        name = floating if self.type in FLOATS else integer
        return Term(self.b, self.b.binary(name, x.value, y.value))

    def _compare(self, predicate: str, other: Operand) -> Term:
        kind = "fcmp o" if self.type in FLOATS else "icmp " + "s" * (predicate not in ("eq", "ne"))
        return Term(self.b, self.b.compare(kind + predicate, self.value, self.of(other).value))

    # -- arithmetic --------------------------------------------------------------------------------

    def __add__(self, other: Operand) -> Term:
        return self._binary("fadd", "add", other)

    def __radd__(self, other: Operand) -> Term:
        return self._binary("fadd", "add", other, swap=True)

    def __sub__(self, other: Operand) -> Term:
        return self._binary("fsub", "sub", other)

    def __rsub__(self, other: Operand) -> Term:
        return self._binary("fsub", "sub", other, swap=True)

    def __mul__(self, other: Operand) -> Term:
        return self._binary("fmul", "mul", other)

    def __rmul__(self, other: Operand) -> Term:
        return self._binary("fmul", "mul", other, swap=True)

    def __truediv__(self, other: Operand) -> Term:
        return self._binary("fdiv", "sdiv", other)

    def __rtruediv__(self, other: Operand) -> Term:
        return self._binary("fdiv", "sdiv", other, swap=True)

    def __neg__(self) -> Term:
        return Term(self.b, self.b.fneg(self.value)) if self.type in FLOATS else 0 - self

    def __and__(self, other: Operand) -> Term:
        return self._binary("", "and", other)

    def __or__(self, other: Operand) -> Term:
        return self._binary("", "or", other)

    def __xor__(self, other: Operand) -> Term:
        return self._binary("", "xor", other)

    def __invert__(self) -> Term:
        return self ^ -1

    def __lshift__(self, count: Operand) -> Term:
        return self._binary("", "shl", count)

    def __rshift__(self, count: Operand) -> Term:
        """Zeros come in from the left, for a negative number too."""
        return self._binary("", "lshr", count)

    # -- comparison: false if a NaN takes part, but for ``!=`` -------------------------------------

    def __lt__(self, other: Operand) -> Term:
        return self._compare("lt", other)

    def __le__(self, other: Operand) -> Term:
        return self._compare("le", other)

    def __gt__(self, other: Operand) -> Term:
        return self._compare("gt", other)

    def __ge__(self, other: Operand) -> Term:
        return self._compare("ge", other)

    def __eq__(self, other: Operand) -> Term:  # type: ignore[override]
        return self._compare("eq", other)

    def __ne__(self, other: Operand) -> Term:  # type: ignore[override]
        kind = "fcmp une" if self.type in FLOATS else "icmp ne"
        return Term(self.b, self.b.compare(kind, self.value, self.of(other).value))

    def is_nan(self) -> Term:
        """Where this is not a number."""
        return Term(self.b, self.b.compare("fcmp uno", self.value, self.value))

    # -- other views of the same value -------------------------------------------------------------

    def bits(self) -> Term:
        """The bits of a floating number, as an integer."""
        return Term(self.b, self.b.convert("bitcast", self.value, BITS[self.type]))

    def floating(self) -> Term:
        """The floating number that has these bits."""
        to = "float" if self.type == "i32" else "double"
        return Term(self.b, self.b.convert("bitcast", self.value, to))

    def to(self, element: str) -> Term:
        """A floating number in another floating type, rounded once."""
        if element == self.type:
            return self
        wider = FLOATS[element] > FLOATS[self.type]
        return Term(self.b, self.b.convert("fpext" if wider else "fptrunc", self.value, element))

    def call(self, intrinsic: str, *others: Operand) -> Term:
        """An intrinsic of this term and others."""
        operands = [self.of(other).value for other in others]
        return Term(self.b, self.b.call(intrinsic, self.value, *operands))


Operand: TypeAlias = Term | float
"""What may stand next to a term."""


def where(condition: Term, x: Operand, y: Operand) -> Term:
    """``x`` where the condition holds, else ``y``; one of the two is a term."""
    first = x if isinstance(x, Term) else y
    assert isinstance(first, Term)
    value = condition.b.select(condition.value, first.of(x).value, first.of(y).value)
    return Term(condition.b, value)


def magnitude(x: Term) -> Term:
    """|x|."""
    return x.call("llvm.fabs")


def root(x: Term) -> Term:
    """The square root, correctly rounded."""
    return x.call("llvm.sqrt")


def with_sign(x: Term, sign: Operand) -> Term:
    """``x`` with the sign of ``sign``."""
    return x.call("llvm.copysign", sign)


def fma(x: Term, y: Operand, z: Operand) -> Term:
    """x y + z, rounded once; in a language that has no such operation, twice.

    >>> b = Builder(4)
    >>> x = Term(b, Value("%x", "float"))
    >>> print(fma(x, x, 1.0).b.text())  # doctest: +ELLIPSIS
      %v1 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x, <4 x float> %x, <4 x float> splat ...
    """
    if not x.b.has_fma:
        return x * y + z
    return x.call("llvm.fma", y, z)


def least(x: Term, bound: Operand) -> Term:
    """The lesser of two; a NaN in ``x`` stays."""
    return where(x > bound, bound, x)


def most(x: Term, bound: Operand) -> Term:
    """The greater of two; a NaN in ``x`` stays."""
    return where(x < bound, bound, x)


def pattern(element: str, number: float) -> int:
    """The bits of a number, as an integer.

    >>> hex(pattern("double", 1.0)), hex(pattern("float", -2.0))
    ('0x3ff0000000000000', '0xc0000000')
    """
    return int.from_bytes(struct.pack(">d" if element == "double" else ">f", number), "big")


def polynomial(x: Term, coefficients: Sequence[float]) -> Term:
    """``c[0] + c[1] x + c[2] x**2 + ...``: long ones as even and odd powers side by side.

    >>> b = Builder()
    >>> polynomial(Term(b, Value("%x", "double")), [1.0, 2.0]).value.name
    '%v1'
    """
    if len(coefficients) <= _SHORT:
        return horner(x, coefficients)
    square = x * x
    return fma(x, horner(square, coefficients[1::2]), horner(square, coefficients[::2]))


_SHORT = 4
"""Up to so many coefficients there is nothing to gain from two shorter chains."""


def horner(x: Term, coefficients: Sequence[float]) -> Term:
    """The same from the highest power down: where terms cancel, this loses least."""
    total = x.of(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = fma(total, x, coefficient)
    return total
