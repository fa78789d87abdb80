"""NumPy's functions and methods on buffers: the values, shapes and types that NumPy gives.

Each line is run twice, with NumPy's arrays and with buffers; every result has to be a buffer.
"""

from __future__ import annotations

import io
import operator
import pickle
import tempfile
from collections.abc import Callable
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
np.allclose(v, v + 1e-12); np.allclose(v, i); np.amax(a, 0); np.amin(a)
np.apply_over_axes(np.sum, a, [0]); np.arccos(v / 9); np.arccosh(i + 1); np.arcsin(v / 9)
np.arcsinh(v); np.arctan(v); np.arctanh(v / 9); np.argpartition(v, 0)[0]; np.array2string(v)
np.array_equal(a, a); np.array_equal(v, i); np.array_equiv(a, a[:1]); np.array_str(a)
np.asanyarray(v); np.asarray_chkfinite(v); np.ascontiguousarray(a.T); np.asfortranarray(a)
np.bartlett(5); np.base_repr(10, 3); np.binary_repr(10); np.bitwise_count(i); np.bitwise_not(i)
np.blackman(5); np.busday_count("2026-01-01", "2026-02-01")
str(np.busday_offset("2026-01-01", 3)); np.common_type(v, c); np.copyto(v, 3.0) or v
np.copyto(a, 1, where=m) or a; str(np.datetime_as_string(np.datetime64("2026-01-01")))
np.datetime_data("M8[s]"); np.diag_indices(3); np.diag_indices_from(s); np.diagflat(v)
np.dsplit(a[None], 2); np.einsum_path("ij,jk->ik", a, a.T)[0]; np.fabs(v)
np.fill_diagonal(s, 0) or s; np.fmod(v, 0.3); np.fmod(i, 3); np.format_float_positional(0.5)
np.format_float_scientific(0.5); np.frombuffer(v.tobytes())
np.frombuffer(v.tobytes(), "f4", 2, 8); np.frompyfunc(lambda x: x + 1, 1, 1)(3)
np.fromstring("1 2", sep=" ")
np.fromregex(io.StringIO("1 2"), r"(\\d)", [("x", "i8")])["x"].tolist()
np.genfromtxt(["1,2", "3,4"], delimiter=","); np.loadtxt(["1 2", "3 4"]); np.get_include()
np.show_config("dicts"); np.array_repr(v); np.get_printoptions(); np.getbufsize()
np.setbufsize(np.getbufsize()); np.geterr(); np.seterr(**np.geterr()); np.geterrcall()
np.seterrcall(np.geterrcall()); np.set_printoptions(**np.get_printoptions()); np.hamming(5)
np.histogram2d(v, v, 2); np.histogram_bin_edges(v, 3); np.histogramdd(a, 2)[0]; np.i0(v)
np.info(1, 76, io.StringIO()); np.invert(i); np.invert(m); np.is_busday("2026-01-01")
np.iscomplexobj(c); np.iscomplexobj(v); np.isfortran(a); np.isfortran(a.T)
np.isnat(np.datetime64("NaT")); np.isrealobj(v); np.isscalar(3.0); np.isscalar(v)
np.issubdtype(v.dtype, np.floating); np.iterable(v); np.kaiser(5, 14); np.left_shift(i, 2)
np.right_shift(i, 1); np.logaddexp2(v, 1.0); np.mask_indices(3, np.triu)
np.may_share_memory(v, v[1:]); np.shares_memory(v[::2], v[1::2]); np.min_scalar_type(300)
np.min_scalar_type(v); np.mintypecode("fd"); np.nanargmax(n[:2]); np.nanargmin(n[:2])
np.nancumprod(n); np.nanmedian(n); np.nanmin(n); np.nanpercentile(n[:2], 30); np.nanprod(n[:2])
np.nanquantile(n[:2], 0.3); np.nanvar(n[:2]); np.ndim(a); np.ndim([[1]]); np.shape(a)
np.shape([[1]]); np.size(a); np.size(a, 1); len(list(np.nested_iters(a, [[0], [1]])[0]))
np.packbits(m, 1); np.unpackbits(np.packbits(m)); np.place(v, v > 0, [9.0]) or v; np.poly(s)
np.polyadd(v, [1, 2]); np.polyder(v); np.polydiv(v, [1.0, 2.0]); np.polyint(v)
np.polymul(v, [1, 2]); np.polysub(v, [1, 2]); np.promote_types("i4", "f4")
np.put(v, [0, -1], 9.0) or v; np.put_along_axis(a, np.argmax(a, 1)[:, None], 0.0, 1) or a
np.putmask(a, m, 7.0) or a; np.rad2deg(v); np.ravel_multi_index(([1, 2], [0, 3]), (3, 4))
np.real_if_close(c.real + 0j); np.require(a.T, requirements="C"); np.setxor1d(i, [1, 9])
np.sort_complex(c); np.true_divide(i, 2); np.tril_indices_from(s); np.triu_indices(3, 1)
np.triu_indices_from(s); np.typename("d"); np.row_stack([v, v]); np.linalg.tensorsolve(s, v[:3])
np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6), a[:2, :3])
written(lambda f: np.save(f, a), np.load); written(lambda f: np.savetxt(f, a), np.loadtxt)
written(lambda f: np.savez(f, x=a), lambda f: np.load(f)["x"])
written(v.tofile, np.fromfile)
written(lambda f: np.savez_compressed(f, x=a), lambda f: np.load(f)["x"])
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


def written(write: Callable[[Any], Any], read: Callable[[Any], Any]) -> Any:
    """What one function reads from the file that another one has written."""
    with tempfile.TemporaryFile() as file:
        write(file)
        file.seek(0)
        return read(file)


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("line", CASES)
def test_a_line_of_numpy_gives_the_same_with_buffers(line: str, eager_numel: int) -> None:
    names = {"io": io, "written": written}
    wanted = parts(eval(line, {"np": np, **names, **operands(np)}))
    with onebuf.config(eager_numel=eager_numel):
        found = parts(eval(line, {"np": onebuf, **names, **operands(onebuf)}))
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
