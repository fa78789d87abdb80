"""The coefficients of the polynomials in ``onebuf.render.math``, found by Remez' exchange.

Each polynomial has the least greatest relative error of the function it is part of, for the form in
which that function is put together. Needs mpmath; writes ``coefficients.py``, or with ``--errors``
says how many bits each polynomial has::

    python tools/minimax.py > src/onebuf/render/math/coefficients.py
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
from mpmath import mp, mpf

mp.dps = 60
Function = Callable[[Any], Any]


class Fit(NamedTuple):
    """Approximate ``target`` by a polynomial where ``weight`` times the difference matters."""

    says: str
    target: Function
    weight: Function
    low: Any
    high: Any
    degrees: tuple[int | None, int | None]  # for double and for float


def minimax(
    target: Function, weight: Function, low: Any, high: Any, degree: int
) -> tuple[list[Any], Any]:
    """The best polynomial's coefficients, lowest power first, and its greatest error."""
    count = degree + 2
    low, high = mpf(low), mpf(high)

    def at(k: Any, points: Any) -> Any:
        return (low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * k / points)

    nodes = [at(k + mpf("0.47"), count) for k in range(count)]  # no weight is zero there
    grid = [at(k, 24 * count) for k in range(24 * count + 1)]
    values = [(x, target(x), weight(x)) for x in grid]
    coefficients: list[Any] = []
    for _ in range(12):
        rows = [
            [x**k * weight(x) for k in range(degree + 1)] + [(-1) ** i] for i, x in enumerate(nodes)
        ]
        right = mpmath.matrix([target(x) * weight(x) for x in nodes])
        solved = mpmath.lu_solve(mpmath.matrix(rows), right)
        coefficients = list(solved)[:-1]
        errors = [(t - mpmath.polyval(coefficients[::-1], x)) * w for x, t, w in values]
        nodes, level = exchange(grid, errors, count), abs(solved[degree + 1])
        if max(abs(e) for e in errors) < level * mpf("1.001"):
            break
    return coefficients, max(abs(e) for e in errors)


def exchange(grid: list[Any], errors: list[Any], count: int) -> list[Any]:
    """The points of greatest error, one between each two changes of its sign."""
    runs: list[tuple[Any, Any]] = []
    for x, error in zip(grid, errors, strict=True):
        if runs and (runs[-1][1] > 0) == (error > 0):
            if abs(error) > abs(runs[-1][1]):
                runs[-1] = (x, error)
        else:
            runs.append((x, error))
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    assert len(runs) == count, "the error changes its sign too seldom: too many digits lost"
    return [x for x, _ in runs]


def odd(function: Function) -> tuple[Function, Function]:
    """For f(x) = x + x z P(z), z = x**2: what P is, and what its error means to f."""
    tiny = mpf(10) ** -12

    def target(z: Any) -> Any:
        if z < tiny:
            z = tiny
        x = mpmath.sqrt(z)
        with mpmath.workdps(90):
            return (function(x) / x - 1) / z

    def weight(z: Any) -> Any:
        if z < tiny:
            z = tiny
        x = mpmath.sqrt(z)
        return z * x / function(x)

    return target, weight


def long_logarithm() -> tuple[Function, Function]:
    """The same with the first coefficient fixed, because it is known to twice the digits."""
    target, weight = odd(mpmath.atanh)
    return lambda z: (target(z) - mpf(1) / 3) / z if z else mpf(1) / 5, lambda z: weight(z) * z


def exponential(r: Any) -> Any:
    with mpmath.workdps(90):
        return (mpmath.exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -12 else mpf(1) / 2 + r / 6


def cosine(z: Any) -> Any:
    if z < mpf(10) ** -12:
        return mpf(1) / 24 - z / 720
    with mpmath.workdps(90):
        return (mpmath.cos(mpmath.sqrt(z)) - 1 + z / 2) / z**2


def tail(u: Any) -> Any:
    return -mpmath.log(mpmath.erfc(1 + u))


def scaled_erfc(q: Any) -> Any:
    """(1 + 2 x) exp(x**2) erfc(x) where q = (x - 4) / (x + 4)."""
    x = 4 * (1 + q) / (1 - q)
    return (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x)


HALF_LN2 = mpmath.log(2) / 2 * mpf("1.0001")
QUARTER_PI = mpmath.pi / 4 * mpf("1.0001")
SMALL_TAN = mpmath.tan(mpmath.pi / 8) * mpf("1.0001")
SMALL_LOG = (mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1) * mpf("1.0001")

FITS = {
    "EXP": Fit(
        "exp(r) = 1 + r + r**2 P(r) for |r| <= log(2) / 2",
        *(exponential, lambda r: r**2 / mpmath.exp(r), -HALF_LN2, HALF_LN2, (9, 4)),
    ),
    "EXPM1": Fit(
        "exp(r) - 1 = r + r**2 P(r) for |r| <= log(2) / 2",
        exponential,
        lambda r: r**2 / mpmath.expm1(r) if r else mpf(0),
        *(-HALF_LN2, HALF_LN2, (None, 5)),
    ),
    "LOG": Fit(
        "log((1 + s) / (1 - s)) / 2 = s + s z P(z), z = s**2, for sqrt(1/2) to sqrt(2)",
        *odd(mpmath.atanh),
        *(0, SMALL_LOG**2, (6, 2)),
    ),
    "LOG_POWER": Fit(
        "as LOG, for powers",
        *odd(mpmath.atanh),
        *(0, SMALL_LOG**2, (None, 4)),
    ),
    "LOG_LONG": Fit(
        "log((1 + s) / (1 - s)) / 2 = s + s z (1/3 + z P(z)), z = s**2, as for LOG",
        *long_logarithm(),
        *(0, SMALL_LOG**2, (7, None)),
    ),
    "SIN": Fit(
        "sin(r) = r + r z P(z), z = r**2, for |r| <= pi / 4",
        *odd(mpmath.sin),
        *(0, QUARTER_PI**2, (5, 3)),
    ),
    "COS": Fit(
        "cos(r) = 1 - z / 2 + z**2 P(z), z = r**2, for |r| <= pi / 4",
        *(cosine, lambda z: z**2 / mpmath.cos(mpmath.sqrt(z)), 0, QUARTER_PI**2, (5, 2)),
    ),
    "SIN_HALF_TURN": Fit(
        "sin(r) = r + r z P(z), z = r**2, for |r| <= pi / 2",
        *odd(mpmath.sin),
        *(0, (2 * QUARTER_PI) ** 2, (None, 4)),
    ),
    "TANH": Fit(
        "tanh(x) = x + x z P(z), z = x**2, for |x| <= 0.55",
        *odd(mpmath.tanh),
        *(0, mpf("0.551") ** 2, (10, 4)),
    ),
    "SINH": Fit(
        "sinh(x) = x + x z P(z), z = x**2, for |x| <= 1",
        *odd(mpmath.sinh),
        *(0, mpf("1.001") ** 2, (6, None)),
    ),
    "ATAN": Fit(
        "atan(x) = x + x z P(z), z = x**2, for |x| <= tan(pi / 8)",
        *odd(mpmath.atan),
        *(0, SMALL_TAN**2, (10, 4)),
    ),
    "ASIN": Fit(
        "asin(x) = x + x z P(z), z = x**2, for |x| <= 1/2",
        *odd(mpmath.asin),
        *(0, mpf("0.25003"), (12, 5)),
    ),
    "ASINH": Fit(
        "asinh(x) = x + x z P(z), z = x**2, for |x| <= 1/2",
        *odd(mpmath.asinh),
        *(0, mpf("0.25003"), (11, None)),
    ),
    "ERF": Fit(
        "erf(x) = x + x P(z), z = x**2, for |x| <= 1",
        lambda z: (
            mpmath.erf(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1
            if z > mpf(10) ** -12
            else 2 / mpmath.sqrt(mpmath.pi) * (1 - z / 3) - 1
        ),
        lambda z: (
            mpmath.sqrt(z) / mpmath.erf(mpmath.sqrt(z))
            if z > mpf(10) ** -12
            else mpmath.sqrt(mpmath.pi) / 2
        ),
        *(0, mpf("1.001"), (12, 6)),
    ),
    "ERF_TAIL": Fit(
        "erf(x) = 1 - exp(-P(x - 1)) for 1 <= x <= 6, from where on it is 1 (float: 4)",
        *(tail, lambda u: mpmath.erfc(1 + u), 0, 5, (17, 7)),
    ),
    "ERFC": Fit(
        "erfc(x) exp(x**2) (1 + 2 x) = 1.2 + P(q), q = (x - 4) / (x + 4), for 5/8 to 28",
        lambda q: scaled_erfc(q) - mpf(1.2),
        lambda q: 1 / scaled_erfc(q),
        *(mpf("-0.731"), mpf("0.751"), (21, 11)),
    ),
    "CBRT": Fit(
        "cbrt(m) = P(m - 1) for sqrt(1/2) to sqrt(2)",
        lambda f: mpmath.cbrt(1 + f),
        lambda f: 1 / mpmath.cbrt(1 + f),
        *(mpmath.sqrt(0.5) * mpf("0.9999") - 1, mpmath.sqrt(2) * mpf("1.0001") - 1, (6, 9)),
    ),
}


PARTS = {
    "LN2": ("log(2): times an integer up to 2**11, the first is exact", "log(2)", [42, 53]),
    "LN2_FLOAT": ("log(2) for floats: times an integer up to 2**8, exact", "log(2)", [16, 24]),
    "HALF_PI": ("pi / 2: for integers up to 2**20", "pi / 2", [33, 33, 33, 53]),
    "QUARTER_PI": ("pi / 4: for integers up to 8", "pi / 4", [50, 53]),
    "HALF_PI_PAIR": ("pi / 2 as a pair", "pi / 2", [53, 53]),
    "LOG2_E": ("log2(e): times a number of 21 bits, the first is exact", "1 / log(2)", [32, 53]),
    "LOG10_E": ("log10(e), in the same way", "1 / log(10)", [32, 53]),
    "LOG10_2": ("log10(2), as log(2) is", "log(2) / log(10)", [42, 53]),
    "THIRD": ("1/3 as a pair", "mpf(1) / 3", [53, 53]),
}


def parts(number: Any, widths: list[int]) -> list[float]:
    """A number as a sum of numbers of so many bits."""
    found: list[float] = []
    for width in widths:
        with mpmath.workprec(width):
            found.append(float(+number))
        with mpmath.workdps(120):
            number = number - mpf(found[-1])
    return found


FLOAT_ENDS = {"ERF_TAIL": mpf(3), "ERFC": mpf("0.435")}
"""Where the interval ends sooner for float: there the function is constant or vanishes."""


def _tuple(name: str, numbers: list[str]) -> list[str]:
    """The lines of a tuple, as many numbers in each as there is room for."""
    text = "".join(f"{number}, " for number in numbers).rstrip()
    indent = " " * 4
    rows = textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent=indent)
    return ["", f"{name} = (", *rows, ")"]


def main() -> None:
    """Print the module, or the errors."""
    lines = ['"""Coefficients of minimax polynomials, written by tools/minimax.py."""', ""]
    lines += ["# fmt: off"]
    for name, fit in FITS.items():
        for suffix, form, degree in (
            ("", fit, fit.degrees[0]),
            ("_FLOAT", fit._replace(high=FLOAT_ENDS.get(name, fit.high)), fit.degrees[1]),
        ):
            if degree is None:
                continue
            solved, error = minimax(form.target, form.weight, form.low, form.high, degree)
            bits = float(-mpmath.log(error, 2))
            print(f"{name + suffix}: degree {degree}, {bits:.1f} bits", file=sys.stderr)
            lines += _tuple(name + suffix, [repr(float(c)) for c in solved])
            lines += [f'"""{fit.says}: {bits:.1f} bits."""']
    for name, (says, number, widths) in PARTS.items():
        with mpmath.workdps(120):
            exact = eval(number, {"log": mpmath.log, "pi": +mpmath.pi, "mpf": mpf})
        lines += _tuple(name, [repr(part) for part in parts(exact, widths)])
        lines += [f'"""{says}."""']
    with mpmath.workprec(1400):
        bits = int(mpmath.floor(2 / mpmath.pi * mpf(2) ** 1280))
    words = [bits >> (1280 - 64 * (k + 1)) & (2**64 - 1) for k in range(20)]
    lines += _tuple("TWO_OVER_PI", [f"0x{word:016X}" for word in words])
    lines += ['"""The bits of 2 / pi after the binary point, 64 in a word."""']
    if "--errors" not in sys.argv:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
