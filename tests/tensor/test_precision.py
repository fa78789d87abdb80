"""Mixed precision: which products are narrow, and what stays float32."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from tensor_differences import draw

from onebuf import Buffer
from onebuf.capture.api import jit
from onebuf.errors import DTypeError
from onebuf.tensor import Tensor, autocast, gelu, softmax


def leaf(*shape: int, seed: int = 0) -> Tensor:
    return Tensor(draw(*shape, seed=seed).astype(np.float32), requires_grad=True)


def narrow(x: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return x.numpy().astype(ml_dtypes.bfloat16).astype(np.float32)


def test_products_are_of_rounded_operands_and_sums_are_wide() -> None:
    x, y = leaf(4, 300), leaf(300, 5, seed=1)
    with autocast("bfloat16"):
        found = x @ y
    wanted = (narrow(x) @ narrow(y)).astype(ml_dtypes.bfloat16)
    assert found.dtype == ml_dtypes.bfloat16
    assert found.tolist() == wanted.astype(np.float32).tolist()


def test_gradients_of_parameters_stay_float32() -> None:
    x, y = leaf(4, 3), leaf(3, 5, seed=1)
    with autocast():
        loss = (x @ y).astype("float32").sum()
    loss.backward()
    assert x.grad is not None
    assert x.grad.dtype == np.float32
    np.testing.assert_allclose(x.grad.numpy(), narrow(y).sum(1)[None].repeat(4, 0), rtol=1e-2)


def test_other_operations_are_as_they_were() -> None:
    x = leaf(3)
    with autocast():
        assert (x * x).dtype == np.float32
        assert (x.astype("float64").reshape(1, 3) @ x.astype("float64")).dtype == np.float64


def test_outside_nothing_is_narrow() -> None:
    x = leaf(2, 2)
    with autocast():
        pass
    assert (x @ x).dtype == np.float32


@pytest.mark.parametrize("function", [softmax, gelu])
def test_functions_of_narrow_tensors_compute_in_float32(function: object) -> None:
    x = leaf(50)
    found = function(x.astype("bfloat16"))  # type: ignore[operator]
    wanted = function(Tensor(narrow(x)))  # type: ignore[operator]
    assert found.dtype == ml_dtypes.bfloat16
    assert found.tolist() == wanted.astype("bfloat16").tolist()


def test_other_types_are_refused() -> None:
    with pytest.raises(DTypeError, match="bfloat16 or float16, got float64"), autocast("float64"):
        pass


def test_a_captured_function_is_captured_again_for_another_precision() -> None:
    product = jit(lambda x: (Tensor(x) @ Tensor(x)).data)
    x = Buffer(draw(2, 2).astype(np.float32))
    assert product(x).dtype == np.float32
    with autocast():
        assert product(x).dtype == ml_dtypes.bfloat16
    assert product(x).dtype == np.float32
