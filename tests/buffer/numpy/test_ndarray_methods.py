"""Methods that NumPy's arrays have, on buffers."""

import ctypes

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError, ReadOnlyError

A = np.array([[3.0, -1.0, 2.5, 0.0], [1.0, 4.0, -2.0, 7.0], [0.5, 0.25, 9.0, -6.0]])
I = np.array([[3, 0, 2, 2], [0, 5, 4, 1], [7, 2, 2, 6]])  # noqa: E741
C = A + 1j * A[::-1]


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize(
    "call",
    [
        lambda a, i, c: a.argsort(axis=1),
        lambda a, i, c: a.clip(-1, 2),
        lambda a, i, c: a.clip(max=a[0]),
        lambda a, i, c: a.round(1),
        lambda a, i, c: (i % 2).choose([i, -i]),
        lambda a, i, c: a.take([1, 0], axis=1),
        lambda a, i, c: a.take(5),
        lambda a, i, c: c.conj(),
        lambda a, i, c: c.conjugate(),
        lambda a, i, c: i.cumsum(axis=0),
        lambda a, i, c: a.cumprod(),
        lambda a, i, c: a.dot(a[0]),
        lambda a, i, c: a.trace(),
        lambda a, i, c: a.repeat(2, axis=0),
        lambda a, i, c: a.swapaxes(0, 1),
        lambda a, i, c: a[0].searchsorted(0.5),
        lambda a, i, c: i.nonzero()[1],
        lambda a, i, c: a.real,
        lambda a, i, c: a.imag,
        lambda a, i, c: c.real,
        lambda a, i, c: c.imag,
        lambda a, i, c: i.sum(0, "float32"),
        lambda a, i, c: i.sum(axis=1, dtype="int8"),
        lambda a, i, c: i.prod(axis=0, dtype=np.float64),
        lambda a, i, c: i.mean(dtype="float32", axis=0, keepdims=True),
        lambda a, i, c: a.view("int64"),
        lambda a, i, c: a.astype("float32", order="C"),
        lambda a, i, c: a.astype("float32", order="F"),
    ],
)
def test_a_method_is_that_of_numpys_arrays(call, eager_numel):
    wanted = call(A, I, C)
    with onebuf.config(eager_numel=eager_numel):
        got = call(*[onebuf.asarray(array, copy=True) for array in (A, I, C)])
    assert type(got) is Buffer
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-6)


def test_clip_writes_to_what_it_is_given():
    x, out = onebuf.asarray(A), onebuf.zeros(A.shape)
    assert x.clip(-1, 2, out) is out
    np.testing.assert_array_equal(np.asarray(out), A.clip(-1, 2))


def test_parts_of_complex_numbers_are_views():
    x = onebuf.asarray(C, copy=True)
    x.real[0, 0] = 50.0
    x.imag[...] = 0.0
    assert x[0, 0].item() == 50.0
    assert (x.imag == 0).all()


def test_fill_writes_everywhere_and_after_whoever_still_has_to_read():
    x = onebuf.asarray(np.ones((300, 400)))
    waiting = x + 1
    x[:, 1:3].fill(7)
    assert (waiting == 2).all()
    assert (x.sum() == 300 * 400 + 2 * 6 * 300).item()
    assert x.fill(onebuf.asarray(2)) is None
    assert (x == 2).all()


def test_fill_refuses_what_does_not_fit():
    x = onebuf.asarray(A, copy=True)
    with pytest.raises(ArgumentTypeError, match="'seven'"):
        x.fill("seven")
    with pytest.raises(DTypeError):
        x.fill(1j)
    with pytest.raises(ReadOnlyError):
        onebuf.broadcast_to(x, (2, 3, 4)).fill(1)
    assert (np.asarray(x) == A).all()


def test_an_address_leads_to_the_elements():
    x = onebuf.asarray(np.arange(5.0)) + 1
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert pointer[3] == 4.0
    pointer[3] = 9.0
    assert x[3].item() == 9.0


def test_looking_at_parts_and_strides_of_real_numbers_computes_nothing():
    # Python's isinstance does so, too, where a runtime protocol has these names.
    x = onebuf.asarray(np.ones((300, 400))) * 2
    assert x.real is x
    assert x.imag.shape == x.shape
    assert x.T.strides == (8, 3200)
    assert not x.is_realized


def test_elements_are_converted_in_columns_if_asked():
    x = onebuf.asarray(A)
    assert x.astype("float32", order="F").stride == (1, 3)
    assert x.astype("float32", order="A").stride == (4, 1)
    with pytest.raises(ArgumentError, match="'columns'"):
        x.astype("float32", order="columns")


def test_strides_count_bytes():
    assert onebuf.asarray(A, copy=True).T.strides == (8, 32)


def test_bytes_are_those_of_the_elements_in_order():
    assert onebuf.asarray(A).T.tobytes() == A.T.tobytes()


def test_a_view_as_a_type_that_only_numpy_has_is_numpys():
    x = onebuf.asarray(np.array([0, 1]), copy=True)
    dates = x.view("datetime64[D]")
    assert type(dates) is np.ndarray
    assert str(dates[1]) == "1970-01-02"
    dates[0] = np.datetime64("1970-01-03")
    assert x[0].item() == 2
    assert x.view("V8").dtype.kind == "V"
    with pytest.raises(DTypeError, match="nonsense"):
        x.view("nonsense")
    with pytest.raises(DTypeError):
        x.view(object)


@pytest.mark.parametrize("count", [12, 120_000])
def test_another_shape_can_be_assigned(count):
    x = onebuf.arange(count) * 1
    y = x[:]
    x.shape = (3, -1)
    assert x.shape == (3, count // 3)
    x[1, 0] = 99
    assert y[count // 3].item() == 99
    assert y.shape == (count,)
    x.T.shape = (count // 3, 3)
    with pytest.raises(AttributeError, match="Incompatible shape"):
        x.T.shape = (-1,)
    with pytest.raises(ValueError, match="cannot reshape"):
        x.shape = (7, 5)
    with pytest.raises(AttributeError):
        y[0].shape = (1,)
    one = onebuf.ones(1)
    one.shape = ()
    one[...] = 5
    assert one.item() == 5
