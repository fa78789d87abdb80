"""Every special value that the standard gives to an element-wise function, in every way to ask."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from array_api.special_values import complex_binary, complex_unary, real_binary, real_unary
from array_api.special_values.rows import COMPLEX, FLOATS, Case, Row
from array_api.special_values.ways import ways

import onebuf as xp
from onebuf.graph import BINARY, UNARY

REAL = [*real_unary.ROWS, *real_binary.ROWS]
OF_COMPLEX = [*complex_unary.ROWS, *complex_binary.ROWS]
WHOLE_NUMBERS_ONLY = {name for name in UNARY | BINARY if name.startswith("bitwise")}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("row", REAL, ids=str)
def test_a_real_special_value_is_what_the_standard_says(row: Row, dtype: str) -> None:
    check(row, dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("row", OF_COMPLEX, ids=str)
def test_a_complex_special_value_is_what_the_standard_says(row: Row, dtype: str) -> None:
    check(row, dtype)


@pytest.mark.parametrize(
    "name, dtype",
    [
        *[(name, dtype) for name in sorted({row.function for row in REAL}) for dtype in FLOATS],
        *[
            (name, dtype)
            for name in sorted({row.function for row in OF_COMPLEX})
            for dtype in COMPLEX
        ],
    ],
)
def test_special_values_do_not_disturb_one_another(name: str, dtype: str) -> None:
    rows = [row for row in (REAL if dtype in FLOATS else OF_COMPLEX) if row.function == name]
    cases = list(chain.from_iterable(row.cases(dtype)[:40] for row in rows))
    order = np.random.default_rng(len(cases)).permutation(len(cases))
    shuffled = [cases[i] for i in order]
    got = getattr(xp, name)(*map(xp.asarray, columns(shuffled, dtype))).tolist()
    for case, number in zip(shuffled, got, strict=True):
        assert case.accepts(number, float(np.finfo(dtype).eps)), (case, number)


def test_every_function_has_rows() -> None:
    missing = set(UNARY | BINARY) - {row.function for row in REAL} - WHOLE_NUMBERS_ONLY
    assert missing == {"imag"}
    assert "imag" in {row.function for row in OF_COMPLEX}


def columns(cases: list[Case], dtype: str) -> list[np.ndarray]:
    return [np.array(column, dtype) for column in zip(*[c.operands for c in cases], strict=True)]


def check(row: Row, dtype: str) -> None:
    cases = row.cases(dtype)
    assert cases, "a row without a case tests nothing"
    epsilon = float(np.finfo(dtype).eps)
    accepted: set[tuple[bytes, bytes]] = set()
    for way, got, at in ways(row.function, columns(cases, dtype), np.arange(len(cases))):
        result = got.unwrap()
        assert result.shape == np.shape(at), way
        seen = (result.tobytes(), np.asarray(at).tobytes())
        if seen in accepted:  # to the bit what was right in another way
            continue
        for number, which in zip(result.ravel().tolist(), np.ravel(at), strict=True):
            assert cases[which].accepts(number, epsilon), (
                f"{way}: {row.function}{cases[which].operands} gave {number}"
            )
        accepted.add(seen)
