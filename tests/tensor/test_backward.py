"""Backward: gradients of leaves, and what cannot be asked for."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from tensor_differences import check_gradients, draw, leaf

from onebuf.errors import GradientError, ShapeError
from onebuf.tensor import Function, Tensor, no_grad, recorded


def grad_of(x: Tensor) -> list[float]:
    assert x.grad is not None
    return x.grad.tolist()  # type: ignore[no-any-return]


def test_gradients_add_up_over_all_paths() -> None:
    x = leaf([2.0])
    y = x * x
    (y * x + y).sum().backward()
    assert grad_of(x) == [3 * 4 + 2 * 2]


def test_gradients_add_up_over_calls() -> None:
    x = leaf([2.0])
    (x * 3).sum().backward()
    (x * 4).sum().backward()
    assert grad_of(x) == [7.0]


def test_a_leaf_is_its_own_gradient() -> None:
    x = leaf([2.0, 3.0])
    x.backward([1.0, 5.0])
    assert grad_of(x) == [1.0, 5.0]


def test_gradients_have_memory_of_their_own() -> None:
    class Sum(Function):
        def forward(self, x: Any, y: Any) -> Any:
            return x + y

        def backward(self, gradient: Any) -> Any:
            return gradient, gradient

    x, y, z, seed = leaf([1.0]), leaf([1.0]), leaf([1.0]), Tensor(np.array([1.0]))
    Sum.apply(x, y).backward(seed)
    z.backward(seed)
    for tensor in (x, z):
        assert tensor.grad is not None
        tensor.grad.data[...] = 9.0
    assert grad_of(y) == [1.0]
    assert seed.tolist() == [1.0]


def test_gradients_have_the_dtype_of_their_leaves() -> None:
    x, y = leaf([2.0], "float32"), leaf([3.0], "float64")
    (x * y).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.dtype, y.grad.dtype) == (np.float32, np.float64)


def test_only_leaves_that_require_it_get_a_gradient() -> None:
    x, y = leaf([2.0]), Tensor([3.0])
    z = x * y
    z.sum().backward()
    assert y.grad is None
    assert z.grad is None


def test_other_tensors_keep_their_gradient_on_demand() -> None:
    x = leaf([2.0])
    y = x * 3
    y.retain_grad()
    (y * y).sum().backward()
    assert grad_of(y) == [12.0]
    assert grad_of(x) == [36.0]


def test_broadcast_operands_get_gradients_of_their_shape() -> None:
    check_gradients(lambda x, y: x * y + y, draw(2, 3), draw(3))


def test_results_of_several_parts_have_gradients_each() -> None:
    x, y = leaf([7.0]), leaf([2.0])
    product, rest = both(x, y)
    (rest * 5 + product).sum().backward()
    assert grad_of(x) == [5.0 + 2.0]
    assert grad_of(y) == [-15.0 + 7.0]


def test_a_part_that_is_not_used_counts_as_zero() -> None:
    x, y = leaf([7.0]), leaf([2.0])
    _, rest = both(x, y)
    rest.sum().backward()
    assert grad_of(x) == [1.0]


@recorded
def both(x: Any, y: Any) -> Any:
    return x * y, x - y * 3


def test_every_call_is_gone_through_once() -> None:
    calls = []

    class Counted(Function):
        def forward(self, x: Any) -> Any:
            return x * 2

        def backward(self, gradient: Any) -> Any:
            calls.append(gradient)
            return gradient * 2

    x = leaf([1.0])
    early = x * 1
    late = Counted.apply(early * 1 * 1 * 1)
    ((early + late) * 1 + late * 1).sum().backward()
    assert len(calls) == 1
    assert grad_of(x) == [5.0]


def test_a_chain_of_thousands_needs_no_recursion() -> None:
    x = y = leaf([1.0])
    for _ in range(3000):
        y = y + 1
    y.sum().backward()
    assert grad_of(x) == [1.0]


def test_what_was_recorded_is_given_up() -> None:
    x = leaf(draw(10))
    y = x.exp()
    kept = weakref.ref(y.data)
    z = y.sum()
    z.backward()
    del y
    gc.collect()
    assert kept() is None


def test_gradients_are_computed_when_backward_returns() -> None:
    x = leaf(draw(300, 300))
    (x.exp() * x).sum().backward()
    assert x.grad is not None
    assert x.grad.data.is_realized


def test_an_error_leaves_gradients_as_they_were() -> None:
    x = leaf([1.0])
    y = x * 2
    z = y.exp()
    (z * 1).sum().backward()
    before = grad_of(x)
    with pytest.raises(GradientError):
        (z + x).sum().backward()
    assert grad_of(x) == before


# -- wrong use -------------------------------------------------------------------------------------


def test_several_elements_need_a_gradient() -> None:
    x = leaf([1.0, 2.0])
    with pytest.raises(GradientError, match=r"got shape \(2,\) at .*test_backward.py:\d+: \(x \*"):
        (x * 2).backward()


def test_a_gradient_needs_the_shape_of_its_tensor() -> None:
    with pytest.raises(ShapeError, match=r"needs the shape \(2,\), got \(3,\)"):
        (leaf([1.0, 2.0]) * 2).backward([1.0, 2.0, 3.0])


def test_what_requires_no_gradient_has_none() -> None:
    x = leaf([1.0])
    with no_grad():
        y = x * 2
    with pytest.raises(GradientError, match=r"this one, at .*y\.backward\(\), does not"):
        y.backward()


def test_a_second_backward_names_the_line_that_it_cannot_go_through() -> None:
    y = (leaf([1.0]) * 2).sum()
    y.backward()
    with pytest.raises(GradientError, match=r"went through sum at .*test_backward.py:\d+: y = "):
        y.backward()


def test_a_second_backward_can_be_prepared() -> None:
    x = leaf([3.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert grad_of(x) == [12.0]


def test_a_part_that_was_given_up_is_named_too() -> None:
    x = leaf([1.0])
    shared = x.exp()
    (shared * 2).sum().backward()
    with pytest.raises(GradientError, match=r"through exp at .*shared = x\.exp\(\)"):
        (shared * 3).sum().backward()
