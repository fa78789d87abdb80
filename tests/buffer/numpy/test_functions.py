"""NumPy's functions called with buffers: NumPy's answers, as buffers."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import zarr

import onebuf
from onebuf import Buffer
from onebuf.errors import ExportError

A = np.array([[3.0, -1.0, 2.5, 0.0], [1.0, 4.0, -2.0, 7.0], [0.5, 0.25, 9.0, -6.0]])
N = np.where(A == 4.0, np.nan, A)
I = np.array([[3, 0, 2, 2], [0, 5, 4, 1], [7, 2, 2, 6]])  # noqa: E741
B = I > 2
C = A + 1j * A[::-1]
V = np.array([4.0, 1.0, 3.0, 3.0])
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
F = A.astype(np.float32)

Make = Callable[[Any], Any]

# The same text for arrays and buffers: `a` makes an argument of either kind.
CALLS: list[Callable[[Make], Any]] = [
    # facts
    lambda a: np.shape(a(A)),
    lambda a: np.ndim(a(A)),
    lambda a: np.size(a(A)),
    lambda a: np.size(a(A), 1),
    lambda a: np.result_type(a(I), np.float32),
    lambda a: np.can_cast(a(I).dtype, np.float64),
    lambda a: np.iscomplexobj(a(C)),
    lambda a: np.isrealobj(a(C)),
    lambda a: np.min_scalar_type(a(np.array(3))),
    lambda a: np.common_type(a(F), a(A)),
    lambda a: np.array_equal(a(A), a(A)),
    lambda a: np.array_equal(a(N), N, equal_nan=True),
    lambda a: np.array_equiv(a(V), a(A)),
    lambda a: np.allclose(a(A), a(A) + 1e-12),
    lambda a: np.shares_memory(a(A), a(A) * 2),
    lambda a: np.array2string(a(V)),
    lambda a: np.array_str(a(V)),
    # shapes
    lambda a: np.reshape(a(A), (2, 6)),
    lambda a: np.reshape(a(A), (2, 6), order="F"),
    lambda a: np.ravel(a(A).T),
    lambda a: np.ravel(a(A), order="F"),
    lambda a: np.transpose(a(A)),
    lambda a: np.transpose(a(A), (1, 0)),
    lambda a: np.permute_dims(a(A), (-1, 0)),
    lambda a: np.matrix_transpose(a(A)),
    lambda a: np.swapaxes(a(A), 0, -1),
    lambda a: np.moveaxis(a(A).reshape(3, 2, 2), 0, -1),
    lambda a: np.moveaxis(a(A).reshape(3, 2, 2), [0, 1], [2, 0]),
    lambda a: np.rollaxis(a(A).reshape(3, 2, 2), 2),
    lambda a: np.expand_dims(a(A), (0, -1)),
    lambda a: np.squeeze(a(A)[:1]),
    lambda a: np.squeeze(a(A)[:, None], axis=1),
    lambda a: np.flip(a(A)),
    lambda a: np.flip(a(A), axis=(0,)),
    lambda a: np.fliplr(a(A)),
    lambda a: np.flipud(a(A)),
    lambda a: np.rot90(a(A)),
    lambda a: np.atleast_1d(a(np.array(3.0))),
    lambda a: np.atleast_2d(a(V), a(A)),
    lambda a: np.atleast_3d(a(V)),
    lambda a: np.broadcast_to(a(V), (2, 4)),
    lambda a: np.broadcast_to(a(V), (2, 4), subok=True),
    lambda a: np.broadcast_arrays(a(V), a(A)),
    lambda a: np.broadcast_arrays(V, a(A)),
    lambda a: np.broadcast_arrays(a(V), 3.0),
    lambda a: np.lib.stride_tricks.sliding_window_view(a(V), 2),
    lambda a: np.lib.stride_tricks.sliding_window_view(a(A), (2, 3)),
    lambda a: np.lib.stride_tricks.sliding_window_view(a(A), 2, axis=-1),
    # joining and splitting
    lambda a: np.concatenate([a(A), a(A)]),
    lambda a: np.concatenate((a(A), A), axis=1),
    lambda a: np.concatenate([A, a(I)], axis=None),
    lambda a: np.concatenate([a(A), [[1, 2, 3, 4]]]),
    lambda a: np.concatenate([a(A), a(A)], dtype=np.float32, casting="same_kind"),
    lambda a: np.concat([a(V), a(V)]),
    lambda a: np.stack([a(V), a(V)], axis=1),
    lambda a: np.stack([a(V), V.tolist()]),
    lambda a: np.vstack([a(V), a(A)]),
    lambda a: np.hstack((a(A), a(A))),
    lambda a: np.dstack([a(A), a(A)]),
    lambda a: np.column_stack([a(V), a(V)]),
    lambda a: np.block([[a(A), a(A)], [a(A), a(A) * 2]]),
    lambda a: np.append(a(A), a(V)),
    lambda a: np.split(a(A), 2, axis=1),
    lambda a: np.array_split(a(V), 3),
    lambda a: np.hsplit(a(A), 2),
    lambda a: np.unstack(a(A)),
    lambda a: np.insert(a(V), 1, 9.0),
    lambda a: np.delete(a(V), [0, 2]),
    lambda a: np.tile(a(V), (2, 2)),
    lambda a: np.repeat(a(A), 2, axis=0),
    lambda a: np.repeat(a(V), a(np.array([0, 1, 2, 1]))),
    lambda a: np.roll(a(A), 1, axis=0),
    lambda a: np.pad(a(A), 1),
    lambda a: np.pad(a(A), (1, 2)),
    lambda a: np.pad(a(A), ((0, 1), (2, 0)), constant_values=np.float64(7)),
    lambda a: np.pad(a(A), ((0, 1), (2, 0)), mode="reflect"),
    lambda a: np.pad(a(V), (1, 2), constant_values=(5, 6)),
    lambda a: np.resize(a(V), (3, 3)),
    lambda a: np.trim_zeros(a(np.array([0.0, 1.0, 0.0]))),
    # new values
    lambda a: np.copy(a(A)),
    lambda a: np.astype(a(A), np.int32),
    lambda a: np.zeros_like(a(A)),
    lambda a: np.zeros_like(a(A), dtype=int, shape=(2,)),
    lambda a: np.ones_like(a(I), dtype="f4"),
    lambda a: np.full_like(a(I), 7.9),
    lambda a: np.empty_like(a(A)).shape,
    lambda a: np.where(a(B), a(A), 0.0),
    lambda a: np.where(a(B), 1, a(F)),
    lambda a: np.where(B, a(I), A),
    lambda a: np.where(a(I), a(A), a(V)),
    lambda a: np.where(a(B)),
    lambda a: np.select([a(A) > 2, a(A) < 0], [a(A), -a(A)], 5.0),
    lambda a: np.piecewise(a(A), [A < 0, A >= 0], [-1, 1]),
    lambda a: np.choose(a(I) % 2, [a(A), a(A) * 10]),
    lambda a: np.clip(a(A), -1, 2),
    lambda a: np.clip(a(I), 0.5, a(V)),
    lambda a: np.nan_to_num(a(N)),
    lambda a: np.real_if_close(a(A) + 0j),
    lambda a: np.real(a(C)),
    lambda a: np.imag(a(C)),
    lambda a: np.angle(a(C)),
    lambda a: np.round(a(A), 1),
    lambda a: np.fix(a(A)),
    lambda a: np.i0(a(V)),
    lambda a: np.sinc(a(V)),
    lambda a: np.unwrap(a(V)),
    lambda a: np.vander(a(V)),
    lambda a: np.diag(a(V)),
    lambda a: np.diagflat(a(V)),
    lambda a: np.tril(a(A)),
    lambda a: np.triu(a(A), 1),
    lambda a: np.meshgrid(a(V), a(V)[:2]),
    lambda a: np.ix_(a(np.array([0, 1])), a(np.array([2]))),
    lambda a: np.linspace(a(V), a(V) + 1, 3),
    lambda a: np.apply_along_axis(np.sort, 0, a(A)),
    lambda a: np.apply_over_axes(np.sum, a(A), [0]),
    lambda a: np.bincount(a(I).ravel(), weights=a(A).ravel()),
    lambda a: np.digitize(a(A), a(np.array([0.0, 1.0, 5.0]))),
    lambda a: np.interp(a(V), [0.0, 5.0], a(np.array([1.0, 2.0]))),
    lambda a: np.histogram(a(A), bins=4),
    lambda a: np.histogram2d(a(V), a(V) * 2, bins=2),
    lambda a: np.histogramdd([a(V), a(V)], bins=2),
    lambda a: np.histogram_bin_edges(a(V), 3),
    lambda a: np.convolve(a(V), a(V)[:2]),
    lambda a: np.correlate(a(V), a(V)[:2]),
    lambda a: np.gradient(a(A)),
    lambda a: np.gradient(a(V), 0.5),
    lambda a: np.diff(a(A), n=2, axis=1),
    lambda a: np.ediff1d(a(V), to_end=a(V)[:1]),
    lambda a: np.trapezoid(a(A), dx=0.5, axis=0),
    lambda a: np.cross(a(A)[:, :3], a(A)[:, 1:]),
    # reductions
    lambda a: np.sum(a(A)),
    lambda a: np.sum(a(A), 0),
    lambda a: np.sum(a(I), axis=(0, 1), keepdims=True),
    lambda a: np.sum(a(A), axis=1, dtype=np.float32),
    lambda a: np.sum(a(A), axis=0, where=B, initial=1.0),
    lambda a: np.prod(a(I), axis=1),
    lambda a: np.mean(a(I), axis=0),
    lambda a: np.mean(a(F), axis=0, dtype=np.float64),
    lambda a: np.std(a(A), 1),
    lambda a: np.std(a(A), axis=0, ddof=1, keepdims=True),
    lambda a: np.var(a(C)),
    lambda a: np.var(a(A), mean=np.mean(A)),
    lambda a: np.max(a(A), axis=0),
    lambda a: np.max(a(C)),
    lambda a: np.amin(a(A), axis=1, initial=0.0),
    lambda a: np.amax(a(A)),
    lambda a: np.ptp(a(A), axis=0),
    lambda a: np.all(a(B), axis=0),
    lambda a: np.any(a(A)),
    lambda a: np.argmax(a(A), axis=1),
    lambda a: np.argmin(a(A)),
    lambda a: np.argmin(a(A), axis=0, keepdims=True),
    lambda a: np.argmax(a(C)),
    lambda a: np.median(a(A), axis=0),
    lambda a: np.average(a(A), axis=0, weights=a(np.array([1.0, 2.0, 3.0]))),
    lambda a: np.percentile(a(A), [10, 50], axis=1),
    lambda a: np.quantile(a(A), a(np.array([0.1, 0.9]))),
    lambda a: np.nansum(a(N), axis=0),
    lambda a: np.nanmean(a(N), axis=1),
    lambda a: np.nanstd(a(N)),
    lambda a: np.nanmax(a(N), axis=0),
    lambda a: np.nanmin(a(N)),
    lambda a: np.nanargmax(a(N), axis=1),
    lambda a: np.nanmedian(a(N)),
    lambda a: np.nanquantile(a(N), 0.3, axis=0),
    lambda a: np.nancumsum(a(N), axis=1),
    lambda a: np.cumsum(a(I), axis=1),
    lambda a: np.cumprod(a(A)),
    lambda a: np.cumulative_sum(a(V), include_initial=True),
    lambda a: np.count_nonzero(a(I)),
    lambda a: np.count_nonzero(a(I), axis=0),
    lambda a: np.trace(a(A)),
    lambda a: np.diagonal(a(A), 1),
    lambda a: np.diagonal(a(A).reshape(3, 2, 2), 0, 1, 2),
    lambda a: np.cov(a(A)),
    lambda a: np.corrcoef(a(A)),
    # order, search, sets
    lambda a: np.sort(a(A)),
    lambda a: np.sort(a(A), axis=0, kind="stable"),
    lambda a: np.argsort(a(V), kind="stable"),
    lambda a: np.partition(a(V), 2)[2],
    lambda a: np.lexsort((a(V), a(V) % 2)),
    lambda a: np.searchsorted(a(np.sort(V)), a(A)),
    lambda a: np.nonzero(a(I)),
    lambda a: np.flatnonzero(a(I)),
    lambda a: np.argwhere(a(I) > 3),
    lambda a: np.extract(a(B), a(A)),
    lambda a: np.compress([True, False, True], a(A), axis=0),
    lambda a: np.take(a(A), a(np.array([2, 0])), axis=1),
    lambda a: np.take(a(A), 5),
    lambda a: np.take_along_axis(a(A), a(np.argsort(A, axis=1)), axis=1),
    lambda a: np.unique(a(I)),
    lambda a: np.unique(a(I), return_counts=True, return_inverse=True),
    lambda a: np.unique_all(a(I)),
    lambda a: np.isin(a(I), [2, 7]),
    lambda a: np.intersect1d(a(I), a(np.array([2, 5, 11]))),
    lambda a: np.union1d(a(V), a(A)),
    lambda a: np.setdiff1d(a(I), a(np.array([2]))),
    lambda a: np.isclose(a(A), a(A) + 1e-12),
    lambda a: np.unravel_index(a(np.array([5, 7])), (3, 4)),
    lambda a: np.ravel_multi_index((a(np.array([1, 2])), a(np.array([3, 0]))), (3, 4)),
    lambda a: np.packbits(a(B)),
    lambda a: np.unpackbits(a(np.array([5, 200], np.uint8))),
    # products
    lambda a: np.dot(a(A), a(V)),
    lambda a: np.vdot(a(V), a(V)),
    lambda a: np.inner(a(A), a(A)),
    lambda a: np.outer(a(V), a(V)),
    lambda a: np.kron(a(V), a(V)),
    lambda a: np.matmul(a(A), a(A).T),
    lambda a: np.vecdot(a(A), a(A)),
    lambda a: np.tensordot(a(A), a(A), axes=((0,), (0,))),
    lambda a: np.einsum("ij,kj->ik", a(A), a(A)),
    lambda a: np.einsum("ij,kj->ik", A, a(A), optimize=True),
    lambda a: np.einsum(a(A), [0, 1], [1]),
    lambda a: np.einsum("ij->i", a(A), dtype=np.float32, casting="same_kind"),
    lambda a: np.linalg.norm(a(A), axis=0),
    lambda a: np.linalg.det(a(S)),
    lambda a: np.linalg.inv(a(S)),
    lambda a: np.linalg.solve(a(S), a(V)[:3]),
    lambda a: np.linalg.eigh(a(S)).eigenvalues,
    lambda a: np.linalg.svd(a(A), compute_uv=False),
    lambda a: np.linalg.qr(a(S)),
    lambda a: np.linalg.lstsq(a(S), a(V)[:3])[0],
    lambda a: np.linalg.multi_dot([a(A), a(A).T, a(A)]),
    lambda a: np.linalg.matrix_power(a(S), 3),
    lambda a: np.fft.fft(a(A), axis=0),
    lambda a: np.fft.irfft(np.fft.rfft(a(V))),
    lambda a: np.fft.fftshift(a(V)),
    lambda a: np.polyfit(a(V), a(V) ** 2, 1),
    lambda a: np.polyval(a(V), 2.0),
    lambda a: np.roots(a(V)),
    # ufuncs and their methods
    lambda a: np.add(a(A), A),
    lambda a: np.add(A, a(V), dtype=np.float32, casting="same_kind"),
    lambda a: np.fmax(a(N), 0.0),
    lambda a: np.deg2rad(a(A)),
    lambda a: np.ldexp(a(A), 2),
    lambda a: np.frexp(a(A)),
    lambda a: np.modf(a(A)),
    lambda a: np.divmod(a(I), 3),
    lambda a: np.add([1.0, 2.0, 3.0, 4.0], a(V)),
    lambda a: np.add.reduce(a(A), axis=0),
    lambda a: np.add.reduce(a(A), axis=None, keepdims=True),
    lambda a: np.maximum.accumulate(a(A), axis=1),
    lambda a: np.multiply.outer(a(V), a(V)),
    lambda a: np.add.reduceat(a(V), [0, 2]),
    lambda a: np.logical_or.reduce(a(B)),
    lambda a: np.subtract.outer(a(V), [1.0, 2.0]),
    # buffers in more than one place
    lambda a: np.asarray([1, 2], like=a(V)),
    lambda a: np.arange(3, like=a(V)),
    lambda a: np.zeros((2, 3), like=a(V)),
    lambda a: np.full((2,), 5, like=a(V)),
]


def flat(result: Any) -> list[Any]:
    if isinstance(result, list | tuple):
        return [part for item in result for part in flat(item)]
    return [result]


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_function_of_buffers_gives_numpys_values_in_buffers(number, eager_numel):
    call = CALLS[number]
    wanted = call(lambda array: array)
    with onebuf.config(eager_numel=eager_numel):
        got = call(
            lambda array: onebuf.asarray(array) + 0 if array.dtype != bool else pending(array)
        )
    if isinstance(wanted, tuple) and hasattr(wanted, "_fields"):
        assert type(got) is type(wanted)
    assert isinstance(got, list | tuple) == isinstance(wanted, list | tuple)
    ours, theirs = flat(got), flat(wanted)
    assert len(ours) == len(theirs)
    for one, two in zip(ours, theirs, strict=True):
        if isinstance(two, np.ndarray | np.generic):
            assert type(one) is Buffer
            assert (one.shape, one.dtype) == (two.shape, two.dtype)
            np.testing.assert_allclose(np.asarray(one), two, rtol=1e-12)
        else:
            assert one == two


def pending(array):
    return onebuf.asarray(array) & True


LAZY: list[Callable[[Any], Any]] = [
    lambda x: np.reshape(x, (-1,)),
    lambda x: np.ravel(x),
    lambda x: np.transpose(x),
    lambda x: np.swapaxes(x, 0, 1),
    lambda x: np.moveaxis(x, 0, 1),
    lambda x: np.expand_dims(x, 0),
    lambda x: np.squeeze(x),
    lambda x: np.flip(x, 0),
    lambda x: np.diagonal(x),
    lambda x: np.broadcast_to(x, (2, 300, 400)),
    lambda x: np.broadcast_arrays(x, x[0])[1],
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, axis=1),
    lambda x: np.copy(x),
    lambda x: np.astype(x, np.float32),
    lambda x: np.zeros_like(x),
    lambda x: np.concatenate([x, x]),
    lambda x: np.stack([x, x]),
    lambda x: np.where(x > 0, x, 0.0),
    lambda x: np.pad(x, 1),
    lambda x: np.einsum("ij,ij->i", x, x),
    lambda x: np.matmul(x, x.T),
    lambda x: np.sum(x, axis=0),
    lambda x: np.std(x, axis=0),
    lambda x: np.argmax(x, axis=1),
]


@pytest.mark.parametrize("call", LAZY)
def test_what_buffers_answer_themselves_stays_to_be_computed(call):
    array = np.arange(120000.0).reshape(300, 400) % 7
    x = onebuf.asarray(array, copy=True) * 2
    y = call(x)
    assert not x.is_realized
    np.testing.assert_allclose(np.asarray(y), call(array * 2), rtol=1e-12)


def test_asking_for_facts_computes_nothing():
    x = onebuf.asarray(np.ones((300, 400))) * 2
    assert (np.shape(x), np.ndim(x), np.size(x)) == ((300, 400), 2, 120000)
    assert np.result_type(x, np.float32) == np.float64
    assert not np.iscomplexobj(x)
    assert not x.is_realized


def test_a_view_of_a_window_is_a_view_of_the_buffer():
    x = onebuf.asarray(A, copy=True)
    np.rot90(x)[0, 0] = 99.0
    assert x[0, 3].item() == 99.0


def test_work_that_waits_never_sees_a_write_by_a_function_of_numpy():
    x = onebuf.asarray(np.ones((300, 400)))
    waiting = np.transpose(x) + 1
    np.copyto(x, 5.0)
    assert (waiting == 2.0).all()
    assert (x == 5.0).all()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: np.copyto(x, 5.0),
        lambda x: np.put(x, [0, 5], [7.0, 8.0]),
        lambda x: np.place(x, np.asarray(x) > 2, [1.5]),
        lambda x: np.putmask(x, np.asarray(x) > 2, 0.5),
        lambda x: np.fill_diagonal(x, -3.0),
        lambda x: np.add.at(x, (0, [1, 1]), 2.0),
        lambda x: np.put_along_axis(x, np.array([[0], [1], [2]]), 6.0, axis=1),
    ],
)
def test_functions_that_write_write_to_the_buffer(write):
    x, y = onebuf.asarray(A, copy=True), A.copy()
    write(x)
    write(y)
    assert (np.asarray(x) == y).all()
    assert not (y == A).all()


OUT: list[Callable[[Any, Any], Any]] = [
    lambda x, out: np.sum(x, axis=0, out=out[0]),
    lambda x, out: np.sum(x, 0, None, out[0]),
    lambda x, out: np.concatenate([x[:1], x[1:]], out=out),
    lambda x, out: np.stack([x[0], x[1], x[2]], out=out),
    lambda x, out: np.clip(x, -1, 1, out=out),
    lambda x, out: np.round(x, out=out),
    lambda x, out: np.cumsum(x, axis=0, out=out),
    lambda x, out: np.take(x, [2, 1, 0], axis=0, out=out),
    lambda x, out: np.mean(x, axis=0, out=out[0]),
    lambda x, out: np.max(x, axis=0, out=out[0]),
    lambda x, out: np.matmul(x, x.T, out=out[:, :3]),
    lambda x, out: np.einsum("ij->ij", x, out=out),
    lambda x, out: np.add(x, 1, out),
    lambda x, out: np.add(x, 1, out=out, where=x > 0),
    lambda x, out: np.add.reduce(x, axis=0, out=out[0]),
    lambda x, out: np.add.accumulate(x, axis=0, out=out),
    lambda x, out: np.modf(x, out=(out, None))[0],
    lambda x, out: np.modf(x, out, out * 1)[0],
    lambda x, out: np.multiply.outer(x[0, :3], x[0], out=out),
]


@pytest.mark.parametrize("call", OUT)
@pytest.mark.parametrize("from_buffer", [True, False])
def test_out_is_written_and_returned(call, from_buffer):
    wanted = np.zeros_like(A)
    call(A, wanted)
    out = onebuf.zeros(A.shape)
    result = call(onebuf.asarray(A) if from_buffer else A, out)
    assert type(result) is Buffer
    assert result is out or (result.is_view and result.base is out)
    np.testing.assert_allclose(np.asarray(out), wanted)


def test_out_is_the_object_that_was_passed():
    x, out, array = onebuf.asarray(A), onebuf.zeros(4), np.zeros(4)
    assert np.sum(x, axis=0, out=out) is out
    assert np.sum(x, 0, None, out) is out
    assert np.add(V, 1.0, out=(out,)) is out
    assert np.sum(x, axis=0, out=array) is array
    assert np.add(x[0], 1.0, out=array) is array
    assert array.tolist() == (A[0] + 1).tolist()


def test_an_array_stays_an_array_when_a_buffer_is_added_in_place():
    array = A.copy()
    alias = array
    array += onebuf.asarray(A)
    assert array is alias
    assert (array == 2 * A).all()


def test_what_a_function_gives_back_is_what_it_got():
    x = onebuf.asarray(A)
    assert np.atleast_2d(x) is x


def test_a_call_that_fails_changes_nothing():
    x, out = onebuf.asarray(A, copy=True), onebuf.zeros((2, 2))
    with pytest.raises(ValueError, match="shape"):
        np.add(x, 1, out=out)
    with pytest.raises(ValueError):
        np.concatenate([x, onebuf.zeros((2, 7))])
    with pytest.raises(TypeError):
        np.copyto(x, onebuf.asarray([1j]))
    assert (out == 0).all()
    assert (np.asarray(x) == A).all()


def test_elements_read_on_demand_are_not_written_to_a_copy(tmp_path):
    zarr.create_array(tmp_path / "a.zarr", data=A.copy(), chunks=(2, 2))
    with onebuf.open(tmp_path / "a.zarr", mode="r+") as x:
        with pytest.raises(ValueError, match="read-only"):
            np.copyto(x, 5.0)
        with pytest.raises(ExportError, match=r"b\[\.\.\.\] = result"):
            np.add(A, A, out=x)
        with pytest.raises(ExportError, match="copy"):
            x.ctypes
        assert (np.sum(x) == A.sum()).item()


def test_floating_point_events_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = onebuf.asarray([0.0, 1.0])
        assert np.divide.outer(1.0, x).to_python() == [np.inf, 1.0]
        assert np.fmod(1.0, x)[1].item() == 0.0


def test_warnings_about_the_argument_are_numpys():
    with pytest.warns(RuntimeWarning, match="empty slice"):
        np.nanmean(onebuf.asarray([np.nan]))


class Wrapper:
    """An array type of somebody else, which knows buffers."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return f"{ufunc.__name__} of {' and '.join(type(x).__name__ for x in inputs)}"

    def __array_function__(self, function, types, args, kwargs):
        return f"{function.__name__} of {len(types)} types"

    def __radd__(self, other):
        return "added"


def test_other_array_types_have_their_say():
    x, other = onebuf.asarray(V), Wrapper()
    assert np.add(x, other) == "add of Buffer and Wrapper"
    assert np.hypot(other, x) == "hypot of Wrapper and Buffer"
    assert np.concatenate([x, other]) == "concatenate of 2 types"
    assert x + other == "added"


def test_a_type_that_leaves_the_answer_to_us_gets_arrays():
    class Defers:
        """Takes arrays, and defers to whatever else has a protocol, as pandas does."""

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            if all(type(x) in (Defers, np.ndarray) for x in inputs):
                return [type(x).__name__ for x in inputs]
            return NotImplemented

    x, other = onebuf.asarray(V), Defers()
    assert np.hypot(x, other) == ["ndarray", "Defers"]
    assert np.hypot(other, x) == ["Defers", "ndarray"]


def test_a_type_that_wants_no_ufuncs_gets_none():
    class Refuses:
        __array_ufunc__ = None

    with pytest.raises(TypeError):
        np.add(onebuf.asarray(V), Refuses())


def test_elements_that_buffers_cannot_hold_stay_numpys():
    found = np.where(onebuf.asarray(B), np.array("yes"), np.array("no"))
    assert type(found) is np.ndarray
    assert found.tolist() == np.where(B, "yes", "no").tolist()
