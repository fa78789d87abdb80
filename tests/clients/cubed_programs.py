"""Programs for cubed, run in a process of their own: it reads its namespace once, at import.

``python cubed_programs.py <file>`` writes the results, and what types they had, to a file.
"""

import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import cubed
import cubed.array_api as xp
import numpy as np

RNG = np.random.default_rng(0)
A = RNG.normal(size=(7, 6))
I = RNG.integers(0, 5, (7, 6))  # noqa: E741
N = np.where(I == 2, np.nan, A)


def programs(spec: Any) -> dict[str, Callable[[], Any]]:
    """Lazy arrays by name."""
    a, i, n = (xp.asarray(array, chunks=(3, 2), spec=spec) for array in (A, I, N))

    def standardised() -> Any:
        centred = a - xp.mean(a, axis=0, keepdims=True)
        return centred / xp.std(a, axis=0, keepdims=True)

    return {
        "as it is": lambda: a,
        "arithmetic": lambda: a * 2 + 1 - xp.sin(a) / 3,
        "whole numbers": lambda: xp.bitwise_and(i, 3) + i // 2,
        "comparison": lambda: (a > 0) & (a < 1),
        "standardised": standardised,
        "sum": lambda: xp.sum(a),
        "sum along an axis": lambda: xp.sum(a, axis=0),
        "mean": lambda: xp.mean(a, axis=1, keepdims=True),
        "var": lambda: xp.var(a, axis=0),
        "std": lambda: xp.std(a),
        "max": lambda: xp.max(a),
        "argmax": lambda: xp.argmax(a, axis=1),
        "prod": lambda: xp.prod(i, axis=0),
        "any": lambda: xp.any(a > 1, axis=0),
        "count_nonzero": lambda: xp.count_nonzero(i, axis=0),
        "cumulative_sum": lambda: xp.cumulative_sum(a, axis=0),
        "nansum": lambda: cubed.nansum(n, axis=0),
        "nanmean": lambda: cubed.nanmean(n),
        "matmul": lambda: xp.matmul(a, a.T),
        "tensordot": lambda: xp.tensordot(a, a, axes=((0,), (0,))),
        "outer": lambda: xp.linalg.outer(a[0], a[0]),
        "qr": lambda: xp.abs(xp.linalg.qr(a.rechunk((6, 6)))[1]),
        "svd": lambda: xp.linalg.svd(a.rechunk((6, 6)), full_matrices=False)[1],
        "concat": lambda: xp.concat([a, a], axis=0),
        "stack": lambda: xp.stack([a, a]),
        "reshape": lambda: xp.reshape(a, (42,)),
        "transpose": lambda: xp.permute_dims(a, (1, 0)),
        "flip": lambda: xp.flip(a),
        "roll": lambda: xp.roll(a, 2, axis=0),
        "repeat": lambda: xp.repeat(a, 2, axis=0),
        "tile": lambda: xp.tile(a, (2, 1)),
        "squeeze": lambda: xp.squeeze(a[:1], axis=0),
        "broadcast": lambda: xp.broadcast_to(a, (2, 7, 6)),
        "unstack": lambda: xp.unstack(a)[1],
        "slices": lambda: a[1:6:2, :],
        "indices": lambda: a[[3, 0, 2]],
        "where": lambda: xp.where(a > 0, a, 0.0),
        "clip": lambda: xp.clip(a, -1, 1),
        "diff": lambda: xp.diff(a, axis=0),
        "triangle": lambda: xp.tril(a),
        "isin": lambda: xp.isin(i, xp.asarray([1, 2], spec=spec)),
        "astype": lambda: xp.astype(a, xp.float32),
        "rechunk": lambda: a.rechunk((7, 1)) + a,
        "map_blocks": lambda: cubed.map_blocks(lambda x: x * 2 + 1, a, dtype=a.dtype),
        "gufunc": lambda: cubed.apply_gufunc(
            lambda x: x.mean(axis=-1), "(i)->()", a.rechunk((3, 6)), output_dtypes=float
        ),
        "created": lambda: (
            xp.eye(5, chunks=2, spec=spec)
            + xp.arange(5, chunks=2, spec=spec)
            + xp.linspace(0, 1, 5, chunks=2, spec=spec)
        ),
    }


def main(path: str) -> None:
    """Compute everything, and keep it with the type that it had and the types of its blocks."""
    seen: set[str] = set()

    def noted(x: Any) -> Any:
        seen.add(type(x).__name__)
        return x

    results: dict[str, tuple[str, np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as folder, open(path, "wb") as file:
        spec = cubed.Spec(folder, allowed_mem="200MB")
        arrays = {name: program() for name, program in programs(spec).items()}
        for name, result in zip(arrays, cubed.compute(*arrays.values()), strict=True):
            results[name] = (type(result).__name__, np.asarray(result))
        x = xp.ones((4, 4), chunks=2, spec=spec)
        cubed.map_blocks(noted, x, dtype=x.dtype).compute()
        pickle.dump((results, seen), file)


if __name__ == "__main__":
    warnings.simplefilter("error")
    main(sys.argv[1])
