"""The functions of the namespace: their values are NumPy's, eager and lazy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf as xp

A = np.array([[3.0, -1.0, 2.0, 2.0], [0.0, 5.0, -4.0, 1.0], [7.0, 2.0, 2.0, -6.0]])
I = np.array([[3, 0, 2, 2], [0, 5, 4, 1], [7, 2, 2, 6]])  # noqa: E741
B = I > 2
C = A + 1j * A[::-1]
V = np.array([4.0, 1.0, 3.0, 3.0])
EMPTY = np.zeros((0, 3))
ORDER = np.array([[0, 2], [1, 3], [3, 0]])

# name: calls with the function and the arrays, the same text for both libraries
CASES: dict[str, list[Callable[[Any, Callable[[Any], Any]], Any]]] = {
    "all": [lambda xp, a: xp.all(a(B)), lambda xp, a: xp.all(a(A), axis=(0, 1), keepdims=True)],
    "any": [lambda xp, a: xp.any(a(B), axis=1), lambda xp, a: xp.any(a(EMPTY), axis=0)],
    "argmax": [lambda xp, a: xp.argmax(a(A)), lambda xp, a: xp.argmax(a(I), axis=1, keepdims=True)],
    "argmin": [lambda xp, a: xp.argmin(a(A), axis=0)],
    "argsort": [
        lambda xp, a: xp.argsort(a(V), stable=True),
        lambda xp, a: xp.argsort(a(I), axis=0),
    ],
    "astype": [lambda xp, a: xp.astype(a(A), xp.int32), lambda xp, a: xp.astype(a(I), xp.bool)],
    "broadcast_arrays": [lambda xp, a: xp.broadcast_arrays(a(V), a(A))],
    "broadcast_shapes": [lambda xp, a: xp.broadcast_shapes((3, 1), (1, 4), ())],
    "broadcast_to": [lambda xp, a: xp.broadcast_to(a(V), (2, 3, 4))],
    "can_cast": [
        lambda xp, a: xp.can_cast(xp.int8, xp.int16),
        lambda xp, a: xp.can_cast(a(A), xp.float32),
    ],
    "clip": [
        lambda xp, a: xp.clip(a(A), -1, 2),
        lambda xp, a: xp.clip(a(A), None, a(V)),
        lambda xp, a: xp.clip(a(I), 1, None),
    ],
    "concat": [
        lambda xp, a: xp.concat([a(A), a(A)[:1]]),
        lambda xp, a: xp.concat([a(A), a(V)], axis=None),
    ],
    "count_nonzero": [
        lambda xp, a: xp.count_nonzero(a(I), axis=0),
        lambda xp, a: xp.count_nonzero(a(C)),
    ],
    "cumulative_prod": [
        lambda xp, a: xp.cumulative_prod(a(V)),
        lambda xp, a: xp.cumulative_prod(a(I), axis=0),
    ],
    "cumulative_sum": [
        lambda xp, a: xp.cumulative_sum(a(V), include_initial=True),
        lambda xp, a: xp.cumulative_sum(a(B), axis=1),
        lambda xp, a: xp.cumulative_sum(a(A), axis=-1, dtype=xp.float32),
    ],
    "diff": [
        lambda xp, a: xp.diff(a(A)),
        lambda xp, a: xp.diff(a(I), axis=0, n=2),
        lambda xp, a: xp.diff(a(V), prepend=a(V)[:2], append=a(V)[2:]),
        lambda xp, a: xp.diff(a(B)),
    ],
    "empty_like": [lambda xp, a: xp.empty_like(a(I)).shape],
    "expand_dims": [lambda xp, a: xp.expand_dims(a(A), axis=-1)],
    "eye": [lambda xp, a: xp.eye(3), lambda xp, a: xp.eye(2, 4, k=-1, dtype=xp.int8)],
    "flip": [lambda xp, a: xp.flip(a(A)), lambda xp, a: xp.flip(a(A), axis=1)],
    "full_like": [
        lambda xp, a: xp.full_like(a(I), 7),
        lambda xp, a: xp.full_like(a(I), 7, dtype=xp.float32),
    ],
    "isdtype": [
        lambda xp, a: [xp.isdtype(d, "numeric") for d in (xp.int8, xp.bool, xp.complex64)],
        lambda xp, a: [xp.isdtype(d, "integral") for d in (xp.int8, xp.bool, xp.uint64)],
        lambda xp, a: xp.isdtype(xp.float32, (xp.float64, "real floating")),
    ],
    "isin": [
        lambda xp, a: xp.isin(a(I), a(V)),
        lambda xp, a: xp.isin(a(I), a(I)[0], invert=True),
        lambda xp, a: xp.isin(a(I), [2, 7]),
    ],
    "linspace": [
        lambda xp, a: xp.linspace(0, 1, 7),
        lambda xp, a: xp.linspace(5, -2, 4, endpoint=False),
        lambda xp, a: xp.linspace(0.0, 2 + 1j, 5),
        lambda xp, a: xp.linspace(0, 1, 1),
        lambda xp, a: xp.linspace(0, 1, 0, dtype=xp.float32),
    ],
    "matmul": [lambda xp, a: xp.matmul(a(A), a(A).T), lambda xp, a: xp.matmul(a(A), a(V))],
    "matrix_transpose": [lambda xp, a: xp.matrix_transpose(a(A))],
    "max": [lambda xp, a: xp.max(a(A)), lambda xp, a: xp.max(a(I), axis=0, keepdims=True)],
    "mean": [
        lambda xp, a: xp.mean(a(A), axis=1),
        lambda xp, a: xp.mean(a(C)),
        lambda xp, a: xp.mean(a(I), axis=0, dtype=xp.float32),
    ],
    "meshgrid": [
        lambda xp, a: xp.meshgrid(a(V), a(V)[:2]),
        lambda xp, a: xp.meshgrid(a(V), a(V)[:2], a(V)[:3], indexing="ij"),
    ],
    "min": [lambda xp, a: xp.min(a(A), axis=(0, 1))],
    "moveaxis": [
        lambda xp, a: xp.moveaxis(a(A).reshape(1, 3, 4), 0, -1),
        lambda xp, a: xp.moveaxis(a(A).reshape(1, 3, 2, 2), (0, 1), (3, 0)),
    ],
    "nonzero": [lambda xp, a: xp.nonzero(a(I)), lambda xp, a: xp.nonzero(a(EMPTY))],
    "permute_dims": [lambda xp, a: xp.permute_dims(a(A), (1, 0))],
    "prod": [lambda xp, a: xp.prod(a(V)), lambda xp, a: xp.prod(a(I), axis=0, dtype=xp.float32)],
    "repeat": [
        lambda xp, a: xp.repeat(a(A), 2),
        lambda xp, a: xp.repeat(a(A), 3, axis=1),
        lambda xp, a: xp.repeat(a(A), a(np.array([0, 2, 1])), axis=0),
        lambda xp, a: xp.repeat(a(V), 0),
    ],
    "reshape": [lambda xp, a: xp.reshape(a(A).T, (2, -1))],
    "result_type": [
        lambda xp, a: xp.result_type(a(I), xp.float32, 1.0),
        lambda xp, a: xp.result_type(xp.int8, xp.uint8),
        lambda xp, a: xp.result_type(xp.float32, 1j),
        lambda xp, a: xp.result_type(xp.float32, np.float64(1)),
        lambda xp, a: [xp.result_type(*n) for n in ((True,), (1, True), (1, 2.0), (2.0, 1j))],
    ],
    "roll": [
        lambda xp, a: xp.roll(a(A), 2),
        lambda xp, a: xp.roll(a(A), -1, axis=0),
        lambda xp, a: xp.roll(a(A), (1, 9), axis=(0, 1)),
        lambda xp, a: xp.roll(a(EMPTY), 1, axis=0),
    ],
    "searchsorted": [
        lambda xp, a: xp.searchsorted(a(np.sort(V)), a(A)),
        lambda xp, a: xp.searchsorted(a(np.sort(V)), a(V), side="right"),
    ],
    "sort": [lambda xp, a: xp.sort(a(A)), lambda xp, a: xp.sort(a(I), axis=0)],
    "squeeze": [lambda xp, a: xp.squeeze(a(A).reshape(1, 12, 1), axis=(0, 2))],
    "stack": [lambda xp, a: xp.stack([a(V), a(V)], axis=1)],
    "std": [lambda xp, a: xp.std(a(A), axis=0, correction=1)],
    "sum": [lambda xp, a: xp.sum(a(I), axis=1), lambda xp, a: xp.sum(a(I), dtype=xp.float32)],
    "take": [
        lambda xp, a: xp.take(a(A), a(np.array([2, 0])), axis=1),
        lambda xp, a: xp.take(a(A), -1, axis=1),
    ],
    "take_along_axis": [lambda xp, a: xp.take_along_axis(a(A), a(ORDER), axis=1)],
    "tensordot": [
        lambda xp, a: xp.tensordot(a(A), a(A), axes=2),
        lambda xp, a: xp.tensordot(a(A), a(A), axes=((0, 1), (0, 1))),
        lambda xp, a: xp.tensordot(a(A), a(A), axes=([1], [1])),
        lambda xp, a: xp.tensordot(a(V), a(V), axes=0),
    ],
    "tile": [
        lambda xp, a: xp.tile(a(A), (2, 1)),
        lambda xp, a: xp.tile(a(V), (2, 1, 3)),
        lambda xp, a: xp.tile(a(A), (2,)),
    ],
    "tril": [lambda xp, a: xp.tril(a(A)), lambda xp, a: xp.tril(a(I), k=1)],
    "triu": [lambda xp, a: xp.triu(a(A), k=-1), lambda xp, a: xp.triu(a(B))],
    "unique_all": [lambda xp, a: xp.unique_all(a(I))],
    "unique_counts": [lambda xp, a: xp.unique_counts(a(A))],
    "unique_inverse": [lambda xp, a: xp.unique_inverse(a(I))],
    "unique_values": [lambda xp, a: xp.unique_values(a(V))],
    "unstack": [lambda xp, a: xp.unstack(a(A), axis=1)],
    "var": [lambda xp, a: xp.var(a(A)), lambda xp, a: xp.var(a(A), axis=1, correction=1.5)],
    "vecdot": [lambda xp, a: xp.vecdot(a(A), a(A)), lambda xp, a: xp.vecdot(a(C), a(C), axis=0)],
    "where": [lambda xp, a: xp.where(a(B), a(A), a(V)), lambda xp, a: xp.where(a(B), a(I), 0)],
}
CALLS = [(name, number) for name, calls in CASES.items() for number in range(len(calls))]


def flat(result: Any) -> list[Any]:
    if isinstance(result, list | tuple) and not isinstance(result, np.ndarray):
        return [part for item in result for part in flat(item)]
    return [result]


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name, number", CALLS)
def test_a_function_gives_what_numpys_does(name: str, number: int, eager_numel: int) -> None:
    call = CASES[name][number]
    with xp.config(eager_numel=eager_numel):
        ours = flat(call(xp, lambda array: xp.asarray(array, copy=True)))
    theirs = flat(call(np, lambda array: array))
    assert len(ours) == len(theirs)
    for got, wanted in zip(ours, theirs, strict=True):
        if not isinstance(wanted, np.ndarray | np.generic):
            assert got == wanted
            continue
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-12)


@pytest.mark.parametrize("descending", [False, True])
def test_sorting_keeps_the_order_of_equal_elements(descending: bool) -> None:
    x = np.array([2, 1, 2, 1, 3, 2])
    order = xp.argsort(xp.asarray(x), descending=descending, stable=True).to_python()
    assert order == sorted(range(6), key=lambda i: -x[i] if descending else x[i])
    assert xp.sort(xp.asarray(x), descending=descending).to_python() == [x[i] for i in order]
