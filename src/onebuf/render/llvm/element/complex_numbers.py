"""Complex numbers: loaded and stored as integers, computed as real and imaginary parts.

In memory, a complex64 is an ``i64`` and a complex128 an ``i128``, so that loads, stores and
transpositions treat them as any other element. Sums and products are computed on vectors in which
real and imaginary parts alternate, as in memory. Other operations split a vector by shuffles into
real and imaginary parts, and interleave the results. The builder remembers the parts of an
interleaved value (``Builder.parts``), so that it is not split again; if it is never stored, the
compiler removes the interleaving.

Products and quotients are rounded after every operation: none are fused. Quotients are computed by
Smith's algorithm (1962), as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.dtypes import DT, complex64, complex128, float32, float64
from onebuf.graph import BINARY, COMPLEX, UNARY, WHERE, Op
from onebuf.render.builder import Builder, Value
from onebuf.render.math import MATH

Parts = tuple[Value, Value]

PARTS: dict[DT, DT] = {complex64: float32, complex128: float64}
"""The dtype of the parts of each complex dtype."""
WHOLE: dict[DT, str] = {complex64: "i64", complex128: "i128"}
"""The LLVM type of a complex number in memory."""
_PART = {"i64": "float", "i128": "double"}
_WHOLE = {part: whole for whole, part in _PART.items()}


def split(b: Builder, x: Value) -> Parts:
    """The real and the imaginary parts."""
    known = b.parts.get(x.name)
    if known is not None:
        real, imaginary = (part._replace(uniform=x.uniform) for part in known)
        return real, imaginary
    of = _PART[x.type]
    lanes = 1 if x.uniform else b.lanes
    wide = f"<{2 * lanes} x {of}>"
    both = b.emit(f"bitcast {b.type(x.type, x.uniform)} {x.name} to {wide}")
    if lanes == 1:
        names = [b.emit(f"extractelement {wide} {both}, i64 {place}") for place in (0, 1)]
    else:
        masks = [", ".join(f"i32 {2 * lane + side}" for lane in range(lanes)) for side in (0, 1)]
        names = [
            b.emit(f"shufflevector {wide} {both}, {wide} poison, <{lanes} x i32> <{mask}>")
            for mask in masks
        ]
    real, imaginary = (Value(name, of, x.uniform) for name in names)
    return real, imaginary


def join(b: Builder, parts: Parts) -> Value:
    """A complex number of two parts, which the builder remembers."""
    real, imaginary = parts
    of = real.type
    uniform = real.uniform and imaginary.uniform
    lanes = 1 if uniform else b.lanes
    wide = f"<{2 * lanes} x {of}>"
    if lanes == 1:
        one = b.emit(f"insertelement {wide} poison, {of} {real.name}, i64 0")
        both = b.emit(f"insertelement {wide} {one}, {of} {imaginary.name}, i64 1")
    else:
        real, imaginary = (Value(b.spread(part), of) for part in parts)
        side = b.type(of)
        mask = ", ".join(f"i32 {lane}, i32 {lanes + lane}" for lane in range(lanes))
        both = b.emit(
            f"shufflevector {side} {real.name}, {side} {imaginary.name}, <{2 * lanes} x i32> "
            f"<{mask}>"
        )
    whole = _WHOLE[of]
    name = b.emit(f"bitcast {wide} {both} to {b.type(whole, uniform)}")
    b.parts[name] = (real, imaginary)
    return Value(name, whole, uniform)


# -- operations on interleaved parts ---------------------------------------------------------------


class Flat:
    """Vectors of twice as many lanes, in which real and imaginary parts alternate."""

    def __init__(self, b: Builder, whole: str) -> None:
        self.b = b
        self.whole = whole
        self.count = 2 * b.lanes
        self.type = f"<{self.count} x {_PART[whole]}>"

    def of(self, x: Value) -> str:
        """The parts of a complex number, in all lanes."""
        if not x.uniform:
            return self.b.emit(f"bitcast {self.b.type(x.type)} {x.name} to {self.type}")
        two = f"<2 x {_PART[x.type]}>"
        pair = self.b.emit(f"bitcast {x.type} {x.name} to {two}")
        return self._shuffle(two, pair, "poison", [0, 1] * self.b.lanes)

    def value(self, name: str) -> Value:
        """A vector of parts as complex numbers."""
        return Value(
            self.b.emit(f"bitcast {self.type} {name} to {self.b.type(self.whole)}"), self.whole
        )

    def do(self, instruction: str, x: str, y: str) -> str:
        """An instruction on all parts."""
        return self.b.emit(f"{instruction} {self.type} {x}, {y}")

    def negative(self, x: str) -> str:
        """All parts negated."""
        return self.b.emit(f"fneg {self.type} {x}")

    def picked(self, x: str, real: int, imaginary: int) -> str:
        """Both parts of each number replaced by its part 0 or 1."""
        lanes = range(0, self.count, 2)
        places = [lane + side for lane in lanes for side in (real, imaginary)]
        return self._shuffle(self.type, x, "poison", places)

    def mixed(self, x: str, y: str) -> str:
        """The real parts of one vector and the imaginary parts of another."""
        lanes = range(0, self.count, 2)
        places = [place for lane in lanes for place in (lane, self.count + lane + 1)]
        return self._shuffle(self.type, x, y, places)

    def _shuffle(self, of: str, x: str, y: str, places: list[int]) -> str:
        mask = ", ".join(f"i32 {place}" for place in places)
        return self.b.emit(f"shufflevector {of} {x}, {of} {y}, <{self.count} x i32> <{mask}>")


def _flat_each(instruction: str) -> Callable[..., str]:
    return lambda flat, x, y: flat.do(instruction, x, y)


def _flat_multiply(flat: Flat, x: str, y: str) -> str:
    one = flat.do("fmul", flat.picked(x, 0, 0), y)
    two = flat.do("fmul", flat.picked(x, 1, 1), flat.picked(y, 1, 0))
    return flat.mixed(flat.do("fsub", one, two), flat.do("fadd", one, two))


_FLAT: dict[Op, Callable[..., str]] = {
    BINARY["add"]: _flat_each("fadd"),
    BINARY["subtract"]: _flat_each("fsub"),
    BINARY["multiply"]: _flat_multiply,
    UNARY["conj"]: lambda flat, x: flat.mixed(x, flat.negative(x)),
    UNARY["negative"]: lambda flat, x: flat.negative(x),
    UNARY["square"]: lambda flat, x: _flat_multiply(flat, x, x),
}
"""Operations on interleaved vectors: from and to names of vectors of parts."""


# -- operations on parts ---------------------------------------------------------------------------


def _each(instruction: str) -> Callable[..., Value]:
    """An operation on real and on imaginary parts."""

    def emit(b: Builder, x: Parts, y: Parts) -> Value:
        return join(b, (b.binary(instruction, x[0], y[0]), b.binary(instruction, x[1], y[1])))

    return emit


def _multiply(b: Builder, x: Parts, y: Parts) -> Value:
    real = b.fsub(b.fmul(x[0], y[0]), b.fmul(x[1], y[1]))
    imaginary = b.fadd(b.fmul(x[0], y[1]), b.fmul(x[1], y[0]))
    return join(b, (real, imaginary))


def _divide(b: Builder, x: Parts, y: Parts) -> Value:
    """x / y, by the ratio of y's parts, the smaller to the larger."""
    sizes = [b.call("llvm.fabs", part) for part in y]
    is_real = b.compare("fcmp oge", *sizes)
    great, small = b.select(is_real, y[0], y[1]), b.select(is_real, y[1], y[0])
    near, far = b.select(is_real, x[0], x[1]), b.select(is_real, x[1], x[0])
    ratio = b.fdiv(small, great)
    one = b.constant(ratio.type, 1.0)
    scale = b.fdiv(one, b.fadd(great, b.fmul(small, ratio)))
    real = b.fmul(b.fadd(near, b.fmul(far, ratio)), scale)
    product = b.fmul(near, ratio)
    difference = b.select(is_real, b.fsub(far, product), b.fsub(product, far))
    imaginary = b.fmul(difference, scale)
    zero = b.constant(ratio.type, 0.0)
    is_zero = b.binary("and", is_real, b.compare("fcmp oeq", sizes[0], zero))
    by_zero = [b.fdiv(part, sizes[0]) for part in x]
    return join(b, (b.select(is_zero, by_zero[0], real), b.select(is_zero, by_zero[1], imaginary)))


def _negative(b: Builder, x: Parts) -> Value:
    return join(b, (b.fneg(x[0]), b.fneg(x[1])))


def _conj(b: Builder, x: Parts) -> Value:
    return join(b, (x[0], b.fneg(x[1])))


def _abs(b: Builder, x: Parts) -> Value:
    return MATH["hypot"](b, *x)


def _equal(test: str, both: str) -> Callable[..., Value]:
    def emit(b: Builder, x: Parts, y: Parts) -> Value:
        return b.binary(both, b.compare(test, x[0], y[0]), b.compare(test, x[1], y[1]))

    return emit


def _either(name: str, both: str) -> Callable[..., Value]:
    """A test of both parts."""
    return lambda b, x: b.binary(both, MATH[name](b, x[0]), MATH[name](b, x[1]))


def truth(b: Builder, x: Value) -> Value:
    """Whether a complex number is not zero."""
    real, imaginary = split(b, x)
    zero = b.constant(real.type, 0.0)
    tests = [b.compare("fcmp une", part, zero) for part in (real, imaginary)]
    return b.binary("or", *tests)


_FORMULAS: dict[Op, Callable[..., Value]] = {
    BINARY["add"]: _each("fadd"),
    BINARY["subtract"]: _each("fsub"),
    BINARY["multiply"]: _multiply,
    BINARY["divide"]: _divide,
    BINARY["equal"]: _equal("fcmp oeq", "and"),
    BINARY["not_equal"]: _equal("fcmp une", "or"),
    UNARY["abs"]: _abs,
    UNARY["conj"]: _conj,
    UNARY["imag"]: lambda b, x: x[1],
    UNARY["isfinite"]: _either("isfinite", "and"),
    UNARY["isinf"]: _either("isinf", "or"),
    UNARY["isnan"]: _either("isnan", "or"),
    UNARY["negative"]: _negative,
    UNARY["real"]: lambda b, x: x[0],
    UNARY["square"]: lambda b, x: _multiply(b, x, x),
}
"""What each operation computes of the parts of its operands."""

OPS = frozenset({*_FORMULAS, UNARY["positive"], WHERE, COMPLEX})
"""The operations on complex numbers, or on the parts of one, that have code."""


def emit(b: Builder, op: Op, operands: tuple[Value, ...]) -> Value:
    """The result of one operation."""
    if op is COMPLEX:
        return join(b, (operands[0], operands[1]))
    if op is UNARY["positive"]:
        return operands[0]
    if op is WHERE:
        return _where(b, *operands)
    if op in _FLAT and b.lanes > 1 and not all(x.uniform for x in operands):
        flat = Flat(b, operands[0].type)
        return flat.value(_FLAT[op](flat, *[flat.of(x) for x in operands]))
    return _FORMULAS[op](b, *[split(b, x) for x in operands])


def _where(b: Builder, condition: Value, x: Value, y: Value) -> Value:
    one, two = split(b, x), split(b, y)
    return join(b, (b.select(condition, one[0], two[0]), b.select(condition, one[1], two[1])))
