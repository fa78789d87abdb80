"""Every elementwise operation on every dtype, on torch and on jax: what NumPy has is what comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_devices import PRECISION, assert_same, driver, on_library, on_numpy, pairs, values

from onebuf import dtypes
from onebuf.engine.elementary import INEXACT
from onebuf.errors import DTypeError
from onebuf.graph import BINARY, UNARY, Op, elementwise_dtype

pytestmark = pytest.mark.interop
__all__ = ["driver"]

FREE = {"maximum", "minimum", "nextafter", "sign"}
"""Where NumPy's own loops disagree on the sign of a zero."""
COMPILED = {"bool", "int8", "int32", "uint64", "bfloat16", "float32", "float64", "complex64"}
"""What is tried on jax, which compiles each operation for each dtype."""

each_dtype = pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)


def check(driver: Any, op: Op, arrays: tuple[Any, ...], dtype: Any) -> None:
    inexact = op in INEXACT or arrays[0].dtype.kind == "c"
    precision = PRECISION.get(dtype.name, 0.0) if inexact else 0.0
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    wanted = on_numpy(op, arrays, None, shape, dtype)
    got = on_library(driver, op, arrays, None, shape, dtype)
    if op.name in FREE and dtypes.kind(dtype) == "f":
        got, wanted = (np.where(x == 0, np.zeros_like(x), x) for x in (got, wanted))
    assert_same(got, wanted, precision, (op, [x.dtype.name for x in arrays]))


def is_left_out(driver: Any, dtype: Any) -> bool:
    return driver.library == "jax" and dtype.name not in COMPILED


def result_of(op: Op, *operands: Any) -> Any:
    """The dtype of a result; None where there is none."""
    try:
        return elementwise_dtype(op, *operands)
    except DTypeError:
        return None


@each_dtype
@pytest.mark.parametrize("name", sorted(UNARY))
def test_functions_of_one_operand(driver, name, dtype):
    op = UNARY[name]
    result = result_of(op, dtype)
    if result is None or is_left_out(driver, dtype):
        return
    x = values(dtype)
    if name == "reciprocal" and dtype.kind in "iub":
        x = x[x != 0]  # of which NumPy makes whatever the processor makes
    check(driver, op, (x,), result)


@each_dtype
@pytest.mark.parametrize("name", sorted(BINARY))
def test_functions_of_two_operands(driver, name, dtype):
    op = BINARY[name]
    result = result_of(op, dtype, dtype)
    if result is None or is_left_out(driver, dtype):
        return
    x, y = pairs(dtype, dtype)
    if name == "pow" and dtype.kind == "i":
        x, y = x[y >= 0], y[y >= 0]
    if name == "pow" and dtype.kind == "c":
        x, y = x[x != 0], y[x != 0]
    if name == "nextafter" and dtype.name.startswith("float8"):
        with pytest.raises(DTypeError, match="to_device"):
            check(driver, op, (x, y), result)
        return
    check(driver, op, (x, y), result)
