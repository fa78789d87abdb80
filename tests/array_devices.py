"""Array libraries as devices, and values on which they could differ from NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onebuf import dtypes, machine
from onebuf.backends.numpy.loops import run_into
from onebuf.graph import Op
from onebuf.ops import quietly

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]

PRECISION = {
    "float8_e4m3fn": 0.13,
    "float8_e5m2": 0.26,
    "bfloat16": 1.6e-2,
    "float16": 2e-3,
    "float32": 2e-5,
    "float64": 1e-11,
    "complex64": 2e-5,
    "complex128": 1e-11,
}
"""How far functions may be apart whose last bits are a choice."""

_COMPILED = {"int32", "float32"}
_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 3.75, 100.0, 7.0, np.inf, -np.inf, np.nan]
_COMPLEX = [0.0, 1.0, -1.0, 1j, -1j, 0.5 + 0.25j, -2.5 + 1j, 3 - 4j, -0.75 - 0.5j, 1 + 2j]


@pytest.fixture(scope="session", params=["TORCH", "JAX"])
def driver(request: pytest.FixtureRequest) -> Any:
    """The driver of each library."""
    return opened(request.param)


def opened(kind: str) -> Any:
    """The driver of a library, which has to be installed."""
    pytest.importorskip(kind.lower(), reason=f"{kind.lower()} is not installed")
    return machine.device(kind).driver


def is_left_out(driver: Any, dtype: DT, number: int | None = None) -> bool:
    """Whether a dtype is not tried: jax compiles each operation for each, which takes its time.

    Operations that have a number are tried there with one dtype more, each with another.
    """
    if driver.library != "jax" or dtype.name in _COMPILED:
        return False
    return number is None or dtypes.ALL[number % len(dtypes.ALL)] != dtype


def values(dtype: DT) -> Array:
    """The numbers of a dtype at which something could go wrong, flat."""
    letter = dtypes.kind(dtype)
    if letter == "b":
        return np.array([False, True])
    if letter in "iu":
        info = np.iinfo(dtype)
        found = [0, 1, 2, 3, 7, 31, 40, 63, 64, 100, info.max, info.max - 1, info.min]
        found += [-1, -2, -7, info.min + 1] if letter == "i" else [info.max // 2 + 1]
        return np.array(found, object).astype(dtype)
    return np.array(_FLOATS if letter == "f" else _COMPLEX).astype(dtype)


def pairs(one: DT, two: DT) -> tuple[Array, Array]:
    """Every pair of such numbers, flat."""
    x, y = np.meshgrid(values(one), values(two))
    return x.reshape(-1), y.reshape(-1)


def on_numpy(
    op: Op, operands: tuple[Array, ...], arg: Any, shape: tuple[int, ...], dtype: DT
) -> Array:
    """What NumPy makes of it."""
    out = np.empty(shape, dtype)
    quietly(run_into, op, operands, arg, out)
    return out


def on_library(
    driver: Any, op: Op, operands: tuple[Array, ...], arg: Any, shape: tuple[int, ...], dtype: DT
) -> Array:
    """What a library makes of it, on the host again."""
    blocks = [driver.put(operand) for operand in operands]
    natives = [driver.native(b, x.dtype) for b, x in zip(blocks, operands, strict=True)]
    block = driver.compute(op, tuple(natives), arg, shape, dtype)
    return np.array(driver.get(driver.native(block, dtype)))


def assert_same(got: Array, wanted: Array, precision: float = 0.0, what: Any = "") -> None:
    """The same shape, dtype and elements, signs of zeros and NaNs included."""
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype), what
    if wanted.dtype.kind == "c":
        assert_same(got.real, wanted.real, precision, what)
        assert_same(got.imag, wanted.imag, precision, what)
        return
    if dtypes.kind(wanted.dtype) != "f":
        np.testing.assert_array_equal(got, wanted, str(what))
        return
    wide, want = got.astype(np.float64), wanted.astype(np.float64)
    if precision:
        np.testing.assert_allclose(wide, want, precision, precision, err_msg=str(what))
    else:
        np.testing.assert_array_equal(wide, want, str(what))
        known = ~np.isnan(want)
        np.testing.assert_array_equal(
            np.signbit(wide)[known], np.signbit(want)[known], f"signs of {what}"
        )
