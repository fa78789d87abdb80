"""Elementary functions in GLSL, whose own have no float64 and are inaccurate for float32.

The formulas are those of `onebuf.render.math`, written with a builder that writes GLSL in place of
LLVM IR. So a function has about the same accuracy on every device that computes in float64; `exp`
of float32, without fused operations, is up to 1.2 units in the last place off instead of 0.9. The
functions that a formula needs come before it in the text.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from onebuf.graph import BINARY, INEXACT
from onebuf.render.builder import FLOATS, Builder, Value
from onebuf.render.math import MATH
from onebuf.render.math.division import fmod
from onebuf.render.math.term import Term, magnitude, where, with_sign

PREFIX = "ob_"
"""The prefix of the names of these functions."""

TYPES = {
    **{"float": "float", "double": "double", "i1": "bool"},
    **{"i32": "int", "i64": "int64_t", "i128": "u64vec2"},
}
"""The types of LLVM in GLSL: 128 bits are two words, the lower one first."""

_SIGNS = {
    **{"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"},
    **{"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<"},
}
_OF_BOOLS = {"and": "&&", "or": "||", "xor": "!="}
_COMPARES = {
    **{"fcmp oeq": "==", "fcmp olt": "<", "fcmp ole": "<=", "fcmp ogt": ">", "fcmp oge": ">="},
    **{"icmp eq": "==", "icmp ne": "!=", "icmp slt": "<", "icmp sle": "<="},
    **{"icmp sgt": ">", "icmp sge": ">="},
}
_CALLS = {
    **{"fabs": "abs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc"},
    **{"rint": "roundEven", "copysign": "ob_with_sign", "fshl": "ob_shifted", "ctlz": "ob_zeros"},
}
_BITCASTS = {
    ("float", "i32"): "floatBitsToInt",
    ("i32", "float"): "intBitsToFloat",
    ("double", "i64"): "doubleBitsToInt64",
    ("i64", "double"): "int64BitsToDouble",
}

_WITH_SIGN = {
    "float": """\
float ob_with_sign(float x, float y) {
  return intBitsToFloat((floatBitsToInt(x) & 0x7fffffff) | (floatBitsToInt(y) & ~0x7fffffff));
}""",
    "double": """\
double ob_with_sign(double x, double y) {
  uint64_t size = doubleBitsToUint64(x) << 1, top = doubleBitsToUint64(y) >> 63;
  return uint64BitsToDouble((size >> 1) | (top << 63));
}""",
}
_NAN = {
    "float": "bool ob_nan(float x) { return (floatBitsToUint(x) << 1) > 0xff000000u; }",
    "double": """\
bool ob_nan(double x) { return (doubleBitsToUint64(x) << 1) > 0xffe0000000000000UL; }""",
}
"""By its bits: compilers may assume that there are no NaNs."""
_SHIFTED = """\
int64_t ob_shifted(int64_t x, int64_t y, int64_t count) {
  int n = int(count) & 63;
  return n == 0 ? x : int64_t((uint64_t(x) << n) | (uint64_t(y) >> (64 - n)));
}"""
_ZEROS = """\
int64_t ob_zeros(int64_t x, bool undefined) {
  uvec2 words = unpackUint2x32(uint64_t(x));
  int top = words.y != 0u ? 32 + findMSB(words.y) : findMSB(words.x);
  return int64_t(63 - top);
}"""
_PRODUCT = """\
u64vec2 ob_product(u64vec2 x, u64vec2 y) {
  uvec2 a = unpackUint2x32(x.x), b = unpackUint2x32(y.x);
  uint64_t low = uint64_t(a.x) * uint64_t(b.x);
  uint64_t one = uint64_t(a.y) * uint64_t(b.x) + (low >> 32);
  uint64_t two = uint64_t(a.x) * uint64_t(b.y) + uint64_t(uint(one));
  uint64_t high = uint64_t(a.y) * uint64_t(b.y) + (one >> 32) + (two >> 32);
  return u64vec2((two << 32) | uint64_t(uint(low)), high);
}"""
_SUM = """\
u64vec2 ob_sum(u64vec2 x, u64vec2 y) {
  uint64_t low = x.x + y.x;
  return u64vec2(low, x.y + y.y + uint64_t(low < x.x));
}"""
_LEFT = """\
double ob_left(double x, double y) {
  const uint64_t ONE = uint64_t(1) << 52;
  uint64_t a = doubleBitsToUint64(x), b = doubleBitsToUint64(y);
  uint64_t top = (a >> 63) << 63;
  a = (a << 1) >> 1;
  b = (b << 1) >> 1;
  if (a < b) return x;
  int far = max(int(a >> 52), 1), near = max(int(b >> 52), 1);
  a = a < ONE ? a : (a & (ONE - uint64_t(1))) | ONE;
  b = b < ONE ? b : (b & (ONE - uint64_t(1))) | ONE;
  a = a % b;
  for (int left = far - near; left > 0; left -= 11) a = (a << min(left, 11)) % b;
  int up = a == uint64_t(0) ? 0 : min(int(ob_zeros(int64_t(a), true)) - 11, near - 1);
  uint64_t size = a << up;
  size = size < ONE ? size : (size & (ONE - uint64_t(1))) | (uint64_t(near - up) << 52);
  return uint64BitsToDouble(top | size);
}"""
"""The remainder of x divided by y, by long division: both are finite."""

_NEEDS: dict[str, Any] = {"fshl": _SHIFTED, "ctlz": _ZEROS}


def constant(element: str, number: float | int) -> str:
    """A number, exact to the bit.

    >>> constant("double", 0.5), constant("float", 0.1), constant("i64", -1)
    ('0.5lf', 'uintBitsToFloat(0x3dcccccdu)', 'int64_t(-1)')
    """
    if element == "i1":
        return "true" if number else "false"
    if element not in FLOATS:
        return _integer(element, int(number))
    if abs(number) < 2**20 and (8 * number) % 1 == 0 and number != 0:
        return f"{float(number)!r}{'f' if element == 'float' else 'lf'}"
    if element == "float":
        return f"uintBitsToFloat(0x{int.from_bytes(struct.pack('>f', number), 'big'):08x}u)"
    return f"uint64BitsToDouble(0x{int.from_bytes(struct.pack('>d', number), 'big'):016x}UL)"


def _integer(element: str, number: int) -> str:
    bits = {"i32": 32, "i64": 64, "i128": 128}[element]
    if element == "i128":
        return f"u64vec2(uint64_t({number}), uint64_t(0))"
    number = (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    small = abs(number) < 1 << 31
    if element == "i32":
        return f"{number}" if small and number >= 0 else f"int(0x{number % (1 << 32):08x}u)"
    return f"int64_t({number})" if small else f"int64_t(0x{number % (1 << 64):016x}UL)"


class GlslBuilder(Builder):
    """Statements of GLSL.

    Its ``fma`` may round twice, so formulas do without.
    """

    has_fma = False

    def __init__(self) -> None:
        super().__init__(1)
        self.slow_path = self._slow_path

    def give(self, element: str, text: str) -> Value:
        """A variable; operations on floats are precise, so that they are not contracted."""
        self._count += 1
        name = f"t{self._count}"
        exact = "precise " if element in FLOATS else ""
        self.lines.append(f"  {exact}{TYPES[element]} {name} = {text};")
        return Value(name, element)

    def constant(self, element: str, number: float | int) -> Value:
        """A number."""
        return Value(constant(element, number), element)

    def binary(self, instruction: str, x: Value, y: Value) -> Value:
        """An operation on two values of one type."""
        assert x.type == y.type, f"{instruction} of {x} and {y}"
        one, two, type_ = x.name, y.name, TYPES[x.type]
        if x.type == "i128":
            return self.give(x.type, self._long(instruction, one, two))
        if x.type == "i1":
            return self.give("i1", f"{one} {_OF_BOOLS[instruction]} {two}")
        if instruction == "frem":
            self.helpers |= {"ctlz": _ZEROS, "left": _LEFT}
            return self.give(x.type, f"{type_}(ob_left(double({one}), double({two})))")
        if instruction == "shl":
            return self.give(x.type, f"{one} << int({two})")
        if instruction == "lshr":
            unsigned = "uint" if x.type == "i32" else "uint64_t"
            return self.give(x.type, f"{type_}({unsigned}({one}) >> int({two}))")
        return self.give(x.type, f"{one} {_SIGNS[instruction]} {two}")

    def _long(self, instruction: str, x: str, y: str) -> str:
        """An operation on integers of 128 bits."""
        if instruction == "lshr":
            assert y == _integer("i128", 64), "by a word"
            return f"u64vec2({x}.y, uint64_t(0))"
        name, text = {"mul": ("product", _PRODUCT), "add": ("sum", _SUM)}[instruction]
        self.helpers[name] = text
        return f"{PREFIX}{name}({x}, {y})"

    def compare(self, instruction: str, x: Value, y: Value) -> Value:
        """A comparison; unordered ones, which NaN makes true, are composed of others."""
        if instruction == "fcmp une":
            return self.give("i1", f"!({x.name} == {y.name})")
        if instruction == "fcmp uno":
            self.helpers[f"nan_{x.type}"] = _NAN[x.type]
            tests = [f"ob_nan({name})" for name in dict.fromkeys((x.name, y.name))]
            return self.give("i1", " || ".join(tests))
        return self.give("i1", f"{x.name} {_COMPARES[instruction]} {y.name}")

    def convert(self, instruction: str, x: Value, to: str) -> Value:
        """A conversion."""
        if instruction == "bitcast":
            return self.give(to, f"{_BITCASTS[x.type, to]}({x.name})")
        if instruction == "zext":
            return self.give(to, f"u64vec2(uint64_t({x.name}), uint64_t(0))")
        if instruction == "trunc":
            return self.give(to, f"int64_t({x.name}.x)")
        if instruction == "uitofp":
            return self.give(to, f"{TYPES[to]}(uint64_t({x.name}))")
        return self.give(to, f"{TYPES[to]}({x.name})")

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """One of two values."""
        assert x.type == y.type, f"select of {x} and {y}"
        return self.give(x.type, f"{condition.name} ? {x.name} : {y.name}")

    def call(self, intrinsic: str, *operands: Value, result: str | None = None) -> Value:
        """A function of GLSL, or one of the few that it lacks."""
        name = intrinsic.removeprefix("llvm.")
        element = operands[0].type
        if name == "copysign":
            self.helpers[f"with_sign_{element}"] = _WITH_SIGN[element]
        elif name in _NEEDS:
            self.helpers[name] = _NEEDS[name]
        arguments = ", ".join([operand.name for operand in operands])
        return self.give(result or element, f"{_CALLS[name]}({arguments})")

    def fneg(self, x: Value) -> Value:
        """-x."""
        return self.give(x.type, f"-{x.name}")

    def looked_up(self, table: str, numbers: Any, position: Value) -> Value:
        """An element of a constant table."""
        name = PREFIX + table.rpartition(".")[2]
        words = ", ".join([_integer("i64", number) for number in numbers])
        type_ = f"int64_t[{len(numbers)}]"
        self.helpers[name] = f"const {type_} {name} = {type_}({words});"
        return self.give("i64", f"{name}[int({position.name})]")

    def _slow_path(
        self, name: str, lanes: Value, usual: Value, formula: Any, *operands: Value
    ) -> Value:
        """``usual``, but if ``lanes`` holds, the formula of the operands by a function call."""
        called = f"{PREFIX}rare_{name}"
        self.helpers |= _function(called, usual.type, formula, tuple([v.type for v in operands]))
        arguments = ", ".join([operand.name for operand in operands])
        result = self.give(usual.type, usual.name)
        self.lines.append(f"  if ({lanes.name}) {result.name} = {called}({arguments});")
        return result


def _function(called: str, result: str, formula: Any, elements: tuple[str, ...]) -> dict[str, str]:
    """The function of a formula, after the functions that it needs, by name."""
    b = GlslBuilder()
    inputs = [Value(f"x{number}", element) for number, element in enumerate(elements)]
    value = formula(b, *inputs)
    parameters = ", ".join([f"{TYPES[v.type]} {v.name}" for v in inputs])
    head = f"{TYPES[result]} {called}({parameters})"
    text = f"{head} {{\n{b.text()}\n  return {value.name};\n}}"
    return b.helpers | {f"{called}_{elements[0]}": text}


def _fmod(b: Builder, x: Value, y: Value) -> Value:
    return fmod(Term(b, x), Term(b, y)).value


def _rounding(intrinsic: str, corrected: Callable[[Term, Term], Term]) -> Any:
    """An integer near x, by adding 2**52, so that no bits are left for a fraction.

    Some drivers round large, negative or zero float64 values wrongly. float32 takes GLSL's own.
    """

    def write(b: Builder, value: Value) -> Value:
        x = Term(b, value)
        if x.type == "float":
            return x.call(intrinsic).value
        size = magnitude(x)
        near = with_sign(where(size < _WHOLE, (size + _WHOLE) - _WHOLE, size), x)
        return with_sign(corrected(x, near), x).value

    return write


_WHOLE = 2.0**52
_TOWARDS = {
    "rint": _rounding("llvm.rint", lambda x, near: near),
    "floor": _rounding("llvm.floor", lambda x, near: where(near > x, near - 1.0, near)),
    "ceil": _rounding("llvm.ceil", lambda x, near: where(near < x, near + 1.0, near)),
    "trunc": _rounding(
        "llvm.trunc",
        lambda x, near: where(magnitude(near) > magnitude(x), near - with_sign(x.of(1.0), x), near),
    ),
}

FORMULAS = {
    "fmod": _fmod,
    **_TOWARDS,
    **{
        op.name: MATH[op.name]
        for op in INEXACT | {BINARY["copysign"], BINARY["nextafter"]}
        if op is not BINARY["logaddexp"]  # which is made of others
    },
}
"""The functions that are here, by the names that C has for them."""


@cache
def library(name: str, element: str) -> dict[str, str]:
    """What has to stand in a text that calls a function, by name and in order."""
    elements = (element,) * (2 if name in BINARY or name == "fmod" else 1)
    return _function(PREFIX + name, element, FORMULAS[name], elements)
