"""Graphs that are built by hand: what they are made of, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import OnebufError, OpGraph
from onebuf.errors import OpGraphError
from onebuf.op_graph import OPERATIONS, OperationNode, TensorNode


def pair() -> tuple[OpGraph, TensorNode, TensorNode]:
    """A graph with two matrices and nothing else."""
    graph = OpGraph()
    return graph, graph.tensor("A", (2, 2), "float32"), graph.tensor("B", (2, 2), "float32")


def test_a_sum_has_four_nodes_and_three_edges() -> None:
    graph, a, b = pair()
    c = graph.operation("add", a, b, name="C")
    assert len(graph.nodes) == 4
    assert len(graph.edges) == 3
    assert graph.sources == (a, b)
    assert graph.sinks == (c,)


def test_degrees_count_edges() -> None:
    graph, a, b = pair()
    c = graph.operation("add", a, b)
    (add,) = graph.operations
    assert [graph.in_degree(node) for node in (a, b, add, c)] == [0, 0, 2, 1]
    assert [graph.out_degree(node) for node in (a, b, add, c)] == [1, 1, 1, 0]


def test_a_tensor_that_is_read_twice_has_two_edges() -> None:
    graph, a, _ = pair()
    graph.operation("add", a, a)
    assert graph.out_degree("A") == 2
    assert [edge.position for edge in graph.edges] == [0, 1, 0]


def test_edges_tell_operands_apart_by_position() -> None:
    graph, a, b = pair()
    graph.operation("subtract", b, a)
    (subtract,) = graph.operations
    assert [edge.source for edge in graph.in_edges(subtract)] == [b, a]


def test_there_may_be_several_sinks() -> None:
    graph, a, b = pair()
    c, d = graph.operation("multiply", a, b), graph.operation("divide", a, b)
    assert graph.sinks == (c, d)


def test_a_tensor_alone_is_source_and_sink() -> None:
    graph = OpGraph()
    a = graph.tensor("A", (), "bool")
    assert graph.sources == graph.sinks == (a,)


def test_an_empty_graph_has_nothing() -> None:
    graph = OpGraph()
    assert (graph.nodes, graph.edges, graph.sources, graph.sinks) == ((), (), (), ())


def test_shapes_and_dtypes_of_results_are_inferred() -> None:
    graph = OpGraph()
    x = graph.tensor("x", (2, 3), "int8")
    y = graph.tensor("y", (3,), "float32")
    assert graph.operation("add", x, y).kind == "float32[2, 3]"
    assert graph.operation("sum", x, axis=1).kind == "int64[2]"
    assert graph.operation("less", x, y).kind == "bool[2, 3]"
    assert graph.operation("reshape", x, shape=(3, -1)).kind == "int8[3, 2]"
    assert graph.operation("index", x, key=(1, slice(None, None, -2))).kind == "int8[2]"


def test_numbers_take_the_dtype_of_the_first_tensor() -> None:
    graph = OpGraph()
    x = graph.tensor("x", (3,), "float32")
    assert graph.operation("multiply", x, 2).dtype == np.float32
    assert graph.operation("subtract", 1, x).dtype == np.float32
    assert [one.value for one in graph.sources if one.value is not None] == [2.0, 1.0]


def test_constants_keep_every_bit() -> None:
    value = np.uint64(2**64 - 1)
    assert OpGraph().constant(value).value == value
    assert np.signbit(OpGraph().constant(-0.0, "float32").value)


def test_all_operations_are_named() -> None:
    assert {"add", "sum", "einsum", "matmul", "where", "reshape", "take", "arange"} < set(
        OPERATIONS
    )
    assert list(OPERATIONS) == sorted(OPERATIONS)


def test_by_edges_a_graph_is_the_same_as_by_operations() -> None:
    one, a, b = pair()
    one.operation("add", a, b, name="C")
    two, a, b = pair()
    add = two.add_operation("add")
    c = two.tensor("C", (2, 2), "float32")
    for source, target in ((a, add), (b, add), (add, c)):
        two.add_edge(source, target)
    two.check()
    assert one == two


def test_graphs_differ_by_name_by_value_by_argument_and_by_label() -> None:
    def made(name: str = "A", value: float = 0.0, axis: int = 0, labels: Any = None) -> OpGraph:
        graph = OpGraph()
        a = graph.tensor(name, (2, 2), "float32")
        graph.operation("add", a, graph.constant(value, "float32"))
        graph.operation("sum", a, axis=axis)
        graph.operation("copy", (a, labels or "i,j"), result="i,j")
        return graph

    assert made() == made()
    assert made(value=float("nan")) == made(value=float("nan"))
    others = [made("B"), made(value=-0.0), made(axis=1), made(labels="j,i")]
    assert [made() == other for other in others] == [False] * 4


REFUSED: dict[str, tuple[Callable[[OpGraph, TensorNode, TensorNode], Any], str]] = {
    "tensor to tensor": (lambda g, a, b: g.add_edge(a, b), "tensors A and B"),
    "operation to operation": (
        lambda g, a, b: g.add_edge(g.add_operation("add"), g.add_operation("abs")),
        r"operations add \(%2\) and abs \(%3\)",
    ),
    "unknown operation": (lambda g, a, b: g.operation("ad", a, b), "no operation 'ad'"),
    "no name": (lambda g, a, b: g.operation(["add"], a, b), "no operation"),
    "too few": (lambda g, a, b: g.operation("add", a), "add needs 2 operands, got 1"),
    "too many": (lambda g, a, b: g.operation("add", a, b, a), "add needs 2 operands, got 3"),
    "no operand": (lambda g, a, b: g.operation("concat"), "at least 1 operand, got 0"),
    "unknown argument": (lambda g, a, b: g.operation("add", a, b, axis=0), "no argument 'axis'"),
    "missing argument": (lambda g, a, b: g.operation("cast", a), "as dtype, got none"),
    "argument of another type": (
        lambda g, a, b: g.operation("sum", a, axis="x"),
        "an integer, a sequence of them, or None as axis, got 'x'",
    ),
    "axis that is not there": (lambda g, a, b: g.operation("sum", a, axis=2), "axis 2"),
    "shapes": (
        lambda g, a, b: g.operation("add", a, g.tensor("v", (3,), "float32")),
        r"float32\[2, 2\], float32\[3\]",
    ),
    "dtypes": (lambda g, a, b: g.operation("bitwise_and", a, b), "not defined for float32"),
    "an operation as operand": (
        lambda g, a, b: g.operation("abs", g.add_operation("abs")),
        "got the operation abs",
    ),
    "unknown name": (lambda g, a, b: g.operation("abs", "C"), "no tensor 'C'"),
    "of another graph": (lambda g, a, b: g.operation("abs", pair()[1]), "another graph"),
    "name twice": (lambda g, a, b: g.tensor("A", (1,), "bool"), "already"),
    "no name at all": (lambda g, a, b: g.tensor("", (1,), "bool"), "at least one character"),
    "name that is no text": (lambda g, a, b: g.tensor(3, (1,), "bool"), "is a text"),
    "negative extent": (lambda g, a, b: g.tensor("v", (-1,), "bool"), "0 or more"),
    "no shape": (lambda g, a, b: g.tensor("v", dtype="bool"), "needs a shape"),
    "too many elements": (lambda g, a, b: g.tensor("v", (2**40, 2**40), "bool"), r"2\*\*63"),
    "too many axes": (lambda g, a, b: g.tensor("v", (1,) * 65, "bool"), "shape"),
    "dtype": (lambda g, a, b: g.tensor("v", (1,), "float128"), "float128"),
    "complex constant": (lambda g, a, b: g.constant(1j, "float32"), "complex"),
    "constant out of range": (lambda g, a, b: g.constant(300, "int8"), "int8 holds"),
    "a constant of many": (lambda g, a, b: g.constant([1, 2]), "one number"),
    "no node": (lambda g, a, b: g.in_degree(1.5), "needed a node"),
    "edge to a constant": (
        lambda g, a, b: g.add_edge(g.add_operation("abs"), g.constant(1.0)),
        "elements of its own",
    ),
    "nothing to draw": (lambda g, a, b: g.draw("png"), "'text' or 'svg'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_graph_is_refused(name: str) -> None:
    graph, a, b = pair()
    attempt, message = REFUSED[name]
    with pytest.raises(OnebufError, match=message):
        attempt(graph, a, b)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_leaves_no_edge(name: str) -> None:
    graph, a, b = pair()
    with pytest.raises(OnebufError):
        REFUSED[name][0](graph, a, b)
    assert graph.edges == ()
    assert all(isinstance(node, TensorNode) for node in graph.nodes[:2])


def chain() -> tuple[OpGraph, TensorNode, OperationNode, TensorNode, OperationNode]:
    """A -> abs -> T -> exp, without a result yet."""
    graph = OpGraph()
    a, t = graph.tensor("A", (2,), "float32"), graph.tensor("T", (2,), "float32")
    first, second = graph.add_operation("abs"), graph.add_operation("exp")
    for source, target in ((first, t), (t, second)):
        graph.add_edge(source, target)
    return graph, a, first, t, second


def test_a_cycle_is_refused_and_names_its_nodes() -> None:
    graph, a, first, _, second = chain()
    graph.add_edge(second, a)
    with pytest.raises(OpGraphError, match=r"A to abs \(%2\) would close a cycle"):
        graph.add_edge(a, first)


def test_an_operation_that_reads_its_own_result_is_a_cycle() -> None:
    graph, _, first, t, _ = chain()
    with pytest.raises(OpGraphError, match="cycle"):
        graph.add_edge(t, first)


def test_a_tensor_has_one_producer() -> None:
    graph, _, _, t, second = chain()
    with pytest.raises(OpGraphError, match=r"T is made by one operation, got exp .* besides abs"):
        graph.add_edge(second, t)


def test_an_operation_has_one_result() -> None:
    graph, a, first, _, _ = chain()
    with pytest.raises(OpGraphError, match=r"abs \(%2\) has one result, got A besides T"):
        graph.add_edge(first, a)


def test_an_edge_more_than_an_operation_needs_is_refused() -> None:
    graph, a, _, _, second = chain()
    with pytest.raises(OpGraphError, match=r"exp \(%3\) needs 1 operand, got A besides T"):
        graph.add_edge(a, second)


@pytest.mark.parametrize("use", ["check", "to_json", "run"])
def test_a_graph_that_lacks_edges_is_incomplete(use: str) -> None:
    graph, a, first, *_ = chain()
    with pytest.raises(OpGraphError, match=r"abs \(%2\) needs 1 operand, got 0"):
        getattr(graph, use)()
    graph.add_edge(a, first)
    with pytest.raises(OpGraphError, match=r"exp \(%3\) needs a tensor as its result"):
        getattr(graph, use)()


def test_a_result_of_another_kind_is_found() -> None:
    graph, a, first, _, second = chain()
    graph.add_edge(a, first)
    graph.add_edge(second, graph.tensor("C", (2,), "float64"))
    with pytest.raises(OpGraphError, match=r"exp \(%3\) makes float32\[2\], got C as float64\[2\]"):
        graph.check()


def test_an_incomplete_graph_can_be_drawn() -> None:
    graph = chain()[0]
    assert "without a result" in graph.draw()
    assert graph.to_svg().startswith("<svg")


def test_a_bound_tensor_holds_memory() -> None:
    array = np.arange(4.0)
    graph = OpGraph()
    graph.operation("negative", graph.tensor("x", value=array))
    array[0] = 7
    np.testing.assert_array_equal(graph(), -array)


def test_graphs_are_no_keys() -> None:
    with pytest.raises(TypeError):
        hash(OpGraph())


def test_reprs_say_what_there_is() -> None:
    graph, a, b = pair()
    graph.operation("sum", graph.operation("add", (a, "i,j"), (b, "j,i"), result="i,j"), axis=0)
    assert repr(graph) == "<OpGraph: 4 tensors, 2 operations, 5 edges>"
    assert repr(graph.edges[1]) == "<edge B -> add (%2) 'j,i'>"
    assert repr(graph.operations[1]) == "<operation 'sum' %4, axis=(0,), keepdims=False>"


def test_the_root_namespace_has_the_class() -> None:
    assert onebuf.OpGraph is OpGraph
    assert "OpGraph" in onebuf.__all__
