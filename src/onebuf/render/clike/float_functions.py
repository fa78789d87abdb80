"""Float functions: operations that C-like languages lack, or whose results differ from NumPy's."""

from __future__ import annotations

from functools import partial
from math import log

import numpy as np

from onebuf.dtypes import DT, float32, float64, int32, int64, kind, uint32, uint64
from onebuf.render.clike.terms import Terms


def is_nan(t: Terms, name: str, dtype: DT) -> str:
    """Whether it is NaN, by its bits: compilers may assume that there are no NaNs."""
    return _size_test(t, name, dtype, ">")


def is_inf(t: Terms, name: str, dtype: DT) -> str:
    """Whether it is infinite."""
    return _size_test(t, name, dtype, "==")


def is_finite(t: Terms, name: str, dtype: DT) -> str:
    """Whether it is neither NaN nor infinite."""
    return _size_test(t, name, dtype, "<")


def _bits(dtype: DT) -> DT:
    return uint64 if dtype == float64 else uint32


def _infinity(dtype: DT) -> int:
    return 0x7FF0000000000000 if dtype == float64 else 0x7F800000


def _size_test(t: Terms, name: str, dtype: DT, sign: str) -> str:
    bits = _bits(dtype)
    mask = t.literal(bits, (1 << 8 * dtype.itemsize - 1) - 1)
    size = f"({t.dialect.bits(dtype, 'a')} & {mask})"
    return f"bool {name}({t.type(dtype)} a) {{ return {size} {sign} {_inf_bits(t, dtype)}; }}"


def _inf_bits(t: Terms, dtype: DT) -> str:
    return t.literal(_bits(dtype), _infinity(dtype))


def signbit(t: Terms, name: str, dtype: DT) -> str:
    """Whether the sign bit is set."""
    bits, width = _bits(dtype), 8 * dtype.itemsize
    last = f"{t.dialect.bits(dtype, 'a')} >> {width - 1}"
    return f"bool {name}({t.type(dtype)} a) {{ return ({last}) != {t.literal(bits, 0)}; }}"


def maximum(t: Terms, name: str, dtype: DT) -> str:
    """The larger one; NaN if one is; of two zeros, the positive one."""
    return _extreme(t, name, dtype, ">", "&")


def minimum(t: Terms, name: str, dtype: DT) -> str:
    """The smaller one; NaN if one is; of two zeros, the negative one."""
    return _extreme(t, name, dtype, "<", "|")


def _extreme(t: Terms, name: str, dtype: DT, sign: str, both: str) -> str:
    T, nan = t.type(dtype), t.define("is_nan", dtype, is_nan)
    one, two = t.dialect.bits(dtype, "a"), t.dialect.bits(dtype, "b")
    return (
        f"{T} {name}({T} a, {T} b) {{\n"
        f"  {T} c = a {sign} b ? a : b;\n"
        f"  c = a == b ? {t.dialect.of_bits(dtype, f'{one} {both} {two}')} : c;\n"
        f"  return {nan}(a) ? a : c;\n}}"
    )


def sign(t: Terms, name: str, dtype: DT) -> str:
    """-1, 0 or 1, never a negative zero; NaN of NaN."""
    T, bits, zero = t.type(dtype), _bits(dtype), t.literal(dtype, 0.0)
    top = t.literal(bits, 1 << 8 * dtype.itemsize - 1)
    one = t.literal(bits, int(np.ones((), dtype).view(f"u{dtype.itemsize}")))
    nan = t.define("is_nan", dtype, is_nan)
    found = t.dialect.of_bits(dtype, f"({t.dialect.bits(dtype, 'a')} & {top}) | {one}")
    return (
        f"{T} {name}({T} a) {{\n"
        f"  if ({nan}(a)) return a;\n"
        f"  return a == {zero} ? {zero} : {found};\n}}"
    )


def floor_divide(t: Terms, name: str, dtype: DT) -> str:
    """The quotient, rounded down; an infinity next to a finite number gives the quotient."""
    T, zero = t.type(dtype), t.literal(dtype, 0.0)
    half, one = t.literal(dtype, 0.5), t.literal(dtype, 1.0)
    inf = t.define("is_inf", dtype, is_inf)
    return (
        f"{T} {name}({T} a, {T} b) {{\n"
        f"  {T} q = a / b;\n"
        f"  if (b == {zero} || {inf}(a) != {inf}(b)) return q;\n"
        f"  {T} r = {t.call('fmod', 'a', 'b')};\n"
        f"  {T} d = (a - r) / b;\n"
        f"  if (r != {zero} && (b < {zero}) != (r < {zero})) d = d - {one};\n"
        f"  {T} f = {t.call('floor', 'd')};\n"
        f"  if (d - f > {half}) f = f + {one};\n"
        f"  return d != {zero} ? f : {t.call('copysign', zero, 'q')};\n}}"
    )


def remainder(t: Terms, name: str, dtype: DT) -> str:
    """The remainder of floor division: its sign is the divisor's."""
    T, zero = t.type(dtype), t.literal(dtype, 0.0)
    return (
        f"{T} {name}({T} a, {T} b) {{\n"
        f"  {T} r = {t.call('fmod', 'a', 'b')};\n"
        f"  if (b == {zero}) return r;\n"
        f"  if (r == {zero}) return {t.call('copysign', zero, 'b')};\n"
        f"  return (b < {zero}) != (r < {zero}) ? r + b : r;\n}}"
    )


def logaddexp(t: Terms, name: str, dtype: DT) -> str:
    """The logarithm of a sum of exponentials, without overflow."""
    T, zero = t.type(dtype), t.literal(dtype, 0.0)
    sides = [f"{x} + {t.call('log1p', t.call('exp', d))}" for x, d in (("a", "-d"), ("b", "d"))]
    return (
        f"{T} {name}({T} a, {T} b) {{\n"
        f"  if (a == b) return a + {t.literal(dtype, log(2.0))};\n"
        f"  {T} d = a - b;\n"
        f"  if (d > {zero}) return {sides[0]};\n"
        f"  return d <= {zero} ? {sides[1]} : d;\n}}"
    )


def to_integer(t: Terms, name: str, dtype: DT, target: DT) -> str:
    """A float truncated to an integer; out of range, as `onebuf.dtypes.integer_of` says."""
    nan = t.define("is_nan", dtype, is_nan)
    via = int64 if target in (int64, uint32, uint64) else int32
    edge = 2.0 ** (8 * via.itemsize - 1)
    beyond, none = t.literal(dtype, edge), t.literal(via, int(np.iinfo(via).min))
    below = f"a <= {t.literal(dtype, -edge - 1)}"
    if via == int64 or dtype.itemsize < 8:  # the least integer minus 1 rounds to the least integer
        below = f"a < {t.literal(dtype, -edge)}"
    head = f"{t.type(target)} {name}({t.type(dtype)} a) {{\n"
    if target == uint64:
        bit = t.literal(uint64, 1 << 63)
        high = t.cast(target, t.cast(via, f"a - {beyond}"))
        twice = t.literal(dtype, 2 * edge)
        zero = t.literal(target, 0)
        head += f"  if (a >= {beyond}) return a < {twice} ? {high} ^ {bit} : {zero};\n"
    return (
        f"{head}  if ({nan}(a) || a >= {beyond} || {below}) return {t.cast(target, none)};\n"
        f"  return {t.cast(target, t.cast(via, 'a'))};\n}}"
    )


def to_odd(t: Terms, name: str, dtype: DT) -> str:
    """A float64 rounded to odd as float32, so that a second rounding is correct."""
    D, F, uint = t.type(float64), t.type(float32), t.type(uint32)
    n = partial(t.literal, uint32)
    wide = t.cast(float64, "f")
    return (
        f"{F} {name}({D} a) {{\n"
        f"  {F} f = {t.cast(float32, 'a')};\n"
        f"  {uint} bits = {t.dialect.bits(float32, 'f')};\n"
        f"  if ({wide} == a || (bits & {n(1)}) != {n(0)} || a != a) return f;\n"
        f"  {uint} next = {t.call('fabs', wide)} < {t.call('fabs', 'a')} "
        f"? bits + {n(1)} : bits - {n(1)};\n"
        f"  return {t.dialect.of_bits(float32, 'next')};\n}}"
    )


def is_real(dtype: DT) -> bool:
    """Whether elements are floats."""
    return kind(dtype) == "f"
