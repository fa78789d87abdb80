"""A node whose shape does not follow from those below it is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onebuf.capture.dynamic.consistent import is_consistent
from onebuf.graph import (
    ARANGE,
    BINARY,
    CONCAT,
    COPY,
    MATMUL,
    PAD,
    REDUCE,
    SCAN,
    TAKE,
    TAKE_ALONG,
    VIEW,
    Node,
    make,
)
from onebuf.layout import View
from onebuf.ops.movement import Padding

F8, I8 = np.dtype("float64"), np.dtype("int64")


def memory(*shape: int, dtype: Any = F8) -> Node:
    return make(ARANGE, (), (0, 1, 1), shape, dtype, unique=True)


def _padding(before: int, after: int) -> Padding:
    return Padding(((before, after),), np.float64(0))


X, Y, FLAT = memory(4, 6), memory(6, 3), memory(5)
INDEX = memory(2, dtype=I8)
CASES: list[tuple[Any, tuple[Node, ...], Any, tuple[int, ...], tuple[int, ...]]] = [
    (BINARY["add"], (X, memory(1, 6)), None, (4, 6), (5, 6)),
    (REDUCE["sum"], (X,), ((0,), False), (6,), (5,)),
    (SCAN["sum"], (X,), 0, (4, 6), (5, 6)),
    (COPY, (X,), None, (4, 6), (4, 7)),
    (MATMUL, (X, Y), None, (4, 3), (4, 4)),
    (CONCAT, (X, memory(2, 6)), 0, (6, 6), (7, 6)),
    (TAKE, (X, INDEX), 0, (2, 6), (3, 6)),
    (TAKE_ALONG, (X, memory(2, 6, dtype=I8)), 0, (2, 6), (4, 6)),
    (PAD, (FLAT,), _padding(1, 2), (8,), (9,)),
    (ARANGE, (), (0, 7, 2), (4,), (3,)),
]


@pytest.mark.parametrize(("op", "srcs", "arg", "right", "wrong"), CASES)
def test_the_shape_of_an_operation_is_checked(
    op: Any, srcs: Any, arg: Any, right: Any, wrong: Any
) -> None:
    dtype = srcs[0].dtype if srcs else F8
    assert is_consistent(make(op, srcs, arg, right, dtype, unique=True))
    assert not is_consistent(make(op, srcs, arg, wrong, dtype, unique=True))


@pytest.mark.parametrize(
    ("op", "srcs", "arg", "shape"),
    [
        (BINARY["add"], (X, Y), None, (4, 6)),
        (MATMUL, (X, X), None, (4, 6)),
        (CONCAT, (X, Y), 0, (10, 6)),
        (PAD, (FLAT,), _padding(-1, 2), (6,)),
        (COPY, (X,), None, (-4, 6)),
    ],
)
def test_operands_that_do_not_go_together_are_found(
    op: Any, srcs: Any, arg: Any, shape: Any
) -> None:
    assert not is_consistent(make(op, srcs, arg, shape, srcs[0].dtype, unique=True))


@pytest.mark.parametrize(
    "view",
    [
        View((5, 6), (6, 1)),
        View((4, 6), (6, 1), 1),
        View((4, 6), (6, 1), -1),
        View((4,), (-1,), 2),
        View((2,), (24,)),
    ],
)
def test_a_view_outside_of_its_base_is_found(view: View) -> None:
    assert not is_consistent(make(VIEW, (X,), view, view.shape, F8, unique=True))


def test_a_view_inside_of_its_base_is_consistent() -> None:
    for view in (View((6, 4), (1, 6)), View((4,), (-6,), 18), View((0,), (1,), 24)):
        assert is_consistent(make(VIEW, (X,), view, view.shape, F8, unique=True))
