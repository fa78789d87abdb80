"""Fused operations are exact on every processor, those that have no instruction for it included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from accuracy import FUNCTIONS, samples
from compiled import DTYPES, Array, Compiled, module

from onebuf.backends.cpu.compiler import compile
from onebuf.backends.cpu.emulated_fma import emulated, lacks_fma
from onebuf.backends.cpu.target import Target, host
from onebuf.render.builder import Builder, Value
from onebuf.render.clike.glsl_math import GlslBuilder
from onebuf.render.math import MATH
from onebuf.render.math.double_double import exact_product
from onebuf.render.math.term import Term, fma, polynomial

COUNT = 2_000


def run(name: str, element: str, lanes: int, operands: list[Array], target: Target) -> Array:
    """What a function gives, compiled for a processor and loaded as kernels are."""
    return _run(*module(MATH[name], element, lanes, len(operands)), operands, target)


def _run(text: str, result: str, operands: list[Array], target: Target) -> Array:
    """What the module ``text`` makes of operands."""
    words = [f"%w{n}" for n in range(len(operands) + 2)]
    loads = [
        line
        for n, word in enumerate(words)
        for line in (
            f"  {word}.at = getelementptr i64, ptr %args, i64 {n}",
            f"  {word} = load {'ptr' if n <= len(operands) else 'i64'}, ptr {word}.at",
        )
    ]
    typed = ", ".join([*(f"ptr {word}" for word in words[:-1]), f"i64 {words[-1]}"])
    head = "define void @kernel(ptr %args, i64 %begin, i64 %end) {"
    entry = "\n".join([head, *loads, f"  call void @f({typed})", "  ret void", "}"])
    program = compile(f"{text}\n{entry}\n", "kernel", target)
    out = np.zeros(operands[0].size, DTYPES[result])
    arrays = [*operands, out]
    args = np.array([*(array.ctypes.data for array in arrays), out.size], np.int64)
    program.call(args.ctypes.data, 0, 1)
    return out


def bits(x: Array) -> Array:
    """The bits of numbers, with one pattern for all NaNs."""
    return np.where(np.isnan(x), x.dtype.type(np.nan), x).view(f"u{x.dtype.itemsize}")


@pytest.mark.parametrize("element", ["float", "double"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_processor_without_the_instruction_gives_the_same_bits(name: str, element: str) -> None:
    operands = [x[: x.size // 8 * 8] for x in samples(name, element, COUNT)]
    usual = run(name, element, 8, operands, host())
    plain = run(name, element, 8, operands, host().baseline())
    np.testing.assert_array_equal(bits(plain), bits(usual))
    assert np.isfinite(usual).any()


def _fused(b: Builder, x: Value, y: Value, z: Value) -> Value:
    return fma(Term(b, x), Term(b, y), Term(b, z)).value


@pytest.mark.parametrize("element", ["float", "double"])
def test_a_product_and_a_sum_are_rounded_once(element: str) -> None:
    rng = np.random.default_rng(3)
    dtype = DTYPES[element]
    x, y = (rng.uniform(1, 2, 400).astype(dtype) for _ in range(2))
    # Next to the product, where two roundings lose everything, and far from it.
    z = np.where(rng.random(400) < 0.5, -(x * y), x * y * 2.0 ** rng.integers(-30, 30, 400))
    z = z.astype(dtype)
    found = Compiled(_fused, element, 8, 3)(x, y, z)
    exact = [
        Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        for a, b, c in zip(x, y, z, strict=True)
    ]
    for value, true in zip(found, exact, strict=True):
        near = [np.nextafter(value, dtype.type(side * np.inf)) for side in (-1, 1)]
        error = abs(Fraction(float(value)) - true)
        assert all(error <= abs(Fraction(float(other)) - true) for other in near)
    assert (found != x * y + z).any()


def test_a_language_without_the_operation_does_without() -> None:
    b = GlslBuilder()
    x = Term(b, Value("x", "double"))
    polynomial(x, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    exact_product(x, x)
    assert "fma" not in b.text()


def test_a_formula_of_vectors_has_a_fused_operation() -> None:
    b = Builder(4)
    polynomial(Term(b, Value("%x", "double")), [1.0, 2.0, 3.0])
    assert b.text().count("@llvm.fma.v4f64") == 2


def fused(element: str, lanes: int, operands: list[Array], target: Target) -> Array:
    """x y + z of three arrays, compiled for a processor."""
    return _run(*module(_fused, element, lanes, 3), operands, target)


def awkward(element: str) -> list[Array]:
    """Operands of all exponents, special ones, and sums that cancel or are nearly ties."""
    rng = np.random.default_rng(8)
    dtype, count = DTYPES[element], 4096
    info = np.finfo(dtype)
    top, low = (120, -140) if element == "float" else (1000, -1060)
    odd = [0.0, 1.0, np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, 1 + info.eps]
    x, y, z = (rng.uniform(1, 2, count) * 2.0 ** rng.integers(low, top, count) for _ in range(3))
    with np.errstate(all="ignore"):
        x, y, z = (a.astype(dtype) * rng.choice([-1, 1], count) for a in (x, y, z))
        usual = rng.random(count) < 0.6
        x, y = (np.where(usual, rng.uniform(-2, 2, count), a).astype(dtype) for a in (x, y))
        near = -(x * y) * rng.choice([1, 1 + info.eps, 1 - info.eps, 2.0**-26], count)
        z = np.where(usual, near, z).astype(dtype)
    for array in (x, y, z):
        places = rng.integers(0, count, 600)
        array[places] = rng.choice([*odd, *(-each for each in odd)], 600).astype(dtype)
    return [x, y, z]


@pytest.mark.parametrize("lanes", [1, 8, 32])
@pytest.mark.parametrize("element", ["float", "double"])
def test_an_emulated_operation_has_the_bits_of_the_instruction(element: str, lanes: int) -> None:
    operands = awkward(element)
    plain = fused(element, lanes, operands, host().baseline())
    assert "@llvm.fma" in module(_fused, element, lanes, 3)[0]
    np.testing.assert_array_equal(bits(plain), bits(fused(element, lanes, operands, host())))


@pytest.mark.parametrize("element", ["float", "double"])
def test_an_emulated_operation_is_rounded_once(element: str) -> None:
    x, y, z = awkward(element)
    found = fused(element, 8, [x, y, z], host().baseline())
    whole = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & np.isfinite(found)
    assert whole.mean() > 0.5
    for a, b, c, value in zip(x[whole], y[whole], z[whole], found[whole], strict=True):
        true = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        error = abs(Fraction(float(value)) - true)
        for side in (-np.inf, np.inf):
            with np.errstate(all="ignore"):
                other = np.nextafter(value, value.dtype.type(side))
            if np.isfinite(other):
                assert error <= abs(Fraction(float(other)) - true)


def test_only_processors_without_the_instruction_emulate_it() -> None:
    assert lacks_fma(host().baseline()) == (host().architecture == "x86_64")
    assert lacks_fma(Target("x86_64-unknown-linux-gnu", "nehalem", "+sse4.2,-fma"))
    assert not lacks_fma(Target("x86_64-unknown-linux-gnu", "haswell", "+avx2,+fma"))
    assert not lacks_fma(Target("aarch64-linux-gnu", "generic"))
    text, _ = module(MATH["exp"], "double", 8)
    assert "@llvm.fma" not in emulated(text)
    assert emulated("define void @f() {\n  ret void\n}\n").startswith("define void @f()")
