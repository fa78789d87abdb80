"""Elementwise operations as LLVM IR, on scalars and vectors alike.

Operands already have the dtype that the operation computes in. Operations that are exact in IEEE
arithmetic have NumPy's bits; the others are those of `onebuf.render.math`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from onebuf.dtypes import DT, float32, float64, int64, kind, uint32, uint64
from onebuf.graph import BINARY, CAST, COMPLEX, RANDOM_WORDS, UNARY, WHERE, Op
from onebuf.kernel import LOAD, STORE, Nest, Step
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element import complex_numbers, float16
from onebuf.render.llvm.element.complex_numbers import PARTS
from onebuf.render.llvm.element.float16 import NARROW_FLOATS
from onebuf.render.llvm.element.random import random_words
from onebuf.render.math import MATH

Emit = Callable[[Builder, tuple[Value, ...], DT], Value]
"""(builder, operands, dtype of the operands) to the result."""

TYPES = {
    "bool": "i1",
    **{f"{sign}int{bits}": f"i{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{dtype.name: float16.BITS for dtype in NARROW_FLOATS},
    "float32": "float",
    "float64": "double",
    **{dtype.name: whole for dtype, whole in complex_numbers.WHOLE.items()},
}
"""The LLVM type of each dtype in registers."""


def memory_type(dtype: DT) -> str:
    """The type of an element in memory.

    >>> memory_type(np.dtype(bool)), memory_type(np.dtype("float32"))
    ('i8', 'float')
    """
    return "i8" if dtype == np.bool else TYPES[dtype.name]


def widest(nest: Nest, numbers: Iterable[int]) -> int:
    """The bytes of the widest element that some steps compute with; 4 if there are none."""
    return max([_nbytes(nest.steps[number]) for number in numbers], default=4)


def _nbytes(step: Step) -> int:
    """The bytes of an element while it is computed with."""
    nbytes = step.dtype.itemsize
    return 4 if step.dtype in NARROW_FLOATS and step.op not in (LOAD, STORE) else nbytes


def _arithmetic(of_float: str, of_int: str, of_bool: str = "") -> Emit:
    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        x, y = operands
        instruction = {"f": of_float, "b": of_bool or of_int}.get(kind(dtype), of_int)
        return b.binary(instruction, x, y)

    return emit


def _compare(of_float: str, of_signed: str, of_unsigned: str) -> Emit:
    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        x, y = operands
        letter = kind(dtype)
        if letter == "f":
            return b.compare(f"fcmp {of_float}", x, y)
        return b.compare(f"icmp {of_signed if letter == 'i' else of_unsigned}", x, y)

    return emit


def _logic(instruction: str) -> Emit:
    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        x, y = (_truth(b, operand, dtype) for operand in operands)
        return b.binary(instruction, x, y)

    return emit


def _bits(instruction: str) -> Emit:
    return lambda b, operands, dtype: b.binary(instruction, *operands)


def _rounding(name: str) -> Emit:
    """A function that leaves integers as they are."""

    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        return MATH[name](b, *operands) if kind(dtype) == "f" else operands[0]

    return emit


def _formula(name: str) -> Emit:
    return lambda b, operands, dtype: MATH[name](b, *operands)


def _truth(b: Builder, x: Value, dtype: DT) -> Value:
    if x.type == "i1":
        return x
    zero = b.constant(x.type, 0)
    return b.compare("fcmp une" if kind(dtype) == "f" else "icmp ne", x, zero)


def _not(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    return b.binary("xor", _truth(b, operands[0], dtype), b.constant("i1", 1))


def _invert(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    (x,) = operands
    return b.binary("xor", x, b.constant(x.type, 1 if x.type == "i1" else -1))


def _negative(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    (x,) = operands
    return b.fneg(x) if kind(dtype) == "f" else b.binary("sub", b.constant(x.type, 0), x)


def _abs(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    (x,) = operands
    if kind(dtype) == "f":
        return b.call("llvm.fabs", x)
    if kind(dtype) != "i":
        return x
    return b.select(b.compare("icmp slt", x, b.constant(x.type, 0)), _negative(b, (x,), dtype), x)


def _square(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    (x,) = operands
    return b.binary("fmul" if kind(dtype) == "f" else "mul", x, x)


def _extreme(name: str, of_signed: str, of_unsigned: str) -> Emit:
    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        x, y = operands
        letter = kind(dtype)
        if letter == "f":
            return MATH[name](b, x, y)
        test = b.compare(f"icmp {of_signed if letter == 'i' else of_unsigned}", x, y)
        return b.select(test, x, y)

    return emit


def _isnan(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    (x,) = operands
    if kind(dtype) != "f":
        return b.constant("i1", 0)
    return b.compare("fcmp uno", x, x)


def _size_against_infinity(test: str, otherwise: int) -> Emit:
    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        (x,) = operands
        if kind(dtype) != "f":
            return b.constant("i1", otherwise)
        return b.compare(test, b.call("llvm.fabs", x), b.constant(x.type, float("inf")))

    return emit


def _signbit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    (x,) = operands
    if kind(dtype) != "f":
        return b.compare("icmp slt", x, b.constant(x.type, 0))
    whole = f"i{dtype.itemsize * 8}"
    return b.compare("icmp slt", b.convert("bitcast", x, whole), b.constant(whole, 0))


def _shift(b: Builder, operands: tuple[Value, ...], dtype: DT, left: bool) -> Value:
    """A shift by any number of bits, as in NumPy: by the width or more it gives 0 or the sign."""
    x, by = operands
    width = 8 * dtype.itemsize
    near = b.compare("icmp ult", by, b.constant(x.type, width))
    if kind(dtype) == "i" and not left:
        return b.binary("ashr", x, b.select(near, by, b.constant(x.type, width - 1)))
    zero = b.constant(x.type, 0)
    moved = b.binary("shl" if left else "lshr", x, b.select(near, by, zero))
    return b.select(near, moved, zero)


def _division(name: str) -> Emit:
    """A quotient that is rounded down, or its remainder; of a division by zero, 0.

    The processor traps where a divisor is 0, or -1 and the quotient overflows: there it is 1.
    """

    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        x, y = operands
        letter = kind(dtype)
        if letter == "f":
            return MATH[name](b, x, y)
        zero, one, signed = b.constant(x.type, 0), b.constant(x.type, 1), letter == "i"
        is_zero = b.compare("icmp eq", y, zero)
        is_minus = b.compare("icmp eq", y, b.constant(x.type, -1))
        traps = b.binary("or", is_zero, is_minus) if signed else is_zero
        by = b.select(traps, one, y)
        quotient = b.binary("sdiv" if signed else "udiv", x, by)
        rest = b.binary("sub", x, b.binary("mul", quotient, by))
        if signed:
            other_sign = b.compare("icmp slt", b.binary("xor", rest, by), zero)
            down = b.binary("and", b.compare("icmp ne", rest, zero), other_sign)
            rest = b.select(down, b.binary("add", rest, by), rest)
            quotient = b.select(down, b.binary("sub", quotient, one), quotient)
            quotient = b.select(is_minus, b.binary("sub", zero, x), quotient)
        return b.select(is_zero, zero, quotient) if name == "floor_divide" else rest

    return emit


def _random(op: Op) -> Emit:
    return lambda b, operands, dtype: random_words(b, op, *operands)


ELEMENTS: dict[Op, Emit] = {
    BINARY["add"]: _arithmetic("fadd", "add", "or"),
    BINARY["subtract"]: _arithmetic("fsub", "sub"),
    BINARY["multiply"]: _arithmetic("fmul", "mul", "and"),
    BINARY["divide"]: _bits("fdiv"),
    BINARY["equal"]: _compare("oeq", "eq", "eq"),
    BINARY["not_equal"]: _compare("une", "ne", "ne"),
    BINARY["less"]: _compare("olt", "slt", "ult"),
    BINARY["less_equal"]: _compare("ole", "sle", "ule"),
    BINARY["greater"]: _compare("ogt", "sgt", "ugt"),
    BINARY["greater_equal"]: _compare("oge", "sge", "uge"),
    BINARY["logical_and"]: _logic("and"),
    BINARY["logical_or"]: _logic("or"),
    BINARY["logical_xor"]: _logic("xor"),
    BINARY["bitwise_and"]: _bits("and"),
    BINARY["bitwise_left_shift"]: lambda b, operands, dtype: _shift(b, operands, dtype, True),
    BINARY["bitwise_or"]: _bits("or"),
    BINARY["bitwise_right_shift"]: lambda b, operands, dtype: _shift(b, operands, dtype, False),
    BINARY["bitwise_xor"]: _bits("xor"),
    BINARY["maximum"]: _extreme("maximum", "sge", "uge"),
    BINARY["minimum"]: _extreme("minimum", "sle", "ule"),
    UNARY["abs"]: _abs,
    UNARY["bitwise_invert"]: _invert,
    UNARY["ceil"]: _rounding("ceil"),
    UNARY["floor"]: _rounding("floor"),
    UNARY["isfinite"]: _size_against_infinity("fcmp olt", 1),
    UNARY["isinf"]: _size_against_infinity("fcmp oeq", 0),
    UNARY["isnan"]: _isnan,
    UNARY["logical_not"]: _not,
    UNARY["negative"]: _negative,
    UNARY["positive"]: lambda b, operands, dtype: operands[0],
    UNARY["round"]: _rounding("round"),
    UNARY["signbit"]: _signbit,
    UNARY["square"]: _square,
    UNARY["trunc"]: _rounding("trunc"),
    WHERE: lambda b, operands, dtype: b.select(*operands),
    **{op: _random(op) for op in RANDOM_WORDS},
}
"""What each operation computes; for WHERE the dtype is that of its last operand."""

FLOATS_ONLY = {
    op: _formula(name)
    for name, op in (UNARY | BINARY).items()
    if name in MATH and op not in ELEMENTS
} | {BINARY[name]: _division(name) for name in ("floor_divide", "remainder")}
"""The rest, which is not defined for integers or not compiled for them. Index arithmetic alone
divides integers: NumPy divides an array by a number faster."""


def cast(b: Builder, x: Value, source: DT, target: DT) -> Value:
    """``x`` converted as NumPy does; floats out of range, as `integer_of` says."""
    to = TYPES[target.name]
    one, two = kind(source), kind(target)
    if source == target:
        return x
    if source in PARTS or target in PARTS:
        return _of_parts(b, x, source, target)
    if source in NARROW_FLOATS:
        return cast(b, float16.widen(b, x, source), float32, target)
    if target in NARROW_FLOATS:
        return _to_narrow_float(b, x, source, target)
    if two == "b":
        return _truth(b, x, source)
    if one == "f" and two == "f":
        return b.convert("fpext" if target.itemsize > source.itemsize else "fptrunc", x, to)
    if one == "f":
        return _to_integer(b, x, target)
    if two == "f":
        return b.convert("sitofp" if one == "i" else "uitofp", x, to)
    if one != "b" and source.itemsize == target.itemsize:
        return x._replace(type=to)
    if one != "b" and source.itemsize > target.itemsize:
        return b.convert("trunc", x, to)
    return b.convert("sext" if one == "i" else "zext", x, to)


def _of_parts(b: Builder, x: Value, source: DT, target: DT) -> Value:
    """A cast from or to complex numbers: of their parts, or with an imaginary part of zero."""
    if target not in PARTS:
        return complex_numbers.truth(b, x)
    part = PARTS[target]
    if source not in PARTS:
        return complex_numbers.join(
            b, (cast(b, x, source, part), b.constant(TYPES[part.name], 0.0))
        )
    real, imaginary = (cast(b, each, PARTS[source], part) for each in complex_numbers.split(b, x))
    return complex_numbers.join(b, (real, imaginary))


def _to_narrow_float(b: Builder, x: Value, source: DT, target: DT) -> Value:
    if source == float64:
        return float16.from_double(b, x, target)
    return float16.narrow(b, cast(b, x, source, float32), target)


def _to_integer(b: Builder, x: Value, target: DT) -> Value:
    """A float cut to an integer; out of range, as `onebuf.dtypes.integer_of` says."""
    to = TYPES[target.name]
    if target not in (int64, uint32, uint64):
        found = _to_signed(b, x, "i32")
    elif target != uint64:
        found = _to_signed(b, x, "i64")
    else:
        edge = b.constant(x.type, 2.0**63)
        is_high = b.compare("fcmp oge", x, edge)
        low = _to_signed(b, b.select(is_high, b.fsub(x, edge), x), "i64")
        found = b.select(is_high, b.binary("xor", low, b.constant("i64", -(1 << 63))), low)
    return found if found.type == to else b.convert("trunc", found, to)


def _to_signed(b: Builder, x: Value, to: str) -> Value:
    """A float cut to a signed integer; the least one for NaN and all that is out of range."""
    bits = int(to[1:])
    is_small = b.compare("fcmp olt", x, b.constant(x.type, 2.0 ** (bits - 1)))
    near = b.call(f"llvm.fptosi.sat.{b.mangled(to, x.uniform)}", x, result=to)
    return b.select(is_small, near, b.constant(to, -(1 << (bits - 1))))


def emit(b: Builder, op: Op, operands: tuple[Value, ...], dtypes: tuple[DT, ...], to: DT) -> Value:
    """The result of one elementwise operation."""
    if op is CAST:
        return cast(b, operands[0], dtypes[0], to)
    if dtypes[-1] in PARTS or op is COMPLEX:
        return complex_numbers.emit(b, op, operands)
    if dtypes[-1] in NARROW_FLOATS:
        return _of_narrow_floats(b, op, operands, dtypes, to)
    return (ELEMENTS.get(op) or FLOATS_ONLY[op])(b, operands, dtypes[-1])


def _of_narrow_floats(
    b: Builder, op: Op, operands: tuple[Value, ...], dtypes: tuple[DT, ...], to: DT
) -> Value:
    """An operation on narrow floats: on their bits, or in float32 and rounded."""
    on_bits = float16.ON_BITS.get(op)
    if on_bits is not None:
        return on_bits(b, operands, dtypes[-1])
    pairs = zip(operands, dtypes, strict=True)
    wide = tuple([float16.widen(b, x, dtype) for x, dtype in pairs])
    found = emit(b, op, wide, (float32,) * len(wide), float32)
    return float16.narrow(b, found, to, op in float16.EXACT) if to in NARROW_FLOATS else found


def supports(op: Op, operands: tuple[DT, ...], result: DT) -> bool:
    """Whether there is code for ``op`` on operands of these dtypes.

    >>> real, other = np.dtype("float32"), np.dtype("complex64")
    >>> supports(UNARY["exp"], (real,), real), supports(UNARY["exp"], (other,), other)
    (True, False)
    """
    if any(dtype.name not in TYPES for dtype in (*operands, result)):
        return False
    if any(dtype in PARTS for dtype in (*operands, result)):
        return op in complex_numbers.OPS or (
            op is CAST and (result in PARTS or kind(result) == "b")
        )
    if op in FLOATS_ONLY:
        return all(kind(dtype) == "f" for dtype in operands)
    return op in ELEMENTS or op is CAST
