"""Gradient mode: what is recorded where."""

from __future__ import annotations

from threading import Thread
from typing import Any

from onebuf import Buffer
from onebuf.capture.api import jit
from onebuf.tensor import Tensor, enable_grad, is_grad_enabled, no_grad, set_grad_enabled


def leaf() -> Tensor:
    return Tensor([1.0, 2.0], requires_grad=True)


def test_operations_on_leaves_are_recorded() -> None:
    assert (leaf() * 2).requires_grad
    assert not (Tensor([1.0]) * 2).requires_grad


def test_nothing_is_recorded_without_gradients() -> None:
    with no_grad():
        assert not (leaf() * 2).requires_grad
    assert is_grad_enabled()


def test_gradients_can_be_enabled_inside() -> None:
    with no_grad():
        with enable_grad():
            assert (leaf() * 2).requires_grad
        assert not is_grad_enabled()


def test_the_mode_is_restored_after_an_error() -> None:
    try:
        with Tensor.no_grad():
            raise KeyError("x")
    except KeyError:
        assert is_grad_enabled()


def test_a_function_can_be_decorated_and_calls_itself() -> None:
    @no_grad()
    def depth(n: int) -> list[bool]:
        return [is_grad_enabled(), *(depth(n - 1) if n else [])]

    assert depth(3) == [False] * 4
    assert is_grad_enabled()


def test_one_object_can_be_entered_twice() -> None:
    mode = set_grad_enabled(False)
    with mode, mode:
        assert not is_grad_enabled()
    assert is_grad_enabled()


def test_a_captured_function_is_captured_again_for_another_mode() -> None:
    factor = Tensor([1.0], requires_grad=True)

    @jit
    def scaled(x: Buffer) -> Any:
        y = factor * Tensor(x)
        return y.data * (2 if y.requires_grad else 3)

    x = Buffer([1.0])
    assert scaled(x).tolist() == [2.0]
    with no_grad():
        assert scaled(x).tolist() == [3.0]
    assert scaled(x).tolist() == [2.0]
    assert scaled.captures == 2


def test_the_mode_belongs_to_its_thread() -> None:
    seen = []
    with no_grad():
        thread = Thread(target=lambda: seen.append(is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]
