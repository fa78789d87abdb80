"""array-api-extra and array-api-compat, on buffers: every public function.

array-api-extra takes its general path for us, since it knows us as little as it knows anyone new.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat
import array_api_extra as xpx
import numpy as np
import pytest
from array_api_compat import numpy as np_compat

import onebuf
from clients.comparing import ARRAYS, BUFFERS, Case, Maker, check, compare
from onebuf import Buffer
from onebuf.errors import DeviceError

_DRAW = np.random.default_rng(41)
TABLE = _DRAW.normal(size=(4, 5))
GAPS = np.where(TABLE > 0.5, np.nan, TABLE)
COMPLEX = TABLE + 1j * TABLE[::-1]
WHOLE = np.array([5, 2, 9, 2, 0, 5])
ANGLES = [-180.0, 0.0, 45.0, 360.0]


def sides(a: Maker, found: Any, kth: int) -> Any:
    """What is defined of a partition: the element in the middle, and both sides as sets."""
    sort = a.xp.sort
    return sort(found[:, :kth], axis=1), found[:, kth], sort(found[:, kth + 1 :], axis=1)


def picked(a: Maker, order: Any) -> Any:
    """The table in some order of its rows."""
    return a.xp.take_along_axis(a(TABLE), order, axis=1)


def applied(a: Maker) -> Any:
    """A function of NumPy's arrays alone, inside a computation on others."""

    def doubled(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        assert isinstance(x, np.ndarray)
        return x * 2 + y

    return (
        xpx.lazy_apply(doubled, a(TABLE), a(TABLE), as_numpy=True),
        xpx.lazy_apply(lambda x: x + 1, a(TABLE)),
    )


CASES: dict[str, Case] = {
    "angle": lambda a: [
        xpx.angle(a(COMPLEX)),
        xpx.angle(a(COMPLEX), deg=True),
        xpx.angle(a(TABLE)),
    ],
    "apply_where": lambda a: [
        xpx.apply_where(a(TABLE) > 0, a(TABLE), a.xp.log, fill_value=-1.0),
        xpx.apply_where(a(TABLE) > 0, (a(TABLE), a(TABLE)), lambda x, y: x * y, lambda x, y: x - y),
    ],
    "argpartition": lambda a: sides(a, picked(a, xpx.argpartition(a(TABLE), 2, axis=1)), 2),
    "atleast_nd": lambda a: [xpx.atleast_nd(a(3.0), ndim=2), xpx.atleast_nd(a(TABLE), ndim=1)],
    "broadcast_shapes": lambda a: xpx.broadcast_shapes(a(TABLE).shape, (5,), (1, 1)),
    "cov": lambda a: [
        xpx.cov(a(TABLE)),
        xpx.cov(a(TABLE[0])),
        xpx.cov(a(COMPLEX)),
        xpx.cov(a(TABLE), aweights=a([1.0, 2.0, 1.0, 3.0, 1.0]), correction=0),
    ],
    "create_diagonal": lambda a: [
        xpx.create_diagonal(a([1, 2, 3])),
        xpx.create_diagonal(a(TABLE), offset=1),
        xpx.create_diagonal(a(COMPLEX[0]), offset=-2),
    ],
    "deg2rad": lambda a: xpx.deg2rad(a(ANGLES)),
    "diag_indices": lambda a: xpx.diag_indices(3, ndim=3, xp=a.xp),
    "expand_dims": lambda a: [xpx.expand_dims(a(TABLE), axis=(0, -1)), xpx.expand_dims(a(TABLE))],
    "isclose": lambda a: [
        xpx.isclose(a(TABLE), a(TABLE + 1e-9)),
        xpx.isclose(a(GAPS), a(GAPS), equal_nan=True),
        xpx.isclose(a(WHOLE), 5),
    ],
    "isin": lambda a: [xpx.isin(a(WHOLE), a([2, 9])), xpx.isin(a(WHOLE), a([2]), invert=True)],
    "kron": lambda a: [xpx.kron(a(TABLE), a([[1.0, 2.0]])), xpx.kron(a([1.0, 2.0]), a(TABLE))],
    "lazy_apply": applied,
    "nan_to_num": lambda a: [
        xpx.nan_to_num(a(GAPS)),
        xpx.nan_to_num(a([math.inf, -math.inf, math.nan], "float32"), fill_value=3.0),
        xpx.nan_to_num(a([complex(math.nan, 1.0), 1j])),
    ],
    "nanmax": lambda a: [xpx.nanmax(a(GAPS)), xpx.nanmax(a(GAPS), axis=1)],
    "nanmean": lambda a: [xpx.nanmean(a(GAPS)), xpx.nanmean(a(GAPS), axis=1)],
    "nanmin": lambda a: [xpx.nanmin(a(GAPS)), xpx.nanmin(a(GAPS), axis=1)],
    "nansum": lambda a: [xpx.nansum(a(GAPS)), xpx.nansum(a(GAPS), axis=(0, 1))],
    "nunique": lambda a: int(xpx.nunique(a(WHOLE))),
    "one_hot": lambda a: [
        xpx.one_hot(a(WHOLE), 10),
        xpx.one_hot(a(WHOLE), 10, dtype=a.xp.int8, axis=0),
    ],
    "pad": lambda a: [
        xpx.pad(a(TABLE), 1),
        xpx.pad(a(WHOLE), (2, 1), constant_values=7),
        xpx.pad(a(TABLE), ((0, 1), (2, 0))),
    ],
    "partition": lambda a: sides(a, xpx.partition(a(TABLE), 2, axis=1), 2),
    "rad2deg": lambda a: xpx.rad2deg(a([0.0, math.pi, -1.0])),
    "searchsorted": lambda a: [
        xpx.searchsorted(a([1.0, 2.0, 4.0]), a([0.5, 2.0, 9.0])),
        xpx.searchsorted(a([1.0, 2.0, 4.0]), a([0.5, 2.0, 9.0]), side="right"),
        xpx.searchsorted(a(np.sort(TABLE)), a(TABLE[:, :2]), side="right"),
    ],
    "setdiff1d": lambda a: [xpx.setdiff1d(a(WHOLE), a([2, 9])), xpx.setdiff1d(a(WHOLE), a([7]))],
    "sinc": lambda a: [xpx.sinc(a(TABLE)), xpx.sinc(a([0.0, 0.5], "float32"))],
    "tril_indices": lambda a: xpx.tril_indices(4, offset=-1, xp=a.xp),
    "triu_indices": lambda a: xpx.triu_indices(4, m=3, xp=a.xp),
    "union1d": lambda a: xpx.union1d(a(WHOLE), a([1, 2, 3])),
    "unravel_index": lambda a: xpx.unravel_index(a([0, 7, 19]), (4, 5)),
}


@pytest.mark.filterwarnings("ignore:`xpx:DeprecationWarning")
@pytest.mark.parametrize("name", CASES)
def test_array_api_extra_keeps_our_type_and_gives_its_own_numbers(name):
    check(CASES[name])


def test_every_function_of_array_api_extra_has_a_case():
    elsewhere = {"__version__", "at", "default_dtype", "testing"}
    assert set(xpx.__all__) - elsewhere == set(CASES)


@pytest.mark.parametrize(
    "kind, dtype",
    [
        ("real floating", onebuf.float64),
        ("complex floating", onebuf.complex128),
        ("integral", onebuf.int64),
        ("indexing", onebuf.int64),
    ],
)
def test_default_dtype_is_that_of_the_namespace(kind, dtype):
    assert xpx.default_dtype(onebuf, kind) == dtype


AT = ("set", "add", "subtract", "multiply", "divide", "power", "min", "max")
KEYS: dict[str, Any] = {
    "number": lambda a: 1,
    "slice": lambda a: (slice(None), slice(1, 3)),
    "mask": lambda a: a(TABLE) > 0,
    "rows": lambda a: a([0, 2]),
}


@pytest.mark.parametrize("copy", [None, True])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("method", AT)
def test_at_changes_a_part(method, key, copy):
    def case(a: Maker) -> Any:
        x = a(np.abs(TABLE) + 1)
        changed = getattr(xpx.at(x, KEYS[key](a)), method)(1.5, copy=copy)
        return changed, x

    check(case)


@pytest.mark.parametrize("method", AT)
def test_at_in_place_writes_to_the_buffer(method):
    x = BUFFERS(np.abs(TABLE) + 1)
    changed = getattr(xpx.at(x)[0, :], method)(2.0, copy=False)
    assert changed is x
    expected = getattr(xpx.at(ARRAYS(np.abs(TABLE) + 1))[0, :], method)(2.0, copy=False)
    compare(x, expected)


# -- array-api-compat ------------------------------------------------------------------------------


def test_the_namespace_of_a_buffer_is_onebuf():
    b = onebuf.zeros(3)
    assert array_api_compat.array_namespace(b) is onebuf
    assert array_api_compat.array_namespace(b, 1.0, None, onebuf.ones(2)) is onebuf
    assert array_api_compat.get_namespace(b) is onebuf
    assert array_api_compat.array_namespace(b, api_version="2025.12") is onebuf
    with pytest.raises(ValueError, match="compat wrapper"):
        array_api_compat.array_namespace(b, use_compat=True)


def test_libraries_are_not_mixed():
    with pytest.raises(TypeError, match="Multiple namespaces"):
        array_api_compat.array_namespace(onebuf.zeros(3), np.zeros(3))
    assert array_api_compat.array_namespace(np.zeros(3)) is np_compat


LIBRARIES = (
    "array_api_strict",
    "cupy",
    "dask",
    "dpnp",
    "jax",
    "mparray",
    "ndonnx",
    "numpy",
    "pydata_sparse",
    "torch",
)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_buffer_is_taken_for_no_other_library(library):
    assert not getattr(array_api_compat, f"is_{library}_namespace")(onebuf)
    if library != "array_api_strict":
        assert not getattr(array_api_compat, f"is_{library}_array")(onebuf.zeros(3))


def test_a_buffer_is_an_array_that_can_be_read_and_written_at_once():
    b = onebuf.zeros((2, 3))
    assert array_api_compat.is_array_api_obj(b)
    assert array_api_compat.is_writeable_array(b)
    assert not array_api_compat.is_lazy_array(b)
    assert array_api_compat.size(b) == 6


def test_devices_are_found_and_moved_to():
    b = onebuf.zeros(3)
    device = array_api_compat.device(b)
    assert device == onebuf.device("cpu")
    assert array_api_compat.to_device(b, device) is b
    assert isinstance(array_api_compat.to_device(b, "cpu"), Buffer)
    with pytest.raises(DeviceError):
        array_api_compat.to_device(b, "TPU")
