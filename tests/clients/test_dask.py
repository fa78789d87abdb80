"""dask arrays whose chunks are buffers, on its synchronous and threaded schedulers."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
import pytest

import onebuf
from onebuf import Buffer

RNG = np.random.default_rng(0)
A = RNG.normal(size=(7, 6))
V = RNG.normal(size=9)
I = RNG.integers(0, 5, (7, 6))  # noqa: E741
N = np.where(I == 2, np.nan, A)


class Arrays(NamedTuple):
    """The arrays of a program, of one kind of chunk."""

    a: Any
    v: Any
    i: Any
    n: Any


def chunked(make: Callable[[Any], Any]) -> Arrays:
    return Arrays(*[da.from_array(make(x), chunks=3, asarray=False) for x in (A, V, I, N)])


@pytest.fixture(params=["synchronous", "threads"])
def scheduler(request: pytest.FixtureRequest) -> Iterator[str]:
    with dask.config.set(scheduler=request.param):
        yield request.param


def edited(a: Any) -> Any:
    new = a.copy()
    new[:3, 1] = -5.0
    new[new > 1] = 0.0
    new[6] = np.arange(6.0)
    return new


def softmax(a: Any) -> Any:
    e = da.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# Programs whose meta and result are buffers.
KEPT: dict[str, Callable[[Arrays], Any]] = {
    "as it is": lambda d: d.a,
    "arithmetic": lambda d: (d.a + 1) * d.a.sum() - 2 ** abs(d.a) // 1,
    "whole numbers": lambda d: (d.i // 2) ^ (d.i % 3),
    "comparison": lambda d: (d.a > 0) & (d.i < 3),
    "ufuncs": lambda d: da.exp(d.a) + np.sin(d.a) + da.hypot(d.a, 2.0),
    "ufuncs of two results": lambda d: da.divmod(d.i, 2)[1] + da.modf(d.a)[0],
    "outer ufunc": lambda d: da.add.outer(d.v, d.v),
    "softmax": lambda d: softmax(d.a),
    "sum": lambda d: d.a.sum(),
    "sum along an axis": lambda d: d.a.sum(axis=1, keepdims=True),
    "sum in a dtype": lambda d: d.i.sum(axis=0, dtype="float32"),
    "mean": lambda d: d.a.mean(axis=0),
    "std": lambda d: d.a.std(axis=1),
    "var": lambda d: d.a.var(ddof=1),
    "max": lambda d: d.a.max(axis=0) - d.a.min(),
    "prod": lambda d: d.i.prod(axis=0),
    "any": lambda d: (d.a > 1).any(axis=0),
    "nansum": lambda d: da.nansum(d.n, axis=0),
    "nanmean": lambda d: da.nanmean(d.n),
    "nanstd": lambda d: da.nanstd(d.n, axis=1),
    "nanmax": lambda d: da.nanmax(d.n, axis=1),
    "cumsum": lambda d: d.a.cumsum(axis=0),
    "cumprod": lambda d: d.a.cumprod(axis=1),
    "median": lambda d: da.median(d.a, axis=0),
    "average": lambda d: da.average(d.a, axis=0, weights=np.arange(7.0)),
    "topk": lambda d: da.topk(d.v, 3),
    "moment": lambda d: da.reductions.moment(d.a, 3, axis=0),
    "reduction": lambda d: da.reduction(
        d.a,
        lambda x, axis, keepdims: x.sum(axis=axis, keepdims=keepdims),
        lambda x, axis, keepdims: x.sum(axis=axis, keepdims=keepdims),
        dtype=float,
    ),
    "slicing": lambda d: d.a[1:6:2, ::-1],
    "indexing": lambda d: d.a[2],
    "indexing by a list": lambda d: d.a[[4, 0, 2]],
    "new axis": lambda d: d.a[:, None],
    "points": lambda d: d.a.vindex[[0, 1], [2, 3]],
    "blocks": lambda d: d.a.blocks[1],
    "take": lambda d: da.take(d.a, [3, 1], axis=1),
    "setitem": lambda d: edited(d.a),
    "rechunk": lambda d: d.a.rechunk((2, 5)),
    "tensordot": lambda d: da.tensordot(d.a, d.a, axes=((0,), (0,))),
    "matmul": lambda d: d.a @ d.a.T,
    "einsum": lambda d: da.einsum("ij,kj->ik", d.a, d.a),
    "outer": lambda d: da.outer(d.v, d.v),
    "concatenate": lambda d: da.concatenate([d.a, d.a], axis=1),
    "stack": lambda d: da.stack([d.a, d.a], axis=1),
    "block": lambda d: da.block([[d.a, d.a], [d.a, d.a]]),
    "transpose": lambda d: d.a.T,
    "reshape": lambda d: d.a.reshape(7, 2, 3),
    "ravel": lambda d: d.a.ravel(),
    "flip": lambda d: da.flip(d.a, 0),
    "rot90": lambda d: da.rot90(d.a),
    "swapaxes": lambda d: da.swapaxes(d.a, 0, 1),
    "squeeze": lambda d: d.a[:1].squeeze(),
    "broadcast": lambda d: da.broadcast_to(d.a, (2, 7, 6)),
    "repeat": lambda d: da.repeat(d.a, 2, axis=0),
    "tile": lambda d: da.tile(d.a, 2),
    "roll": lambda d: da.roll(d.a, 2, 0),
    "pad": lambda d: da.pad(d.a, 1, mode="constant"),
    "diff": lambda d: da.diff(d.a, axis=0),
    "where": lambda d: da.where(d.a > 0, d.a, 0.0),
    "select": lambda d: da.select([d.a > 0], [d.a], -1.0),
    "choose": lambda d: da.choose(d.i % 2, [d.a, d.a * 2]),
    "clip": lambda d: d.a.clip(-1, 1),
    "round": lambda d: d.a.round(1),
    "astype": lambda d: d.a.astype("f4"),
    "complex numbers": lambda d: (d.a * 1j).imag + (d.a * (1 + 2j)).conj().real,
    "map_blocks": lambda d: d.a.map_blocks(lambda x: x * 2 - x.mean()),
    "map_overlap": lambda d: d.a.map_overlap(
        lambda x: x + np.roll(x, 1, axis=0), depth=1, boundary="reflect"
    ),
    "blockwise": lambda d: da.blockwise(np.add, "ij", d.a, "ij", d.i, "ij", dtype=float),
    "gufunc": lambda d: da.apply_gufunc(lambda x: x.mean(axis=-1), "(i)->()", d.a.rechunk((3, -1))),
    "sliding windows": lambda d: da.lib.stride_tricks.sliding_window_view(d.v, 3).mean(axis=-1),
    "isin": lambda d: da.isin(d.i, [1, 2]),
    "bincount": lambda d: da.bincount(d.i.ravel(), minlength=6),
    "searchsorted": lambda d: da.searchsorted(da.from_array(np.arange(3.0)), d.v),
    "zeros_like": lambda d: da.zeros_like(d.a) + da.full_like(d.a, 3.0),
    "triangle": lambda d: da.tril(d.a) + da.triu(d.a, 1),
    "diagonal": lambda d: da.diagonal(d.a),
    "insert and delete": lambda d: da.delete(da.insert(d.a, 2, 9.0, axis=0), 0, axis=1),
    "view": lambda d: d.a.view("i8"),
    "isclose": lambda d: da.isclose(d.a, d.a + 1e-12),
    "qr": lambda d: abs(da.linalg.qr(d.a.rechunk((3, -1)))[1]),
    "svd": lambda d: da.linalg.svd(d.a.rechunk((3, -1)))[1],
    "norm": lambda d: da.linalg.norm(d.a),
    "covariance": lambda d: da.cov(d.a),
    "persist": lambda d: d.a.persist() + 1,
}

# What dask computes or announces in NumPy's arrays, whatever the chunks are.
NUMPYS: dict[str, Callable[[Arrays], Any]] = {
    "argmax": lambda d: d.a.argmax(axis=1),
    "mask": lambda d: d.v[d.v > 0],
    "nonzero": lambda d: da.nonzero(d.i)[0],
    "unique": lambda d: da.unique(d.i),
    "percentile": lambda d: da.percentile(d.v.rechunk(-1), [10, 50]),
    "quantile": lambda d: da.quantile(d.a, 0.3, axis=0),
    "histogram": lambda d: da.histogram(d.v, bins=4, range=(-2, 2))[0],
    "fft": lambda d: da.fft.fft(d.a.rechunk((3, -1)), axis=1),
    "coarsen": lambda d: da.coarsen(np.mean, d.a, {1: 2}),
    "apply_along_axis": lambda d: da.apply_along_axis(np.sum, 0, d.a),
}


def compared(program: Callable[[Arrays], Any]) -> tuple[Any, Any]:
    ours = program(chunked(lambda x: onebuf.asarray(x, copy=True)))
    theirs = program(chunked(np.copy))
    got, wanted = ours.compute(), theirs.compute()
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype == ours.dtype
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-9, atol=1e-12)
    return ours, got


@pytest.mark.parametrize("name", KEPT)
def test_a_program_computes_the_same_in_buffers(name: str, scheduler: str) -> None:
    ours, got = compared(KEPT[name])
    assert type(ours._meta) is Buffer
    assert type(got) is Buffer


@pytest.mark.parametrize("name", NUMPYS)
def test_what_dask_keeps_in_numpy_is_right(name: str, scheduler: str) -> None:
    compared(NUMPYS[name])


def test_chunks_are_buffers_for_whoever_maps_them() -> None:
    seen = set()

    def note(x: Any) -> Any:
        seen.add(type(x))
        return x

    x = da.from_array(onebuf.asarray(A), chunks=3, asarray=False)
    (x + 1).map_blocks(note, meta=x._meta).compute(scheduler="threads")
    assert seen == {Buffer}


def test_buffers_are_made_by_delayed_functions_and_in_parallel() -> None:
    @dask.delayed  # type: ignore[untyped-decorator]
    def load(number: int) -> Buffer:
        return onebuf.full((2, 3), number, dtype="float32")

    meta = onebuf.empty((0, 0), dtype="float32")
    parts = [da.from_delayed(load(n), (2, 3), meta=meta) for n in range(20)]
    whole = da.concatenate(parts)
    total = (whole * 2).sum(axis=1).compute(scheduler="threads", num_workers=8)
    assert type(total) is Buffer
    assert total.to_python() == [6.0 * n for n in range(20) for _ in range(2)]


def test_lazy_buffers_are_chunks_for_many_threads_at_once() -> None:
    pending = onebuf.asarray(np.ones((400, 300))) * 2
    x = da.from_array(pending, chunks=50, asarray=False)
    result = (x @ x.T + x.sum()).mean()
    for _ in range(3):
        assert result.compute(scheduler="threads", num_workers=8).item() == 1200 + 240000


def test_a_buffer_is_a_target_to_store_to(scheduler: str) -> None:
    target = onebuf.zeros(A.shape)
    da.store(da.from_array(A, chunks=3) * 2, target)
    np.testing.assert_array_equal(np.asarray(target), A * 2)


def test_equal_buffers_have_equal_names_and_others_others() -> None:
    one, two = onebuf.asarray(A, copy=True), onebuf.asarray(A, copy=True)
    assert da.from_array(one, chunks=3).name == da.from_array(two, chunks=3).name
    assert da.from_array(one, chunks=3).name != da.from_array(two + 1, chunks=3).name


def test_arrays_and_buffers_meet() -> None:
    x = da.from_array(A, chunks=3)
    b = onebuf.asarray(A)
    for result in (x + b, b + x, np.add(b, x), np.maximum(x, b)):
        assert isinstance(result, da.Array)
    np.testing.assert_allclose(np.asarray((b * x).compute()), A * A)
    assert isinstance(np.concatenate([b, x]), da.Array)
