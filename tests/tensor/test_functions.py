"""Functions of tensors and activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tensor_differences import check_gradients, draw

import onebuf
from onebuf import Buffer
from onebuf.errors import ArgumentError
from onebuf.tensor import (
    Tensor,
    concat,
    einsum,
    gelu,
    log_softmax,
    logsumexp,
    recorded,
    relu,
    sigmoid,
    silu,
    softmax,
    stack,
    take_along_axis,
    where,
)

ACTIVATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "relu": (relu, lambda x: np.maximum(x, 0)),
    "sigmoid": (sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "silu": (silu, lambda x: x / (1 + np.exp(-x))),
    "softmax": (softmax, lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
    "log_softmax": (log_softmax, lambda x: x - np.log(np.exp(x).sum(-1, keepdims=True))),
    "logsumexp": (logsumexp, lambda x: np.log(np.exp(x).sum(-1))),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_their_formulas(name: str) -> None:
    function, formula = ACTIVATIONS[name]
    x = draw(3, 5)
    np.testing.assert_allclose(function(Tensor(x)).numpy(), formula(x), rtol=1e-12)
    np.testing.assert_allclose(getattr(Tensor(x), name)().numpy(), formula(x), rtol=1e-12)
    check_gradients(function, x)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_both_forms_of_gelu_have_their_gradient(approximate: str) -> None:
    check_gradients(lambda x: gelu(x, approximate), draw(6))
    with pytest.raises(ArgumentError, match="'none' or 'tanh', got 'exact'"):
        gelu(Tensor([1.0]), "exact")


@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_large_numbers_do_not_overflow(function: Any) -> None:
    x = Tensor([1000.0, 1000.0, -1000.0], requires_grad=True)
    y = function(x)
    assert np.isfinite(y.numpy()[:2]).all()
    y[0].backward()
    assert x.grad is not None
    assert np.isfinite(x.grad.numpy()).all()


def test_sums_of_powers_of_nothing_are_minus_infinity() -> None:
    assert logsumexp(Tensor([-np.inf, -np.inf])).item() == -np.inf


def test_another_axis_can_be_chosen() -> None:
    check_gradients(lambda x: softmax(x, 0) + log_softmax(x, 0) + logsumexp(x, 0), draw(3, 2))


def test_joined_tensors_get_their_parts_of_the_gradient() -> None:
    check_gradients(lambda x, y: concat([x, y * 2], 1), draw(2, 3), draw(2, 1))
    check_gradients(lambda x, y: concat([x, y], None), draw(2, 3), draw(1))
    check_gradients(lambda x, y: stack([x, y, x], 1), draw(2, 3), draw(2, 3, seed=1))


def test_a_choice_has_the_gradient_of_what_was_chosen() -> None:
    x = draw(4)
    check_gradients(lambda a, b: where(Tensor(x > 0), a, b), x, draw(4, seed=1))
    check_gradients(lambda a: where(a > 0, a * 2, -1.0), x)
    with pytest.raises(ArgumentError, match="needs a tensor among x and y"):
        where(Tensor([True]), 1.0, 2.0)


def test_elements_picked_along_an_axis_have_gradients() -> None:
    places = Tensor([[0, 2], [1, 1]])
    check_gradients(lambda x: take_along_axis(x, places, 1), draw(2, 3))


def test_sums_of_products_have_gradients() -> None:
    check_gradients(lambda x, y: einsum("bij,bjk->bik", x, y), draw(2, 3, 4), draw(2, 4, 2))


def test_functions_of_buffers_give_buffers() -> None:
    found = softmax(Buffer([1.0, 1.0]))
    assert isinstance(found, Buffer)
    gradient = onebuf.grad(lambda x: softmax(x)[0] * 4)(onebuf.asarray([0.0, 0.0]))
    assert gradient.tolist() == [1.0, -1.0]


def test_a_function_of_many_operations_is_one_call() -> None:
    @recorded
    def polynomial(x: Any, *, factor: float) -> Any:
        return (x * x + x * factor).sum()

    x = Tensor([1.0, 2.0], requires_grad=True)
    y = polynomial(x, factor=3.0)
    assert y._source is not None
    function, _ = y._source
    assert function.metadata.name == "polynomial"
    assert function.edges == (x,)
    y.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [5.0, 7.0]


def test_tensors_are_found_in_containers_and_keywords() -> None:
    @recorded
    def total(parts: Any, *, extra: Any) -> Any:
        return parts["a"][0] * extra

    x, y = (Tensor([v], requires_grad=True) for v in (2.0, 3.0))
    total({"a": [x]}, extra=y).backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.item(), y.grad.item()) == (3.0, 2.0)
