"""Gradients through every public function of the namespaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from directional_differences import check
from namespace_functions import CASES, REFUSED, WITHOUT, Case

import onebuf
from onebuf import fft, linalg
from onebuf.errors import NotDifferentiable


def public_functions() -> list[str]:
    """The functions of the root, and of `linalg` and `fft` behind the names of these."""
    spaces = (("", onebuf), ("linalg.", linalg), ("fft.", fft))
    found: list[tuple[str, Any]] = [
        (front + name, getattr(space, name)) for front, space in spaces for name in space.__all__
    ]
    return [name for name, it in found if callable(it) and not isinstance(it, type)]


@pytest.mark.parametrize("name", public_functions())
def test_a_function_has_a_case_or_a_reason(name: str) -> None:
    tables = [table for table in (CASES, REFUSED, WITHOUT) if name in table]
    assert len(tables) == 1, f"{name} needs to be in one table of tests/namespace_functions.py"


def test_tables_have_no_names_that_are_not_public() -> None:
    assert {*CASES, *REFUSED, *WITHOUT} - {*public_functions()} <= {"jit"}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{name}-{number}")
        for name, cases in CASES.items()
        for number, case in enumerate(cases)
    ],
)
def test_a_gradient_is_that_of_finite_differences(case: Case) -> None:
    function, arrays = case
    check(function, *arrays)


@pytest.mark.parametrize("name", REFUSED)
def test_a_gradient_that_is_not_followed_is_an_error(name: str) -> None:
    with pytest.raises(NotDifferentiable):
        onebuf.vjp(REFUSED[name], onebuf.asarray(np.arange(12.0).reshape(3, 4)))
