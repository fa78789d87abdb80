"""tinygrad's Tensor: elements, gradients, modes, random numbers, and errors that say what to do."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf.compat.tinygrad import Context, Device, Function, Tensor, dtypes
from onebuf.compat.tinygrad.dtype import least_upper_dtype
from onebuf.compat.tinygrad.missing import MissingName, NotCarried
from onebuf.errors import GradientError, OnebufError

# -- types -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "one, two, upper",
    [
        ("bool", "uint8", "uint8"),
        ("int8", "uint8", "int16"),
        ("int32", "uint32", "int64"),
        ("int64", "half", "half"),
        ("half", "bfloat16", "float32"),
        ("half", "half", "half"),
        ("bfloat16", "float64", "float64"),
        ("int64", "uint64", "float32"),
        ("fp8e4m3", "fp8e5m2", "half"),
    ],
)
def test_two_types_are_converted_as_in_tinygrad(one: str, two: str, upper: str) -> None:
    found = least_upper_dtype(getattr(dtypes, one), getattr(dtypes, two))
    assert found is getattr(dtypes, upper)


def test_types_are_called_by_their_names_in_tinygrad() -> None:
    assert repr(Tensor([1]).dtype) == "dtypes.int"
    assert repr(Tensor([1.0]).dtype) == "dtypes.float"


def test_types_have_bounds() -> None:
    assert (dtypes.min(dtypes.int8), dtypes.max(dtypes.uint8)) == (-128, 255)
    assert (dtypes.min(dtypes.half), dtypes.max(dtypes.bool)) == (-math.inf, True)


def test_a_type_that_tinygrad_has_not_is_an_error() -> None:
    with pytest.raises(TypeError, match="complex64"):
        Tensor(np.ones(2, "complex64")).dtype


# -- elements --------------------------------------------------------------------------------------


def test_elements_come_out_in_every_form() -> None:
    x = Tensor([[1.5, 2.0]])
    assert x.tolist() == [[1.5, 2.0]]
    assert x.numpy().tolist() == [[1.5, 2.0]]
    assert (x.data().format, x.data().shape, x.data().tolist()) == ("f", (1, 2), [[1.5, 2.0]])
    assert x[0, 1].item() == 2.0


def test_facts_are_spelled_as_in_tinygrad() -> None:
    x = Tensor([[1.5, 2.0]])
    assert (x.shape, x.ndim, x.numel(), x.size(1), x.size()) == ((1, 2), 2, 2, 2, (1, 2))
    assert (x.nbytes(), x.element_size(), x.device, len(x)) == (8, 4, Device.DEFAULT, 1)
    assert repr(x) == "<Tensor (1, 2) dtypes.float on CPU with grad None>"


def test_an_array_does_not_follow_later_writes() -> None:
    x = Tensor([1.0, 2.0])
    before = x.numpy()
    x.assign([5.0, 6.0])
    assert before.tolist() == [1.0, 2.0]


def test_bfloat16_comes_out_as_float32() -> None:
    assert Tensor([1.5]).bfloat16().numpy().dtype == np.float32


def test_a_buffer_of_onebuf_is_shared() -> None:
    buffer = onebuf.Buffer([1.0, 2.0])
    Tensor(buffer).assign([3.0, 4.0])
    assert buffer.tolist() == [3.0, 4.0]


def test_item_needs_one_element() -> None:
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        Tensor([1, 2]).item()


def test_a_tensor_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="item"):
        bool(Tensor([1]))


def test_a_tensor_can_be_a_key() -> None:
    x, y = Tensor([1]), Tensor([1])
    assert {x: "x", y: "y"}[x] == "x"


def test_a_tensor_is_iterated_by_its_first_axis() -> None:
    assert [row.tolist() for row in Tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]


def test_assign_writes_in_place() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    row = x[0]
    assert x.assign(Tensor([[5, 6], [7, 8]])) is x
    assert row.tolist() == [5.0, 6.0]


def test_items_are_written_in_place() -> None:
    x = Tensor.zeros(2, 3)
    x[0] = 1
    x[1, 2] = Tensor(5.0)
    assert x.tolist() == [[1.0, 1.0, 1.0], [0.0, 0.0, 5.0]]


def test_operators_in_place_keep_the_tensor() -> None:
    x = y = Tensor([1.0, 2.0])
    x += 1
    x *= Tensor([2.0, 3.0])
    x -= 1
    x /= 2
    assert x is y
    assert y.tolist() == [1.5, 4.0]


def test_replace_takes_the_elements_of_another() -> None:
    x, y = Tensor([1.0]), Tensor([2])
    assert x.replace(y).dtype is dtypes.int
    with pytest.raises(ValueError, match=r"\(1,\)"):
        x.replace(Tensor([1, 2]))


def test_realize_computes_several_tensors() -> None:
    with onebuf.config(eager_numel=0):
        x = Tensor([1.0, 2.0]) + 1
        y = x * 2
        assert x.schedule(y) != []
        assert Tensor.realize(x, y) is x
        assert x.schedule(y) == []
    assert y.tolist() == [4.0, 6.0]


def test_elements_go_to_a_device_by_its_name() -> None:
    x = Tensor([1.0, 2.0], device="PYTHON", requires_grad=True)
    assert (x * 2).device == Tensor.rand(2, device="PYTHON").device == x.device == "PYTHON"
    y = x.to("CPU")
    (y * y).sum().backward()
    assert x.grad is not None
    assert (y.device, x.grad.device, x.grad.tolist()) == ("CPU", "PYTHON", [2.0, 4.0])
    assert x.to_("CPU").device == "CPU"
    assert x.requires_grad is True


def test_new_tensors_are_on_the_default_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "DEFAULT", "PYTHON")
    made = [Tensor([1]), Tensor.zeros(1), Tensor.arange(2), Tensor.eye(1), Tensor.randint(1)]
    assert {tensor.device for tensor in made} == {"PYTHON"}


# -- gradients -------------------------------------------------------------------------------------


def test_the_first_example_of_tinygrad_s_readme_runs() -> None:
    x = Tensor.eye(3, requires_grad=True)
    y = Tensor([[2.0, 0, -2.0]], requires_grad=True)
    z = y.matmul(x).sum()
    z.backward()
    assert x.grad is not None
    assert y.grad is not None
    assert x.grad.tolist() == [[2.0] * 3, [0.0] * 3, [-2.0] * 3]
    assert y.grad.tolist() == [[1.0, 1.0, 1.0]]


def test_a_gradient_is_wanted_if_an_operand_wants_one() -> None:
    x, y = Tensor([1.0], requires_grad=True), Tensor([2.0])
    assert [t.requires_grad for t in (x, y, x * y, y * y)] == [True, None, True, None]
    assert x.detach().requires_grad is False


def test_gradients_add_up_until_they_are_forgotten() -> None:
    x = Tensor([3.0], requires_grad=True)
    (x * x).backward()
    (x * x).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [12.0]
    x.grad = None
    assert x.grad is None


def test_backward_gives_the_tensor() -> None:
    x = Tensor([3.0], requires_grad=True)
    assert (x * 2).backward().item() == 6.0


def test_a_gradient_can_be_given_to_backward() -> None:
    x = Tensor([3.0, 4.0], requires_grad=True)
    (x * 2).backward(gradient=Tensor([1.0, 10.0]))
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 20.0]


@pytest.mark.parametrize(
    "spell, gradient",
    [
        (lambda x: (x.sum() + x.max()).exp().log(), [1.0, 2.0]),
        (lambda x: x.roll(1).cat(x).sum(), [2.0, 2.0]),
        (lambda x: x.sort(descending=True)[0][0], [0.0, 1.0]),
        (lambda x: (x > 0).where(x * x, 0).sum(), [0.0, 4.0]),
        (lambda x: x.reshape(2, 1).pad((1, 1)).max_pool2d((1, 3)).sum(), [0.0, 1.0]),
        (lambda x: x.unsqueeze(0).expand(3, 2).mean(), [0.5, 0.5]),
    ],
)
def test_gradients_go_through_spellings(spell: Any, gradient: list[float]) -> None:
    x = Tensor([-1.0, 2.0], requires_grad=True)
    spell(x).backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), gradient, rtol=1e-5)


def test_backward_without_a_leaf_names_the_cure() -> None:
    with pytest.raises(RuntimeError, match="requires_grad=True"):
        Tensor([1.0]).sum().backward()


def test_a_function_with_its_own_gradient() -> None:
    class Scaled(Function):
        def forward(self, x: Any, y: Any, by: float = 1.0) -> Any:
            self.by = by
            return x * by + y

        def backward(self, grad_output: Any) -> Any:
            wants = self.needs_input_grad
            return grad_output * self.by * 10 if wants[0] else None, None

    x, y = Tensor([1.0, 2.0], requires_grad=True), Tensor([1.0, 1.0])
    found = Scaled.apply(x, y, by=3.0)
    assert isinstance(found, Tensor)
    assert found.tolist() == [4.0, 7.0]
    found.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [30.0, 30.0]


def test_a_function_needs_a_tensor() -> None:
    with pytest.raises(TypeError, match=r"Function\.apply needs a Tensor"):
        Function.apply(1.0)


# -- modes -----------------------------------------------------------------------------------------


def test_training_is_a_block_a_decorator_or_an_attribute() -> None:
    @Tensor.train()
    def trained() -> bool:
        return Tensor.training

    assert (Tensor.training, trained(), Tensor.training) == (False, True, False)
    with Tensor.train(), Tensor.train(False):
        assert not Tensor.training
    with Context(TRAINING=1):
        assert Tensor.training


def test_modes_can_be_assigned() -> None:
    def assigned() -> None:
        Tensor.training = True
        Tensor.no_grad = True
        x = Tensor([1.0], requires_grad=True)
        found.extend([Tensor.training, Tensor.no_grad, (x * 2).requires_grad])

    found: list[Any] = []
    thread = threading.Thread(target=assigned)  # modes belong to the thread that sets them
    thread.start()
    thread.join()
    assert found == [True, True, None]
    assert (Tensor.training, Tensor.no_grad) == (False, False)


def test_nothing_is_recorded_in_a_test_block() -> None:
    x = Tensor([1.0], requires_grad=True)
    with Tensor.test():
        assert Tensor.no_grad
        assert (x * 2).requires_grad is None
    assert (x * 2).requires_grad is True


def test_dropout_drops_while_training_alone() -> None:
    x = Tensor.ones(1000)
    assert x.dropout(0.5).tolist() == [1.0] * 1000
    with Tensor.train():
        assert set(x.dropout(0.5).tolist()) == {0.0, 2.0}


def test_a_variable_that_is_not_there_is_named() -> None:
    with pytest.raises(TypeError, match="BEAM"):
        Context(BEAM=2)


# -- what is not carried ---------------------------------------------------------------------------


@pytest.mark.parametrize("owner", [Tensor, Tensor([1.0])])
def test_a_missing_name_is_an_attribute_error_that_says_where_to_look(owner: Any) -> None:
    assert not hasattr(owner, "from_url")
    with pytest.raises(AttributeError, match=r"'from_url'.*compat\.md"):
        owner.from_url
    assert issubclass(MissingName, OnebufError)


@pytest.mark.parametrize(
    "spell",
    [
        lambda x: x.pad((1, 1), mode="reflect"),
        lambda x: x.unsqueeze(0).conv2d(Tensor.ones(1, 1, 2)),
        lambda x: x.unsqueeze(0).avg_pool2d(ceil_mode=True),
    ],
)
def test_a_choice_that_is_not_carried_says_so(spell: Any) -> None:
    with pytest.raises(NotImplementedError) as error:
        spell(Tensor.ones(1, 4, 4))
    assert isinstance(error.value, NotCarried)


@pytest.mark.parametrize(
    "wrong, kind, match",
    [
        (lambda x: x + "1", TypeError, "unsupported operand"),
        (lambda x: x.add([1]), TypeError, "got list"),
        (lambda x: x.split([1, 3]), ValueError, "add up to 2"),
        (lambda x: x.pad((1, 2, 3)), ValueError, "two numbers"),
        (lambda x: x.pad((None, None)), ValueError, "each of 1 axes"),
        (lambda x: x.transpose(0, 1), ValueError, "got 1"),
        (lambda x: x.topk(3), ValueError, "at most the 2"),
        (lambda x: x.clamp(), ValueError, "min_"),
        (lambda x: x.div(2, rounding_mode="up"), ValueError, "'up'"),
        (lambda x: x.binary_crossentropy(x, reduction="max"), ValueError, "'max'"),
        (lambda x: x.cast("float33"), TypeError, "float33"),
        (lambda x: x.chunk(0), ValueError, "got 0"),
        (lambda _: Tensor("text"), TypeError, "got str"),
        (lambda _: Tensor.rand(2, dtype=dtypes.int), TypeError, "randint"),
        (lambda _: Tensor.randint(2, low=3, high=3), ValueError, "low < high"),
        (lambda _: Tensor.normal(2, std=-1), ValueError, "got -1"),
        (lambda _: len(Tensor(1)), TypeError, "no length"),
    ],
)
def test_wrong_arguments_are_named(wrong: Any, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match):
        wrong(Tensor([1.0, 2.0]))


def test_a_graph_that_was_given_up_is_named() -> None:
    x = Tensor([3.0], requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(GradientError, match="given up"):
        y.backward()


# -- random numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, low, high",
    [
        (lambda: Tensor.rand(50, 40), 0, 1),
        (lambda: Tensor.uniform(50, 40, low=2, high=3), 2, 3),
        (lambda: Tensor.scaled_uniform(50, 40), -(2000**-0.5), 2000**-0.5),
        (lambda: Tensor.glorot_uniform(50, 40), -((6 / 90) ** 0.5), (6 / 90) ** 0.5),
        (lambda: Tensor.kaiming_uniform(50, 40, a=0), -((6 / 40) ** 0.5), (6 / 40) ** 0.5),
        (lambda: Tensor.randint(50, 40, low=3, high=9), 3, 8),
    ],
)
def test_random_numbers_fill_their_bounds(make: Any, low: float, high: float) -> None:
    Tensor.manual_seed(1)
    found = make()
    width = high - low
    assert found.shape == (50, 40)
    assert low <= found.min().item() <= low + 0.02 * width
    assert high - 0.02 * width <= found.max().item() <= high


def test_normal_numbers_have_their_mean_and_deviation() -> None:
    Tensor.manual_seed(1)
    found = Tensor.normal(100, 100, mean=2, std=3)
    assert found.mean().item() == pytest.approx(2, abs=0.1)
    assert Tensor.randn(100, 100).std().item() == pytest.approx(1, abs=0.05)
    assert found.std().item() == pytest.approx(3, abs=0.1)


def test_a_seed_makes_random_numbers_repeat() -> None:
    Tensor.manual_seed(5)
    first = Tensor.rand(3).tolist()
    Tensor.manual_seed(5)
    assert Tensor.rand(3).tolist() == first
    assert Tensor.rand(3).tolist() != first


def test_a_permutation_has_every_number() -> None:
    found = Tensor.randperm(6)
    assert sorted(found.tolist()) == [0, 1, 2, 3, 4, 5]
    assert found.dtype is dtypes.int
