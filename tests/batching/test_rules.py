"""Every operation, on a batch of examples and on one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batching.oracle import check, of_batch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_equal
from sample_layouts import Antisymmetric, Hermitian, Packed

import onebuf
from onebuf import ops
from onebuf.batching import batched
from onebuf.batching.rules import RULES
from onebuf.errors import IndexRangeError, NotBatched
from onebuf.graph import (
    BINARY,
    COMPLEX,
    CONCAT,
    COPY,
    MATMUL,
    ON_DEMAND,
    PAD,
    REDUCE,
    SCAN,
    TAKE,
    UNARY,
    VIEW,
    WHERE,
    Kind,
    Op,
    make,
)
from onebuf.graph import op as table

RNG = np.random.default_rng(15)
SIZE = 3


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.normal(size=shape)


def integers(high: int, *shape: int) -> np.ndarray[Any, Any]:
    return RNG.integers(0, high, shape)


def of(node: Any) -> Any:
    return onebuf.Buffer._value(node)


def test_every_operation_with_operands_has_a_rule() -> None:
    rows = [value for value in vars(table).values() if isinstance(value, Op)]
    tables = (UNARY, BINARY, REDUCE, SCAN)
    rows += [op for one in tables for op in one.values()]
    without_operands = {Kind.STORED, Kind.CONSTANT, Kind.GENERATE, Kind.SOURCE}
    needed = {op for op in rows if op.kind not in without_operands}
    needed -= {table.FREED, table.FAILED, table.WRITE}
    assert needed == set(RULES)


# -- elementwise -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(UNARY))
def test_a_function_of_each_element(name: str) -> None:
    op = UNARY[name]
    x: np.ndarray[Any, Any] = np.clip(np.abs(floats(SIZE, 4)), 0.1, 0.9)
    if name == "acosh":
        x = x + 1
    if name == "bitwise_invert":
        x = integers(100, SIZE, 4)
    check(lambda x: of(ops.unary(op, x._node)), x)


@pytest.mark.parametrize("name", sorted(BINARY))
@pytest.mark.parametrize("mapped", [(True, True), (True, False), (False, True)])
def test_a_function_of_two_operands(name: str, mapped: tuple[bool, bool]) -> None:
    op = BINARY[name]
    one: np.ndarray[Any, Any] = np.abs(floats(SIZE, 4)) + 0.5
    two: np.ndarray[Any, Any] = np.abs(floats(SIZE, 4)) + 0.5
    if "bitwise" in name:
        one, two = integers(9, SIZE, 4), integers(9, SIZE, 4)
    arrays = [x if is_mapped else x[0] for x, is_mapped in zip((one, two), mapped, strict=True)]
    check(lambda x, y: of(ops.binary(op, x._node, y._node)), *arrays, mapped=mapped)


SHAPES = ((), (4,), (2, 4), (1, 4), (2, 1), (5, 2, 4))


@pytest.mark.parametrize("one", SHAPES)
@pytest.mark.parametrize("two", SHAPES)
@pytest.mark.parametrize("mapped", [(True, True), (True, False), (False, True)])
def test_operands_of_different_ranks_broadcast_within_an_example(
    one: tuple[int, ...], two: tuple[int, ...], mapped: tuple[bool, bool]
) -> None:
    shapes = [(SIZE, *s) if m else s for s, m in zip((one, two), mapped, strict=True)]
    check(lambda x, y: x + y, *[floats(*shape) for shape in shapes], mapped=mapped)


@pytest.mark.parametrize("mapped", [(True, False, False), (False, True, False), (True, True, True)])
def test_a_choice_between_operands(mapped: tuple[bool, ...]) -> None:
    arrays = [floats(SIZE, 4) > 0, floats(SIZE, 4), floats(SIZE)]
    arrays = [x if m else x[0] for x, m in zip(arrays, mapped, strict=True)]
    found = check(onebuf.where, *arrays, mapped=mapped)
    assert found[0].op in (WHERE, table.STORED)


def test_a_cast() -> None:
    check(lambda x: x.astype("int32"), 10 * floats(SIZE, 4))


def test_complex_numbers_of_their_parts() -> None:
    def joined(x: Any, y: Any) -> Any:
        return of(ops.general(COMPLEX, (x._node, y._node), None, (4,), np.dtype("complex128")))

    check(joined, floats(SIZE, 4), floats(4), mapped=(True, False))


# -- reductions and scans --------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(REDUCE))
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_reduction(name: str, axis: int | None, keepdims: bool) -> None:
    check(lambda x: of(ops.reduce(REDUCE[name], x._node, axis, keepdims)), floats(SIZE, 2, 4))


@pytest.mark.parametrize("name", sorted(REDUCE))
def test_a_reduction_of_one_element(name: str) -> None:
    check(lambda x: of(ops.reduce(REDUCE[name], x._node)), floats(SIZE))


def test_a_reduction_of_some_axes() -> None:
    check(lambda x: x.sum((0, 2)), floats(SIZE, 2, 3, 4))


@pytest.mark.parametrize("name", sorted(SCAN))
@pytest.mark.parametrize("axis", [0, 1])
def test_a_scan(name: str, axis: int) -> None:
    check(lambda x: of(ops.scan(name, x._node, axis)), floats(SIZE, 2, 4))


# -- movement --------------------------------------------------------------------------------------

VIEWS: dict[str, Any] = {
    "permuted": lambda x: x.permute((2, 0, 1)),
    "backwards": lambda x: x[::-1, ::2, 1:],
    "an element": lambda x: x[1, 2, 3, ...],
    "a row": lambda x: x[0, 1],
    "a new axis": lambda x: x[:, None],
    "expanded": lambda x: of(ops.expand(x[:1]._node, (5, 3, 4))),
    "reshaped": lambda x: x.reshape((4, 6)),
    "reshaped after a transpose": lambda x: x.permute((2, 1, 0)).reshape((6, 4)),
    "a view of a view": lambda x: x.permute((2, 1, 0))[1:, 0],
    "the diagonal": lambda x: of(ops.diagonal(x._node, 1, 1, 2)),
    "overlapping windows": lambda x: of(ops.windows(x._node, 2, 2)),
    "no elements": lambda x: x[:, :0],
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view(name: str) -> None:
    check(VIEWS[name], floats(SIZE, 2, 3, 4))


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_of_what_is_computed(name: str) -> None:
    check(lambda x, y: VIEWS[name](x * y), floats(SIZE, 2, 3, 4), floats(SIZE, 4))


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_of_a_batch_whose_axes_lie_in_another_order(name: str) -> None:
    check(VIEWS[name], floats(2, 3, 4, SIZE).transpose(3, 0, 1, 2))


def test_a_copy_is_a_copy() -> None:
    [node] = of_batch(lambda x: x.copy(), [floats(SIZE, 4)], [True], SIZE)
    assert node.op is COPY


def test_a_border() -> None:
    [node] = check(lambda x: of(ops.pad(x._node, [(1, 2), (0, 3)], 7)), floats(SIZE, 2, 4))
    assert node.op in (PAD, table.STORED)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("mapped", [(True, True), (True, False), (False, True)])
def test_operands_one_after_another(axis: int, mapped: tuple[bool, bool]) -> None:
    shapes = [(SIZE, 2, 2) if is_mapped else (2, 2) for is_mapped in mapped]
    arrays = [floats(*shape) for shape in shapes]
    [node] = check(lambda x, y: onebuf.concat([x, y], axis=axis), *arrays, mapped=mapped)
    assert node.op in (CONCAT, table.STORED)


# -- gathers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("indices", [(), (5,), (2, 3)])
@pytest.mark.parametrize("mapped", [(True, True), (True, False), (False, True)])
def test_slices_by_index(axis: int, indices: tuple[int, ...], mapped: tuple[bool, bool]) -> None:
    x = floats(*(SIZE,) * mapped[0], 2, 3, 4)
    at = integers(2, *(SIZE,) * mapped[1], *indices) - 1
    check(lambda x, at: of(ops.take(x._node, at._node, axis)), x, at, mapped=mapped)


@pytest.mark.parametrize("mapped", [(True, True), (True, False)])
def test_an_index_outside_of_its_example_is_an_error(mapped: tuple[bool, bool]) -> None:
    x, at = floats(SIZE, 4), np.array([0, 4])
    if mapped[1]:
        at = np.stack([at] * SIZE)

    def taken(x: Any, at: Any) -> Any:
        return of(ops.take(x._node, at._node))

    [node] = of_batch(taken, [x, at], mapped, SIZE)
    with pytest.raises(IndexRangeError):
        of(node).realize()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("mapped", [(True, True), (True, False), (False, True)])
def test_an_index_for_each_place(axis: int, mapped: tuple[bool, bool]) -> None:
    x = floats(*(SIZE,) * mapped[0], 3, 4)
    at = integers(3, *(SIZE,) * mapped[1], 3, 4)
    check(lambda x, at: of(ops.take_along_axis(x._node, at._node, axis)), x, at, mapped=mapped)


def test_slices_by_index_stay_slices() -> None:
    def rows(x: Any, at: Any) -> Any:
        return of(ops.take(x._node, at._node))

    [node] = of_batch(rows, [floats(SIZE, 4, 2), integers(4, 5)], [True, False], SIZE)
    assert node.op is TAKE


# -- products --------------------------------------------------------------------------------------

LEFT = ((4,), (2, 4), (3, 2, 4), (1, 2, 4), (5, 1, 2, 4))
RIGHT = ((4,), (4, 6), (3, 4, 6), (1, 4, 6))


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("right", RIGHT)
@pytest.mark.parametrize("mapped", [(True, True), (True, False), (False, True)])
def test_a_product(
    left: tuple[int, ...], right: tuple[int, ...], mapped: tuple[bool, bool]
) -> None:
    shapes = [(2, *s) if m else s for s, m in zip((left, right), mapped, strict=True)]
    check(lambda x, y: x @ y, *[floats(*shape) for shape in shapes], mapped=mapped)


@pytest.mark.parametrize(
    "left, right, mapped",
    [((4,), (4, 6), (True, False)), ((2, 4), (4, 6), (True, False)), ((6, 4), (4,), (False, True))],
)
def test_examples_that_meet_one_matrix_are_one_product(
    left: tuple[int, ...], right: tuple[int, ...], mapped: tuple[bool, bool]
) -> None:
    shapes = [(SIZE, *s) if m else s for s, m in zip((left, right), mapped, strict=True)]
    arrays = [floats(*shape) for shape in shapes]
    [node] = of_batch(lambda x, y: x @ y, arrays, mapped, SIZE)
    assert node.base.op is MATMUL
    assert [len(src.shape) for src in node.base.srcs] == [2, 2]


# -- everything ------------------------------------------------------------------------------------


def test_a_batch_may_be_empty() -> None:
    with onebuf.config(eager_numel=0):
        [node] = of_batch(lambda x: (x @ x.T).sum(0), [floats(0, 3, 4)], [True], 0)
    assert np.asarray(of(node)).shape == (0, 3)


def test_what_depends_on_no_example_stays_as_it_is() -> None:
    with onebuf.config(eager_numel=0):
        weights = onebuf.ones((4,)) * 2
        [found] = batched([weights._node], {}, SIZE)
    assert found.node is weights._node
    assert not found.is_batched


def test_a_long_chain_needs_no_recursion() -> None:
    def chain(x: Any) -> Any:
        for _ in range(5000):
            x = x + 1
        return x

    [node] = of_batch(chain, [floats(SIZE)], [True], SIZE)
    assert node.shape == (SIZE,)


@given(st.data())
def test_random_programs_equal_a_loop(data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=6))
    mapped = data.draw(st.sampled_from([(True, True), (True, False), (False, True)]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    arrays = [rng.normal(size=(2, 3, 4) if is_mapped else (3, 4)) for is_mapped in mapped]

    def program(x: Any, y: Any) -> Any:
        for step in steps:
            x, y = STEPS[step](x, y)
        return x * y.sum()

    check(program, *arrays, mapped=mapped)


STEPS: dict[str, Any] = {
    "swap": lambda x, y: (y, x),
    "add": lambda x, y: (x + y.sum(0)[: x.shape[-1]].sum(), y),
    "tanh": lambda x, y: (onebuf.tanh(x), y),
    "transpose": lambda x, y: (x.T, y),
    "backwards": lambda x, y: (x[::-1], y[:, ::-1]),
    "scale": lambda x, y: (x / (1 + onebuf.abs(x).max(-1, keepdims=True)), y),
    "product": lambda x, y: (x @ x.T / 8, y),
    "scan": lambda x, y: (onebuf.cumulative_sum(x, axis=0) / 4, y),
    "sort": lambda x, y: (onebuf.sort(x, axis=0), y),
    "order": lambda x, y: (onebuf.take_along_axis(x, onebuf.argsort(x, axis=1), axis=1), y),
    "rows": lambda x, y: (onebuf.take(x, onebuf.argsort(x[:, 0]), axis=0), y),
    "join": lambda x, y: (onebuf.concat([x, x * 2], axis=1)[:, ::2], y),
    "reshape": lambda x, y: (x.reshape((-1,)).reshape(x.shape[::-1]), y),
    "where": lambda x, y: (onebuf.where(x > 0, x, x * y.mean()), y),
}


def test_an_operation_without_a_rule_is_an_error_that_names_it_and_the_line() -> None:
    def generated(x: Any) -> Any:
        return of(ops.general(ON_DEMAND, (x._node,), None, x.shape, x.dtype))

    with pytest.raises(NotBatched, match=r"got on_demand \(at .*test_rules.py:\d+: .*stack"):
        of_batch(generated, [floats(SIZE, 4)], [True], SIZE)


@pytest.mark.parametrize("layout", [Packed(3), Antisymmetric(4), Hermitian(3)])
@pytest.mark.parametrize("change", [lambda x: x, lambda x: x.T[1:], lambda x: x * 2])
def test_a_layout_without_strides(layout: Packed, change: Any) -> None:
    stored = floats(SIZE, layout.span[1]) + 1j * floats(SIZE, layout.span[1])

    def seen(x: Any) -> Any:
        storage = (x + 1)._node
        return change(of(make(VIEW, (storage,), layout, layout.shape, storage.dtype)))

    check(seen, stored)


def test_a_layout_without_strides_of_a_batch_that_is_a_part_of_a_buffer() -> None:
    layout = Packed(3)
    whole = onebuf.asarray(floats(2 * SIZE, 6))

    def seen(x: Any) -> Any:
        return of(make(VIEW, (x._node,), layout, layout.shape, x.dtype)) * 1

    with onebuf.config(eager_numel=0):
        found = onebuf.vmap(seen)(whole[SIZE:])
    assert_equal(np.asarray(found), np.asarray(onebuf.vmap(seen)(whole))[SIZE:])
