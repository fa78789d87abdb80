"""Every rule against finite differences, and that there is a rule, or a reason, for every row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from finite_differences import check, check_twice, inputs_of, stored

import onebuf
from onebuf import ops
from onebuf.gradients.rules import LIBRARY_RULES, NOT_DIFFERENTIABLE, RULES
from onebuf.gradients.rules.table import call_name
from onebuf.graph import (
    BINARY,
    CAST,
    COMPLEX,
    CONCAT,
    COPY,
    CUSTOM,
    LIBRARY,
    MATMUL,
    MOVE,
    PAD,
    REDUCE,
    SCAN,
    TAKE,
    TAKE_ALONG,
    UNARY,
    VIEW,
    WHERE,
    Node,
    Op,
    op,
)
from onebuf.ops import scatter

random = np.random.default_rng(15)


def real(*shape: int, low: float = -2, high: float = 2) -> Any:
    """Elements between two numbers, none of which is near an integer."""
    drawn = random.uniform(low, high, shape)
    return np.where(np.abs(drawn - np.rint(drawn)) < 0.05, drawn + 0.1, drawn)


def complex_(*shape: int) -> Any:
    return real(*shape) + 1j * real(*shape)


@dataclass(frozen=True)
class Case:
    """A function of nodes and the elements that it is differentiated at."""

    function: Callable[..., Node]
    arrays: tuple[Any, ...]


def unary(name: str, *arrays: Any) -> list[Case]:
    return [Case(lambda x: ops.unary(UNARY[name], x), (array,)) for array in arrays]


def binary(name: str, *pairs: tuple[Any, Any]) -> list[Case]:
    return [Case(lambda x, y: ops.binary(BINARY[name], x, y), pair) for pair in pairs]


def scalar(name: str, array: Any, *numbers: Any) -> list[Case]:
    def with_number(number: Any) -> list[Case]:
        return [
            Case(lambda x: ops.binary(BINARY[name], x, number), (array,)),
            Case(lambda x: ops.binary(BINARY[name], number, x), (array,)),
        ]

    return [case for number in numbers for case in with_number(number)]


def reduction(name: str, array: Any, *axes: Any) -> list[Case]:
    def along(axis: Any, keepdims: bool) -> Case:
        return Case(lambda x: ops.reduce(REDUCE[name], x, axis, keepdims), (array,))

    return [along(axis, keepdims) for axis in axes for keepdims in (False, True)]


def view(function: Callable[[Node], Node], array: Any) -> Case:
    return Case(function, (array,))


WITH_ZEROS = np.array([[1.5, 0.0, -2.0, 3.0], [0.0, 2.0, 0.0, 1.0], [1.0, 2.0, -3.0, 0.5]])
BROADCAST = ((real(3, 1), real(2)), (real(2, 3), real()), (real(), real(2)), (real(1), real(1, 3)))
INDICES = np.array([[0, 2, -1], [2, 2, 1]])
ALONG = np.array([[0, 2, -1, 2], [2, 2, 1, 0]])
CONDITION = np.array([[True, False, True], [False, False, True]])


def tables(*arrays: Any) -> tuple[Node, ...]:
    return tuple([stored(array) for array in arrays])


CASES: dict[Op, list[Case]] = {
    UNARY["abs"]: unary("abs", real(5), complex_(4)),
    UNARY["acos"]: unary("acos", real(5, low=-0.9, high=0.8), complex_(4)),
    UNARY["acosh"]: unary("acosh", real(5, low=1.2, high=3), complex_(4)),
    UNARY["asin"]: unary("asin", real(5, low=-0.9, high=0.8), complex_(4)),
    UNARY["asinh"]: unary("asinh", real(5), complex_(4)),
    UNARY["atan"]: unary("atan", real(5), complex_(4)),
    UNARY["atanh"]: unary("atanh", real(5, low=-0.9, high=0.8), complex_(4)),
    UNARY["cbrt"]: unary("cbrt", real(5)),
    UNARY["conj"]: unary("conj", real(3), complex_(4)),
    UNARY["cos"]: unary("cos", real(5), complex_(4)),
    UNARY["cosh"]: unary("cosh", real(5), complex_(4)),
    UNARY["erf"]: unary("erf", real(5)),
    UNARY["erfc"]: unary("erfc", real(5)),
    UNARY["exp"]: unary("exp", real(5), complex_(4)),
    UNARY["exp2"]: unary("exp2", real(5)),
    UNARY["expm1"]: unary("expm1", real(5), complex_(4)),
    UNARY["imag"]: unary("imag", complex_(4)),
    UNARY["log"]: unary("log", real(5, low=0.3, high=3), complex_(4)),
    UNARY["log10"]: unary("log10", real(5, low=0.3, high=3), complex_(4)),
    UNARY["log1p"]: unary("log1p", real(5, low=-0.7, high=3), complex_(4)),
    UNARY["log2"]: unary("log2", real(5, low=0.3, high=3), complex_(4)),
    UNARY["negative"]: unary("negative", real(3), complex_(3)),
    UNARY["positive"]: unary("positive", real(3), complex_(3)),
    UNARY["real"]: unary("real", complex_(4)),
    UNARY["reciprocal"]: unary("reciprocal", real(5), complex_(4)),
    UNARY["sign"]: unary("sign", real(3), complex_(4)),
    UNARY["sin"]: unary("sin", real(5), complex_(4)),
    UNARY["sinh"]: unary("sinh", real(5), complex_(4)),
    UNARY["sqrt"]: unary("sqrt", real(5, low=0.3, high=3), complex_(4)),
    UNARY["square"]: unary("square", real(5), complex_(4)),
    UNARY["tan"]: unary("tan", real(5, low=-1, high=1), complex_(4)),
    UNARY["tanh"]: unary("tanh", real(5), complex_(4)),
    BINARY["add"]: binary("add", *BROADCAST, (complex_(3), real(2, 1))),
    BINARY["atan2"]: binary("atan2", *BROADCAST),
    BINARY["copysign"]: binary("copysign", *BROADCAST),
    BINARY["divide"]: [
        *binary("divide", *BROADCAST, (complex_(3), real(2, 1)), (real(2), complex_(2))),
        *scalar("divide", real(3), 3.0),
    ],
    BINARY["hypot"]: binary("hypot", *BROADCAST),
    BINARY["logaddexp"]: binary("logaddexp", *BROADCAST),
    BINARY["maximum"]: [*binary("maximum", *BROADCAST), *scalar("maximum", real(4), 0.0)],
    BINARY["minimum"]: [*binary("minimum", *BROADCAST), *scalar("minimum", real(4), 0.0)],
    BINARY["multiply"]: [
        *binary("multiply", *BROADCAST, (complex_(3), real(2, 1)), (complex_(2), complex_(2))),
        *scalar("multiply", real(3), 3.0),
        Case(lambda x: ops.binary(BINARY["multiply"], x, x), (real(3),)),
    ],
    BINARY["pow"]: [
        *binary("pow", (real(3, 1, low=0.3, high=2), real(2)), (complex_(2), complex_(2))),
        *scalar("pow", real(4, low=0.3, high=2), 3.0, 0.5, 1.0, 2.5),
        Case(lambda x: ops.binary(BINARY["pow"], x, 3), (real(4),)),
        Case(lambda x: ops.binary(BINARY["pow"], x, *tables([0, 1, 2, 3])), (real(4),)),
        Case(lambda y: ops.binary(BINARY["pow"], *tables([2, 3]), y), (real(3, 2),)),
    ],
    BINARY["remainder"]: binary("remainder", (real(4, low=3, high=6), real(4, low=0.6, high=2))),
    BINARY["subtract"]: binary("subtract", *BROADCAST, (complex_(3), real(2, 1))),
    CAST: [
        Case(lambda x: ops.cast(x, np.dtype("complex128")), (real(3),)),
    ],
    WHERE: [
        Case(lambda x, y: ops.ternary_where(*tables(CONDITION), x, y), (real(3), real(2, 1))),
        Case(lambda x, y: ops.ternary_where(*tables(True), x, y), (real(3), complex_(3))),
    ],
    REDUCE["sum"]: [
        *reduction("sum", real(2, 3, 2), None, 1, (0, 2), ()),
        *reduction("sum", complex_(2, 2), 0),
    ],
    REDUCE["prod"]: [
        *reduction("prod", real(2, 3, 2), None, 1, (0, 2)),
        *reduction("prod", WITH_ZEROS, 0, 1, None),
        *reduction("prod", complex_(2, 3), 1),
    ],
    REDUCE["max"]: reduction("max", real(2, 3, 2), None, 1, (0, 2)),
    REDUCE["min"]: reduction("min", real(2, 3, 2), None, 1, (0, 2)),
    SCAN["sum"]: [
        Case(lambda x: ops.scan("sum", x, 1), (real(2, 5),)),
        Case(lambda x: ops.scan("sum", x, 0, initial=True), (complex_(3, 2),)),
    ],
    SCAN["prod"]: [
        Case(lambda x: ops.scan("prod", x, 1), (real(2, 5),)),
        Case(lambda x: ops.scan("prod", x, 1), (WITH_ZEROS,)),
        Case(lambda x: ops.scan("prod", x, 0), (WITH_ZEROS,)),
        Case(lambda x: ops.scan("prod", x, 0, initial=True), (complex_(3, 2),)),
    ],
    COPY: [view(ops.copied, real(2, 3))],
    PAD: [view(lambda x: ops.pad(x, [(1, 2), (0, 1)], 7), real(2, 3))],
    CONCAT: [
        Case(lambda x, y: ops.concat([x, y, x], 1), (real(2, 3), real(2, 1))),
        Case(lambda x, y: ops.stack([x, y], 0), (real(2), real(2))),
    ],
    VIEW: [
        view(lambda x: ops.permute(x, (2, 0, 1)), real(2, 3, 4)),
        view(lambda x: ops.reshape(x, (4, 6)), real(2, 3, 4)),
        view(lambda x: ops.index(x, (slice(1, None), 2)), real(3, 4)),
        view(lambda x: ops.index(x, (slice(None), slice(None, None, 2))), real(3, 5)),
        view(lambda x: ops.index(x, (slice(None, None, -2), slice(4, 0, -3))), real(5, 5)),
        view(lambda x: ops.index(x, (1, None, 2)), real(3, 4)),
        view(lambda x: ops.index(ops.reshape(x, (-1,)), slice(3, 9)), real(4, 6)),
        view(lambda x: ops.expand(ops.reshape(x, (3, 1, 2)), (4, 3, 5, 2)), real(3, 2)),
        view(lambda x: ops.flip(ops.permute(x, (1, 0)), (0,)), real(2, 3)),
        view(ops.diagonal, real(4, 4)),
        view(lambda x: ops.diagonal(x, -1), real(4, 3)),
        view(lambda x: ops.diagonal(x, 1, 0, 2), real(3, 2, 4)),
        view(lambda x: ops.windows(x, 3, 0), real(6)),
        view(lambda x: ops.windows(ops.windows(x, 2, 0), 3, 1, 2), real(4, 7)),
        view(lambda x: ops.windows(x, 70, 0), real(140)),
        view(lambda x: ops.shrink(ops.pad(x, [(1, 1)]), [(0, 3)]), real(4)),
    ],
    TAKE: [
        Case(lambda x: ops.take(x, *tables(INDICES), 0), (real(3, 2),)),
        Case(lambda x: ops.take(x, *tables(INDICES), 1), (real(2, 4, 2),)),
        Case(lambda x: ops.take(x, *tables(INDICES), 0), (real(5, 20),)),
        Case(lambda x: ops.take(x, *tables(1), 0), (real(3, 2),)),
    ],
    TAKE_ALONG: [
        Case(lambda x: ops.take_along_axis(x, *tables(ALONG), 0), (real(3, 4),)),
        Case(lambda x: ops.take_along_axis(x, *tables(ALONG), 1), (real(2, 4),)),
        Case(lambda x: ops.take_along_axis(x, *tables(ALONG[:, :1]), 1), (real(2, 4),)),
        Case(lambda x: ops.take_along_axis(x, *tables(ALONG), 1), (real(1, 4),)),
        Case(lambda x: ops.take_along_axis(x, *tables(ALONG[:1]), 1), (real(3, 4),)),
    ],
    MATMUL: [
        Case(ops.matmul, (real(2, 3), real(3, 4))),
        Case(ops.matmul, (real(3), real(3))),
        Case(ops.matmul, (real(3), real(3, 2))),
        Case(ops.matmul, (real(2, 3), real(3))),
        Case(ops.matmul, (real(3), real(2, 3, 2))),
        Case(ops.matmul, (real(2, 2, 3), real(3))),
        Case(ops.matmul, (real(2, 2, 3), real(3, 2))),
        Case(ops.matmul, (real(2, 3), real(2, 3, 2))),
        Case(ops.matmul, (real(2, 1, 2, 3), real(3, 3, 2))),
        Case(ops.matmul, (complex_(2, 3), complex_(3, 2))),
        Case(ops.matmul, (complex_(2, 2, 3), real(3, 2))),
    ],
}  # fmt: skip
CALLS: dict[str, list[Case]] = {
    "scatter_add": [
        Case(lambda u: scatter.scatter_add((3, 2), *tables(INDICES), u, 0), (real(2, 3, 2),)),
        Case(lambda u: scatter.scatter_add((2, 3), *tables(INDICES), u, 1), (real(2, 2, 3),)),
    ],
    "scatter_add_along": [
        Case(lambda u: scatter.scatter_add_along((3, 4), *tables(ALONG), u, 0), (real(2, 4),)),
    ],
    "scatter_put": [
        Case(lambda x, u: scatter.scatter_put(x, *tables([2, 0, 2, -1]), u), (real(5), real(4))),
    ],
}
GIVEN_BY_PROGRAMS = {CUSTOM, MOVE}
"""Operations that bring their gradient along, or that need two devices."""
ONLY_IN_KERNELS = {COMPLEX}
"""Operations without a case, since they do not run by themselves."""


def rows() -> Iterator[Op]:
    """Every operation of the table."""
    for value in vars(op).values():
        if isinstance(value, Op):
            yield value
        elif isinstance(value, dict):
            yield from [one for pair in value.items() for one in pair if isinstance(one, Op)]


def reached(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        stack.extend(one.srcs)


def named(cases: dict[Any, list[Case]]) -> list[Any]:
    return [
        pytest.param(key, case, id=f"{key}-{number}")
        for key, some in cases.items()
        for number, case in enumerate(some)
    ]


each_case = pytest.mark.parametrize("key, case", named({**CASES, **CALLS}))


def test_every_operation_has_a_rule_or_a_reason() -> None:
    assert set(rows()) - {LIBRARY} - GIVEN_BY_PROGRAMS <= set(RULES) | set(NOT_DIFFERENTIABLE)


def test_no_operation_has_a_rule_and_a_reason() -> None:
    assert not set(RULES) & set(NOT_DIFFERENTIABLE)


def test_every_rule_has_a_case() -> None:
    assert set(RULES) - GIVEN_BY_PROGRAMS - ONLY_IN_KERNELS == set(CASES)
    assert set(CALLS) <= set(LIBRARY_RULES)


@each_case
def test_a_case_is_one_of_its_operation(key: Op | str, case: Case) -> None:
    with onebuf.config(eager_numel=0):
        nodes = [*reached(case.function(*inputs_of(case.arrays)))]
    if isinstance(key, str):
        assert key in {call_name(node) for node in nodes if node.op is LIBRARY}
    else:
        assert key in {node.op for node in nodes}


@each_case
def test_a_gradient_is_that_of_finite_differences(key: Op | str, case: Case) -> None:
    check(case.function, *case.arrays)


@each_case
def test_a_second_gradient_is_that_of_finite_differences(key: Op | str, case: Case) -> None:
    check_twice(case.function, *case.arrays)
