"""The flags of a kernel: which checks failed, and what error that is."""

from __future__ import annotations

import numpy as np
import pytest

from onebuf.backends.kernel_launch import check_extents, cleared_flags, raise_if_set
from onebuf.dtypes import int64
from onebuf.errors import ArgumentError, IndexRangeError
from onebuf.graph import BINARY, TAKE
from onebuf.render.clike import Check, Scalar

LITERAL = Check(TAKE, 5)
ARGUMENT = Check(TAKE, Scalar(1, int64))
POWER = Check(BINARY["pow"])


@pytest.mark.parametrize("check", [Check(TAKE, 0), ARGUMENT])
def test_an_axis_without_elements_is_an_error_before_the_kernel_runs(check: Check) -> None:
    with pytest.raises(IndexRangeError, match="one of extent 0"):
        check_extents([POWER, LITERAL, check], [np.int64(7), np.int64(0)])


def test_other_extents_and_other_checks_are_not() -> None:
    check_extents([POWER, LITERAL, ARGUMENT], [np.int64(0), np.int64(3)])


def test_the_first_check_that_failed_is_the_error() -> None:
    checks, scalars = [POWER, LITERAL, ARGUMENT], [np.int64(0), np.int64(3)]
    flags = cleared_flags(checks)
    raise_if_set(flags, checks, scalars)
    flags[4:] = 1, -4
    with pytest.raises(IndexRangeError, match=r"in -3\.\.2, got -4"):
        raise_if_set(flags, checks, scalars)
    flags[2:4] = 1, 0
    with pytest.raises(IndexRangeError, match=r"in -5\.\.4, got 0"):
        raise_if_set(flags, checks, scalars)
    flags[:2] = 1, -2
    with pytest.raises(ArgumentError, match="got the exponent -2"):
        raise_if_set(flags, checks, scalars)
