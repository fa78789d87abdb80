"""Pending nodes that the native core makes are those that its twin makes."""

from __future__ import annotations

import gc
import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.twins import long_way, needs_core, outcome

import onebuf
from onebuf import Buffer
from onebuf.graph import BINARY, CONSTANT, STORED, Node, Number, make, waiting

pytestmark = needs_core

INFIX = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift),
    *(operator.lt, operator.eq, operator.ge, operator.ne),
)
SINGLE: tuple[Callable[[Any], Any], ...] = (
    *(operator.neg, operator.abs, operator.invert, Buffer.sqrt, Buffer.exp, Buffer.square),
    *(onebuf.floor, onebuf.isnan, onebuf.sign, onebuf.tanh, onebuf.logical_not),
)
PAIRS = (onebuf.maximum, onebuf.minimum, onebuf.atan2, onebuf.hypot, onebuf.logical_and)
MOVES: tuple[Callable[[Any], Any], ...] = (
    *(lambda x: x.T, lambda x: x[..., ::-1], lambda x: x.reshape(-1), lambda x: x[None]),
    *(lambda x: x.sum(axis=0), lambda x: x.astype("float32"), lambda x: x + x),
)
DTYPES = ("bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64")
OTHERS = ("complex64", "bfloat16")
SHAPES = ((), (1,), (4,), (3, 4), (4, 4), (1, 4), (0, 4))
NUMBERS = (0, 1, -1, 2, 2.0, 0.5, 0.0, -0.0, True, False, 300, 2**40, 2**70, 1e300, float("inf"))


def described(node: Node, known: dict[int, int]) -> Any:
    """All that is to be seen of a pending graph; nodes that occur again by their number."""
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = len(known)
    line = node.origin.line if node.origin else None
    if node.op is STORED:
        return (isinstance(node, Number), node.shape, node.dtype)
    value = repr(node.arg) if node.op is CONSTANT else node.arg  # which tells zeros apart
    line = None if node.op is CONSTANT else line  # of the first program that met the number
    facts = (type(node), node.op, value, node.shape, node.dtype, node.claimed, node.replays)
    srcs = tuple(described(src, known) for src in node.srcs)
    return (*facts, node.device, line, node.array is None, node.block is None, srcs)


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[Any], list[tuple[Any, ...]]]:
    """Elements and dtypes of operands, and steps that each append a result to the values."""
    count = draw(st.integers(1, 3))
    operands = []
    for seed in range(count):
        dtype = draw(st.sampled_from(DTYPES + (OTHERS if draw(st.integers(0, 9)) == 0 else ())))
        shape = draw(st.sampled_from(SHAPES))
        operands.append((np.random.default_rng(seed).integers(-4, 5, shape), dtype))
    steps = []
    for n in range(draw(st.integers(1, 8))):
        which = st.integers(0, count + n - 1)
        kind = draw(st.sampled_from(["infix", "infix", "number", "left", "one", "two", "move"]))
        one, two = draw(which), draw(which)
        if kind in ("infix", "number", "left"):
            op = draw(st.sampled_from(INFIX))
            steps.append(
                (kind, op, one, two if kind == "infix" else draw(st.sampled_from(NUMBERS)))
            )
        elif kind == "two":
            steps.append((kind, draw(st.sampled_from(PAIRS)), one, two))
        else:
            steps.append((kind, draw(st.sampled_from(SINGLE if kind == "one" else MOVES)), one, 0))
    return operands, steps


def run(operands: list[Any], steps: list[tuple[Any, ...]]) -> list[Any]:
    """The values of a program: buffers, or errors in words."""
    values: list[Any] = [Buffer(each, dtype=dtype, copy=True) for each, dtype in operands]
    for kind, op, one, two in steps:
        x = values[one]
        y = two if kind in ("number", "left") else values[two]
        if isinstance(x, str) or isinstance(y, str):
            values.append("an error before")
            continue
        try:
            if kind in ("one", "move"):
                values.append(op(x))
            else:
                values.append(op(y, x) if kind == "left" else op(x, y))
        except Exception as error:
            values.append(f"{type(error).__name__}: {error}")
    return values


def computed(x: Any) -> Any:
    return x.realize() if isinstance(x, Buffer) else x


@settings(max_examples=500, deadline=None)
@given(programs())
def test_a_graph_of_the_core_is_that_of_its_twin(program: Any) -> None:
    operands, steps = program
    with onebuf.config(eager_numel=0):
        ours = run(operands, steps)
        known: dict[int, int] = {}
        found = [described(x._node, known) if isinstance(x, Buffer) else x for x in ours]
        elements = [outcome(lambda x=x: computed(x)) for x in ours]
        with long_way():
            twins = run(operands, steps)
            known = {}
            wanted = [described(x._node, known) if isinstance(x, Buffer) else x for x in twins]
            same = [outcome(lambda x=x: computed(x)) for x in twins]
    assert found == wanted
    assert elements == same


def lazy(numel: int = 16) -> Any:
    return onebuf.config(eager_numel=0), Buffer(np.arange(float(numel)), copy=True)


def test_an_equal_node_is_found_whoever_made_it() -> None:
    context, x = lazy()
    with context:
        first = x + x
        add = BINARY["add"]
        assert make(add, (x._node, x._node), None, x.shape, x.dtype) is first._node
        with long_way():
            second = make(add, (x._node, x._node), None, x.shape, x.dtype)
            other = x * x
        assert second is first._node
        assert (x * x)._node is not other._node  # it has an owner, so this is a copy of it
        assert (x * x)._node.srcs == (other._node,)


def test_a_write_computes_every_reader_first() -> None:
    context, x = lazy()
    with context:
        y = Buffer(np.ones(16), copy=True)
        readers = [x + y, y - x, x * 2, 3 - x, -x, x.exp(), onebuf.maximum(y, x), x == x, x[2:] + 1]
        chain = (x + 1) * y
        wanted = [np.array(each) for each in (r for r in readers)]
        fresh = [x + y, y - x, x * 2, 3 - x, -x, x.exp(), onebuf.maximum(y, x), x == x, x[2:] + 1]
        x[:] = -7.0
        y += 100.0
        assert all((np.asarray(r) == w).all() for r, w in zip(fresh, wanted, strict=True))
    assert chain.tolist() == [n + 1.0 for n in range(16)]


def test_a_node_enters_each_table_once() -> None:
    context, x = lazy()
    with context:
        double = x + x
        assert waiting(x._node.readers) == [double._node]
        assert sum(key.__class__ is int for key in x._node.readers) == 1


@pytest.mark.parametrize("core_is_on", [True, False])
def test_tables_are_pruned_of_the_dead_alone(core_is_on: bool) -> None:
    def work() -> None:
        context, x = lazy()
        with context:
            kept = [x * float(n + 1) for n in range(300)]
            for n in range(3000):
                x - float(n)
            table = x._node.readers
            assert {id(y._node) for y in kept} == {id(node) for node in waiting(table)}
            assert len(table) <= 2050  # and not 6,600

    if core_is_on:
        work()
    else:
        with long_way():
            work()


def test_zeros_of_either_sign_are_other_constants() -> None:
    context, x = lazy()
    with context:
        assert np.signbit(np.asarray(onebuf.copysign(x, -0.0))[1:]).all()
        assert not np.signbit(np.asarray(onebuf.copysign(x, 0.0))).any()
        assert np.signbit(np.asarray((x * 0) * -0.0)).all()


def test_options_of_another_thread_decide_there() -> None:
    x = Buffer(np.arange(16.0), copy=True)
    found: dict[str, bool] = {}

    def other() -> None:
        with onebuf.config(eager_numel=0):
            found["lazy"] = (x + x).is_realized
        found["eager"] = (x + x).is_realized

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == {"lazy": False, "eager": True}


def test_large_operands_are_lazy_and_small_ones_are_not() -> None:
    large, small = onebuf.ones(70_000) + 0, onebuf.ones(16) + 0
    large.realize()
    assert not (large + 1).is_realized
    assert not (-large).is_realized
    assert not (large + small[0]).is_realized
    assert (small + 1).is_realized
    assert ((large + 1) * small[0]).sum().item() == 140_000


def test_an_error_names_the_line_that_built_the_operation() -> None:
    context, x = lazy()
    with context:
        node = (x + 1)._node
    assert node.origin is not None
    assert "node = (x + 1)._node" in str(node.origin)


def test_a_long_chain_dies_without_recursion() -> None:
    context, x = lazy()
    with context:
        y = x
        for _ in range(200_000):
            y = y + x
        del y
        gc.collect()
        assert waiting(x._node.readers) == []
