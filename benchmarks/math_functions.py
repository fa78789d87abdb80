"""What elementwise functions cost: compiled kernels next to NumPy, interleaved in one run.

Each row is one function of 100,000 numbers in cache, one thread. Samples of both alternate, and the
least one counts, because noise on a shared machine only adds. The numbers are nanoseconds for one
element; the ratio is NumPy's time to ours. Run with::

    PYTHONPATH=src python benchmarks/math_functions.py [function ...]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from compiled import Compiled

from onebuf.graph import BINARY
from onebuf.render.math import MATH

COUNT = 100_000
SAMPLES = 40
LANES = {"float": 8, "double": 4}
RANGES = {
    **dict.fromkeys(("acos", "asin", "atanh"), (-1.0, 1.0)),
    **dict.fromkeys(("log", "log2", "log10", "pow", "sqrt"), (0.1, 5.0)),
    "log1p": (-0.9, 5.0),
    "acosh": (1.0, 5.0),
}


def measure(name: str, element: str) -> tuple[float, float]:
    """Nanoseconds for one element: ours and NumPy's."""
    rng = np.random.default_rng(0)
    low, high = RANGES.get(name, (-5.0, 5.0))
    count = 2 if name in BINARY else 1
    ours = Compiled(MATH[name], element, LANES[element], count)
    arrays = [rng.uniform(low, high, COUNT).astype(ours.dtype) for _ in range(count)]
    result = np.empty(COUNT, ours.result)
    pointers = [a.ctypes.data for a in (*arrays, result)]
    function: Any = getattr(np, name, None)
    least = [math.inf, math.inf if function else math.nan]
    for _ in range(SAMPLES):
        start = perf_counter_ns()
        ours.function(*pointers, COUNT)
        least[0] = min(least[0], perf_counter_ns() - start)
        if function:
            start = perf_counter_ns()
            function(*arrays, out=result)
            least[1] = min(least[1], perf_counter_ns() - start)
    return least[0] / COUNT, least[1] / COUNT


def main() -> None:
    """Print a table."""
    print(f"{'':14}{'float32':>10}{'NumPy':>8}{'ratio':>8}{'float64':>12}{'NumPy':>8}{'ratio':>8}")
    for name in sys.argv[1:] or MATH:
        cells = []
        for element, width in (("float", 10), ("double", 12)):
            ours, numpys = measure(name, element)
            cells.append(f"{ours:>{width}.2f}{numpys:>8.2f}{numpys / ours:>8.1f}")
        print(f"{name:14}{''.join(cells)}")


if __name__ == "__main__":
    main()
