"""How many passes over memory well-known expressions take: a contract, not a measurement."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config
from onebuf.scheduler import NOTHING

ROWS, COLUMNS = 8, 16
RNG = np.random.default_rng(3)
X = RNG.standard_normal((ROWS, COLUMNS)).astype(np.float32)
Y = RNG.standard_normal((ROWS, COLUMNS)).astype(np.float32)
W = RNG.standard_normal((COLUMNS, ROWS)).astype(np.float32)
LONG = RNG.standard_normal(100_000)


@pytest.fixture(autouse=True)
def compiled():
    with config(eager_numel=0, tier="compile"):
        yield


def relu(xp: Any, x: Any) -> Any:
    return xp.maximum(x, xp.zeros((), dtype=x.dtype))


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def log_softmax(xp: Any, x: Any) -> Any:
    shifted = x - xp.max(x, axis=-1, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))


def layer_norm(xp: Any, x: Any) -> Any:
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    return centred / xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def both(xp: Any, x: Any, y: Any) -> Any:
    total = xp.sum(x, axis=1)
    return total + 1, total * 2


def shared(xp: Any, x: Any, y: Any) -> Any:
    more = x + 1
    return more, more * 2


def three(xp: Any, x: Any, y: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    total = xp.sum(e, axis=1, keepdims=True)
    return e, total, e / total


def around(xp: Any, x: Any, y: Any) -> Any:
    first = x + y
    return first, first * xp.sort(first, axis=1)


def attention(xp: Any, x: Any, y: Any) -> Any:
    return softmax(xp, x @ y.T / 4) @ y


INDICES = np.array([[1, -1], [0, 3]])


def take(xp: Any, x: Any, indices: Any = INDICES, axis: int = 0) -> Any:
    return xp.take(x, xp.asarray(indices), axis=axis)


def pad(xp: Any, x: Any, value: float = 0.0) -> Any:
    widths = [(1, 2), (3, 0)]
    if xp is np:
        return np.pad(x, widths, constant_values=value)
    return x.pad(widths, value)


def along(xp: Any, x: Any, y: Any) -> Any:
    places = xp.astype(xp.abs(y) * 2, xp.int64)
    return xp.take_along_axis(x, places, axis=1) * 2


COUNTS = {
    "elementwise chain": (1, lambda xp, x, y: xp.exp((x + 1) * 2 - y)),
    "sum": (1, lambda xp, x, y: xp.sum(x)),
    "sum of a chain along an axis": (1, lambda xp, x, y: xp.sum(x * y + 1, axis=1)),
    "transposed, contiguous": (1, lambda xp, x, y: xp.reshape(x.T, (-1,))),
    "softmax": (1, lambda xp, x, y: softmax(xp, x)),
    "log_softmax": (1, lambda xp, x, y: log_softmax(xp, x)),
    "layer norm": (1, lambda xp, x, y: layer_norm(xp, x)),
    "var": (1, lambda xp, x, y: xp.var(x, axis=1)),
    "std": (1, lambda xp, x, y: xp.std(x, axis=1)),
    "var of columns": (1, lambda xp, x, y: xp.var(x, axis=0)),
    "var of all": (1, lambda xp, x, y: xp.var(x)),
    "x - mean": (1, lambda xp, x, y: x - xp.mean(x)),
    "x - mean of rows": (1, lambda xp, x, y: x - xp.mean(x, axis=1, keepdims=True)),
    "x - mean of columns": (1, lambda xp, x, y: x - xp.mean(x, axis=0, keepdims=True)),
    "two sums": (1, lambda xp, x, y: xp.sum(x, axis=1) + xp.sum(y, axis=1)),
    "sum, relu, sum": (1, lambda xp, x, y: xp.sum(relu(xp, xp.sum(x, axis=1)))),
    "two results of one sum": (1, both),
    "a sum, and more of it": (1, lambda xp, x, y: (xp.sum(x, axis=1), xp.sum(x, axis=1) * 2)),
    "a result and one of it": (1, shared),
    "all that a softmax computes": (1, three),
    "a result and its sum": (1, lambda xp, x, y: (x + 1, xp.sum(x + 1, axis=1))),
    "sum and largest": (1, lambda xp, x, y: (xp.sum(x), xp.max(x))),
    "two results of the same operands": (1, lambda xp, x, y: (x + y, x * y)),
    "the same twice": (1, lambda xp, x, y: (x + y, x + y)),
    "results of different operands": (2, lambda xp, x, y: (x + 1, y + 1)),
    "results of different shapes": (2, lambda xp, x, y: (x + 1, x[1:] + 1)),
    "sums of rows and of columns": (2, lambda xp, x, y: (xp.sum(x, axis=0), xp.sum(x, axis=1))),
    "around a library": (3, around),
    "slice": (0, lambda xp, x, y: x[2:4]),
    "copy of a slice": (0, lambda xp, x, y: x[2:4] + 0 if xp is np else x[2:4].copy()),
    "nothing": (0, lambda xp, x, y: x[:0] + 1),
    "argmax": (1, lambda xp, x, y: xp.argmax(x, axis=1)),
    "argmax of columns": (1, lambda xp, x, y: xp.argmax(x, axis=0)),
    "argmin of a chain": (1, lambda xp, x, y: xp.argmin(xp.exp(x) + y)),
    "argmax, its value, and a sum": (
        1,
        lambda xp, x, y: (xp.argmax(x, axis=1), xp.max(x, axis=1), xp.sum(x, axis=1)),
    ),
    "argmax of a softmax": (1, lambda xp, x, y: xp.argmax(softmax(xp, x), axis=1)),
    "argmax, and more of it": (1, lambda xp, x, y: xp.argmax(x, axis=1) * 2 + 1),
    "cumulative sum": (1, lambda xp, x, y: xp.cumulative_sum(x, axis=1)),
    "cumulative sum of columns": (1, lambda xp, x, y: xp.cumulative_sum(x, axis=0)),
    "cumulative sum in a chain": (
        1,
        lambda xp, x, y: xp.exp(xp.cumulative_sum(x * y + 1, axis=1) / 9) - y,
    ),
    "cumulative sum of columns in a chain": (
        1,
        lambda xp, x, y: xp.cumulative_sum(x * y, axis=0) * 2 - y,
    ),
    "a cumulative sum, and more of it": (
        1,
        lambda xp, x, y: (xp.cumulative_sum(x, axis=1), xp.cumulative_sum(x, axis=1) * y),
    ),
    "distribution": (1, lambda xp, x, y: xp.cumulative_sum(softmax(xp, x), axis=1)),
    "two cumulative sums": (
        1,
        lambda xp, x, y: xp.cumulative_sum(xp.cumulative_sum(x, axis=1), axis=1),
    ),
    "cumulative sums of rows and columns": (
        2,
        lambda xp, x, y: xp.cumulative_sum(xp.cumulative_sum(x, axis=1), axis=0),
    ),
    "largest of a cumulative sum": (
        2,
        lambda xp, x, y: xp.max(xp.cumulative_sum(x, axis=1), axis=1),
    ),
    "cumulative sum with its start": (
        2,
        lambda xp, x, y: xp.cumulative_sum(x, axis=1, include_initial=True),
    ),
    "attention": (2, attention),
    "rows taken": (1, lambda xp, x, y: take(xp, x)),
    "columns taken, and more of them": (1, lambda xp, x, y: take(xp, x, axis=1) * 2 + 1),
    "indices computed": (1, lambda xp, x, y: take(xp, x, xp.arange(4) * 2 - 8) + 1),
    "rows taken of a transposed view": (1, lambda xp, x, y: take(xp, x.T) + 1),
    "rows taken of a result": (2, lambda xp, x, y: take(xp, x + y)),
    "sum of rows taken": (1, lambda xp, x, y: xp.sum(take(xp, x), axis=-1)),
    "rows taken, of which some are read": (2, lambda xp, x, y: take(xp, x)[0] + 1),
    "an index for each row": (1, lambda xp, x, y: x[xp.asarray(INDICES)] * 2),
    "an index for each column": (1, lambda xp, x, y: x[..., xp.asarray(INDICES)] - 1),
    "taken along an axis": (1, along),
    "pad": (1, lambda xp, x, y: pad(xp, x)),
    "pad of a chain, and more of it": (1, lambda xp, x, y: pad(xp, x * y, 2.0) + 1),
    "pad of a transposed view": (1, lambda xp, x, y: pad(xp, x.T) * 2),
    "pad of a pad": (1, lambda xp, x, y: pad(xp, pad(xp, x, 1.0) * 2, 3.0)),
    "two pads": (1, lambda xp, x, y: pad(xp, x, 1.0) + pad(xp, y)),
    "sums of a pad's rows": (1, lambda xp, x, y: xp.sum(pad(xp, x, 1.0), axis=1)),
    "sums of a pad's columns": (1, lambda xp, x, y: xp.sum(pad(xp, x, 1.0), axis=0)),
    "pad of rows taken": (2, lambda xp, x, y: pad(xp, take(xp, x, [1, 0]))),
    "rows taken of a pad": (2, lambda xp, x, y: take(xp, pad(xp, x))),
    "join": (1, lambda xp, x, y: xp.concat([x, y], axis=1)),
    "join of chains": (1, lambda xp, x, y: xp.concat([x * 2, y + 1, xp.exp(x)], axis=0)),
    "join of a softmax": (1, lambda xp, x, y: xp.concat([softmax(xp, x), y], axis=1)),
    "stack of sums": (
        1,
        lambda xp, x, y: xp.stack([xp.sum(x, axis=1), xp.max(y, axis=1)], axis=1),
    ),
    "join of rows taken and of a pad": (
        1,
        lambda xp, x, y: xp.concat([take(xp, x, [1, 0]), pad(xp, x)[:, 3:]], axis=0),
    ),
    "more of a join": (2, lambda xp, x, y: xp.concat([x, y], axis=1) * 2),
    "matmul, bias, relu": (1, lambda xp, x, y: relu(xp, x @ y.T + y[:, 0])),
}
"""The number of kernels, and the expression: of NumPy it gives what is expected."""


def passes(*buffers: Buffer) -> int:
    return sum(item.kind != NOTHING for item in onebuf.schedule(*buffers))


def check(count: int, expression: Any, *arrays: Any) -> None:
    results = expression(onebuf, *[onebuf.asarray(array) for array in arrays])
    results = results if isinstance(results, tuple) else (results,)
    assert passes(*results) == count
    with onebuf.counters() as counted:
        onebuf.realize(*results)
    assert counted.kernels == count
    expected = expression(np, *arrays)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for result, wanted in zip(results, expected, strict=True):
        assert result.is_realized
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", COUNTS)
def test_an_expression_takes_so_many_kernels(name):
    check(*COUNTS[name], X, Y)


def test_a_fold_of_many_folds_is_two_passes_for_threads_to_share():
    check(1, lambda xp, x: xp.sum(xp.abs(xp.sum(x, axis=1))), LONG.reshape(1000, 100))


@pytest.mark.parametrize(
    "count, expression",
    [
        (1, lambda xp, x: xp.sum(x)),
        (1, lambda xp, x: (xp.sum(x), xp.sum(x) * 2 + 1)),
        (1, lambda xp, x: (xp.sum(x), xp.max(x))),
        (1, lambda xp, x: xp.argmax(xp.exp(x) + 1)),
        (1, lambda xp, x: (xp.argmax(x), xp.argmin(x), xp.max(x), xp.sum(x))),
        (2, lambda xp, x: (xp.argmax(x), x == xp.max(x))),
        (1, lambda xp, x: x - xp.argmax(x)),
        (1, lambda xp, x: x - xp.mean(x)),
        (1, lambda xp, x: xp.sum(relu(xp, x - xp.mean(x)))),
        (2, lambda xp, x: (x + 1, xp.sum(x + 1))),
        (1, lambda xp, x: xp.var(x)),
        (1, lambda xp, x: xp.var(xp.astype(x, xp.float32))),
        (2, lambda xp, x: (xp.mean(x), xp.var(x))),
    ],
)
def test_a_fold_of_more_than_a_chunk_is_one_kernel_whose_passes_threads_share(count, expression):
    check(count, expression, LONG)


def test_a_kernel_of_several_passes_says_so():
    x = onebuf.asarray(LONG)
    (item,) = onebuf.schedule(x - onebuf.mean(x))
    assert item.name == "sum, then divide + subtract"
    assert item.reason == "asked for, in 2 passes"
    assert [output.shape for output in item.outputs] == [x.shape]


def test_the_result_of_a_pass_may_be_asked_for_as_well():
    x = onebuf.asarray(LONG)
    mean = onebuf.mean(x)
    rest = x - mean
    assert passes(rest, mean) == 1
    assert passes(rest) == 1
    rest.realize()
    assert mean.is_realized


def test_a_plain_constant_takes_no_kernel_and_no_memory():
    ones = Buffer.ones((3,))
    assert onebuf.schedule(ones, ones[1:]) == []
    with onebuf.counters() as counted:
        onebuf.realize(ones)
        assert float(ones[1]) == 1.0
    assert counted.kernels == counted.bytes_allocated == 0
    ones[0] = 5.0
    assert ones.to_python() == [5.0, 1.0, 1.0]


def test_many_results_of_the_same_operand_share_kernels():
    x = Buffer(X)
    results = [x * n for n in range(2, 22)]
    assert passes(*results) == 3
    onebuf.realize(*results)
    for n, result in enumerate(results, 2):
        np.testing.assert_array_equal(np.asarray(result), X * np.float32(n))


def test_a_long_chain_is_a_few_kernels():
    x = Buffer(X)
    for _ in range(1000):
        x = x + 1
    assert passes(x) < 20
    np.testing.assert_allclose(np.asarray(x), X + 1000, rtol=1e-5)
