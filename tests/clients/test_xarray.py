"""xarray on buffers: the same program on NumPy's arrays is the oracle, and data stay buffers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

import onebuf
from onebuf import Buffer

RNG = np.random.default_rng(0)
A = RNG.normal(size=(4, 5, 6))
GAPS = np.where(np.arange(120).reshape(A.shape) % 7 == 3, np.nan, A)
GAPS[2] = np.nan

Make = Callable[[np.ndarray], Any]


class Arrays:
    """Labelled arrays on one kind of data."""

    def __init__(self, make: Make) -> None:
        t, y, x = np.arange(4) * 10, list("abcde"), np.linspace(0, 1, 6)
        coords = {"t": t, "y": y, "x": x}
        self.a = xr.DataArray(make(A), coords, name="a")
        self.b = xr.DataArray(make(A[1:, :, 0]), {"t": t[1:], "y": y}, name="b")
        self.gaps = xr.DataArray(make(GAPS), coords, name="gaps")
        self.whole = xr.DataArray(make((A * 10).astype(np.int64)), coords, name="whole")


def arrays() -> tuple[Arrays, Arrays]:
    return Arrays(lambda array: onebuf.asarray(array, copy=True)), Arrays(np.copy)


def in_numpy(x: Any) -> Any:
    """``x`` with its data in NumPy's arrays."""
    if isinstance(x, xr.Dataset):
        return x.map(in_numpy, keep_attrs=True)
    return x.copy(data=np.asarray(x.data))


def check(got: Any, wanted: Any) -> None:
    """Equal labels and values, equal types of elements, and data in buffers."""
    xr.testing.assert_allclose(in_numpy(got), wanted)
    variables = got.data_vars.values() if isinstance(got, xr.Dataset) else [got]
    for variable in variables:
        assert type(variable.data) is Buffer
    if isinstance(got, xr.DataArray):
        assert got.dtype == wanted.dtype


def edited(array: xr.DataArray) -> xr.DataArray:
    """A copy, written to in every way there is."""
    new = array.copy()
    new[{"t": 0}] = 5.0
    new.loc[{"t": 20}] = array.isel(t=1, drop=True) * 2
    new[{"y": [0, 3]}] = -1.0
    new += 1
    return new


PROGRAMS: dict[str, Callable[[Arrays], Any]] = {
    "arithmetic": lambda d: (d.a * 2 + 1 - d.a**2 / 3) % 4,
    "comparison": lambda d: (d.a > 0) & ~(d.a > 1) | (d.a == 0),
    "alignment": lambda d: d.a + d.b,
    "outer alignment": lambda d: xr.align(d.a, d.b, join="outer")[1],
    "broadcasting": lambda d: d.b.broadcast_like(d.a),
    "ufuncs": lambda d: np.hypot(np.sin(d.a), 2) + xr.ufuncs.cos(d.a),
    "whole numbers": lambda d: d.whole // 3 + (d.whole & 1),
    "isel": lambda d: d.a.isel(t=1, x=slice(None, None, -2)),
    "isel of a list": lambda d: d.a.isel(y=[3, 0], t=[1, 1]),
    "sel": lambda d: d.a.sel(t=20, y=["e", "b"]),
    "sel of a range": lambda d: d.a.sel(x=slice(0.2, 0.7)),
    "nearest": lambda d: d.a.sel(x=0.33, method="nearest"),
    "loc": lambda d: d.a.loc[10:20, "b":"d"],
    "head": lambda d: d.a.head(x=2).tail(t=1),
    "reindex": lambda d: d.a.reindex(t=[10, 20, 99]),
    "where": lambda d: d.a.where(d.a > 0),
    "where with other": lambda d: xr.where(d.a > 0, d.a, -1.0),
    "where and drop": lambda d: d.a.where(d.a.t > 10, drop=True),
    "fillna": lambda d: d.gaps.fillna(0.0),
    "isnull": lambda d: d.gaps.isnull(),
    "dropna": lambda d: d.gaps.dropna("t", how="all"),
    "mean": lambda d: d.a.mean("t"),
    "mean over gaps": lambda d: d.gaps.mean(["x", "t"]),
    "sum over gaps": lambda d: d.gaps.sum(),
    "sum with gaps": lambda d: d.gaps.sum("x", skipna=False),
    "sum of enough": lambda d: d.gaps.sum("t", min_count=4),
    "std": lambda d: d.a.std("y"),
    "var": lambda d: d.gaps.var("x", ddof=1).isel(t=[0, 1]),
    "max": lambda d: d.gaps.isel(t=[0, 1, 3]).max("x"),
    "min": lambda d: d.a.min(["x", "y"]),
    "median": lambda d: d.a.median("x"),
    "quantile": lambda d: d.a.quantile([0.3, 0.5], "x"),
    "prod": lambda d: d.a.prod("x"),
    "count": lambda d: d.gaps.count("t"),
    "any": lambda d: (d.a > 1).any("x"),
    "argmax": lambda d: d.a.argmax("x"),
    "cumsum": lambda d: d.a.cumsum("x"),
    "cumprod": lambda d: d.a.cumprod("t"),
    "reduce": lambda d: d.a.reduce(np.sum, "x"),
    "groupby": lambda d: d.a.assign_coords(g=("y", [0, 1, 0, 1, 2])).groupby("g").mean(),
    "groupby over all": lambda d: d.a.groupby("y").sum(...),
    "groupby arithmetic": lambda d: d.a.groupby("y") - d.a.groupby("y").mean(...),
    "groupby map": lambda d: d.a.groupby("t").map(lambda part: part / part.max()),
    "groupby bins": lambda d: d.a.groupby_bins("x", [0, 0.5, 1]).mean(),
    "apply_ufunc": lambda d: xr.apply_ufunc(np.hypot, d.a, d.b, join="inner"),
    "apply_ufunc over an axis": lambda d: xr.apply_ufunc(
        lambda x: x.max(axis=-1) - x.min(axis=-1), d.a, input_core_dims=[["x"]]
    ),
    "dot": lambda d: xr.dot(d.a, d.b, dim=["t", "y"]),
    "dot of three": lambda d: xr.dot(d.a, d.a, d.b.isel(t=0, drop=True), dim="y"),
    "matrix product": lambda d: d.a @ d.a.isel(t=0, drop=True),
    "concat": lambda d: xr.concat([d.a, d.a + 1], "t"),
    "concat along a new axis": lambda d: xr.concat([d.a, d.a + 1], "new"),
    "rolling": lambda d: d.a.rolling(x=3).mean(),
    "rolling in the middle": lambda d: d.a.rolling(x=3, center=True, min_periods=1).sum(),
    "rolling windows": lambda d: d.a.rolling(x=3).construct("window").max("window"),
    "coarsen": lambda d: d.a.coarsen(x=2).mean(),
    "coarsen and trim": lambda d: d.a.coarsen(x=4, boundary="trim").max(),
    "cumulative": lambda d: d.a.cumulative("x").sum(),
    "transpose": lambda d: d.a.transpose("x", "t", "y"),
    "stack": lambda d: d.a.stack(z=("t", "y")),
    "unstack": lambda d: d.a.stack(z=("t", "y")).unstack("z"),
    "expand_dims": lambda d: d.a.expand_dims(k=3),
    "squeeze": lambda d: d.a.isel(t=[0]).squeeze(),
    "shift": lambda d: d.a.shift(x=2),
    "roll": lambda d: d.a.roll(x=2),
    "diff": lambda d: d.a.diff("x"),
    "differentiate": lambda d: d.a.differentiate("x"),
    "integrate": lambda d: d.a.integrate("x"),
    "pad": lambda d: d.a.pad(x=(1, 2)),
    "pad by reflection": lambda d: d.a.pad(x=(1, 2), mode="reflect"),
    "clip": lambda d: d.a.clip(-1, 1),
    "round": lambda d: d.a.round(1),
    "astype": lambda d: d.a.astype("float32"),
    "sortby": lambda d: d.a.sortby("y", ascending=False),
    "isin": lambda d: d.whole.isin([1, 2, 3]),
    "weighted": lambda d: d.a.weighted(abs(d.b)).mean("t"),
    "corr": lambda d: xr.corr(d.a, d.a**2, dim="x"),
    "cov": lambda d: xr.cov(d.a, d.a**2, dim="x"),
    "cross": lambda d: xr.cross(d.a[..., :3], d.a[..., :3] ** 2, dim="x"),
    "polyval": lambda d: xr.polyval(
        d.a, xr.DataArray([1.0, 2.0, 3.0], {"degree": [0, 1, 2]}, dims="degree")
    ),
    "writing": lambda d: edited(d.a),
    "copy": lambda d: d.a.copy(deep=True),
    "merge": lambda d: xr.merge([d.a, d.b], join="outer"),
    "combine": lambda d: d.b.combine_first(d.a.isel(x=0, drop=True)),
}


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_same_labels_and_values_in_buffers(name: str, eager_numel: int) -> None:
    ours, theirs = arrays()
    with onebuf.config(eager_numel=eager_numel):
        check(PROGRAMS[name](ours), PROGRAMS[name](theirs))


def test_a_climatology_on_a_dataset() -> None:
    def anomalies(d: Arrays) -> xr.Dataset:
        data = xr.Dataset({"a": d.a, "gaps": d.gaps}, attrs={"title": "climate"})
        data = data.assign_coords(season=("t", ["cold", "warm", "cold", "warm"]))
        data["ratio"] = (data.a - data.a.min()) / (data.a.max() - data.a.min())
        normal = data.groupby("season").mean()
        return (data.groupby("season") - normal).drop_vars("season").isel(x=slice(1, -1))

    ours, theirs = arrays()
    check(anomalies(ours), anomalies(theirs))


def test_a_least_squares_fit_by_dot_products() -> None:
    def fit(d: Arrays) -> xr.DataArray:
        x = d.a - d.a.mean("t")
        y = 3 * x + 0.5 * x**2
        return xr.dot(x, y, dim="t") / xr.dot(x, x, dim="t")

    ours, theirs = arrays()
    check(fit(ours), fit(theirs))


def test_work_on_pending_buffers_stays_pending() -> None:
    x = onebuf.asarray(np.ones((300, 400)), copy=True) * 2
    data = xr.DataArray(x, dims=("y", "x"))
    result = (data.transpose("x", "y") + 1).isel(x=slice(10)).sum("y")
    assert not x.is_realized
    assert (in_numpy(result) == 900.0).all()


def test_data_are_shared_not_copied() -> None:
    x = onebuf.asarray(A, copy=True)
    data = xr.DataArray(x, dims=("t", "y", "x"))
    assert data.data is x
    data.isel(t=1)[0, 0] = 99.0
    assert x[1, 0, 0].item() == 99.0
    assert np.shares_memory(data.to_numpy(), np.asarray(x))
    assert np.shares_memory(data.values, np.asarray(x))


def test_what_is_not_an_array_comes_out_as_in_numpy() -> None:
    ours, theirs = arrays()
    assert float(ours.a.sum()) == pytest.approx(float(theirs.a.sum()))
    assert ours.a.identical(ours.a.copy())
    assert not ours.a.equals(ours.gaps)
    assert ours.a.to_series().equals(theirs.a.to_series())
    assert ours.a.to_dataset().to_dataframe().equals(theirs.a.to_dataset().to_dataframe())
    for text in (repr(ours.a), ours.a._repr_html_()):
        assert "Buffer" in text


def test_functions_of_numpys_arrays_alone_give_those() -> None:
    def program(d: Arrays) -> xr.DataArray:
        return d.a.interp(x=[0.1, 0.4]) + xr.apply_ufunc(
            lambda x: x.max() - x.min(), d.a, input_core_dims=[["x"]], vectorize=True
        )

    ours, theirs = arrays()
    xr.testing.assert_allclose(program(ours), program(theirs))


def test_vectorised_indexing_takes_data_in_numpy() -> None:
    ours, theirs = arrays()
    where = {"y": xr.DataArray([0, 1], dims="p"), "x": xr.DataArray([2, 1], dims="p")}
    xr.testing.assert_equal(in_numpy(ours.a).isel(where), theirs.a.isel(where))
