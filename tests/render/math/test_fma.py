"""Fused operations are exact on every processor, those that have no instruction for it included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from accuracy import FUNCTIONS, samples
from compiled import DTYPES, Array, Compiled, module

from onebuf.backends.cpu.compiler import compile
from onebuf.backends.cpu.target import Target, host
from onebuf.render.builder import Builder, Value
from onebuf.render.clike.glsl_math import GlslBuilder
from onebuf.render.math import MATH
from onebuf.render.math.double_double import exact_product
from onebuf.render.math.term import Term, fma, polynomial

COUNT = 2_000


def run(name: str, element: str, lanes: int, operands: list[Array], target: Target) -> Array:
    """What a function gives, compiled for a processor and loaded as kernels are."""
    text, _ = module(MATH[name], element, lanes, len(operands))
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
    head = f"define void @{name}(ptr %args, i64 %begin, i64 %end) {{"
    entry = "\n".join([head, *loads, f"  call void @f({typed})", "  ret void", "}"])
    program = compile(f"{text}\n{entry}\n", name, target)
    out = np.zeros_like(operands[0])
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
