"""Integer functions: operations whose results in C-like languages differ from NumPy's.

Division by zero gives 0, quotients are rounded down, shifts by the width or more give 0 or the
sign, and overflow wraps.
"""

from __future__ import annotations

from functools import partial

from onebuf.dtypes import DT, kind, uint32, uint64
from onebuf.render.clike.terms import Terms


def floor_divide(t: Terms, name: str, dtype: DT) -> str:
    """The quotient, rounded down."""
    T, zero = t.type(dtype), t.literal(dtype, 0)
    head = f"{T} {name}({T} a, {T} b) {{\n  if (b == {zero}) return {zero};\n"
    if kind(dtype) == "u":
        return head + f"  return {t.cast(dtype, 'a / b')};\n}}"
    one, minus = t.literal(dtype, 1), t.literal(dtype, -1)
    return (
        f"{head}  if (b == {minus}) return {t.wrapping(dtype, '-', zero, 'a')};\n"
        f"  {T} q = {t.cast(dtype, 'a / b')};\n"
        f"  bool down = {t.cast(dtype, 'q * b')} != a && (a < {zero}) != (b < {zero});\n"
        f"  return down ? {t.cast(dtype, f'q - {one}')} : q;\n}}"
    )


def remainder(t: Terms, name: str, dtype: DT) -> str:
    """The remainder of floor division: its sign is the divisor's."""
    T, zero = t.type(dtype), t.literal(dtype, 0)
    head = f"{T} {name}({T} a, {T} b) {{\n  if (b == {zero}) return {zero};\n"
    if kind(dtype) == "u":
        return head + f"  return {t.cast(dtype, 'a % b')};\n}}"
    minus, quotient = t.literal(dtype, -1), t.cast(dtype, "a / b")
    return (
        f"{head}  if (b == {minus}) return {zero};\n"
        f"  {T} r = {t.cast(dtype, f'a - {quotient} * b')};\n"
        f"  bool other = r != {zero} && (r < {zero}) != (b < {zero});\n"
        f"  return other ? {t.cast(dtype, 'r + b')} : r;\n}}"
    )


def left_shift(t: Terms, name: str, dtype: DT) -> str:
    """A left shift."""
    T, zero = t.type(dtype), t.literal(dtype, 0)
    moved = t.cast(dtype, f"{t.cast(t.wide(dtype), 'a')} << {t.cast(t.wide(dtype), 'b')}")
    return f"{T} {name}({T} a, {T} b) {{\n  return {_near(t, dtype)} ? {moved} : {zero};\n}}"


def right_shift(t: Terms, name: str, dtype: DT) -> str:
    """An arithmetic right shift."""
    T, zero = t.type(dtype), t.literal(dtype, 0)
    moved = t.cast(dtype, "a >> b")
    rest = zero if kind(dtype) == "u" else f"(a < {zero} ? {t.literal(dtype, -1)} : {zero})"
    return f"{T} {name}({T} a, {T} b) {{\n  return {_near(t, dtype)} ? {moved} : {rest};\n}}"


def _near(t: Terms, dtype: DT) -> str:
    """Whether a shift is by less than the width."""
    below = f"b < {t.literal(dtype, 8 * dtype.itemsize)}"
    return f"({below})" if kind(dtype) == "u" else f"(b >= {t.literal(dtype, 0)} && {below})"


def power(t: Terms, name: str, dtype: DT) -> str:
    """A power, by repeated squaring."""
    T, wide = t.type(dtype), t.wide(dtype)
    W, zero, one = t.type(wide), t.literal(wide, 0), t.literal(wide, 1)
    return (
        f"{T} {name}({T} a, {T} b) {{\n"
        f"  {W} x = {t.cast(wide, 'a')}, n = {t.cast(wide, 'b')}, r = {one};\n"
        f"  while (n != {zero}) {{\n"
        f"    if ((n & {one}) != {zero}) r = r * x;\n"
        f"    x = x * x;\n    n = n >> 1;\n"
        f"  }}\n  return {t.cast(dtype, 'r')};\n}}"
    )


def random_words(t: Terms, name: str, dtype: DT) -> str:
    """Philox4x32-10: the bits of `onebuf.ops.random.philox`, one word of a counter."""
    word, long_ = t.type(uint32), t.type(uint64)
    bits = 8 * dtype.itemsize
    low, wide = partial(t.cast, uint32), partial(t.cast, uint64)
    n = partial(t.literal, uint32)
    shift = 2 if bits == 32 else 1
    zero, one, two = (t.literal(uint64, value) for value in range(3))
    odd, upper = (f"(position & {bit}) != {zero}" for bit in (one, two))
    if bits == 32:
        result = f"({upper}) ? (({odd}) ? c3 : c2) : (({odd}) ? c1 : c0)"
    else:
        pairs = [f"({wide(a)} | ({wide(b)} << 32))" for a, b in (("c0", "c1"), ("c2", "c3"))]
        result = f"({odd}) ? {pairs[1]} : {pairs[0]}"
    return (
        f"{t.type(dtype)} {name}({long_} position, {long_} key, {long_} stream) {{\n"
        f"  {long_} counter = position >> {shift};\n"
        f"  {word} c0 = {low('counter')}, c1 = {low('counter >> 32')};\n"
        f"  {word} c2 = {low('stream')}, c3 = {low('stream >> 32')};\n"
        f"  {word} k0 = {low('key')}, k1 = {low('key >> 32')};\n"
        "  for (int turn = 0; turn < 10; turn++) {\n"
        f"    {long_} p0 = {wide('c0')} * {wide(n(0xD2511F53))};\n"
        f"    {long_} p1 = {wide('c2')} * {wide(n(0xCD9E8D57))};\n"
        f"    c0 = {low('p1 >> 32')} ^ c1 ^ k0;\n"
        f"    c2 = {low('p0 >> 32')} ^ c3 ^ k1;\n"
        f"    c1 = {low('p1')};\n    c3 = {low('p0')};\n"
        f"    k0 = k0 + {n(0x9E3779B9)};\n    k1 = k1 + {n(0xBB67AE85)};\n"
        f"  }}\n  return {result};\n}}"
    )
