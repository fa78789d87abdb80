"""Fused multiply-add for processors that have no instruction for it, in vectors and to the bit.

LLVM would call the C library for each lane, which takes a hundred times as long where the library
has no instruction either. Here a call of ``llvm.fma`` becomes one of a function beside the kernel.

For floats the product is exact in double, and the sum is rounded to odd: a second rounding, to
float, is then correct. For doubles the product and both sums are exact as pairs (Boldo, Melquiond:
Emulation of FMA and correctly rounded sums, 2008), unless numbers are so large or so small that a
part of a pair overflows or vanishes. Vectors with such a lane call the library.
"""

from __future__ import annotations

import re

from onebuf.backends.cpu.target import Target
from onebuf.render.builder import Builder, Value
from onebuf.render.math.double_double import Pair, exact_sum, split_product
from onebuf.render.math.term import Term, magnitude, where

_DECLARED = re.compile(r"declare .* @llvm\.fma\.(v(\d+))?(f32|f64)\(.*\)\n")
_LIBRARY = "declare double @fma(double, double, double)"
_LARGE, _SMALL = 2.0**900, 2.0**-800
"""Between these, parts of pairs are numbers of full precision."""


def lacks_fma(target: Target) -> bool:
    """Whether a processor has no instruction for it: old or virtual ones of x86-64."""
    features = target.features.split(",")
    return target.architecture == "x86_64" and ("-fma" in features or target.cpu == "x86-64")


def emulated(ir: str) -> str:
    """``ir`` with functions of its own in place of ``llvm.fma``."""
    found = {match[0]: (int(match[2] or 1), match[3]) for match in _DECLARED.finditer(ir)}
    if not found:
        return ir
    for declaration in found:
        ir = ir.replace(declaration, "")
    ir = ir.replace("@llvm.fma.", "@onebuf.fma.")
    kinds = sorted(set(found.values()))
    return "\n".join([ir, _LIBRARY, *[_function(*kind) for kind in kinds]])


def _function(lanes: int, kind: str) -> str:
    """The function for one number of lanes."""
    b = Builder(lanes)
    element = "float" if kind == "f32" else "double"
    x, y, z = (Term(b, Value(name, element)) for name in ("%x", "%y", "%z"))
    name, of = f"onebuf.fma.{b.mangled(element)}", b.type(element)
    b.line("entry:")
    if element == "float":
        total = x.to("double") * y.to("double")
        b.line(f"ret {of} {_odd(exact_sum(total, z.to('double'))).to('float').value.name}")
    else:
        _of_doubles(b, x, y, z)
    arguments = f"{of} %x, {of} %y, {of} %z"
    return f"define internal {of} @{name}({arguments}) nounwind {{\n{b.text()}\n}}\n"


def _odd(total: Pair) -> Term:
    """The sum of a pair, rounded to the neighbour with an odd last bit unless it is exact."""
    bits = total.high.bits()
    outwards = (bits ^ total.low.bits()) >= 0
    inexact = (total.low < 0.0) | (total.low > 0.0)
    step = where(outwards, bits.of(1), bits.of(-1))
    return where(inexact & ((bits & 1) == 0), bits + step, bits).floating()


def _of_doubles(b: Builder, x: Term, y: Term, z: Term) -> None:
    """x y + z, and what goes before the end of the function."""
    product = split_product(x, y)
    first = exact_sum(z, product.low)
    second = exact_sum(product.high, first.high)
    usual = second.high + _odd(exact_sum(first.low, second.low))
    # Of zeros, infinities and NaNs the plain formula is right, also as to signs; next to a product
    # that overflows, an infinite z is the result.
    plain, endless = product.high + z, (z - z).is_nan()
    factors = (x == 0.0) | (y == 0.0) | (x - x).is_nan() | (y - y).is_nan()
    usual = where(factors, plain, where(endless, z, usual))
    simple = factors | endless
    sizes = [magnitude(number) for number in (x, y, z, product.high)]
    outside = sizes[3] < _SMALL
    for size in sizes:
        outside = outside | ~(size < _LARGE)
    rare = outside & ~simple
    of, flag = b.type("double"), rare.value.name
    if b.lanes > 1:
        word = b.emit(f"bitcast <{b.lanes} x i1> {flag} to i{b.lanes}")
        flag = b.emit(f"icmp ne i{b.lanes} {word}, 0")
    b.line(f"br i1 {flag}, label %rare, label %usual")
    b.line("usual:")
    b.line(f"ret {of} {usual.value.name}")
    b.line("rare:")
    result = "poison"
    for lane in range(b.lanes):
        numbers = [v.value.name for v in (x, y, z)]
        if b.lanes > 1:
            numbers = [b.emit(f"extractelement {of} {name}, i64 {lane}") for name in numbers]
        operands = ", ".join(f"double {name}" for name in numbers)
        found = b.emit(f"call double @fma({operands})")
        if b.lanes > 1:
            found = b.emit(f"insertelement {of} {result}, double {found}, i64 {lane}")
        result = found
    b.line(f"ret {of} {result}")
