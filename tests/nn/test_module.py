"""Modules: parameters by name, state, and modes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import nn
from onebuf.errors import ArgumentError, ShapeError
from onebuf.nn import Tensor


class Inner(nn.Module):
    def __init__(self) -> None:
        self.weight = Tensor([1.0, 2.0], requires_grad=True)
        self.count = Tensor([0])
        self._hidden = Tensor([9.0], requires_grad=True)

    def forward(self, x: Any) -> Any:
        return x * self.weight


class Outer(nn.Module):
    def __init__(self) -> None:
        self.one = Inner()
        self.many = [Inner(), Inner()]
        self.named = {"a": Inner()}
        self.scale = Tensor(3.0, requires_grad=True)
        self.note = "text"

    def forward(self, x: Any) -> Any:
        return self.one(x) * self.scale


NAMES = ["one.weight", "many.0.weight", "many.1.weight", "named.a.weight", "scale"]


def test_parameters_are_tensors_that_require_a_gradient() -> None:
    assert [name for name, _ in Outer().named_parameters()] == NAMES
    assert len(list(Outer().parameters())) == 5


def test_buffers_are_the_other_tensors() -> None:
    names = [name for name, _ in Outer().named_buffers()]
    assert names == ["one.count", "many.0.count", "many.1.count", "named.a.count"]
    assert len(list(Outer().buffers())) == 4


def test_modules_inside_are_found_in_containers() -> None:
    outer = Outer()
    assert [name for name, _ in outer.named_children()] == ["one", "many.0", "many.1", "named.a"]
    assert next(name for name, _ in outer.named_modules()) == ""
    assert len(list(outer.modules())) == 5


def test_a_shared_tensor_is_one_parameter_under_two_names() -> None:
    outer = Outer()
    outer.many[0].weight = outer.one.weight
    assert len(list(outer.parameters())) == 4
    assert {"one.weight", "many.0.weight"} <= set(outer.state_dict())


def test_a_call_is_forward() -> None:
    assert Outer()(Tensor([1.0, 1.0])).tolist() == [3.0, 6.0]
    with pytest.raises(NotImplementedError, match="Module needs a method forward"):
        nn.Module()(1)


def test_modes_reach_all_modules() -> None:
    outer = Outer()
    assert outer.many[1].training
    assert outer.eval() is outer
    assert not outer.many[1].training
    outer.train()
    assert outer.named["a"].training


def test_gradients_are_forgotten() -> None:
    outer = Outer()
    outer(Tensor([1.0, 1.0])).sum().backward()
    assert outer.scale.grad is not None
    outer.zero_grad()
    assert outer.scale.grad is None


def test_a_function_is_called_on_inner_modules_first() -> None:
    seen: list[str] = []
    outer = Outer()
    outer.apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Inner"] * 4 + ["Outer"]


def test_parameters_can_be_frozen_and_keep_their_names() -> None:
    outer = Outer()
    before = set(outer.state_dict())
    outer.one.requires_grad_(False)
    assert "one.weight" not in dict(outer.named_parameters())
    assert set(outer.state_dict()) == before
    outer.one.requires_grad_()
    assert "one.weight" in dict(outer.named_parameters())


def test_tensors_move_to_a_device() -> None:
    outer = Outer().to("OPENCL")
    assert {str(buffer.device).split(":")[0] for buffer in outer.state_dict().values()} == {
        "OPENCL"
    }


def test_the_text_shows_the_tree() -> None:
    text = repr(nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Dropout(0.5))))
    assert text == (
        "Sequential(\n"
        "  (0): Linear(2, 3, bias=True)\n"
        "  (1): Sequential(\n"
        "    (0): Dropout(p=0.5)\n"
        "  )\n"
        ")"
    )


def test_lists_of_modules_are_indexed_and_grow() -> None:
    layers = nn.ModuleList([Inner()])
    layers.append(Inner())
    assert len(layers) == 2
    assert layers[1] is list(layers)[1]
    assert [name for name, _ in layers.named_parameters()] == ["0.weight", "1.weight"]


# -- state -----------------------------------------------------------------------------------------


def test_state_is_loaded_into_the_memory_that_there_is() -> None:
    one, two = nn.Linear(3, 2), nn.Linear(3, 2)
    memory = two.weight.data
    difference = two.load_state_dict(one.state_dict())
    assert difference == ([], [])
    assert two.weight.data is memory
    assert memory.tolist() == one.weight.tolist()


def test_state_goes_through_a_file_to_the_bit(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Embedding(5, 2))
    onebuf.save(tmp_path / "model.safetensors", model.state_dict())
    again = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Embedding(5, 2))
    again.load_state_dict(onebuf.open(tmp_path / "model.safetensors"))  # type: ignore[arg-type]
    for name, buffer in model.state_dict().items():
        assert buffer.tobytes() == again.state_dict()[name].tobytes()


def test_arrays_and_tensors_load_and_are_converted() -> None:
    layer = nn.Linear(2, 1)
    layer.load_state_dict({"weight": np.array([[1.0, 2.0]]), "bias": Tensor([3.0])})
    assert layer.weight.dtype == np.float32
    assert layer.weight.tolist() == [[1.0, 2.0]]


def test_names_have_to_agree_unless_not_strict() -> None:
    layer = nn.Linear(2, 1)
    before = layer.bias.tolist()  # type: ignore[union-attr]
    state = {"weight": np.ones((1, 2)), "extra": np.ones(1)}
    with pytest.raises(ArgumentError, match="missing are bias, and there is no place for extra"):
        layer.load_state_dict(state)
    assert layer.load_state_dict(state, strict=False) == (["bias"], ["extra"])
    assert layer.weight.tolist() == [[1.0, 1.0]]
    assert layer.bias.tolist() == before  # type: ignore[union-attr]


def test_a_wrong_shape_changes_nothing() -> None:
    layer = nn.Linear(2, 1)
    before = layer.weight.tolist()
    with pytest.raises(ShapeError, match=r"bias needs shape \(1,\), got \(2,\)"):
        layer.load_state_dict({"weight": np.ones((1, 2)), "bias": np.ones(2)})
    assert layer.weight.tolist() == before
