"""The page of docs on accuracy, measured as the tests measure it, on more points::

    PYTHONPATH=src python tools/accuracy.py > docs/accuracy.md

NumPy's functions are those for AVX2 if ``NPY_DISABLE_CPU_FEATURES`` is "X86_V4 AVX512_ICL".
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from accuracy import FUNCTIONS, samples, worst
from compiled import Compiled

from onebuf.graph import BINARY, UNARY
from onebuf.render.math import MATH

COUNTS = {"float": 1_000_000, "double": 20_000}
PAGE = """\
# Accuracy

How far elementwise functions of compiled kernels are from the exact result, at most, in units in
the last place (ulp): half a unit is what correct rounding would give. NumPy {version} is measured
on the same points, on a processor with AVX2; its functions depend on the processor, ours do not.

| function | float32 | NumPy | float64 | NumPy |
|---|---|---|---|---|
{rows}

The points are {float:,} float32 numbers and {double:,} float64 numbers for each function: of all
exponents, in the range where the function does something, and next to the points where formulas
change hands and results overflow or vanish. The exact result comes from mpmath, for float32 from
double precision. `python tools/accuracy.py` writes this page again.

`logaddexp(x, y)` is as accurate as this but where it is nearly zero, because exp(x) + exp(y) is
nearly one: there its error is below 2⁻⁵⁶, which may be many units of a tiny result.

{exact}

For all functions infinities, zeros with their signs and what is not a number are as in NumPy.
Results do not depend on how many elements a vector has or on what else is in it; only the bits of a
NaN may differ.

Functions of float16 and bfloat16 are those of float32, rounded once: within 0.501 units in the last
place of the half. The modulus of a complex number is `hypot` of its parts.
"""

EXACT = (
    "{} and {} are exact or correctly rounded, and the same as NumPy's to the bit, but for "
    "`floor_divide` of infinities, where the standard wants the quotient."
)


def ours(name: str, element: str) -> float:
    """The greatest error of our function."""
    operands = samples(name, element, COUNTS[element])
    got = Compiled(MATH[name], element, 8, len(operands))(*operands)
    return worst(name, element, COUNTS[element], got)[0]


def numpys(name: str, element: str) -> float | None:
    """The greatest error of NumPy's."""
    function: Any = getattr(np, name, None)
    if function is None:
        return None
    operands = samples(name, element, COUNTS[element])
    with np.errstate(all="ignore"):
        return worst(name, element, COUNTS[element], function(*operands))[0]


def shown(error: float | None) -> str:
    """Rounded up."""
    return "–" if error is None else f"{math.ceil(error * 100) / 100:.2f}"


def main() -> None:
    """Print the page."""
    rows = []
    for name in FUNCTIONS:
        cells = [
            shown(measure(name, element))
            for element in ("float", "double")
            for measure in (ours, numpys)
        ]
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
        print(rows[-1], file=sys.stderr)
    version = np.__version__.rpartition(".")[0]
    exact = [f"`{name}`" for name in sorted(MATH) if (UNARY | BINARY)[name].is_exact]
    says = fill(EXACT.format(", ".join(exact[:-1]), exact[-1]), 100)
    print(PAGE.format(rows="\n".join(rows), exact=says, version=version, **COUNTS), end="")


if __name__ == "__main__":
    main()
