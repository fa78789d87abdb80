"""Special values come from our own rules, whatever the C library below NumPy makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from array_api.special_values import complex_unary
from array_api.special_values.rows import COMPLEX, Row

from onebuf.backends.numpy.complex_loops import corrected
from onebuf.backends.numpy.complex_special import RULES, apply
from onebuf.ops import quietly

RULED = [row for row in (*complex_unary.BASE, *complex_unary.DERIVED) if row.function in RULES]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("row", RULED, ids=str)
def test_a_rule_says_what_the_standard_says(row: Row, dtype: str) -> None:
    cases = [case for case in row.cases(dtype) if not np.isfinite(case.operands[0])]
    operands = np.array([case.operands[0] for case in cases], dtype)
    got = quietly(apply, RULES[row.function], operands)
    assert got.dtype == operands.dtype
    for case, number in zip(cases, got.tolist(), strict=True):
        assert case.accepts(number, float(np.finfo(dtype).eps)), (case, number)


def test_every_function_with_rows_of_its_own_has_a_rule() -> None:
    assert {row.function for row in (*complex_unary.BASE, *complex_unary.DERIVED)} == set(RULES)


@pytest.mark.parametrize("shape", [(), (1,), (2, 9)])
def test_a_rule_replaces_what_a_loop_makes_of_special_values_and_nothing_else(
    shape: tuple[int, ...],
) -> None:
    def wrong(x: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, np.where(np.isfinite(x), x + 7, 666))

    x = np.full(shape, 1 + 2j)
    out = np.empty_like(x)
    corrected(wrong, RULES["log"])(x, out)
    assert (out == 8 + 2j).all()
    x.flat[-1:] = complex(np.inf, np.inf)
    corrected(wrong, RULES["log"])(x, x)
    wanted = np.full(shape, 8 + 2j)
    wanted.flat[-1:] = complex(np.inf, np.pi / 4)
    np.testing.assert_array_equal(x, wanted)
