"""Conformance to the array API standard 2025.12, generated from the tables in ``standard``.

Every name, every parameter, every dtype of every kind that a function takes, and the form of what
it gives. What the standard leaves open is what NumPy does, or an error that says so.
"""

from __future__ import annotations

import inspect
import math
from inspect import Parameter
from typing import Any

import numpy as np
import pytest
from array_api.standard import results
from array_api.standard.promotion import DTYPES, TAKES
from array_api.standard.signatures import (
    ATTRIBUTES,
    COMPARISONS,
    CONSTANTS,
    FFT,
    INFO,
    LINALG,
    MAIN,
    METHODS,
    OPERATORS,
    parse,
)

import onebuf as xp
from onebuf import Buffer, OnebufError

MAIN_SIGNATURES = parse(MAIN)
FUNCTIONS = (
    MAIN_SIGNATURES
    | {f"linalg.{name}": signature for name, signature in parse(LINALG).items()}
    | {f"fft.{name}": signature for name, signature in parse(FFT).items()}
)
RULES = {
    **results.parse(results.ONE_OPERAND),
    **results.parse(results.TWO_OPERANDS),
    **results.parse(results.OTHERS),
}
FROM_NOTHING = [line.split(" -> ") for line in results.FROM_NOTHING.strip().split("\n")]
CASES = [(name, dtype) for name in RULES for dtype in DTYPES]

ADDED_DEFAULTS: dict[str, dict[str, Any]] = {
    "arange": {"start": None},  # arange(stop=3)
    "expand_dims": {"axis": 0},  # the standard's own, in earlier versions
    "linspace": {"num": 50},
    "permute_dims": {"axes": None},
    "squeeze": {"axis": None},
    "where": {"x1": None, "x2": None},
}
"""Defaults that the standard has not, and NumPy or an earlier version has."""

REFUSED = {"round": "bool"}
"""What NumPy computes although the standard does not ask for it, and this namespace refuses."""

FLOATED = ("linalg.eig", "linalg.eigvals", "linalg.matrix_power")
"""Where whole numbers become float64 and the type of the result hangs on that alone.

NumPy's powers of whole numbers are whole, and its eigenvalues real where they happen to be.
"""


def find(namespace: Any, name: str) -> Any:
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def matrix(dtype: str) -> np.ndarray[Any, Any]:
    """Numbers that every function has an answer for: symmetric and positive definite."""
    rows = [[True, False], [False, True]] if dtype == "bool" else [[4, 1], [1, 3]]
    array = np.asarray(rows, dtype)
    return (
        array + np.asarray([[0, 1j], [-1j, 0]], dtype)
        if dtype in TAKES["complex floating"]
        else array
    )


def call(namespace: Any, name: str, x: Any) -> Any:
    """``name`` of ``x``, and of whatever else it needs."""
    if name in results.parse(results.TWO_OPERANDS):
        return find(namespace, name)(x, x)
    arguments = results.ARGUMENTS.get(name, lambda xp, x: (x,))(namespace, x)
    keywords = arguments[-1] if isinstance(arguments[-1], dict) else {}
    return find(namespace, name)(*[a for a in arguments if a is not keywords], **keywords)


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


# -- names and signatures --------------------------------------------------------------------------


def test_the_tables_are_complete() -> None:
    assert len(MAIN_SIGNATURES) == 136  # 135 and __array_namespace_info__
    assert (len(parse(LINALG)), len(parse(FFT))) == (25, 14)
    covered = {text.partition("(")[0] for text, _ in FROM_NOTHING}
    assert sorted(FUNCTIONS) == sorted({*RULES, *covered, *results.NO_ARRAYS})
    assert len(results.parse(results.TWO_OPERANDS)) == 28


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_public(name: str) -> None:
    *extension, own = name.split(".")
    namespace = find(xp, extension[0]) if extension else xp
    assert callable(getattr(namespace, own))
    assert own in namespace.__all__
    assert own in dir(namespace)
    assert find(xp, name).__doc__


def check_signature(ours: inspect.Signature, wanted: inspect.Signature, added: Any) -> None:
    """Every call that the standard allows means the same; NumPy's arguments may come on top.

    So a parameter that it passes by position may also have a name of its own, one that it passes
    by name may also have a position, and every other one has a default.
    """
    mine = list(ours.parameters.values())
    places = [p for p in wanted.parameters.values() if p.kind is not Parameter.KEYWORD_ONLY]
    matched = set()
    for got, asked in zip(mine, places, strict=False):
        if asked.kind is Parameter.POSITIONAL_ONLY:
            assert got.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        else:
            assert (got.name, got.kind) == (asked.name, asked.kind)
        check_default(got, asked, added)
        matched.add(got.name)
    assert len(mine) >= len(places)
    for asked in wanted.parameters.values():
        if asked.kind is Parameter.KEYWORD_ONLY:
            got = ours.parameters[asked.name]
            assert got.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
            check_default(got, asked, added)
            matched.add(got.name)
    for extra in mine:
        if extra.name not in matched and extra.kind is not Parameter.VAR_POSITIONAL:
            assert extra.default is not Parameter.empty


def check_default(got: Parameter, asked: Parameter, added: Any) -> None:
    default = added.get(asked.name, asked.default)
    assert (type(got.default), got.default) == (type(default), default)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_parameters_of_the_standard(name: str) -> None:
    ours = inspect.signature(find(xp, name))
    check_signature(ours, FUNCTIONS[name], ADDED_DEFAULTS.get(name, {}))


@pytest.mark.parametrize("name", parse(INFO))
def test_an_inspection_method_has_the_parameters_of_the_standard(name: str) -> None:
    ours = inspect.signature(getattr(xp.__array_namespace_info__(), name))
    check_signature(ours, parse(INFO)[name], {})


@pytest.mark.parametrize("name", parse(METHODS))
def test_a_method_has_the_parameters_of_the_standard(name: str) -> None:
    check_signature(inspect.signature(getattr(Buffer, name)), parse(METHODS)[name], {})


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("prefix", ["", "r", "i"])
def test_an_operator_is_also_reflected_and_in_place(operator: str, prefix: str) -> None:
    signature = inspect.signature(getattr(Buffer, f"__{prefix}{operator}__"))
    needed = [p for p in signature.parameters.values() if p.default is p.empty]
    assert [p.kind for p in needed] == [inspect.Parameter.POSITIONAL_ONLY] * 2  # under any names


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_can_be_read_and_not_written(name: str) -> None:
    x = xp.asarray([[1.0, 2.0]])
    assert name in dir(x)
    if name == "shape":  # NumPy's programs assign it
        x.shape = (2, 1)
        assert x.shape == (2, 1)
        return
    with pytest.raises(AttributeError):
        setattr(x, name, getattr(x, name))


def test_attributes_are_what_the_standard_says() -> None:
    x = xp.zeros((2, 3, 4), dtype=xp.int16)
    assert (x.shape, x.ndim, x.size, x.dtype) == ((2, 3, 4), 3, 24, xp.int16)
    assert type(x.shape) is tuple
    assert type(x.size) is type(x.ndim) is int
    assert x.device == xp.__array_namespace_info__().default_device()
    assert x.mT.shape == (2, 4, 3)
    assert x[0].T.shape == (4, 3)
    with pytest.raises(OnebufError, match="mT needs at least 2 dimensions"):
        x[0, 0].mT


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_is_a_python_value(name: str) -> None:
    assert name in xp.__all__
    value = getattr(xp, name)
    if name == "newaxis":
        assert value is None
    else:
        assert type(value) is float
        assert value == getattr(math, name) or (name == "nan" and value != value)


@pytest.mark.parametrize("name", DTYPES)
def test_a_dtype_is_public_and_equal_to_itself_alone(name: str) -> None:
    dtype = getattr(xp, name)
    assert name in xp.__all__
    assert [other for other in DTYPES if getattr(xp, other) == dtype] == [name]
    assert xp.zeros(1, dtype=dtype).dtype == dtype


def test_the_version_is_a_public_name() -> None:
    assert xp.__array_api_version__ == "2025.12"
    assert "__array_api_version__" in xp.__all__


# -- dtypes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", RULES)
def test_a_function_takes_its_kinds_and_gives_the_type_of_the_standard(
    name: str, eager_numel: int
) -> None:
    takes, gives = RULES[name]
    for dtype in TAKES[takes]:
        with xp.config(eager_numel=eager_numel):
            result = call(xp, name, xp.asarray(matrix(dtype)))
        if gives.startswith("tuple of "):
            assert type(result) is tuple
            rules = [gives.removeprefix("tuple of ")] * len(result)
        elif " " in gives:
            fields = [field.split() for field in gives.split(", ")]
            assert result._fields == tuple(field for field, _ in fields)
            rules = [rule for _, rule in fields]
        else:
            assert isinstance(result, Buffer)
            rules = [gives]
        found = [(type(part), part.dtype.name, part.device) for part in parts(result)]
        assert found == [(Buffer, results.result_dtype(rule, dtype), "CPU") for rule in rules]


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", RULES)
def test_what_the_standard_leaves_open_is_as_in_numpy_or_an_error(
    name: str, eager_numel: int
) -> None:
    for dtype in DTYPES:
        if dtype in TAKES[RULES[name].takes]:
            continue
        array = matrix(dtype)
        try:
            with np.errstate(all="ignore"):
                wanted = [np.asarray(part) for part in parts(call(np, name, array))]
            if name in FLOATED:
                rule = RULES[name].gives.split()[-1]
                wanted = [part.astype(results.result_dtype(rule, "float64")) for part in wanted]
        except (TypeError, ValueError):
            wanted = []
        if not wanted or dtype in TAKES.get(REFUSED.get(name, ""), ()):
            with xp.config(eager_numel=eager_numel), pytest.raises(OnebufError) as caught:
                [part.realize() for part in parts(call(xp, name, xp.asarray(array)))]
            assert name.split(".")[-1] in str(caught.value)
            assert dtype in str(caught.value)
            continue
        with xp.config(eager_numel=eager_numel):
            found = parts(call(xp, name, xp.asarray(array)))
        assert [part.dtype for part in found] == [part.dtype for part in wanted]
        for got, part in zip(found, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(got), part, 1e-6)


@pytest.mark.parametrize("text, dtype", FROM_NOTHING)
def test_a_function_of_no_array_gives_the_default_or_what_was_asked(text: str, dtype: str) -> None:
    result = eval(f"xp.{text}", {"xp": xp})
    assert (type(result), result.dtype.name, result.device) == (Buffer, dtype, "CPU")


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod"])
def test_a_total_in_an_asked_for_type_is_computed_in_it(name: str) -> None:
    x = xp.asarray([100, 100, 100], dtype=xp.int8)
    for dtype in TAKES["numeric"]:
        result = getattr(xp, name)(x, dtype=getattr(xp, dtype))
        with np.errstate(all="ignore"):
            wanted = getattr(np, name)(np.asarray(x).astype(dtype), dtype=dtype)
        assert result.dtype.name == dtype
        np.testing.assert_array_equal(np.asarray(result), wanted)


# -- forms -----------------------------------------------------------------------------------------


def test_several_arrays_come_in_a_tuple_and_none_in_an_empty_one() -> None:
    x = xp.asarray([1, 2])
    assert type(xp.meshgrid(x, x)) is tuple
    assert xp.meshgrid() == xp.broadcast_arrays() == ()
    assert type(xp.broadcast_arrays(x)) is tuple
    assert type(xp.unstack(x)) is tuple
    assert xp.unstack(xp.zeros((0, 2))) == ()
    assert type(xp.nonzero(x)) is tuple


def test_broadcast_shapes_of_the_standard() -> None:
    assert xp.broadcast_shapes() == ()
    assert xp.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
    assert xp.broadcast_shapes((0, 1), (1, 5)) == (0, 5)
    with pytest.raises(ValueError, match="broadcast"):
        xp.broadcast_shapes((2,), (3,))


def test_axes_of_2025_are_taken() -> None:
    x = xp.zeros((2, 3))
    assert xp.expand_dims(x, (0, -1)).shape == (1, 2, 3, 1)
    assert xp.expand_dims(x, axis=(1, 2)).shape == (2, 1, 1, 3)
    assert xp.permute_dims(xp.zeros((2, 3, 4)), (-1, 0, -2)).shape == (4, 2, 3)
    for axis in (3, (0, 0), (0, 4), -4):
        with pytest.raises(IndexError):
            xp.expand_dims(x, axis)
    assert xp.searchsorted(xp.asarray([1, 3, 5]), 4).item() == 2
    assert xp.searchsorted(xp.asarray([1, 3, 5]), 4).shape == ()
    assert xp.isin(2, xp.asarray([1, 2])).shape == ()
    assert xp.isin(xp.asarray([1, 2]), 2).to_python() == [False, True]


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
def test_distinct_elements_have_the_shapes_of_the_standard(name: str) -> None:
    x = xp.asarray([[2.0, math.nan, 2.0], [math.nan, -0.0, 0.0]])
    result = getattr(xp, name)(x)
    shapes = {"values": (4,), "indices": (4,), "counts": (4,), "inverse_indices": (2, 3)}
    if name == "unique_values":
        assert result.shape == (4,)  # every nan counts, and both zeros are one
        return
    assert [part.shape for part in result] == [shapes[field] for field in result._fields]
    if "counts" in result._fields:
        assert sorted(result.counts.to_python()) == [1, 1, 2, 2]


@pytest.mark.parametrize("operator", COMPARISONS | OPERATORS)
def test_an_operator_is_its_function(operator: str) -> None:
    name = (COMPARISONS | OPERATORS)[operator]
    dtype = (
        "float64"
        if name == "matmul"
        else TAKES[results.parse(results.TWO_OPERANDS)[name].takes][-1]
    )
    x, y = (xp.asarray(array) for array in (matrix(dtype), matrix(dtype).T.copy()))
    wanted = np.asarray(find(xp, name)(x, y))
    np.testing.assert_array_equal(np.asarray(getattr(x, f"__{operator}__")(y)), wanted)
    if operator in OPERATORS:
        np.testing.assert_array_equal(np.asarray(getattr(y, f"__r{operator}__")(x)), wanted)
        same = x
        same = getattr(same, f"__i{operator}__")(y)
        assert same is x
        np.testing.assert_array_equal(np.asarray(x), wanted)
