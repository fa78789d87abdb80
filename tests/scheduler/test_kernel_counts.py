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
    return first, first * xp.cumulative_sum(first, axis=1)


def attention(xp: Any, x: Any, y: Any) -> Any:
    return softmax(xp, x @ y.T / 4) @ y


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
    "x - mean of columns": (2, lambda xp, x, y: x - xp.mean(x, axis=0, keepdims=True)),
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
    "cumulative sum": (1, lambda xp, x, y: xp.cumulative_sum(x, axis=1)),
    "attention": (2, attention),
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


def test_a_fold_of_many_folds_is_two_kernels_for_threads_to_share():
    check(2, lambda xp, x: xp.sum(xp.abs(xp.sum(x, axis=1))), LONG.reshape(1000, 100))


@pytest.mark.parametrize(
    "count, expression",
    [
        (1, lambda xp, x: xp.sum(x)),
        (1, lambda xp, x: (xp.sum(x), xp.sum(x) * 2 + 1)),
        (1, lambda xp, x: (xp.sum(x), xp.max(x))),
        (2, lambda xp, x: x - xp.mean(x)),
        (2, lambda xp, x: (x + 1, xp.sum(x + 1))),
        (2, lambda xp, x: xp.var(x)),
        (2, lambda xp, x: (xp.mean(x), xp.var(x))),
    ],
)
def test_a_fold_of_more_than_a_chunk_is_one_pass_that_threads_share(count, expression):
    check(count, expression, LONG)


def test_a_plain_constant_is_filled_in_and_not_computed():
    (item,) = onebuf.schedule(Buffer.ones((3,)))
    assert item.kind == "constant"


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
