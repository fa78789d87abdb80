"""One example after another: what a batched graph has to equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import onebuf
from onebuf.batching import batched
from onebuf.graph import UNARY, Node, make

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]


def check(function: Function, *arrays: Array, mapped: Sequence[bool] | None = None) -> list[Node]:
    """Compare ``function`` on a batch with its results for each example, stacked.

    ``mapped`` says which arrays have examples along their first axis; without it, all of them. The
    batched nodes are returned.
    """
    which = [True] * len(arrays) if mapped is None else list(mapped)
    size = next(len(array) for array, is_mapped in zip(arrays, which, strict=True) if is_mapped)
    found = of_batch(function, arrays, which, size)
    for place, node in enumerate(found):
        wanted = [_results(function, arrays, which, i)[place] for i in range(size)]
        got = np.asarray(onebuf.Buffer._value(node))
        assert got.dtype == wanted[0].dtype
        assert got.shape == (size, *wanted[0].shape)
        np.testing.assert_allclose(got, np.stack(wanted), rtol=1e-6, atol=1e-8)
    return found


def of_batch(
    function: Function, arrays: Sequence[Array], which: Sequence[bool], size: int
) -> list[Node]:
    """The nodes of the results of ``function`` for a batch; nothing is computed yet."""
    inputs: dict[Node, Node] = {}
    arguments = []
    with onebuf.config(eager_numel=0):
        for array, is_mapped in zip(arrays, which, strict=True):
            if not is_mapped:
                arguments.append(onebuf.Buffer(array))
                continue
            example = onebuf.full(array.shape[1:], 0, dtype=array.dtype)
            kind = example.shape, example.dtype
            node = make(UNARY["positive"], (example._node,), None, *kind, unique=True)
            inputs[node] = onebuf.Buffer(array)._node
            arguments.append(onebuf.Buffer._value(node))
        results = [result._node for result in _listed(function(*arguments))]
        found = batched(results, inputs, size)
    assert all(operand.is_batched for operand in found)
    return [operand.node for operand in found]


def _results(
    function: Function, arrays: Sequence[Array], which: Sequence[bool], i: int
) -> list[Array]:
    given = [
        np.array(array[i]) if is_mapped else array
        for array, is_mapped in zip(arrays, which, strict=True)
    ]
    found = function(*[onebuf.Buffer(array) for array in given])
    return [np.asarray(result) for result in _listed(found)]


def _listed(results: Any) -> Sequence[Any]:
    return results if isinstance(results, tuple | list) else [results]
