"""Type promotion: the standard's tables for every pair of dtypes, NumPy's rules for all others.

Python scalars take the kind of the array that they meet. Where the standard leaves it open (a
float next to integers, a bool next to numbers), the result is NumPy's, or an error where NumPy has
none.
"""

from __future__ import annotations

import operator
from itertools import product
from typing import Any

import numpy as np
import pytest
from array_api.standard import results
from array_api.standard.promotion import DTYPES, KINDS, PROMOTIONS, SCALARS, TAKES, with_scalar
from array_api.standard.signatures import COMPARISONS, OPERATORS

import onebuf as xp
from onebuf import Buffer, OnebufError

BINARY = results.parse(results.TWO_OPERANDS)
PAIRS = list(product(DTYPES, repeat=2))
VALUES = {bool: True, int: 2, float: 2.0, complex: 2 + 0j}
EAGER = pytest.mark.parametrize("eager_numel", [4096, 0])


def ones(dtype: str, shape: Any = (2, 2)) -> Any:
    return xp.ones(shape, dtype=getattr(xp, dtype))


def numpys(function: Any, *arguments: Any) -> str | None:
    """The dtype that NumPy gives, or None where it refuses."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*arguments)).dtype.name
    except (TypeError, ValueError):
        return None


def check(name: str, wanted: str | None, function: Any, *arguments: Any) -> None:
    """The call gives the ``wanted`` dtype, or an error that names the function."""
    if wanted is not None:
        assert function(*arguments).realize().dtype.name == wanted, arguments
        return
    with pytest.raises(OnebufError, match=name) as caught:
        function(*arguments).realize()
    assert isinstance(caught.value, TypeError)


def wanted_dtype(name: str, x: str, y: str) -> str | None:
    """What a binary function gives: by the standard if it says, else what NumPy gives."""
    takes, gives = BINARY[name]
    if {x, y} <= set(TAKES[takes]) and (x, y) in PROMOTIONS:
        return "bool" if gives == "bool" else PROMOTIONS[x, y]
    return numpys(getattr(np, name), np.ones(1, x), np.ones(1, y))


# -- two arrays ------------------------------------------------------------------------------------


def test_numpy_agrees_with_the_tables_of_the_standard() -> None:
    for (x, y), promoted in PROMOTIONS.items():
        assert np.result_type(x, y).name == promoted


@EAGER
@pytest.mark.parametrize("name", BINARY)
def test_a_binary_function_promotes_every_pair(name: str, eager_numel: int) -> None:
    with xp.config(eager_numel=eager_numel):
        for x, y in PAIRS:
            check(name, wanted_dtype(name, x, y), getattr(xp, name), ones(x), ones(y))


@pytest.mark.parametrize(
    "name", {k: v for k, v in OPERATORS.items() if v != "matmul"} | COMPARISONS
)
def test_an_operator_promotes_every_pair(name: str) -> None:
    function = (OPERATORS | COMPARISONS)[name]
    run = getattr(operator, f"__{name}__")
    for x, y in PAIRS:
        check(function, wanted_dtype(function, x, y), run, ones(x), ones(y))


@EAGER
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_in_place_keeps_the_type_or_refuses(name: str, eager_numel: int) -> None:
    run = getattr(operator, f"__i{name}__")
    for x, y in PAIRS:
        expected = np.ones((2, 2), x)
        wanted = numpys(run, expected, np.ones((2, 2), y))
        assert wanted in (x, None)
        assert PROMOTIONS.get((x, y)) != x or wanted or x not in _taken_in_place(name)
        with xp.config(eager_numel=eager_numel):
            buffer = ones(x)
            check(OPERATORS[name], wanted, run, buffer, ones(y))
        np.testing.assert_array_equal(np.asarray(buffer), expected)


def _taken_in_place(name: str) -> tuple[str, ...]:
    return TAKES["numeric" if name == "matmul" else BINARY[OPERATORS[name]].takes]


JOINS: dict[str, Any] = {
    "result_type": lambda ns, x, y: ns.zeros(1, dtype=ns.result_type(x, y)),
    "result_type of dtypes": lambda ns, x, y: ns.zeros(1, dtype=ns.result_type(x.dtype, y.dtype)),
    "where": lambda ns, x, y: ns.where(ns.asarray([True, False]), x, y),
    "concat": lambda ns, x, y: ns.concat([x, y]),
    "concat of three": lambda ns, x, y: ns.concat([x, y, x], axis=1),
    "stack": lambda ns, x, y: ns.stack([x, y]),
    "matmul": lambda ns, x, y: ns.matmul(x, y),
    "tensordot": lambda ns, x, y: ns.tensordot(x, y, axes=1),
    "vecdot": lambda ns, x, y: ns.vecdot(x, y),
    "linalg.outer": lambda ns, x, y: ns.linalg.outer(x[0], y[0]),
    "linalg.matmul": lambda ns, x, y: ns.linalg.matmul(x, y),
    "diff with an end": lambda ns, x, y: ns.diff(x, append=y),
    "broadcast_arrays": lambda ns, x, y: ns.broadcast_arrays(x, y[0])[0],
}
"""Functions that put the elements of two arrays into one; NumPy's are the tables and more."""


@EAGER
@pytest.mark.parametrize("name", JOINS)
def test_what_joins_two_arrays_promotes_every_pair(name: str, eager_numel: int) -> None:
    join = JOINS[name]
    with xp.config(eager_numel=eager_numel):
        for x, y in PAIRS:
            wanted = numpys(join, np, np.ones((2, 2), x), np.ones((2, 2), y))
            if (x, y) in PROMOTIONS and name not in ("broadcast_arrays",):
                assert wanted == PROMOTIONS[x, y]
            assert wanted is not None
            check(name, wanted, join, xp, ones(x), ones(y))


@EAGER
def test_cross_and_solve_promote_every_pair(eager_numel: int) -> None:
    with xp.config(eager_numel=eager_numel):
        for x, y in PAIRS:
            wanted = numpys(np.linalg.cross, np.ones(3, x), np.ones(3, y))
            check("cross", wanted, xp.linalg.cross, ones(x, 3), ones(y, 3))
            one, two = np.eye(2, dtype=x), np.ones((2, 2), y)
            wanted = numpys(np.linalg.solve, one, two)
            check("solve", wanted, xp.linalg.solve, xp.asarray(one), xp.asarray(two))


@EAGER
@pytest.mark.parametrize("name", ["searchsorted", "isin"])
def test_searches_compare_every_pair_by_value(name: str, eager_numel: int) -> None:
    with xp.config(eager_numel=eager_numel):
        for x, y in PAIRS:
            rows = np.asarray([0, 1], x), np.asarray([1, 0, 1], y)
            wanted = getattr(np, name)(*rows)
            found = getattr(xp, name)(*[xp.asarray(row) for row in rows])
            assert (found.dtype, found.to_python()) == (wanted.dtype, wanted.tolist())


@EAGER
def test_assignment_converts_what_promotes_to_the_target(eager_numel: int) -> None:
    for x, y in PAIRS:
        with xp.config(eager_numel=eager_numel):
            target, value = xp.zeros(2, dtype=getattr(xp, x)), ones(y, 2)
            if y in KINDS["complex floating"] and x not in KINDS["complex floating"]:
                for key in (slice(None), xp.asarray([True, False]), [0, 1]):
                    with pytest.raises(TypeError, match="cannot hold complex"):
                        target[key] = value
                assert target.to_python() == [0, 0]
                continue
            target[...] = value
            assert (target.dtype.name, target.to_python()) == (x, [1, 1])
            target[xp.asarray([True, False])] = value[0] * 0
            assert (target.dtype.name, target.to_python()) == (x, [0, 1])


def test_can_cast_follows_the_tables() -> None:
    for x, y in PAIRS:
        wanted = PROMOTIONS[x, y] == y if (x, y) in PROMOTIONS else np.can_cast(x, y)
        assert xp.can_cast(getattr(xp, x), getattr(xp, y)) == wanted, (x, y)
        assert xp.can_cast(ones(x), getattr(xp, y)) == wanted
        assert isinstance(xp.can_cast(ones(x), getattr(xp, y)), bool)


def test_result_type_of_many_does_not_hang_on_their_order() -> None:
    for x, y in PAIRS:
        for z in DTYPES:
            found = xp.result_type(getattr(xp, x), ones(y), getattr(xp, z))
            assert found == xp.result_type(getattr(xp, z), getattr(xp, x), ones(y))
            assert found == np.result_type(x, y, z)


def test_result_type_of_one_is_itself_and_of_none_an_error() -> None:
    for dtype in DTYPES:
        assert xp.result_type(ones(dtype)) == xp.result_type(getattr(xp, dtype)) == dtype
    assert xp.result_type(1, 2.0) == "float64"  # numbers alone: the defaults decide
    with pytest.raises(ValueError, match="result_type needs at least one"):
        xp.result_type()


# -- an array and a Python scalar ------------------------------------------------------------------


def scalar_dtype(name: str, dtype: str, scalar: type, swapped: bool) -> str | None:
    """What a function of an array and a scalar gives: by the standard if it says, else NumPy's."""
    takes, gives = BINARY[name]
    if dtype in SCALARS[scalar] and {dtype, with_scalar(dtype, scalar)} <= set(TAKES[takes]):
        return "bool" if gives == "bool" else with_scalar(dtype, scalar)
    pair = (np.ones(1, dtype), VALUES[scalar])
    return numpys(getattr(np, name), *(pair[::-1] if swapped else pair))


@EAGER
@pytest.mark.parametrize("name", BINARY)
def test_a_binary_function_takes_a_scalar_on_either_side(name: str, eager_numel: int) -> None:
    function = getattr(xp, name)
    with xp.config(eager_numel=eager_numel):
        for dtype, (scalar, value) in product(DTYPES, VALUES.items()):
            wanted = scalar_dtype(name, dtype, scalar, False)
            check(name, wanted, function, ones(dtype), value)
            wanted = scalar_dtype(name, dtype, scalar, True)
            check(name, wanted, function, value, ones(dtype))


@pytest.mark.parametrize(
    "name", {k: v for k, v in OPERATORS.items() if v != "matmul"} | COMPARISONS
)
def test_an_operator_takes_a_scalar_on_either_side(name: str) -> None:
    function = (OPERATORS | COMPARISONS)[name]
    run = getattr(operator, f"__{name}__")
    for dtype, (scalar, value) in product(DTYPES, VALUES.items()):
        check(function, scalar_dtype(function, dtype, scalar, False), run, ones(dtype), value)
        check(function, scalar_dtype(function, dtype, scalar, True), run, value, ones(dtype))


@pytest.mark.parametrize("name", [name for name in OPERATORS if name != "matmul"])
def test_an_operator_in_place_with_a_scalar_keeps_the_type_or_refuses(name: str) -> None:
    run = getattr(operator, f"__i{name}__")
    for dtype, value in product(DTYPES, VALUES.values()):
        expected = np.ones(2, dtype)
        wanted = numpys(run, expected, value)
        buffer = ones(dtype, 2)
        check(OPERATORS[name], wanted, run, buffer, value)
        np.testing.assert_array_equal(np.asarray(buffer), expected)


def test_scalars_take_the_kind_of_the_array_in_the_other_functions() -> None:
    condition = xp.asarray([True, False])
    for dtype, (scalar, value) in product(DTYPES, VALUES.items()):
        wanted = (
            with_scalar(dtype, scalar)
            if dtype in SCALARS[scalar]
            else np.result_type(np.dtype(dtype), value).name
        )
        assert xp.result_type(ones(dtype), value) == wanted, (dtype, scalar)
        assert xp.result_type(value, getattr(xp, dtype)) == wanted
        assert xp.where(condition, ones(dtype), value).dtype == wanted
        assert xp.where(condition, value, ones(dtype)).dtype == wanted
        if scalar is not complex and dtype in TAKES["real"] and dtype in SCALARS[scalar]:
            assert xp.clip(ones(dtype), value, value).dtype == dtype
            assert xp.searchsorted(ones(dtype, 3), value).item() == 3
        assert xp.isin(ones(dtype), value).dtype == xp.bool
        assert xp.isin(value, ones(dtype, 2)).shape == ()


@EAGER
@pytest.mark.parametrize("dtype", KINDS["integral"])
def test_a_scalar_beyond_the_range_is_refused_but_can_be_compared(
    dtype: str, eager_numel: int
) -> None:
    info = xp.iinfo(getattr(xp, dtype))
    with xp.config(eager_numel=eager_numel):
        x = ones(dtype, 2)
        for number in (info.max + 1, info.min - 1):
            for call in (
                lambda n: x + n,
                lambda n: n * x,
                lambda n: xp.maximum(x, n),
                lambda n: xp.bitwise_or(n, x),
                lambda n: xp.where(x == 1, x, n),
                lambda n: x.__iadd__(n),
                lambda n: x.__setitem__(0, n),
                lambda n: x.__setitem__(x == 1, n),
                lambda n: xp.full(2, n, dtype=x.dtype),
                lambda n: xp.full_like(x, n),
                lambda n: xp.asarray([n], dtype=x.dtype),
                lambda n: xp.clip(x, n, n),
            ):
                with pytest.raises(OnebufError, match=f"got {number}"):
                    call(number)
            assert xp.less(x, number).to_python() == [number > 0] * 2
            assert xp.not_equal(number, x).to_python() == [True] * 2
            assert xp.isin(x, number).to_python() == [False] * 2
            assert xp.isin(number, x, invert=True).to_python() is True
            assert xp.searchsorted(x, number).item() == (2 if number > 0 else 0)
        assert x.to_python() == [1, 1]


@pytest.mark.parametrize("name", BINARY)
def test_two_scalars_give_what_numpy_gives(name: str) -> None:
    found, wanted = getattr(xp, name)(3, 2), getattr(np, name)(3, 2)
    assert type(found) is Buffer
    assert (found.shape, found.dtype) == ((), wanted.dtype)
    np.testing.assert_allclose(np.asarray(found), wanted, 1e-15)


@pytest.mark.parametrize("name", BINARY)
def test_text_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} needs a buffer"):
        getattr(xp, name)(1, "2")
