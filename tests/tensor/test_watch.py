"""Watches: elements that were changed between an operation and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.capture.api import jit
from onebuf.errors import ChangedError
from onebuf.tensor import Function, Tensor, no_grad
from onebuf.tensor.watch import Watch


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (300, 300), (0, 2)])
def test_a_watch_sees_a_write(shape: tuple[int, ...]) -> None:
    x = Buffer.zeros(shape).realize()
    watch = Watch(x._node)
    x.sum().realize()
    np.asarray(x)
    assert not watch.was_written
    x[...] = 1.0
    assert watch.was_written


@pytest.mark.parametrize("device", ["CPU", "OPENCL", "NULL"])
def test_a_watch_sees_a_write_on_a_device(device: str) -> None:
    x = Buffer.ones((4,)).to_device(device)
    watch = Watch(x._node)
    assert not watch.was_written
    x += 1
    assert watch.was_written


def test_a_watch_sees_a_write_through_a_view() -> None:
    x = Buffer([1.0, 2.0, 3.0])
    watch = Watch(x._node)
    x[1:][1] = 5.0
    assert watch.was_written


def test_a_watch_of_what_is_pending_sees_a_write_after_it_was_computed() -> None:
    x = Buffer.ones((300, 300)).exp()
    watch = Watch(x._node)
    x.realize()
    assert not watch.was_written
    x[0] = 0.0
    assert watch.was_written


def test_a_gradient_that_needs_what_was_changed_is_refused_with_the_line() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    x.data[...] = 5.0
    with pytest.raises(ChangedError, match=r"gradient of multiply at .*test_watch.py:\d+: y = "):
        y.backward()
    assert x.grad is None


def test_a_gradient_that_does_not_need_it_is_right() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = (x * 3 + x).sum()
    with no_grad():
        x += 5
    y.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [4.0, 4.0]


def test_the_other_operand_counts_too() -> None:
    x, factor = Tensor([1.0], requires_grad=True), Tensor([2.0])
    y = (x * factor).sum()
    factor += 1
    with pytest.raises(ChangedError, match="multiply"):
        y.backward()


def test_a_result_that_its_own_gradient_needs_counts_too() -> None:
    x = Tensor([1.0], requires_grad=True)
    y = x.exp()
    z = y.sum()
    y.data[...] = 0.0
    with pytest.raises(ChangedError, match="gradient of exp"):
        z.backward()


def test_a_change_in_place_of_what_a_gradient_needs_is_refused() -> None:
    x, y = Tensor([1.0], requires_grad=True), Tensor([2.0], requires_grad=True)
    z = x * 3
    z *= y
    with pytest.raises(ChangedError, match=r"z \*= y"):
        z.sum().backward()


def test_a_tensor_that_is_not_what_was_computed_cannot_be_used() -> None:
    y = Tensor([1.0], requires_grad=True) * 2
    y.data[...] = 0.0
    with pytest.raises(ChangedError, match=r"add at .*y \+ 1.* since multiply at .*made it"):
        y + 1
    assert (y.detach() + 1).tolist() == [1.0]


def test_what_a_function_saved_counts_too() -> None:
    class Square(Function):
        def forward(self, x: Any) -> Any:
            self.saved = (x,)
            return x * x

        def backward(self, gradient: Any) -> Any:
            return gradient * 2 * self.saved[0]

    x = Tensor([3.0], requires_grad=True)
    y = Square.apply(x)
    x.data[...] = 1.0
    with pytest.raises(ChangedError, match="gradient of Square"):
        y.backward()


def test_inside_a_captured_function_a_change_is_refused_too() -> None:
    @jit
    def step(given: Buffer) -> Buffer:
        x = Tensor(given, requires_grad=True)
        y = (x * x).sum()
        given += 1
        y.backward()
        assert x.grad is not None
        return x.grad.data

    with pytest.raises(ChangedError, match="multiply"):
        step(onebuf.asarray([1.0, 2.0]))
