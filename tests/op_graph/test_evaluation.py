"""Graphs that run: new buffers from `run`, and elements of a buffer by `Buffer.compute`."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, OpGraph
from onebuf.errors import (
    ArgumentTypeError,
    DeviceError,
    DTypeError,
    OpGraphError,
    ReadOnlyError,
    ShapeError,
)


def affine(shape: tuple[int, ...] = (2, 2), dtype: str = "float32") -> OpGraph:
    """C = A * 2 + B."""
    graph = OpGraph()
    a, b = graph.tensor("A", shape, dtype), graph.tensor("B", shape, dtype)
    graph.operation("add", graph.operation("multiply", a, 2), b, name="C")
    return graph


A = np.array([[1, 2], [3, 4]], "float32")
B = np.array([[10, 20], [30, 40]], "float32")


def test_a_graph_runs_on_inputs_by_name() -> None:
    (found,) = affine().run(A=A, B=B)
    np.testing.assert_array_equal(found, A * 2 + B)
    np.testing.assert_array_equal(affine()({"A": A}, B=B), A * 2 + B)


def test_a_graph_runs_again_on_others() -> None:
    graph = affine()
    np.testing.assert_array_equal(graph(A=A, B=B), A * 2 + B)
    np.testing.assert_array_equal(graph(A=B, B=A), B * 2 + A)


def test_buffers_lists_and_numbers_are_inputs() -> None:
    graph = affine(())
    assert graph(A=1, B=onebuf.asarray(3, dtype="float32")).item() == 5
    assert affine((2,), "int64")(A=[1, 2], B=Buffer([5, 6], dtype="int64")).to_python() == [7, 10]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (200, 300)])
def test_any_shape_runs(shape: tuple[int, ...]) -> None:
    one = np.ones(shape, "float32")
    np.testing.assert_array_equal(affine(shape)(A=one, B=one), one * 3)


def test_results_are_lazy() -> None:
    with onebuf.config(eager_numel=0):
        (found,) = affine().run(A=A, B=B)
        assert not found.is_realized


def test_a_graph_becomes_one_kernel() -> None:
    with onebuf.config(eager_numel=0, tier="compile"), onebuf.counters() as counts:
        affine()(A=A, B=B).realize()
    assert counts.kernels == 1


def test_results_share_no_memory_with_inputs() -> None:
    graph = OpGraph()
    a = graph.tensor("A", (2, 2), "float32")
    graph.operation("permute", a, axes=(1, 0))
    graph.operation("reshape", a, shape=(4,))
    array = A.copy()
    for found in graph.run(A=array):
        found[...] = 0
    np.testing.assert_array_equal(array, A)


def test_results_share_no_memory_with_one_another() -> None:
    graph = OpGraph()
    t = graph.operation("negative", graph.tensor("A", (2, 2), "float32"))
    graph.operation("permute", t, axes=(1, 0))
    graph.operation("permute", t, axes=(0, 1))
    one, two = graph.run(A=A)
    one[...] = 0
    np.testing.assert_array_equal(two, -A)


def test_compute_writes_the_sink() -> None:
    target = Buffer.zeros((2, 2))
    assert target.compute(affine(), A=A, B=B) is target
    np.testing.assert_array_equal(target, A * 2 + B)


def test_compute_writes_through_views() -> None:
    target = Buffer.zeros((4, 4))
    target[1:3, ::2].compute(affine(), {"A": A, "B": B})
    wanted = np.zeros((4, 4), "float32")
    wanted[1:3, ::2] = A * 2 + B
    np.testing.assert_array_equal(target, wanted)


def test_compute_is_seen_by_the_memory_below() -> None:
    array = np.zeros((2, 2), "float32")
    Buffer(array).compute(affine(), A=A, B=B)
    np.testing.assert_array_equal(array, A * 2 + B)


def test_compute_of_a_lazy_buffers_graph() -> None:
    with onebuf.config(eager_numel=0):
        x = onebuf.asarray(A.copy())
        graph = OpGraph.of(x @ x.T)
    x[0, 0] = 5
    np.testing.assert_array_equal(Buffer.zeros((2, 2)).compute(graph), np.asarray(x @ x.T))


@pytest.mark.parametrize("size", [2, 300])
def test_a_graph_may_read_what_it_writes(size: int) -> None:
    array = np.arange(size * size, dtype="float32").reshape(size, size)
    x = Buffer(array.copy())
    with onebuf.config(eager_numel=0):
        graph = OpGraph.of(x.T + x)
    for _ in range(2):
        array = array.T + array
        x.compute(graph)
        np.testing.assert_array_equal(x, array)


def test_pending_readers_see_the_old_elements() -> None:
    with onebuf.config(eager_numel=0):
        x = Buffer.ones((2, 2))
        before = x + 1
        x.compute(affine(), A=A, B=B)
        np.testing.assert_array_equal(before, np.full((2, 2), 2.0))


def test_a_number_without_axes_is_computed() -> None:
    graph = OpGraph()
    graph.operation("sum", graph.tensor("A", (2, 2), "float32"))
    assert Buffer.zeros(()).compute(graph, A=A).item() == 10


def test_one_of_several_sinks_is_chosen() -> None:
    graph = affine()
    graph.operation("negative", "A", name="D")
    target = Buffer.zeros((2, 2))
    np.testing.assert_array_equal(target.compute(graph, A=A, B=B, sink="C"), A * 2 + B)
    np.testing.assert_array_equal(target.compute(graph, A=A, sink=graph.node("D")), -A)
    with pytest.raises(OpGraphError, match="one sink, got 2: C, D; choose one with sink="):
        target.compute(graph, A=A, B=B)
    with pytest.raises(OpGraphError, match="no tensor 'E'"):
        target.compute(graph, A=A, B=B, sink="E")
    with pytest.raises(OpGraphError, match="got the operation"):
        target.compute(graph, A=A, B=B, sink=graph.operations[0])


def test_inputs_that_the_sink_does_not_need_may_be_left_out() -> None:
    graph = affine()
    graph.operation("negative", "A", name="D")
    np.testing.assert_array_equal(Buffer.zeros((2, 2)).compute(graph, A=A, sink="D"), -A)


REFUSED: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "shape": (Buffer.ones((3, 2)), {"A": A, "B": B}, ShapeError, r"\(2, 2\), got \(3, 2\)"),
    "scalar": (Buffer.ones(()), {"A": A, "B": B}, ShapeError, r"got \(\)"),
    "dtype": (Buffer.ones((2, 2), "float64"), {"A": A, "B": B}, DTypeError, "got float64"),
    "input missing": (Buffer.ones((2, 2)), {"A": A}, OpGraphError, "got none for B"),
    "inputs missing": (Buffer.ones((2, 2)), {}, OpGraphError, "got none for A, B"),
    "unknown input": (Buffer.ones((2, 2)), {"A": A, "B": B, "X": A}, OpGraphError, "no input 'X'"),
    "shape of an input": (Buffer.ones((2, 2)), {"A": A[0], "B": B}, ShapeError, "input A needs"),
    "dtype of an input": (
        Buffer.ones((2, 2)),
        {"A": A.astype("int8"), "B": B},
        DTypeError,
        "input A needs float32, got int8",
    ),
    "input of no type": (Buffer.ones((2, 2)), {"A": A, "B": object()}, Exception, "object"),
    "inputs as a list": (Buffer.ones((2, 2)), {"inputs": [A, B]}, ArgumentTypeError, "mapping"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_leaves_the_buffer_as_it_was(name: str) -> None:
    target, inputs, error, message = REFUSED[name]
    before = np.array(target)
    with pytest.raises(error, match=message):
        target.compute(affine(), **inputs)
    np.testing.assert_array_equal(target, before)


def test_an_error_in_the_middle_leaves_the_buffer_as_it_was() -> None:
    graph = OpGraph()
    x, n = graph.tensor("x", (3,), "float32"), graph.tensor("n", (2,), "int64")
    graph.operation("take", x, n)
    for lazy in (False, True):
        with onebuf.config(eager_numel=0 if lazy else 1000):
            target = Buffer.ones((2,))
            with pytest.raises(IndexError):
                target.compute(graph, x=[1, 2, 3], n=[0, 7])
            np.testing.assert_array_equal(target, [1, 1])


def test_memory_that_is_read_only_is_not_written() -> None:
    array = np.zeros((2, 2), "float32")
    array.flags.writeable = False
    with pytest.raises(ReadOnlyError):
        Buffer(array).compute(affine(), A=A, B=B)


@pytest.mark.parametrize("graph", [None, 3, "add", np.ones(3), OpGraph])
def test_compute_needs_a_graph(graph: Any) -> None:
    with pytest.raises((ArgumentTypeError, TypeError)):
        Buffer.ones((2,)).compute(graph)


def test_a_graph_without_tensors_computes_nothing() -> None:
    assert OpGraph().run() == ()
    with pytest.raises(OpGraphError, match="one sink, got 0"):
        Buffer.ones((2,)).compute(OpGraph())


@pytest.mark.parametrize("device", ["PYTHON", "OPENCL", "CPU@1"])
def test_a_graph_runs_on_the_device_of_its_inputs(device: str) -> None:
    a, b = (onebuf.asarray(x, device=device) for x in (A, B))
    (found,) = affine().run(A=a, B=b)
    assert found.device == device
    np.testing.assert_array_equal(found.to_device("CPU"), A * 2 + B)
    target = onebuf.zeros((2, 2), dtype="float32", device=device)
    target.compute(affine(), A=a, B=b)
    np.testing.assert_array_equal(target.to_device("CPU"), A * 2 + B)


def test_what_has_no_operands_is_made_on_the_device_of_the_rest() -> None:
    graph = OpGraph()
    ramp = graph.operation("arange", start=0, stop=2, step=1, dtype="float32")
    both = graph.operation("add", graph.constant(1.0, "float32"), graph.constant(2.0, "float32"))
    graph.operation("add", graph.tensor("A", (2, 2), "float32"), graph.operation("add", ramp, both))
    (found,) = graph.run(A=onebuf.asarray(A, device="PYTHON"))
    assert found.device == "PYTHON"
    np.testing.assert_array_equal(found.to_device("CPU"), A + np.array([3, 4]))


def test_inputs_on_different_devices_are_refused() -> None:
    with pytest.raises(DeviceError, match="one device"):
        affine()(A=A, B=onebuf.asarray(B, device="PYTHON"))


def test_a_result_of_another_device_is_refused() -> None:
    target = Buffer.zeros((2, 2))
    inputs = {"A": onebuf.asarray(A, device="PYTHON"), "B": onebuf.asarray(B, device="PYTHON")}
    with pytest.raises(DeviceError):
        target.compute(affine(), inputs)
    np.testing.assert_array_equal(target, np.zeros((2, 2)))


def test_threads_may_run_one_graph() -> None:
    graph = affine((50, 60))
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        one = np.full((50, 60), number, "float32")
        for _ in range(20):
            found[number] = np.asarray(graph(A=one, B=one))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        np.testing.assert_array_equal(found[number], np.full((50, 60), 3.0 * number))


def test_operations_of_the_table_mean_what_they_mean_on_buffers() -> None:
    x = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
    calls: dict[str, tuple[dict[str, Any], Any]] = {
        "flip": ({}, np.flip(x)),
        "squeeze": ({}, x),
        "expand_dims": ({"axis": -1}, x[..., None]),
        "diagonal": ({"offset": 1}, np.diagonal(x, 1)),
        "windows": ({"size": 2, "axis": 1}, np.lib.stride_tricks.sliding_window_view(x, 2, 1)),
        "strided": (
            {"shape": (2, 2), "stride": (5, 1), "offset": 1},
            x.flat[[1, 2, 6, 7]].reshape(2, 2),
        ),
        "pad": (
            {"widths": ((1, 0), (0, 2)), "value": 7},
            np.pad(x, ((1, 0), (0, 2)), constant_values=7),
        ),
        "argmax": ({"axis": 0}, np.argmax(x, 0)),
        "cumulative_prod": ({"axis": 1}, np.cumprod(x, 1)),
        "sort": ({"axis": 0, "descending": True}, -np.sort(-x, 0)),
        "permute": ({"axes": (1, 0)}, x.T),
        "mean": ({"axis": 0}, x.mean(0)),
        "var": ({"axis": 1, "correction": 1}, x.var(1, ddof=1)),
        "std": ({}, x.std()),
        "stack": ({"axis": 1}, np.stack([x], 1)),
    }
    for name, (arguments, wanted) in calls.items():
        graph = OpGraph()
        graph.operation(name, graph.tensor("x", x.shape, "float32"), **arguments)
        np.testing.assert_allclose(np.asarray(graph(x=x)), wanted, rtol=1e-5, err_msg=name)
