"""Special values of the standard that NumPy gives differently: quotients with infinities."""

from __future__ import annotations

from math import copysign, inf, isnan, nan

import numpy as np
import pytest

import onebuf as xp

# x1, x2 and the result that the standard's rows for floor_divide ask for
FLOOR_DIVIDE = [
    (nan, 1.0, nan),
    (1.0, nan, nan),
    (inf, inf, nan),
    (inf, -inf, nan),
    (-inf, inf, nan),
    (-inf, -inf, nan),
    (0.0, 0.0, nan),
    (-0.0, 0.0, nan),
    (0.0, -0.0, nan),
    (-0.0, -0.0, nan),
    (0.0, 2.0, 0.0),
    (-0.0, 2.0, -0.0),
    (0.0, -2.0, -0.0),
    (-0.0, -2.0, 0.0),
    (3.0, 0.0, inf),
    (3.0, -0.0, -inf),
    (-3.0, 0.0, -inf),
    (-3.0, -0.0, inf),
    (inf, 2.0, inf),
    (inf, -2.0, -inf),
    (-inf, 2.0, -inf),
    (-inf, -2.0, inf),
    (3.0, inf, 0.0),
    (3.0, -inf, -0.0),
    (-3.0, inf, -0.0),
    (-3.0, -inf, 0.0),
    (7.0, 2.0, 3.0),
    (-7.0, 2.0, -4.0),
    (1.0, 0.1, 9.0),
]
REMAINDER = [
    (inf, 1.0, nan),
    (-inf, inf, nan),
    (0.0, 0.0, nan),
    (1.0, 0.0, nan),
    (0.0, 2.0, 0.0),
    (-0.0, 2.0, 0.0),
    (0.0, -2.0, -0.0),
    (-0.0, -2.0, -0.0),
    (3.0, inf, 3.0),
    (3.0, -inf, -inf),
    (-3.0, inf, inf),
    (-3.0, -inf, -3.0),
    (-7.0, 2.0, 1.0),
]
ROWS = [("floor_divide", *row) for row in FLOOR_DIVIDE] + [("remainder", *row) for row in REMAINDER]


def same(got: float, wanted: float) -> bool:
    if isnan(wanted):
        return isnan(got)
    return got == wanted and copysign(1.0, got) == copysign(1.0, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name, x1, x2, wanted", ROWS)
def test_a_quotient_is_what_the_standard_says(
    name: str, x1: float, x2: float, wanted: float, eager_numel: int, dtype: str
) -> None:
    if wanted == 9.0 and dtype == "float32":
        wanted = float(np.float32(1.0) // np.float32(0.1))
    with xp.config(eager_numel=eager_numel):
        one, two = (xp.asarray([x], dtype=dtype) for x in (x1, x2))
        assert same(getattr(xp, name)(one, two).item(), wanted)
        assert same(getattr(xp, name)(one, x2).item(), wanted)
        assert same(getattr(xp, name)(x1, two).item(), wanted)
        if name == "floor_divide":
            one //= two
        else:
            one %= two
        assert same(one.item(), wanted)
