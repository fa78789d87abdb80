"""How far functions are from the truth, in units in the last place.

The truth is mpmath's for doubles and double precision for floats. Samples are of every exponent,
in the range where a function does something, and next to the points where formulas change hands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import mpmath
import numpy as np

Array = np.ndarray[Any, Any]


class Function(NamedTuple):
    """What is known about a function: its truth, its domain and where it changes."""

    exact: Callable[..., Any]
    low: float = -math.inf
    high: float = math.inf
    busy: tuple[float, float] = (-10.0, 10.0)
    edges: tuple[float, ...] = ()
    operands: int = 1


_LN2, _PI = math.log(2.0), math.pi
_THRESHOLDS = (
    709.78,
    -745.13,
    -708.4,
    88.72,
    -103.97,
    -87.34,
    *(k * _LN2 / 2 for k in range(-5, 6)),
)
_ANGLES = tuple(
    k * _PI / 4 for k in (1, 2, 3, 4, 5, 6, 8, 22, 44, 355, 710, 52174, 667544, 834480, 2**20)
)
FUNCTIONS: dict[str, Function] = {
    "acos": Function(mpmath.acos, -1.0, 1.0, (-1.0, 1.0), (0.5, -0.5, 1.0, -1.0)),
    "acosh": Function(mpmath.acosh, 1.0, math.inf, (1.0, 4.0), (1.0, 2.0**28)),
    "asin": Function(mpmath.asin, -1.0, 1.0, (-1.0, 1.0), (0.5, -0.5, 1.0, -1.0)),
    "asinh": Function(mpmath.asinh, edges=(0.5, -0.5, 2.0**-10, 2.0**28)),
    "atan": Function(mpmath.atan, edges=(0.41421356, 1.0, 2.41421356, 2.0**60)),
    "atan2": Function(mpmath.atan2, edges=(1.0, -1.0, 2.41421356), operands=2),
    "atanh": Function(mpmath.atanh, -1.0, 1.0, (-1.0, 1.0), (0.17, 1.0, -1.0)),
    "cbrt": Function(
        lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), edges=(0.5, 1.0, 2.0, 4.0, 8.0, 2.0**-1022)
    ),
    "cos": Function(mpmath.cos, busy=(-100.0, 100.0), edges=_ANGLES),
    "cosh": Function(mpmath.cosh, edges=(0.34657, 710.47, 89.41)),
    "erf": Function(mpmath.erf, busy=(-6.0, 6.0), edges=(1.0, -1.0, 5.92, 3.92)),
    "erfc": Function(
        lambda x: mpmath.erfc(min(x, 40)),  # mpmath has none of huge numbers
        busy=(-7.0, 28.0),
        edges=(0.625, -0.625, 4.0, 9.2, 10.05, 26.54, 27.22),
    ),
    "exp": Function(mpmath.exp, edges=_THRESHOLDS),
    "exp2": Function(lambda x: mpmath.power(2, x), edges=(1024.0, -1074.0, -1022.0, 128.0, -149.0)),
    "expm1": Function(mpmath.expm1, edges=_THRESHOLDS),
    "hypot": Function(mpmath.hypot, edges=(2.0**500, 2.0**-400, 3.0), operands=2),
    "log": Function(mpmath.log, 0.0, math.inf, (0.0, 3.0), (1.0, 0.70710678, 1.41421356)),
    "log10": Function(mpmath.log10, 0.0, math.inf, (0.0, 3.0), (1.0, 0.70710678, 1000.0)),
    "log1p": Function(mpmath.log1p, -1.0, math.inf, (-1.0, 3.0), (-0.29289, 0.41421356, -1.0)),
    "log2": Function(
        lambda x: mpmath.log(x) / mpmath.ln2, 0.0, math.inf, (0.0, 3.0), (1.0, 0.7071, 8.0)
    ),
    "pow": Function(mpmath.power, 0.0, math.inf, (0.0, 5.0), (1.0, 2.0, 0.5), operands=2),
    "sin": Function(mpmath.sin, busy=(-100.0, 100.0), edges=_ANGLES),
    "sinh": Function(mpmath.sinh, edges=(1.0, 710.47, 89.41)),
    "tan": Function(mpmath.tan, busy=(-100.0, 100.0), edges=_ANGLES),
    "tanh": Function(mpmath.tanh, edges=(0.55, -0.55, 0.6110217, -0.6110217, 19.0, 9.0)),
}
"""Functions that round, by their name in the array API."""


@cache
def samples(name: str, element: str, count: int) -> tuple[Array, ...]:
    """Operands, about ``count`` of them, in the function's domain."""
    about = FUNCTIONS[name]
    rng = np.random.default_rng([len(name), *name.encode()])
    return tuple(_draw(about, k, element, count, rng) for k in range(about.operands))


def _draw(about: Function, operand: int, element: str, count: int, rng: Any) -> Array:
    dtype = np.dtype("f4" if element == "float" else "f8")
    part = count // 4
    words = rng.integers(0, 2 ** (8 * dtype.itemsize), 8 * part, dtype=f"u{dtype.itemsize}")
    low, high = about.busy
    if operand and about.low == 0.0:
        low, high = -20.0, 20.0  # an exponent
    wide = rng.uniform(low, high, part) * 2.0 ** rng.integers(-12, 8, part)
    edges = rng.choice(np.asarray(about.edges or (1.0,)), part)
    near = edges * (1.0 + rng.choice([-1, 1], part) * 2.0 ** -rng.uniform(2, 53, part))
    busy = rng.uniform(low, high, part)
    with np.errstate(over="ignore", under="ignore"):
        others = [a.astype(dtype) for a in (busy, wide, near)]
    drawn = np.concatenate([words.view(dtype), *others])
    inside = np.isfinite(drawn)
    if not operand:
        inside &= (drawn >= about.low) & (drawn <= about.high) & (drawn != about.low)
    drawn = drawn[inside]
    chosen = np.concatenate([drawn[: drawn.size - 3 * part][:part], drawn[-3 * part :]])
    return rng.permutation(np.resize(chosen, count))


@cache
def truth(name: str, element: str, count: int) -> tuple[Array, Array]:
    """The function of its samples, rounded to the type, and the rest in units of its last place."""
    operands = samples(name, element, count)
    exact = FUNCTIONS[name].exact
    if element == "float":
        wide = _double(name)(*(x.astype("f8") for x in operands))
        with np.errstate(all="ignore"):
            high = wide.astype("f4")
            return high, (wide - high) / np.spacing(np.abs(high))
    high, low = np.empty(count), np.zeros(count)
    with mpmath.workprec(140):
        for i, point in enumerate(zip(*(x.tolist() for x in operands), strict=True)):
            value = exact(*(mpmath.mpf(x) for x in point))
            high[i] = float(value)
            if math.isfinite(high[i]):
                low[i] = float((value - mpmath.mpf(high[i])) / math.ulp(high[i]))
    return high, low


def _double(name: str) -> Callable[..., Array]:
    """The function in double precision, ample for a float."""
    function = getattr(np, name, None)
    if function is None:
        return np.vectorize(getattr(math, name), otypes=["f8"])

    def quiet(*operands: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(function(*operands))

    return quiet


def worst(name: str, element: str, count: int, got: Array) -> tuple[float, tuple[float, ...]]:
    """The greatest error in units in the last place, and where it is."""
    high, low = truth(name, element, count)
    operands = samples(name, element, count)
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(high)).astype("f8")
        error = np.abs((got.astype("f8") - high) / unit - low)
    same = (np.isinf(high) | np.isinf(got)) & (high == got)
    error[same] = 0.0
    error[np.isnan(error)] = np.inf
    at = int(np.argmax(error))
    return float(error[at]), tuple(float(x[at]) for x in operands)
