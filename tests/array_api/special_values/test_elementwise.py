"""Every special value that the standard gives to an element-wise function, in every way to ask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.special_values import complex_binary, complex_unary, real_binary, real_unary
from array_api.special_values.rows import COMPLEX, FLOATS, Case, Row
from array_api.special_values.ways import ways

REAL = [*real_unary.ROWS, *real_binary.ROWS]
OF_COMPLEX = [*complex_unary.ROWS, *complex_binary.ROWS]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("row", REAL, ids=str)
def test_a_real_special_value_is_what_the_standard_says(row: Row, dtype: str) -> None:
    check(row, dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("row", OF_COMPLEX, ids=str)
def test_a_complex_special_value_is_what_the_standard_says(row: Row, dtype: str) -> None:
    check(row, dtype)


def check(row: Row, dtype: str) -> None:
    cases = row.cases(dtype)
    assert cases, "a row without a case tests nothing"
    operands = [
        np.array(column, dtype) for column in zip(*(case.operands for case in cases), strict=True)
    ]
    epsilon = float(np.finfo(dtype).eps)
    accepted: set[tuple[bytes, bytes]] = set()
    for way, got, at in ways(row.function, operands, np.arange(len(cases))):
        result = got.unwrap()
        assert result.shape == np.shape(at), way
        seen = (result.tobytes(), np.asarray(at).tobytes())
        if seen in accepted:  # to the bit what was right in another way
            continue
        for number, which in zip(result.ravel().tolist(), np.ravel(at), strict=True):
            assert accepts(cases[which], number, epsilon), (
                f"{way}: {row.function}{cases[which].operands} gave {number}"
            )
        accepted.add(seen)


def accepts(case: Case, number: Any, epsilon: float) -> bool:
    parts = [number] if len(case.wanted) == 1 else [number.real, number.imag]
    return all(part.accepts(got, epsilon) for part, got in zip(case.wanted, parts, strict=True))
