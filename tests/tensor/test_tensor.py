"""Tensors: what they hold, and what can be done with them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, pytree
from onebuf.errors import CopyError, DTypeError, GradientError, ShapeError
from onebuf.tensor import Tensor, no_grad


def test_a_tensor_shares_the_buffer_that_it_is_made_of() -> None:
    buffer = Buffer([1.0, 2.0])
    assert Tensor(buffer).data is buffer
    assert Tensor(Tensor(buffer)).data is buffer


def test_facts_are_those_of_the_elements() -> None:
    x = Tensor([[1, 2, 3]], dtype="float64")
    assert (x.shape, x.dtype, x.ndim, x.numel, len(x)) == ((1, 3), np.float64, 2, 3, 1)
    assert str(x.device) == "CPU"


def test_integers_cannot_require_a_gradient() -> None:
    with pytest.raises(DTypeError, match="floating elements, got int32"):
        Tensor([1, 2], requires_grad=True)
    with pytest.raises(DTypeError, match="floating"):
        Tensor([1, 2]).requires_grad_()


def test_only_leaves_can_stop_requiring_a_gradient() -> None:
    x = Tensor([1.0], requires_grad=True)
    y = x * 2
    with pytest.raises(GradientError, match=r"made by multiply at .*y = x \* 2"):
        y.requires_grad = False
    x.requires_grad = False
    assert not (x * 2).requires_grad


def test_detached_tensors_share_elements_and_record_nothing() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x.detach()
    y.data[0] = 5.0
    assert x.tolist() == [5.0, 2.0]
    assert y.is_leaf
    assert not y.requires_grad


def test_a_gradient_can_be_set_from_a_buffer() -> None:
    x = Tensor([1.0], requires_grad=True)
    x.grad = Buffer([3.0])
    assert isinstance(x.grad, Tensor)
    x.zero_grad()
    assert x.grad is None


def test_data_can_be_replaced() -> None:
    x = Tensor([1.0], requires_grad=True)
    x.data = Buffer([4.0])
    (x * x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [8.0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tensor.zeros((2, 3)),
        lambda: Tensor.ones((2, 3)),
        lambda: Tensor.full((2, 3), 7.0),
        lambda: Tensor.uniform((2, 3)),
        lambda: Tensor.normal((2, 3)),
    ],
)
def test_factories_give_float32_of_the_shape(make: Any) -> None:
    made = make()
    assert (made.shape, made.dtype) == ((2, 3), np.float32)


def test_one_element_is_a_python_number() -> None:
    x = Tensor([[2.0]], requires_grad=True)
    assert (x.item(), float(x), int(x), bool(x)) == (2.0, 2.0, 2, True)
    assert [10, 20, 30][Tensor(1)] == 20


def test_iterating_gives_tensors_with_gradients() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    first, second = x
    (first * second).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_tensors_are_told_apart_by_identity_in_sets() -> None:
    x, y = Tensor([1.0]), Tensor([1.0])
    assert len({x, y, x}) == 2
    assert (x == y).tolist() == [True]


def test_the_text_says_what_differs_from_the_usual() -> None:
    assert repr(Tensor([1.0], requires_grad=True)) == "Tensor([1.], requires_grad=True)"
    assert repr(Tensor([1])) == "Tensor([1], dtype=int32)"


# -- other libraries -------------------------------------------------------------------------------


@pytest.mark.parametrize("left", [Buffer([2.0]), np.ones(1, np.float32) * 2, 2.0, np.float32(2)])
def test_the_other_operand_may_come_first(left: Any) -> None:
    x = Tensor([3.0], requires_grad=True)
    y = left * x
    assert isinstance(y, Tensor)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0]


def test_functions_of_numpy_are_recorded() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = np.concatenate([np.exp(x), x])
    assert isinstance(y, Tensor)
    y.sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), np.exp([1, 2]) + 1, rtol=1e-6)


def test_an_array_is_made_only_of_what_requires_no_gradient() -> None:
    x = Tensor([1.0], requires_grad=True)
    with pytest.raises(CopyError, match=r"requires one, at .*np\.asarray\(x\).*use x\.numpy\(\)"):
        np.asarray(x)
    assert x.numpy().tolist() == [1.0]
    with no_grad():
        assert np.asarray(x).tolist() == [1.0]


def test_quotients_and_remainders_come_together() -> None:
    x = Tensor([7.0], requires_grad=True)
    quotient, rest = divmod(x, 2)
    assert (quotient.tolist(), rest.tolist()) == ([3.0], [1.0])
    assert [part.tolist() for part in divmod(15, x)] == [[2.0], [1.0]]
    rest.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0]


def test_what_is_no_operand_is_refused() -> None:
    with pytest.raises(TypeError):
        Tensor([1.0]) + "text"
    assert (Tensor([1.0]) == "text") is False


def test_trees_have_the_elements_of_tensors_as_leaves() -> None:
    x = Tensor([1.0], requires_grad=True)
    leaves, structure = pytree.flatten({"a": x, "b": [x * 2]})
    assert leaves[0] is x.data
    again = structure.unflatten(leaves)
    assert again["a"].requires_grad
    assert not again["b"][0].requires_grad


def test_a_tensor_survives_pickling() -> None:
    x = pickle.loads(pickle.dumps(Tensor([1.0, 2.0], requires_grad=True)))
    assert x.tolist() == [1.0, 2.0]
    assert x.requires_grad
    assert x.is_leaf


def test_a_deep_copy_has_memory_of_its_own() -> None:
    x = Tensor([1.0], requires_grad=True)
    y = copy.deepcopy(x)
    y.data[...] = 2.0
    assert y.requires_grad
    assert x.tolist() == [1.0]


def test_what_was_computed_is_neither_pickled_nor_copied() -> None:
    y = Tensor([1.0], requires_grad=True) * 2
    with pytest.raises(GradientError, match=r"pickled.*multiply at .*use x\.detach\(\)"):
        pickle.dumps(y)
    with pytest.raises(GradientError, match="copied"):
        copy.deepcopy(y)
    assert copy.deepcopy(y.detach()).tolist() == [2.0]


# -- in place --------------------------------------------------------------------------------------


def test_a_leaf_that_requires_a_gradient_does_not_change_in_place() -> None:
    x = Tensor([1.0], requires_grad=True)
    with pytest.raises(GradientError, match=r"add in place .*test_tensor.py:\d+: x \+= 1"):
        x += 1
    with pytest.raises(GradientError, match=r"setitem .*x\[0\] = 2"):
        x[0] = 2.0
    assert x.tolist() == [1.0]


def test_without_gradients_a_leaf_changes_in_its_memory() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    buffer = x.data
    with no_grad():
        x += 1
        x[0] = 9.0
    assert x.is_leaf
    assert buffer.tolist() == [9.0, 3.0]


def test_changes_in_place_are_recorded() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    same = y
    y += 1
    y *= 2
    assert same is y
    assert y.tolist() == [8.0, 14.0]
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6.0, 6.0]


@pytest.mark.parametrize(
    "key",
    [0, slice(1, 3), (..., 1), np.array([0, 2]), np.array([True, False, True]), (slice(None), [0])],
)
def test_elements_written_to_a_tensor_have_its_gradient_and_the_old_ones_none(key: Any) -> None:
    array = np.arange(6.0).reshape(3, 2)
    x = Tensor(array.copy(), requires_grad=True)
    value = Tensor(np.full(array[key].shape, 7.0), requires_grad=True)
    y = x * 2
    y[key] = value
    wanted = array * 2
    wanted[key] = 7.0
    assert y.tolist() == wanted.tolist()
    weights = np.arange(1.0, 7.0).reshape(3, 2)
    (y * weights).sum().backward()
    kept = 2 * weights
    kept[key] = 0
    assert x.grad is not None
    assert value.grad is not None
    assert x.grad.tolist() == kept.tolist()
    assert value.grad.tolist() == weights[key].tolist()


def test_a_tensor_without_gradient_takes_one_from_what_is_written_to_it() -> None:
    x, value = Tensor.zeros((3,)), Tensor(2.0, requires_grad=True)
    x[1] = value
    assert x.requires_grad
    x.sum().backward()
    assert value.grad is not None
    assert value.grad.item() == 1.0


def test_a_change_in_place_keeps_shape() -> None:
    y = Tensor([1.0], requires_grad=True) * 2
    with pytest.raises(ShapeError):
        y += Tensor([1.0, 2.0])


# -- functions of the namespace --------------------------------------------------------------------


def test_functions_of_buffers_refuse_tensors_that_require_a_gradient() -> None:
    with pytest.raises(onebuf.errors.OnebufError):
        onebuf.exp(Tensor([1.0], requires_grad=True))
