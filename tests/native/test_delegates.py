"""Functions that the core gives to NumPy, or moves elements for, next to their Python twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.test_twins import OPERANDS, makers
from native.twins import check, needs_core

import onebuf
from onebuf import Buffer

pytestmark = needs_core

MATRICES = ((3,), (16,), (4, 4), (1, 4), (5, 2), (2, 3, 4), (0,), (3, 0))
ARGUMENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    *(((), {}), ((0,), {}), ((1,), {}), ((-1,), {}), ((), {"axis": 0}), ((), {"axis": -1})),
    *(((2, 0), {}), ((1, -1), {}), ((), {"axis": None}), (((1, -2),), {"axis": (0, 1)})),
    *((([0, 1],), {}), (((2, 3),), {}), ((2,), {"axis": 1}), ((), {"keepdims": True})),
    *(((7,), {"axis": 3}), (("a",), {}), ((None,), {}), ((1.5,), {}), ((1, 2, 3), {})),
)
OF_ONE = (
    *("roll", "repeat", "tile", "diff", "cumsum", "cumprod", "ptp", "ediff1d", "gradient"),
    *("nan_to_num", "count_nonzero", "nonzero", "flatnonzero", "argwhere", "argsort", "sort"),
    *("unique", "median", "percentile", "histogram", "bincount", "trim_zeros", "pad", "resize"),
    *("nanmax", "nanmin", "nanargmax", "quantile", "partition", "argpartition", "delete"),
    *("vander", "unwrap", "hstack", "vstack", "stack", "concatenate", "column_stack", "take"),
    *("maximum.accumulate", "add.accumulate", "multiply.accumulate", "subtract.accumulate"),
    *("minimum.accumulate", "logical_and.accumulate", "linalg.inv", "linalg.det"),
    *("tril", "triu", "diag", "unravel_index", "identity", "triu_indices", "diagflat"),
    *("linalg.cholesky", "polyder", "poly", "roots", "corrcoef", "where", "clip", "allclose"),
)
OF_TWO = (
    *("searchsorted", "isin", "union1d", "setdiff1d", "intersect1d", "array_equal", "allclose"),
    *("isclose", "compress", "extract", "take", "take_along_axis", "append", "outer", "convolve"),
    *("correlate", "digitize", "polyval", "polymul", "interp", "clip", "linalg.solve", "insert"),
    *("bincount", "lexsort", "cross", "add.reduceat", "nan_to_num", "copyto"),
    *("inner", "unravel_index", "floor_divide", "vdot", "where"),
)
METHODS = (
    *("copy", "astype", "clip", "cumsum", "cumprod", "argsort", "nonzero", "round", "take"),
    *("repeat", "ptp", "searchsorted", "choose", "argpartition", "flatten", "sort", "item"),
)


def named(name: str) -> Any:
    found: Any = onebuf
    for part in name.split("."):
        found = getattr(found, part)
    return found


@settings(max_examples=700, deadline=None)
@given(makers(MATRICES), st.sampled_from(OF_ONE), st.sampled_from(ARGUMENTS))
def test_a_function_of_one_operand(x: Any, name: str, arguments: Any) -> None:
    given_, keywords = arguments
    check(lambda: (x(),), lambda a: named(name)(a, *given_, **keywords))


@settings(max_examples=700, deadline=None)
@given(makers(MATRICES), OPERANDS, st.sampled_from(OF_TWO), st.booleans())
def test_a_function_of_two_operands(x: Any, y: Any, name: str, swapped: bool) -> None:
    function = named(name)
    check(lambda: (x(), y()), lambda a, b: function(b, a) if swapped else function(a, b))


@settings(max_examples=500, deadline=None)
@given(makers(MATRICES), st.sampled_from(METHODS), st.sampled_from(ARGUMENTS))
def test_a_method(x: Any, name: str, arguments: Any) -> None:
    given_, keywords = arguments
    check(lambda: (x(),), lambda a: getattr(a, name)(*given_, **keywords))


@settings(max_examples=300, deadline=None)
@given(makers(MATRICES), OPERANDS, OPERANDS, st.booleans())
def test_clip(x: Any, low: Any, high: Any, by_name: bool) -> None:
    if by_name:
        check(lambda: (x(), low(), high()), lambda a, b, c: onebuf.clip(a, min=b, max=c))
    check(lambda: (x(), low(), high()), onebuf.clip)
    check(lambda: (x(), low(), high()), lambda a, b, c: a.clip(b, c))


@settings(max_examples=300, deadline=None)
@given(
    makers(MATRICES),
    st.sampled_from((0, 1, -3, 40, (1, 2), (1, -1), [1], 1.0, None)),
    st.sampled_from((None, 0, -1, 1, (0, 1), (0, 0), (1, 0), 5, [0])),
)
def test_roll(x: Any, shift: Any, axis: Any) -> None:
    check(lambda: (x(),), lambda a: onebuf.roll(a, shift, axis))
    check(lambda: (x(),), lambda a: onebuf.roll(a, shift, axis=axis))


DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64"),
)


@settings(max_examples=400, deadline=None)
@given(makers(MATRICES), st.sampled_from((*DTYPES, int, float, bool, np.float32, "nothing")))
def test_conversions(x: Any, dtype: Any) -> None:
    check(lambda: (x(),), lambda a: a.astype(dtype))
    check(lambda: (x(),), lambda a: a.astype(dtype, copy=False))


@pytest.mark.parametrize("values", [[np.nan], [3e9], [-1.0], [1e300], [np.inf, 1.0], [255.9]])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "uint32", "int64", "uint64", "bool"])
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_floats_that_integers_do_not_hold(values: Any, dtype: str, source: str) -> None:
    with np.errstate(all="ignore"):
        array = np.array(values).astype(source)
    check(lambda: (Buffer(array, copy=True),), lambda a: a.astype(dtype))


JOINS = ("concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")


@settings(max_examples=400, deadline=None)
@given(
    st.lists(makers(((3,), (2, 3), (0, 3), (2, 1), (), (2, 3, 2))), max_size=4),
    st.sampled_from(JOINS),
    st.sampled_from((None, 0, 1, -1, 2, -3)),
    st.booleans(),
)
def test_joined_parts(parts: list[Any], name: str, axis: int | None, is_tuple: bool) -> None:
    keywords: dict[str, Any] = {} if axis is None or name in JOINS[3:] else {"axis": axis}
    kind = tuple if is_tuple else list
    check(
        lambda: tuple(part() for part in parts),
        lambda *given: named(name)(kind(given), **keywords),
    )


def test_results_are_memory_of_their_own() -> None:
    x = onebuf.arange(4.0)
    for found in (
        onebuf.roll(x, 0),
        x.copy(),
        x.astype(float),
        onebuf.sort(x),
        onebuf.clip(x, 0, 9),
    ):
        found[0] = 7.0
        assert x[0] == 0.0


def test_reductions_of_more_axes() -> None:
    values = np.random.default_rng(0).normal(1, 3, (3, 4, 5))
    for dtype in ("float32", "float64", "int32", "bool"):
        array = values.astype(dtype)
        for axis in (None, 0, 1, 2, -1, (0, 1), (1, 2), (0, 2), (0, 1, 2), (2, 1), 3):
            for name in ("sum", "prod", "max", "min", "all", "any", "mean", "var", "std", "argmax"):
                for keepdims in (False, True):
                    for turned in (False, True):
                        check(
                            lambda: (Buffer(array, copy=True).T if turned else Buffer(array),),  # noqa: B023
                            lambda a: getattr(a, name)(axis=axis, keepdims=keepdims),  # noqa: B023
                        )


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("less", [0, 1, 0.5, 99, True, None])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "float16"])
@pytest.mark.parametrize("word", ["ddof", "correction"])
def test_spreads(name: str, less: Any, dtype: str, word: str) -> None:
    values = np.random.default_rng(1).normal(5, 3, (40, 3)).astype(dtype)
    for axis in (None, 0, 1):
        check(
            lambda: (Buffer(values, copy=True),),
            lambda a: getattr(onebuf, name)(a, axis, **{word: less}),  # noqa: B023
        )


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int64", "uint16", "bool"]
)
@pytest.mark.parametrize("zeros", [(), (0.0,), (-0.0, 0.0), (-0.0, np.nan, np.inf)])
def test_many_elements_are_sorted_as_by_the_twin(dtype: str, zeros: tuple[float, ...]) -> None:
    values = np.random.default_rng(3).integers(-20, 20, (3, 400)).astype("float64") + 0.25
    if zeros:
        values[:, ::7] = np.resize(zeros, values[:, ::7].shape)
    with np.errstate(invalid="ignore"):
        array = values.astype(dtype)
    for axis in (-1, 0, None):
        check(lambda: (Buffer(array, copy=True),), lambda x, axis=axis: onebuf.sort(x, axis))
