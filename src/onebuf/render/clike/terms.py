"""A builder of C-like text: statements, expressions, and the functions that they call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from onebuf.dtypes import DT, bfloat16, float16, float32, float64, kind, uint32, uint64
from onebuf.render.clike.dialect import NARROW, Dialect


class Terms:
    """Statements and functions, in one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.lines: list[str] = []
        self.functions: dict[str, str] = {}
        self.checks = 0
        self.depth = 0

    def line(self, text: str) -> None:
        """Another statement."""
        self.lines.append("  " * self.depth + text)

    def real(self, dtype: DT) -> DT:
        """The dtype that values of ``dtype`` are computed in."""
        if dtype.name in NARROW or (dtype == float64 and not self.dialect.has_float64):
            return float32
        return dtype

    def type(self, dtype: DT) -> str:
        """The type of a value."""
        return self.dialect.type(self.real(dtype))

    def literal(self, dtype: DT, value: Any) -> str:
        """A number."""
        return self.dialect.literal(self.real(dtype), value)

    def cast(self, dtype: DT, text: str) -> str:
        """A conversion as the language has it."""
        return self.dialect.cast(self.type(dtype), text)

    def call(self, name: str, *texts: str) -> str:
        """A call of a function of the language."""
        return f"{self.dialect.function(name)}({', '.join(texts)})"

    def wide(self, dtype: DT) -> DT:
        """The unsigned type in which integers wrap: no language computes in fewer than 32 bits."""
        return uint64 if dtype.itemsize == 8 else uint32

    def wrapping(self, dtype: DT, sign: str, x: str, y: str) -> str:
        """Arithmetic of integers, modulo their width."""
        if kind(dtype) == "u" and dtype.itemsize >= 4:
            return f"{x} {sign} {y}"
        wide = self.wide(dtype)
        return self.cast(dtype, f"{self.cast(wide, x)} {sign} {self.cast(wide, y)}")

    def define(self, name: str, dtype: DT, write: Callable[[Terms, str, DT], str]) -> str:
        """The name of a function for one dtype, which is written once into the text."""
        called = f"{name}_{self.real(dtype).name}"
        if called not in self.functions:
            text = write(self, called, self.real(dtype))
            self.functions[called] = text  # after the functions that it calls
        return called

    def check(self, wrong: str, about: str) -> None:
        """Set a flag, and store the operand that it is about, if ``wrong`` holds."""
        number, self.checks = self.checks, self.checks + 1
        flag, value = (self.dialect.element("flags", str(2 * number + n)) for n in (0, 1))
        one = self.dialect.literal(np.dtype("int64"), 1)
        self.line(f"if ({wrong}) {{ {flag} = {one}; {value} = {about}; }}")

    # -- narrow floats -----------------------------------------------------------------------------

    def loaded(self, dtype: DT, text: str) -> str:
        """The value of an element that was loaded."""
        if kind(dtype) == "b":
            return f"({text} != {self.dialect.literal(np.dtype('uint8'), 0)})"
        if dtype.name in NARROW:
            widen = self.define(f"widen_{dtype.name}", uint32, _WIDEN[dtype])
            return f"{widen}({self.cast(uint32, text)})"
        return text

    def stored(self, dtype: DT, text: str) -> str:
        """The element to store for a value."""
        if kind(dtype) == "b":
            return self.dialect.cast(self.dialect.memory_type(dtype), text)
        if dtype.name in NARROW:
            bits = self.define(f"narrow_{dtype.name}", float32, _NARROW[dtype])
            return self.dialect.cast(self.dialect.memory_type(dtype), f"{bits}({text})")
        return text

    def rounded(self, dtype: DT, text: str) -> str:
        """A float32 rounded to the precision of a narrow float."""
        narrow = self.define(f"narrow_{dtype.name}", float32, _NARROW[dtype])
        widen = self.define(f"widen_{dtype.name}", uint32, _WIDEN[dtype])
        return f"{widen}({narrow}({text}))"


def _widen_half(t: Terms, name: str, dtype: DT) -> str:
    uint, real = t.type(uint32), t.type(float32)
    of = t.dialect.of_bits
    n = partial(t.literal, uint32)
    small = f"{t.cast(float32, 'size')} * {t.literal(float32, 2.0**-24)}"
    return (
        f"{real} {name}({uint} h) {{\n"
        f"  {uint} top = (h & {n(0x8000)}) << 16, size = h & {n(0x7FFF)};\n"
        f"  if (size < {n(0x400)}) return "
        f"{of(float32, f'top | {t.dialect.bits(float32, small)}')};\n"
        f"  {uint} more = size >= {n(0x7C00)} ? {n(0x70000000)} : {n(0x38000000)};\n"
        f"  return {of(float32, 'top | ((size << 13) + more)')};\n"
        "}"
    )


def _narrow_half(t: Terms, name: str, dtype: DT) -> str:
    """Rounded to nearest, ties to even; below 2**-14, float16 values are 2**-24 apart."""
    uint, real = t.type(uint32), t.type(float32)
    n = partial(t.literal, uint32)
    bits = t.dialect.bits
    whole = t.cast(
        uint32,
        t.call("rint", f"{t.dialect.of_bits(float32, 'size')} * {t.literal(float32, 2.0**24)}"),
    )
    return (
        f"{uint} {name}({real} x) {{\n"
        f"  {uint} word = {bits(float32, 'x')}, size = word & {n(0x7FFFFFFF)};\n"
        f"  {uint} top = (word >> 16) & {n(0x8000)};\n"
        f"  if (size > {n(0x7F800000)}) return top | {n(0x7E00)};\n"
        f"  if (size >= {n(0x477FF000)}) return top | {n(0x7C00)};\n"
        f"  if (size < {n(0x38800000)}) return top | {whole};\n"
        f"  {uint} even = (size >> 13) & {n(1)};\n"
        f"  return top | ((size - {n(0x38000000)} + {n(0xFFF)} + even) >> 13);\n"
        "}"
    )


def _widen_brain(t: Terms, name: str, dtype: DT) -> str:
    uint, real = t.type(uint32), t.type(float32)
    return f"{real} {name}({uint} h) {{ return {t.dialect.of_bits(float32, 'h << 16')}; }}"


def _narrow_brain(t: Terms, name: str, dtype: DT) -> str:
    uint, real = t.type(uint32), t.type(float32)
    n = partial(t.literal, uint32)
    return (
        f"{uint} {name}({real} x) {{\n"
        f"  {uint} word = {t.dialect.bits(float32, 'x')};\n"
        f"  if ((word & {n(0x7FFFFFFF)}) > {n(0x7F800000)}) return (word >> 16) | {n(0x40)};\n"
        f"  return (word + {n(0x7FFF)} + ((word >> 16) & {n(1)})) >> 16;\n"
        "}"
    )


_WIDEN = {float16: _widen_half, bfloat16: _widen_brain}
_NARROW = {float16: _narrow_half, bfloat16: _narrow_brain}
