"""Buffers on torch and on jax: the same program text, the same elements as on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_devices import opened
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_graphs import Graph, Pair, assert_equal, leaves

import onebuf
from onebuf import Buffer, counters
from onebuf.errors import DeviceError, IndexRangeError

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("jax", reason="jax is not installed")
pytestmark = pytest.mark.interop
kinds = pytest.mark.parametrize("kind", ["TORCH", "JAX"])

X = np.arange(12.0).reshape(3, 4)


def there(array: Any, kind: str) -> Buffer:
    """A buffer on a device of that kind."""
    opened(kind)
    return onebuf.asarray(array).to_device(kind)


def host(buffer: Buffer) -> np.ndarray[Any, Any]:
    return np.asarray(buffer.to_device("CPU"))


PROGRAMS = {
    "arithmetic": lambda x, xp: x * 2 + 1 / (x + 1),
    "a fold of a view": lambda x, xp: (x[:, ::2] * 3).sum(axis=0),
    "statistics": lambda x, xp: x.mean(axis=1) + x.std(axis=1) + x.var(axis=1),
    "softmax": lambda x, xp: xp.exp(x - x.max(axis=1, keepdims=True)),
    "turned and flat": lambda x, xp: xp.reshape(x.T, (-1,))[::-1] + 1,
    "a product": lambda x, xp: x @ x.T,
    "a product of vectors": lambda x, xp: x[0] @ x[1],
    "elements by index": lambda x, xp: x[np.array([2, 0, -1])],
    "elements by mask": lambda x, xp: x[x > 5],
    "a choice": lambda x, xp: xp.where(x > 3, x, -x),
    "positions": lambda x, xp: xp.argmax(x, axis=1) + xp.argmin(x),
    "truth": lambda x, xp: (x > 3) & (x < 9) | ~(x != 0),
    "whole numbers": lambda x, xp: (x.astype("int32") // 3) % 2 << 2,
    "running sums": lambda x, xp: xp.cumulative_sum(x, axis=0),
    "joined": lambda x, xp: xp.concat([x, x * 2], axis=1),
    "stacked": lambda x, xp: xp.stack([x, x], axis=1),
    "repeated": lambda x, xp: xp.broadcast_to(x[0], (2, 4)) + 1,
    "diagonal": lambda x, xp: x.diagonal() * 2,
    "complex": lambda x, xp: abs((x + 1j) * (x - 1j)),
    "unsigned": lambda x, xp: xp.astype(x, "uint64") - xp.astype(x + 1, "uint64"),
}


@kinds
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_numpy_gives(kind, name):
    program = PROGRAMS[name]
    got = program(there(X, kind), onebuf)
    assert got.device == kind
    wanted = np.asarray(program(X, np))
    assert_equal(host(got), wanted, 1e-12)


@kinds
def test_random_numbers_are_those_of_the_host(kind):
    opened(kind)
    drawn = [
        onebuf.random.LazyGenerator(3).uniform((9,)).to_device(place) for place in (kind, "CPU")
    ]
    assert host(drawn[0]).tolist() == np.asarray(drawn[1]).tolist()


@kinds
def test_writes_are_seen_by_views_and_not_by_what_was_computed_before(kind):
    x = there(X, kind)
    row, before = x[1], x + 0
    x[1, ::2] = 100
    x[:, 3] = x[:, 0]
    wanted = X.copy()
    wanted[1, ::2] = 100
    wanted[:, 3] = wanted[:, 0]
    assert host(x).tolist() == wanted.tolist()
    assert host(row).tolist() == wanted[1].tolist()
    assert host(before).tolist() == X.tolist()
    x += 1
    x[x > 50] = 0
    assert host(x).tolist() == np.where(wanted + 1 > 50, 0, wanted + 1).tolist()


@kinds
def test_elements_come_and_go_only_when_asked(kind):
    x = there(X, kind)
    with counters() as seen:
        y = (x * 2 + 1).sum(axis=0)
        y.realize()
    assert seen.transfers == 0
    with pytest.raises(DeviceError, match="one device"):
        x + onebuf.asarray(X)
    with pytest.raises(DeviceError, match="to_device"):
        onebuf.sort(x).realize()
    assert x[1, 2].item() == 6


@kinds
def test_an_index_outside_is_an_error_and_poisons_nothing(kind):
    x = there(X, kind)
    with pytest.raises(IndexRangeError, match="got 7"):
        onebuf.take(x, there(np.array([7]), kind), axis=0).realize()
    assert host(onebuf.take(x, there(np.array([-1]), kind), axis=0)).tolist() == [X[-1].tolist()]


@kinds
def test_copies_are_copies(kind):
    x = there(X, kind)
    y = x.copy()
    y[0] = 0
    assert host(x).tolist() == X.tolist()
    z = x.to_device("CPU")
    z[0] = 0
    assert host(x).tolist() == X.tolist()


@kinds
def test_a_number_without_axes_stays_one(kind):
    assert there(np.array(3.0), kind).shape == ()
    assert host(there(np.array(3.0), kind) + 1).tolist() == 4


def test_a_tensor_is_a_buffer_and_comes_out_again():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.arange(6.0).reshape(2, 3)
    x = Buffer.wrap(tensor)
    assert x.unwrap() is tensor
    assert (x.device, x.shape, x.dtype) == ("TORCH", (2, 3), np.float32)
    x[0] = 7
    assert tensor.tolist() == [[7, 7, 7], [3, 4, 5]]
    tensor[1, 1] = 0
    assert host(x.T + 1).tolist() == [[8, 4], [8, 1], [8, 6]]
    part = x[:, 1:].unwrap()
    part[0, 0] = 9
    assert tensor[0, 1] == 9
    assert isinstance((x + x).unwrap(), torch.Tensor)


def test_a_transposed_tensor_is_a_buffer_as_it_is():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.arange(6.0).reshape(2, 3).T
    x = Buffer.wrap(tensor)
    assert x.unwrap() is tensor
    assert host(onebuf.reshape(x, (-1,))).tolist() == [0, 3, 1, 4, 2, 5]
    onebuf.reshape(x, (2, 3))[0, 1] = 50
    assert tensor[0, 1] == 50


def test_a_jax_array_is_a_buffer_and_comes_out_again():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    array = jax.numpy.arange(6.0).reshape(2, 3)
    x = Buffer.wrap(array)
    assert x.unwrap() is array
    row = x[0]
    x[0, 1] = 7
    assert host(row).tolist() == [0, 7, 2]
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x.unwrap().tolist() == [[0, 7, 2], [3, 4, 5]]
    assert isinstance((x + x).unwrap(), jax.Array)


class Elsewhere(Graph):
    """A random graph on a device, where nothing of the host takes part."""

    def _library(self) -> None:
        """Not on this device."""

    def _take(self) -> None:
        one = self.pick()
        axes = [axis for axis, extent in enumerate(one.array.shape) if extent]
        if axes:
            axis = self.draw(st.sampled_from(axes))
            extent = one.array.shape[axis]
            indices = np.array(self.draw(st.lists(st.integers(-extent, extent - 1), max_size=4)))
            indices = indices.astype(np.int64)
            array = np.take(one.array, indices, axis=axis)
            lazy = onebuf.take(one.lazy, onebuf.asarray(indices).to_device(self.kind), axis=axis)
            self.values.append(Pair(lazy, array, one.precision))

    def _tame(self) -> None:
        array = self.values[-1].array
        if array.dtype.kind == "f" and array.size:
            if not np.isfinite(array).all():
                self.values.pop()
            elif np.abs(array).max() > 40:
                last = self.values[-1]
                lazy = last.lazy.minimum(2.0).maximum(-2.0)
                tamed = np.clip(array, -2, 2).astype(array.dtype)
                self.values[-1] = Pair(lazy, tamed, last.precision)


def check_graph(data: Any, kind: str) -> None:
    opened(kind)
    first = [data.draw(leaves()) for _ in range(data.draw(st.integers(1, 2)))]
    graph = Elsewhere(data.draw, [Pair(x.lazy.to_device(kind), x.array) for x in first])
    graph.kind = kind
    for _ in range(data.draw(st.integers(1, 6))):
        graph.grow()
    for value in graph.values[-2:]:
        assert_equal(host(value.lazy), value.array, value.precision)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_random_graphs_on_torch(data):
    check_graph(data, "TORCH")


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_random_graphs_on_jax(data):
    check_graph(data, "JAX")
