"""NumPy's functions and methods on buffers: the values, shapes and types that NumPy gives.

Each line is run twice, with NumPy's arrays and with buffers; every result has to be a buffer.
"""

from __future__ import annotations

import operator
import pickle
from typing import Any

import numpy as np
import pytest

import onebuf

LINES = """
np.sum(a, 0); np.sum(a, 1, np.float32); np.sum(a, keepdims=True); np.sum(a, where=m)
np.sum(a, initial=5.0); np.max(a, 0); np.max(a, where=m, initial=-1.0); np.min(a, 1, None, True)
np.prod(v, initial=2.0); np.max(np.zeros(0), initial=3.0); np.mean(a, 0); np.mean(a, where=m)
np.mean(a, 0, np.float32); np.std(a, ddof=1); np.var(a, 0, ddof=1); np.var(c)
np.std(a, where=m); np.all(a > 0, 0); np.any(m, 1); np.argmax(a, 0)
np.argmin(a, axis=1, keepdims=True); np.argmax(c); np.max(c); np.sort(c); np.argsort(c)
np.zeros(3, int); np.zeros((2, 3), "float32", "F"); np.ones(2, np.int8); np.full(3, 1.5)
np.full((2, 2), [1, 2]); np.eye(3, 4, 1, np.int32); np.identity(3); np.tri(3, 4, 1)
np.arange(0, 1, 0.25); np.arange(5, dtype=np.float32); np.linspace(0, 1)
np.linspace(0, 1, 5, False); np.linspace(start=0, stop=1, num=3); np.linspace([0, 1], 2, 3)
np.logspace(0, 2, 5); np.geomspace(1, 100, 3); np.array([1, 2]); np.array([[1, 2.5]])
np.array(3); np.array(a, ndmin=3); np.array([v, v]); np.array([v[0], v[1]])
np.asarray([1, 2], np.float32); np.array(v, dtype=np.int8); np.copy(a); np.ones_like(a, int)
np.zeros_like(a, shape=(2,)); np.full_like(v, 7); np.empty_like(v).shape; np.diag(v[:3])
np.concatenate((a, a), 1); np.concatenate([v, [1, 2]]); np.vstack([v, v]); np.hstack([v, v])
np.hstack([a, a]); np.dstack([a, a]); np.column_stack([v, v]); np.stack((v, v), 1)
np.append(v, 3); np.append(a, a, 0); np.insert(v, 0, 0.0); np.insert(v, 2, [8, 9])
np.insert(a, 1, 5.0, axis=1); np.insert(v, [1, 3], 7); np.delete(v, 1); np.split(v[:6], 3)
np.array_split(v, 3); np.split(a, [1], axis=1); np.hsplit(a, 2); np.vsplit(a, 3)
np.block([[a, a]]); np.atleast_1d(3.0); np.atleast_2d(v); np.atleast_3d(a); np.flipud(a)
np.fliplr(a); np.rot90(a); np.rot90(a, 3); np.roll(a, 1, 0); np.roll(v, -2)
np.roll(a, (1, 2), (0, 1)); np.tile(v, 2); np.tile(a, (2, 1)); np.repeat(v, 2)
np.repeat(a, [1, 2, 0], axis=0); np.moveaxis(a, 0, 1); np.swapaxes(a, 0, 1); np.rollaxis(a, 1)
np.transpose(a); np.squeeze(a[:1]); np.ravel(a); np.ravel(a, "F"); np.reshape(a, -1)
np.reshape(a, (2, 6), order="F"); np.resize(v, (3, 3)); np.expand_dims(v, 0)
np.broadcast_to(v, (2, 7)); np.pad(v, 2); np.pad(a, ((1, 0), (0, 1)), "edge"); np.trim_zeros(i)
np.cumsum(a); np.cumsum(a, 1); np.cumprod(v, dtype=np.float32); np.diff(v); np.diff(v, 2)
np.diff(i, prepend=-1); np.diff(a, axis=0, append=0.0); np.ediff1d(v); np.gradient(v)
np.gradient(a)[1]; np.gradient(v, 2.0); np.gradient(i); np.trapezoid(v); np.trapezoid(v, dx=0.5)
np.trapezoid(a, axis=0); np.trapezoid(v, np.arange(7.0)); np.ptp(a, 0); np.average(v)
np.average(v, weights=v); np.average(a, 0, [1, 2, 3]); np.median(a, 1); np.percentile(v, 30)
np.quantile(a, 0.3, 0); np.nansum(n); np.nanmean(n); np.nanmax(n); np.nanstd(n); np.nancumsum(n)
np.nan_to_num(n); np.nan_to_num(n, nan=3.0, posinf=9.0); np.cov(a); np.cov(a, rowvar=False)
np.cov(v, v); np.cov(a, bias=True); np.corrcoef(a); np.corrcoef(v, v[::-1]); np.histogram(v, 3)
np.bincount(i); np.bincount(i, v); np.digitize(v, [0.0, 1.0]); np.interp([0.5], [0, 1], [2, 3])
np.convolve(v, [1, 2]); np.correlate(v, v); np.unwrap(v); np.cross(a[:, :3], a[:, 1:])
np.dot(v, v); np.dot(a, a.T); np.dot(3, v); np.dot(a, v[:4]); np.vdot(c, c); np.inner(a, a)
np.inner(v, v); np.outer(v, i); np.kron(v, i); np.kron(a, a); np.trace(a); np.trace(a, 1)
np.diagonal(a, 1); np.tensordot(a, a, ([0], [0])); np.matmul(a, a.T); np.vecdot(a, a)
np.matvec(a, v[:4]); np.vecmat(v[:3], a); np.einsum("ij,kj->ik", a, a); np.where(m, a, 0)
np.where(v > 0); np.where([True, False], 1, 2); np.where(i, 1.0, 2.0)
np.select([v < 0, v < 1], [v, 1], 5); np.compress([True, False, True], a, 0); np.extract(m, a)
np.flatnonzero(v > 0); np.argwhere(m); np.nonzero(m); np.take(a, [0, 2]); np.take(a, [0, 2], 1)
np.take(v, 9, mode="wrap"); np.take_along_axis(a, np.argsort(a, 1), 1)
np.choose([0, 1], [v[:2], i[:2]]); np.ix_([0, 1], [2]); np.indices((2, 2)); np.tril_indices(3)
np.unravel_index(5, (2, 4)); np.searchsorted(v, 0.5); np.searchsorted(np.sort(v), v, "right")
np.isin(i, [1, 2]); np.isin(i, 3, invert=True); np.sort(a, axis=None); np.sort(a, 0, "stable")
np.argsort(v, kind="mergesort"); np.partition(v, 2)[2]; np.lexsort((v, i)); np.unique(i)
np.unique(i, return_inverse=True, return_counts=True); np.union1d(i, [9])
np.intersect1d(i, [1]); np.setdiff1d(i, [1]); np.add(v, 1); np.add([1], [2]); np.sqrt(2)
np.maximum(v, 0); np.power(i, 2); np.mod(i, 2); np.absolute(v); np.arctan2(v, 2.0)
np.add(i, 1, dtype=np.float64); np.exp2(v); np.cbrt(v); np.deg2rad(v); np.degrees(v)
np.radians(i); np.fmax(n, 1.0); np.fmin(n, n); np.heaviside(v, 0.5); np.rint(v); np.fix(v)
np.sinc(v); np.gcd(i, 4); np.lcm(i, 4); np.float_power(i, 2); np.hypot(3, 4); np.divmod(i, 2)
np.modf(v); np.frexp(v); np.ldexp(v, 2); np.spacing(v); np.round(v, 1); np.around(v, 2)
np.round(1234, -2); np.clip(v, 0, 1); np.clip(v, a_min=0, a_max=None); np.clip(v, [0] * 7, 1)
np.angle(c); np.real(c); np.imag(c); np.conjugate(c); np.add.reduce(a); np.add.reduce(a, 1)
np.add.accumulate(a, 1); np.maximum.accumulate(v); np.minimum.accumulate(a, axis=1)
np.multiply.outer(v, i); np.add.outer([1, 2], [3, 4]); np.add.reduceat(v, [0, 2])
np.maximum.reduceat(v, [0, 3]); np.multiply.reduce(v); np.logical_and.reduce(m)
np.logical_or.reduce(m, 1); np.bitwise_or.reduce(i); np.subtract.accumulate(v)
np.maximum.reduce(a, axis=None); np.isclose(v, v + 1e-9); np.isclose(n, n, equal_nan=True)
np.iscomplex(c); np.isreal(c); np.isposinf(n); np.isneginf(n); np.r_[1:4, 0]; np.c_[v, v]
np.mgrid[0:2, 0:3]; np.ogrid[0:3]; np.vander([1, 2, 3])
np.polyfit([0, 1, 2], [1, 3, 5], 1).round(6); np.polyval([1, 2], v); np.roots([1, -3, 2])
np.hanning(5); np.vectorize(lambda x: x * 2)(v); np.apply_along_axis(lambda r: r.sum(), 1, a)
np.piecewise(v, [v < 0, v >= 0], [lambda x: -x, 5]); np.fromfunction(lambda x, y: x + y, (2, 3))
np.fromiter(range(3), int); np.lib.stride_tricks.sliding_window_view(v, 3)
np.meshgrid(v, i, sparse=True)[0]; np.meshgrid([1, 2], [3, 4])[1]; np.linalg.norm(v)
np.linalg.norm(a); np.linalg.norm(a, axis=1); np.linalg.norm(v, 1); np.linalg.norm(a, 2)
np.linalg.norm(v, np.inf); np.linalg.inv(s); np.linalg.det(s); np.linalg.solve(s, v[:3])
np.linalg.lstsq(a, v[:3])[0]; np.linalg.matrix_power(s, 3); np.linalg.multi_dot([a, a.T, a])
np.linalg.cond(s); np.linalg.eigvalsh(s); np.linalg.eigh(s, "U")[0]; np.linalg.svd(a, False)[1]
np.linalg.svd(a, compute_uv=False); np.linalg.pinv(a); np.linalg.matrix_rank(a)
np.linalg.qr(a, "r"); np.linalg.cholesky(s); np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2))
np.linalg.slogdet(s)[1]; np.fft.fft(v); np.fft.fft(v, 4); np.fft.rfft(v, norm="ortho")
np.fft.fft2(a); np.fft.ifft2(a); np.fft.rfft2(a); np.fft.irfft2(c[None]); np.fft.fftn(a)
np.fft.fftfreq(5, 0.1); np.fft.fftshift(v); np.fft.irfft(c, 6); a.sum(0, None, None, True)
a.max(0); a.mean(1, keepdims=True); a.std(ddof=1); a.var(0, None, None, 1)
a.min(where=m, initial=9.0); a.cumsum(); a.cumprod(1); a.dot(a.T); a.trace(); a.round(1)
a.clip(0, 1); a.take([0]); a.repeat(2, 0); a.ravel("F"); a.flatten("F")
a.reshape(2, 6, order="F"); a.reshape((-1,)); a.swapaxes(0, 1)
a.compress([True, False, True], 0); a.argsort(0); a.nonzero(); a.argpartition(1)[:, 1] * 0
a.diagonal(); a.searchsorted if False else v.searchsorted(0.0)
v.choose if False else i.choose([v] * 7); c.real; c.imag; c.conjugate(); a.T; a.all(0); a.any()
v.argmax(); v.tobytes(); a.transpose(1, 0); a.squeeze(); a.astype("f4")
"""

CASES = [part.strip() for line in LINES.strip().split("\n") for part in line.split("; ")]


def operands(xp: Any) -> dict[str, Any]:
    """The same elements for both; buffers where ``xp`` is onebuf."""
    rng = np.random.default_rng(5)
    a = rng.normal(size=(3, 4))
    s = a[:, :3] @ a[:, :3].T + np.eye(3)
    v = rng.normal(size=7)
    arrays = {
        "a": a,
        "c": rng.normal(size=4) + 1j * rng.normal(size=4),
        "i": np.asarray([0, 1, 3, 2, 1, 4, 0]),
        "m": a > 0,
        "n": np.asarray([1.0, np.nan, np.inf, -np.inf, 2.0]),
        "s": s,
        "v": v,
    }
    return {name: xp.array(array) for name, array in arrays.items()}


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("line", CASES)
def test_a_line_of_numpy_gives_the_same_with_buffers(line: str, eager_numel: int) -> None:
    wanted = parts(eval(line, {"np": np, **operands(np)}))
    with onebuf.config(eager_numel=eager_numel):
        found = parts(eval(line, {"np": onebuf, **operands(onebuf)}))
    assert len(found) == len(wanted)
    for got, part in zip(found, wanted, strict=True):
        if not isinstance(part, np.ndarray | np.generic):
            assert got == part
            continue
        assert isinstance(got, onebuf.Buffer)
        assert (got.shape, got.dtype) == (part.shape, part.dtype)
        np.testing.assert_allclose(
            np.asarray(got), part, 1e-6 if part.dtype == "f4" else 1e-12, 1e-15
        )


def test_out_is_written_and_comes_back() -> None:
    v = onebuf.arange(4.0)
    out = onebuf.zeros(4)
    assert onebuf.multiply(v, v, out=out) is out
    assert onebuf.sqrt(out, out) is out
    assert out.to_python() == [0.0, 1.0, 2.0, 3.0]
    total = onebuf.zeros(())
    assert onebuf.sum(v, out=total) is total
    assert total.item() == 6.0
    array = np.zeros(4)
    assert onebuf.add(v, 1, out=array) is array
    assert array.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert onebuf.divide(v, 0.0, out=out, where=v > 1) is out
    assert out.to_python() == [0.0, 1.0, np.inf, np.inf]
    with pytest.raises(TypeError, match="cast"):
        onebuf.add(v, 0.5, out=onebuf.zeros(4, int))
    with pytest.raises(ValueError, match="broadcast"):
        onebuf.add(v, 0.5, out=onebuf.zeros(3))
    assert onebuf.add(v, 0.5, out=onebuf.zeros(4, int), casting="unsafe").to_python() == [
        0,
        1,
        2,
        3,
    ]


def test_at_takes_an_index_more_than_once() -> None:
    totals = onebuf.zeros(3)
    waiting = totals + 1
    onebuf.add.at(totals, onebuf.asarray([0, 2, 0]), onebuf.asarray([1.0, 2.0, 3.0]))
    assert totals.to_python() == [4.0, 0.0, 2.0]
    assert waiting.to_python() == [1.0, 1.0, 1.0]


def test_ufuncs_say_what_they_are() -> None:
    assert (onebuf.add.nin, onebuf.add.nout, onebuf.add.identity) == (2, 1, 0)
    assert (onebuf.sqrt.nin, onebuf.multiply.identity, onebuf.maximum.identity) == (1, 1, None)
    assert isinstance(onebuf.add, onebuf.ufunc)
    assert isinstance(onebuf.exp2, onebuf.ufunc)
    assert not isinstance(onebuf.sum, onebuf.ufunc)


def test_methods_that_write_in_place() -> None:
    x = onebuf.asarray([3.0, 1.0, 2.0])
    view, waiting = x[::-1], x * 2
    x.sort()
    assert (x.to_python(), view.to_python()) == ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    assert waiting.to_python() == [6.0, 2.0, 4.0]
    x.put([0, -1], [7, 8])
    assert x.to_python() == [7.0, 2.0, 8.0]
    x.partition(0)
    assert x[0] == 2.0
    z = onebuf.asarray([1 + 2j, 3j])
    z.real = 5
    z.imag = [1, 2]
    assert z.to_python() == [5 + 1j, 5 + 2j]
    with pytest.raises(TypeError, match="complex"):
        x.imag = 1
    x.real = 0.5
    assert x.to_python() == [0.5] * 3
    x.resize(2, 2)
    assert x.to_python() == [[0.5, 0.5], [0.5, 0.0]]


def test_elements_as_files_and_pickles(tmp_path: Any) -> None:
    x = onebuf.arange(6.0).reshape(2, 3)
    x.T.tofile(tmp_path / "x.bin")
    assert onebuf.fromfile(tmp_path / "x.bin").to_python() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    x.dump(tmp_path / "x.pickle")
    for kept in (pickle.loads(x.dumps()), pickle.loads((tmp_path / "x.pickle").read_bytes())):
        assert kept.to_python() == x.to_python()
    onebuf.savetxt(tmp_path / "x.txt", x)
    assert onebuf.loadtxt(tmp_path / "x.txt").to_python() == x.to_python()


def test_types_are_called() -> None:
    assert onebuf.float32(3) == np.float32(3)
    assert type(onebuf.int64("7")) is np.int64
    assert onebuf.uint8(onebuf.asarray([1.5, 2.5])).dtype == onebuf.uint8
    assert isinstance(onebuf.float32(3), onebuf.float32)
    assert isinstance(onebuf.arange(3.0).sum(), onebuf.floating)
    assert onebuf.issubdtype(onebuf.float32, onebuf.floating)
    assert not onebuf.issubdtype(onebuf.arange(3).dtype, onebuf.floating)
    assert onebuf.dtype(onebuf.float32) is np.dtype("float32")
    assert isinstance(onebuf.zeros(3), onebuf.ndarray)
    assert isinstance(np.zeros(3), onebuf.ndarray)
    assert not isinstance([1], onebuf.ndarray)
    assert onebuf.ndarray((2, 3)).shape == (2, 3)


def test_a_matrix_that_fails_says_so_at_once() -> None:
    large = onebuf.zeros((200, 200))
    for function in (onebuf.linalg.inv, onebuf.linalg.cholesky):
        with pytest.raises(onebuf.linalg.LinAlgError, match=function.__name__):
            function(large)
    with pytest.raises(np.linalg.LinAlgError):
        onebuf.linalg.solve(large, onebuf.ones(200))


def test_devices_add_to_a_list() -> None:
    found = onebuf.__array_namespace_info__().devices()
    assert isinstance(found, tuple)
    assert operator.add(found, [None]) == [*found, None]
    assert operator.add([None], found) == [None, *found]
