"""Functions that a program writes: what they are given, and what they have to give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensor_differences import check_gradients, draw

from onebuf import Buffer
from onebuf.errors import ArgumentTypeError, ShapeError
from onebuf.tensor import Function, Tensor, no_grad


class Scaled(Function):
    """``x * y``, where ``y`` may be a number."""

    def forward(self, x: Any, y: Any, *, power: int = 1) -> Any:
        self.saved = (x, y, power)
        return (x * y) ** power

    def backward(self, gradient: Any) -> Any:
        x, y, power = self.saved
        outer = gradient * power * (x * y) ** (power - 1)
        return (
            outer * y if self.needs_input_grad[0] else None,
            outer * x if self.needs_input_grad[1] else None,
        )


def test_forward_and_backward_of_the_program_are_used() -> None:
    check_gradients(lambda x, y: Scaled.apply(x, y, power=3), draw(4), draw(4, seed=1))


def test_a_function_knows_which_gradients_are_wanted() -> None:
    seen = []

    class Looks(Function):
        def forward(self, *args: Any) -> Any:
            seen.append((self.needs_input_grad, str(self.device), self.metadata.name))
            return args[0] * 1

        def backward(self, gradient: Any) -> Any:
            return gradient, None, None

    Looks.apply(Tensor([1.0], requires_grad=True), Tensor([1.0]), 3.0)
    assert seen == [((True, False, False), "CPU", "Looks")]


def test_metadata_names_the_line_of_the_call() -> None:
    y = Scaled.apply(Tensor([1.0], requires_grad=True), 2.0)
    function, place = y._source
    assert place == 0
    assert "test_function.py" in str(function.metadata)
    assert "y = Scaled.apply" in str(function.metadata)


def test_forward_gets_buffers() -> None:
    kinds = []

    class Kinds(Function):
        def forward(self, *args: Any) -> Any:
            kinds.extend([type(x) for x in args])
            return args[0]

    Kinds.apply(Tensor([1.0]), 2.0)
    assert kinds == [Buffer, float]


def test_numbers_have_no_gradient() -> None:
    x = Tensor([3.0], requires_grad=True)
    Scaled.apply(x, 2.0).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0]


def test_several_results_have_a_gradient_each() -> None:
    class Both(Function):
        def forward(self, x: Any) -> Any:
            return x * 2, x * 3

        def backward(self, one: Any, two: Any) -> Any:
            return one * 2 + two * 3

    x = Tensor([1.0], requires_grad=True)
    one, two = Both.apply(x)
    (one + two * 10).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [32.0]


def test_a_function_is_a_step_among_others() -> None:
    check_gradients(lambda x: (Scaled.apply(x.exp(), x) + x).tanh(), draw(3))


def test_a_subclass_of_tensor_stays_one() -> None:
    class Named(Tensor):
        pass

    x = Named([1.0], requires_grad=True)
    assert type(Scaled.apply(x, 2.0)) is Named
    assert type(x + 1) is Named
    (x * 2).sum().backward()
    assert type(x.grad) is Named


def test_integer_results_require_no_gradient() -> None:
    class Order(Function):
        def forward(self, x: Any) -> Any:
            return x, x.argmax()

        def backward(self, gradient: Any, _: Any) -> Any:
            return gradient

    x = Tensor([1.0, 5.0], requires_grad=True)
    same, place = Order.apply(x)
    assert not place.requires_grad
    same.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 1.0]


def test_nothing_is_kept_where_no_gradient_is_wanted() -> None:
    with no_grad():
        y = Scaled.apply(Tensor([1.0], requires_grad=True), 2.0)
    assert y.is_leaf


def test_a_function_without_backward_says_so() -> None:
    class Half(Function):
        def forward(self, x: Any) -> Any:
            return x * 0.5

    y = Half.apply(Tensor([1.0], requires_grad=True))
    with pytest.raises(NotImplementedError, match=r"Half needs a method backward.*Half at .*y = "):
        y.backward()
    with pytest.raises(NotImplementedError, match="needs a method forward"):
        Function.apply(Tensor([1.0]))


def test_too_few_gradients_are_refused() -> None:
    class Short(Function):
        def forward(self, x: Any, y: Any) -> Any:
            return x * y

        def backward(self, gradient: Any) -> Any:
            return gradient

    y = Short.apply(Tensor([1.0], requires_grad=True), Tensor([1.0]))
    with pytest.raises(ArgumentTypeError, match="for each of 2 arguments, got 1"):
        y.backward()


def test_a_gradient_of_another_shape_is_refused() -> None:
    class Wrong(Function):
        def forward(self, x: Any) -> Any:
            return x.sum()

        def backward(self, gradient: Any) -> Any:
            return gradient

    with pytest.raises(ShapeError, match=r"shape \(2,\), got \(\)"):
        Wrong.apply(Tensor([1.0, 2.0], requires_grad=True)).backward()


def test_apply_needs_a_tensor() -> None:
    with pytest.raises(ArgumentTypeError, match="needs a tensor among its arguments, got float"):
        Scaled.apply(1.0)


def test_forward_has_to_give_buffers() -> None:
    class Array(Function):
        def forward(self, x: Any) -> Any:
            return np.ones(2)

    with pytest.raises(ArgumentTypeError, match="needs to give buffers, got ndarray"):
        Array.apply(Tensor([1.0]))
