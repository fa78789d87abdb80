"""Elementary functions for GLSL devices without float64: those of the language itself.

Their error may be some hundred units in the last place, and more for large angles.
"""

from __future__ import annotations

from onebuf.render.clike.glsl_math import library
from onebuf.render.math.coefficients import ERFC_FLOAT

_WITH_SIGN = """\
float ob_copysign(float x, float y) {
  return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (floatBitsToUint(y) & 0x80000000u));
}"""
_POW = """\
float ob_pow(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  float size = pow(abs(x), y);
  if (x >= 0.0f || isnan(x)) return size;
  bool whole = floor(y) == y;
  bool odd = whole && abs(y) < 16777216.0f && floor(y * 0.5f) != y * 0.5f;
  return whole ? (odd ? -size : size) : (isinf(x) ? size : uintBitsToFloat(0x7fc00000u));
}"""
_FMOD = """\
float ob_fmod(float x, float y) {
  if (isnan(x) || isnan(y) || isinf(x) || y == 0.0f) return uintBitsToFloat(0x7fc00000u);
  uint a = floatBitsToUint(x), b = floatBitsToUint(y), top = a & 0x80000000u;
  a &= 0x7fffffffu;
  b &= 0x7fffffffu;
  if (a < b || b >= 0x7f800000u) return x;
  int far = max(int(a >> 23), 1), near = max(int(b >> 23), 1);
  a = a < 0x800000u ? a : (a & 0x7fffffu) | 0x800000u;
  b = b < 0x800000u ? b : (b & 0x7fffffu) | 0x800000u;
  while (a < 0x800000u) { a <<= 1; far--; }
  while (b < 0x800000u) { b <<= 1; near--; }
  for (int turn = near; turn < far; turn++) { if (a >= b) a -= b; a <<= 1; }
  if (a >= b) a -= b;
  while (near < 1) { a >>= 1; near++; }
  while (a != 0u && a < 0x800000u && near > 1) { a <<= 1; near--; }
  return uintBitsToFloat(top | (a < 0x800000u ? a : (a & 0x7fffffu) | (uint(near) << 23)));
}"""
_NEXT = """\
float ob_nextafter(float x, float y) {
  if (isnan(x) || isnan(y)) return x + y;
  if (x == y) return y;
  int bits = floatBitsToInt(x);
  if (x == 0.0f) return intBitsToFloat((floatBitsToInt(y) & ~0x7fffffff) | 1);
  return intBitsToFloat((y > x) == (bits >= 0) ? bits + 1 : bits - 1);
}"""
_HYPOT = """\
float ob_hypot(float x, float y) {
  if (isinf(x) || isinf(y)) return uintBitsToFloat(0x7f800000u);
  float a = max(abs(x), abs(y)), b = min(abs(x), abs(y));
  return isnan(x) || isnan(y) ? x + y : (a == 0.0f ? 0.0f : a * sqrt(1.0f + (b / a) * (b / a)));
}"""
_EXPM1 = """\
float ob_expm1(float x) {
  return abs(x) < 0.015625f ? x + x * x * (0.5f + x * (1.0f / 6.0f + x / 24.0f)) : exp(x) - 1.0f;
}"""
_CBRT = """\
float ob_cbrt(float x) {
  if (x == 0.0f || isinf(x) || isnan(x)) return x;
  float near = exp2(log2(abs(x)) * (1.0f / 3.0f));
  near -= (near - abs(x) / (near * near)) * (1.0f / 3.0f);
  return x < 0.0f ? -near : near;
}"""
_ERFC_TERMS = ", ".join([f"{coefficient!r}f" for coefficient in reversed(ERFC_FLOAT)])
_ERFC = f"""\
float ob_erfc(float x) {{
  if (!(abs(x) >= 0.625f)) return 1.0f - ob_erf(x);
  float size = min(abs(x), 11.0f), q = (size - 4.0f) / (size + 4.0f), sum = 0.0f;
  const float terms[] = float[]({_ERFC_TERMS});
  for (int n = 0; n < {len(ERFC_FLOAT)}; n++) sum = sum * q + terms[n];
  float found = exp(-size * size) * (1.2f + sum) / (1.0f + size + size);
  return x < 0.0f ? 2.0f - found : found;
}}"""
_LOG1P = """\
float ob_log1p(float x) {
  if (abs(x) < 0.015625f) return x - x * x * (0.5f - x * (1.0f / 3.0f - x * 0.25f));
  return log(1.0f + x);
}"""


def _same(name: str, text: str = "") -> str:
    return f"float ob_{name}(float x) {{ return {text or f'{name}(x)'}; }}"


SHORT: dict[str, dict[str, str]] = {
    **{
        name: {name: _same(name)}
        for name in (
            *("acosh", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log2", "sin"),
            *("ceil", "exp2", "floor", "sinh", "tan", "tanh", "trunc"),
        )
    },
    "acos": {"acos": _same("acos", "atan(sqrt((1.0f - x) * (1.0f + x)), x)")},
    "asin": {"asin": _same("asin", "atan(x, sqrt((1.0f - x) * (1.0f + x)))")},
    "atan2": {"atan2": "float ob_atan2(float y, float x) { return atan(y, x); }"},
    "copysign": {"copysign": _WITH_SIGN},
    "cbrt": {"cbrt": _CBRT},
    "erf": library("erf", "float"),
    "erfc": library("erf", "float") | {"erfc": _ERFC},
    "expm1": {"expm1": _EXPM1},
    "fmod": {"fmod": _FMOD},
    "hypot": {"hypot": _HYPOT},
    "log10": {"log10": _same("log10", "log(x) * 0.4342944819032518f")},
    "log1p": {"log1p": _LOG1P},
    "nextafter": {"nextafter": _NEXT},
    "pow": {"pow": _POW},
    "rint": {"rint": _same("rint", "roundEven(x)")},
}
"""What has to stand in a text that calls a function."""
