"""pandas made from buffers, and buffers made from pandas."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import onebuf
from onebuf import Buffer
from onebuf.errors import DTypeError

V = np.array([3.0, 1.0, 2.0])
I = np.array([2, 0, 1])  # noqa: E741
A = np.arange(12.0).reshape(3, 4)
S = pd.Series([1.0, 2.0, 3.0])

# The same text for NumPy's arrays and buffers.
PROGRAMS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "Series": lambda a: pd.Series(a(V), index=a(I), name="v"),
    "Series in a dtype": lambda a: pd.Series(a(V), dtype="float32"),
    "Series of whole numbers": lambda a: pd.Series(a(I)),
    "Series of truths": lambda a: pd.Series(a(V) > 1),
    "DataFrame": lambda a: pd.DataFrame(a(A), columns=list("wxyz"), index=a(I)),
    "DataFrame of a transpose": lambda a: pd.DataFrame(a(A).T),
    "DataFrame of columns": lambda a: pd.DataFrame({"v": a(V), "i": a(I), "t": a(V) > 1}),
    "Index": lambda a: pd.Index(a(I)),
    "Index of floats": lambda a: pd.Index(a(V), name="v"),
    "array": lambda a: pd.array(a(V)),
    "arithmetic": lambda a: S + a(V) * 2 - a(V) / S,
    "arithmetic the other way": lambda a: a(V) * S,
    "comparison": lambda a: S.lt(a(V)),
    "ufunc": lambda a: np.hypot(S, a(V)),
    "ufunc the other way": lambda a: np.hypot(a(V), S),
    "dot": lambda a: pd.DataFrame(A) @ a(A).T,
    "dot the other way": lambda a: a(A) @ pd.DataFrame(A.T),
    "a new column": lambda a: pd.DataFrame({"s": S}).assign(v=a(V)),
    "iloc": lambda a: S.iloc[a(I)],
    "loc": lambda a: S.loc[a(I)],
    "where": lambda a: S.where(a(V) > 1.5, a(V)),
    "clip": lambda a: S.clip(a(V) - 1, a(V)),
    "reindex": lambda a: S.reindex(a(np.array([2, 5]))),
    "searchsorted": lambda a: S.searchsorted(a(V)),
    "cut": lambda a: pd.cut(a(V), 2),
    "qcut": lambda a: pd.qcut(a(V), 2),
    "isna": lambda a: pd.isna(a(np.array([1.0, np.nan]))),
    "to_datetime": lambda a: pd.to_datetime(a(I), unit="D"),
    "to_timedelta": lambda a: pd.to_timedelta(a(I), unit="s"),
    "merge": lambda a: pd.DataFrame({"k": a(I)}).merge(pd.DataFrame({"k": [2, 3], "z": [5, 6]})),
    "rolling": lambda a: pd.Series(a(V)).rolling(2).mean(),
    "describe": lambda a: pd.DataFrame(a(A)).describe(),
    "group": lambda a: pd.DataFrame({"k": a(I % 2), "v": a(V)}).groupby("k").sum(),
    "pivot": lambda a: pd.DataFrame({"i": a(I), "j": a(I % 2), "v": a(V)}).pivot_table(
        index="i", columns="j", values="v", aggfunc="sum"
    ),
    "eval": lambda a: pd.DataFrame({"v": a(V)}).eval("v * 2 + 1"),
}


def same(got: Any, wanted: Any) -> None:
    assert type(got) is type(wanted)
    if isinstance(wanted, pd.Series):
        pd.testing.assert_series_equal(got, wanted)
    elif isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(got, wanted)
    elif isinstance(wanted, pd.Index):
        pd.testing.assert_index_equal(got, wanted)
    elif isinstance(wanted, pd.api.extensions.ExtensionArray):
        pd.testing.assert_series_equal(pd.Series(got), pd.Series(wanted))
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_the_same_for_buffers(name: str, eager_numel: int) -> None:
    program = PROGRAMS[name]
    wanted = program(lambda array: array)
    with onebuf.config(eager_numel=eager_numel):
        same(program(lambda array: onebuf.asarray(array) + 0), wanted)


def test_a_frame_is_written_from_buffers() -> None:
    frame = pd.DataFrame(A.copy(), columns=list("wxyz"))
    frame["w"] = onebuf.asarray(V)
    frame.insert(0, "first", onebuf.asarray(I))
    frame.iloc[1, 1:] = onebuf.asarray(A[0]) * 100
    frame.loc[:, "x"] = onebuf.asarray(V) + 1
    wanted = pd.DataFrame(A.copy(), columns=list("wxyz"))
    wanted["w"] = V
    wanted.insert(0, "first", I)
    wanted.iloc[1, 1:] = A[0] * 100
    wanted.loc[:, "x"] = V + 1
    pd.testing.assert_frame_equal(frame, wanted)


def test_memory_is_shared_where_pandas_does_not_copy() -> None:
    x = onebuf.asarray(V, copy=True)
    assert np.shares_memory(pd.Series(x, copy=False).to_numpy(), np.asarray(x))
    frame = pd.DataFrame(onebuf.asarray(A, copy=True), copy=False)
    y = onebuf.asarray(frame)
    assert np.shares_memory(np.asarray(y), frame.to_numpy())


@pytest.mark.parametrize(
    "make, wanted",
    [
        (lambda: pd.Series(V), V),
        (lambda: pd.Series(V)[::-1], V[::-1]),
        (lambda: pd.DataFrame(A), A),
        (lambda: pd.DataFrame({"a": I, "b": V}), np.column_stack([I, V])),
        (lambda: pd.Index(I), I),
        (lambda: pd.RangeIndex(4), np.arange(4)),
        (lambda: pd.array([1, 2], dtype="Int64"), np.array([1, 2])),
        (lambda: pd.Series([1.0, 2.0], dtype="double[pyarrow]"), np.array([1.0, 2.0])),
        (lambda: pd.Series([True, False]), np.array([True, False])),
    ],
)
def test_pandas_becomes_a_buffer(make: Callable[[], Any], wanted: np.ndarray) -> None:
    x = onebuf.asarray(make())
    assert type(x) is Buffer
    assert x.dtype == wanted.dtype
    np.testing.assert_array_equal(np.asarray(x), wanted)


def test_a_column_goes_through_a_buffer_and_back() -> None:
    frame = pd.DataFrame({"v": V, "i": I}, index=list("abc"))
    x = onebuf.asarray(frame["v"])
    frame["scaled"] = (x - x.mean()) / x.std()
    np.testing.assert_allclose(frame["scaled"], (V - V.mean()) / V.std())
    assert frame["scaled"].index.tolist() == list("abc")


def test_a_pending_buffer_is_computed_once() -> None:
    x = onebuf.asarray(np.ones(10**5)) * 2
    with onebuf.counters() as seen:
        series = pd.Series(x)
        assert series.sum() == 2e5
    assert seen.kernels == 1


@pytest.mark.parametrize(
    "make", [lambda: pd.Series(["a"]), lambda: pd.Series(pd.to_datetime(["2020-01-01"]))]
)
def test_what_a_buffer_cannot_hold_is_named(make: Callable[[], Any]) -> None:
    with pytest.raises(DTypeError, match=r"Series.*convert its elements first"):
        onebuf.asarray(make())


def test_dates_are_numbers_in_a_buffer() -> None:
    dates = pd.Series(pd.to_datetime(["2020-01-01", "2020-03-01"])).dt.as_unit("s")
    x = onebuf.asarray(dates.astype("int64"))
    later = (x + 86400).view("datetime64[s]")
    assert pd.Series(later).dt.day.tolist() == [2, 2]
