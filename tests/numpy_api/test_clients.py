"""What clients look up in a namespace and the standard has not: found, for buffers."""

import numpy as np
import pytest

import onebuf
from onebuf import Buffer

A = np.array([[3.0, -1.0, 2.5, 0.0], [1.0, 4.0, -2.0, 7.0], [0.5, 0.25, 9.0, -6.0]])

ASKED_FOR = {
    "opt_einsum": ["einsum", "tensordot", "transpose"],
    "xarray": ["einsum", "pad", "gradient", "cross", "transpose", "concatenate", "quantile"],
    "cubed": ["nansum", "searchsorted", "take_along_axis"],
    "einops": ["einsum", "tile", "stack", "concat"],
}


@pytest.mark.parametrize("client", ASKED_FOR)
def test_a_client_finds_what_it_asks_for(client):
    assert [name for name in ASKED_FOR[client] if not callable(getattr(onebuf, name))] == []


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: xp.transpose(a),
        lambda xp, a: xp.transpose(a, (1, 0)),
        lambda xp, a: xp.pad(a, ((1, 0), (0, 2)), mode="edge"),
        lambda xp, a: xp.gradient(a, axis=0),
        lambda xp, a: xp.cross(a[:, :3], a[:, 1:]),
        lambda xp, a: xp.concatenate([a, a]),
        lambda xp, a: xp.swapaxes(a, 0, 1),
        lambda xp, a: xp.nansum(a, axis=0),
        lambda xp, a: xp.nanmean(a),
        lambda xp, a: xp.median(a, axis=1),
        lambda xp, a: xp.quantile(a, 0.3),
        lambda xp, a: xp.outer(a[0], a[1]),
        lambda xp, a: xp.dot(a, a.T),
        lambda xp, a: xp.interp(a[0], a[1], a[2]),
        lambda xp, a: xp.histogram(a, bins=3)[0],
        lambda xp, a: xp.deg2rad(a),
        lambda xp, a: xp.arctan2(a, 2.0),
        lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, 2, axis=1),
    ],
)
def test_a_function_of_numpy_takes_buffers_and_gives_them(call):
    wanted, got = call(np, A), call(onebuf, onebuf.asarray(A))
    assert type(got) is Buffer
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(np.asarray(got), wanted)


def test_it_gives_buffers_for_lists_and_arrays_too():
    assert type(onebuf.median([3, 1, 2])) is Buffer
    assert type(onebuf.gradient(A[0])) is Buffer
    assert onebuf.array_equal(A, A) is True


def test_it_is_as_lazy_as_its_method():
    x = onebuf.asarray(np.ones((300, 400))) * 2
    y = onebuf.transpose(x)
    assert not x.is_realized
    assert y.shape == (400, 300)
