"""pint quantities whose magnitudes are buffers."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pint
import pytest

import onebuf
from onebuf import Buffer

UNITS = pint.UnitRegistry()
pint.set_application_registry(UNITS)
Q = UNITS.Quantity
A = np.arange(1.0, 13.0).reshape(3, 4)


def edited(a: Any) -> Any:
    q = Q(a, "m")
    q[0, 0] = Q(5, "cm")
    q[1:] += Q(10, "cm")
    q *= 2
    return q


def fall(height: Any) -> Any:
    """How fast something hits the ground, in km/h."""
    g = Q(9.81, "m/s**2")
    time = np.sqrt(2 * Q(height, "cm") / g)
    return (g * time).to("km/hour")


def filled(a: Any) -> Any:
    q = Q(a, "m")
    q.fill(Q(1, "cm"))
    return q


def converted(a: Any) -> Any:
    q = Q(a, "m")
    q.ito("km")
    return q


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "wrapping": lambda a: Q(a, "m"),
    "times a unit": lambda a: a * UNITS.m,
    "a unit times": lambda a: UNITS.m * a,
    "times a quantity": lambda a: a * Q(2, "m"),
    "conversion": lambda a: Q(a, "m").to("cm"),
    "conversion in place": converted,
    "temperatures": lambda a: Q(a, "degC").to("kelvin"),
    "base units": lambda a: Q(a, "km/hour").to_base_units(),
    "sum of units": lambda a: Q(a, "m") + Q(a, "cm") - Q(1, "mm"),
    "quotient": lambda a: Q(a, "m") / Q(a + 1, "s"),
    "power": lambda a: Q(a, "m") ** 2,
    "sign": lambda a: abs(-Q(a, "m")),
    "comparison": lambda a: Q(a, "m") > Q(300, "cm"),
    "ufuncs": lambda a: np.sin(Q(a, "degree")) + np.exp(Q(a, "m") / Q(20, "m")),
    "arctan2": lambda a: np.arctan2(Q(a, "m"), Q(a, "cm")),
    "free fall": fall,
    "reductions": lambda a: Q(a, "m").sum() + Q(a, "m").max() - Q(a, "cm").mean(),
    "reductions of NumPy": lambda a: np.sum(Q(a, "m"), axis=0) + np.mean(Q(a, "cm"), axis=0),
    "spread": lambda a: np.std(Q(a, "m"), axis=1) + Q(a, "m").std(),
    "product": lambda a: Q(a, "m").prod(),
    "median": lambda a: np.median(Q(a, "m"), axis=0),
    "cumsum": lambda a: np.cumsum(Q(a, "m")),
    "indexing": lambda a: Q(a, "m")[1:, ::2],
    "writing": edited,
    "filling": filled,
    "clip": lambda a: Q(a, "m").clip(Q(2, "m"), Q(500, "cm")),
    "concatenate": lambda a: np.concatenate([Q(a, "m"), Q(a, "cm")]),
    "stack": lambda a: np.stack([Q(a, "m"), Q(a, "cm")]),
    "where": lambda a: np.where(Q(a, "m") > Q(3, "m"), Q(a, "m"), Q(0, "m")),
    "matmul": lambda a: Q(a, "m") @ Q(a.T, "s"),
    "dot": lambda a: np.dot(Q(a, "m"), Q(a.T, "s")),
    "einsum": lambda a: np.einsum("ij,kj->ik", Q(a, "m"), Q(a, "s")),
    "transpose": lambda a: Q(a, "m").T.reshape(2, 6).ravel(),
    "integral": lambda a: np.trapezoid(Q(a, "m"), dx=Q(1, "s"), axis=0),
    "gradient": lambda a: np.gradient(Q(a, "m"), Q(1, "s"), axis=0),
    "interpolation": lambda a: np.interp(Q(a[0] + 0.5, "m"), Q(a[0], "m"), Q(a[0], "s")),
    "sorting": lambda a: np.sort(Q(-a, "m")),
    "searching": lambda a: np.searchsorted(Q(a[0], "m"), Q(250, "cm")),
    "isclose": lambda a: np.isclose(Q(a, "m"), Q(a * 100, "cm")),
    "pad": lambda a: np.pad(Q(a, "m"), 1),
    "without dimension": lambda a: (Q(a, "m") / Q(2, "cm")).to(""),
    "wrapped function": lambda a: UNITS.wraps("m", "cm")(lambda x: x + 1)(Q(a, "m")),
    "deepcopy": lambda a: copy.deepcopy(Q(a, "m")),
    "pickle": lambda a: pickle.loads(pickle.dumps(Q(a, "m"))),
}


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_same_quantity_in_a_buffer(name: str, eager_numel: int) -> None:
    wanted = PROGRAMS[name](A.copy())
    with onebuf.config(eager_numel=eager_numel):
        got = PROGRAMS[name](onebuf.asarray(A, copy=True))
    magnitude = getattr(got, "magnitude", got)
    assert type(magnitude) is Buffer
    assert getattr(got, "units", None) == getattr(wanted, "units", None)
    np.testing.assert_allclose(np.asarray(magnitude), getattr(wanted, "magnitude", wanted))


def test_a_quantity_shares_the_buffer() -> None:
    x = onebuf.asarray(A, copy=True)
    q = Q(x, "m")
    assert q.magnitude is x
    q[0, 0] = Q(50, "cm")
    assert x[0, 0].item() == 0.5


def test_a_pending_buffer_stays_pending() -> None:
    x = onebuf.asarray(np.ones((300, 400))) * 2
    q = (Q(x, "m") + Q(1, "cm")).to("cm")
    total = np.sum(q, axis=0)
    assert not x.is_realized
    np.testing.assert_allclose(np.asarray(total.magnitude), 300 * 201.0)


def test_wrong_units_are_pints_error_and_change_nothing() -> None:
    x = onebuf.asarray(A, copy=True)
    q = Q(x, "m")
    with pytest.raises(pint.DimensionalityError):
        q + Q(1, "s")
    with pytest.raises(pint.DimensionalityError):
        q[0] = Q(1, "s")
    np.testing.assert_array_equal(np.asarray(x), A)


def test_a_quantity_is_written_out() -> None:
    q = Q(onebuf.asarray([1.0, 2.5]), "m")
    assert str(q) == "[1.  2.5] meter"
    assert f"{q:~P}" == "[1.  2.5] m"
    assert repr(q) == "<Quantity([1.  2.5], 'meter')>"
