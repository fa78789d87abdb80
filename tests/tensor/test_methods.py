"""Methods of tensors: the same values as those of buffers, with gradients."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tensor_differences import check_gradients, draw

from onebuf import Buffer
from onebuf.buffer.operators import Operators
from onebuf.graph import BINARY, UNARY
from onebuf.tensor import Tensor, methods

MEMORY = (
    *("allocator", "base", "byteswap", "close", "compute", "ctypes", "dense", "distribute", "dump"),
    *("dumps", "empty", "explain", "flags", "flat", "flush", "free", "is_contiguous", "is_view"),
    *("is_realized", "itemsize", "layout", "nbytes", "offset", "resize", "runtime", "setflags"),
    *("sparsity", "stride", "strides", "symmetry", "to_python", "to_scipy", "to_sparse", "tobytes"),
    *("to_numpy", "tofile", "unwrap", "view", "window", "wrap"),
)
"""About memory and files: ask ``x.data``."""
IN_PLACE = ("fill", "partition", "put", "sort")
"""Change the elements without a result: ``x[...] = y`` does, and is recorded."""
DYNAMIC = ("choose", "compress")
"""Look at elements to choose others: ``x[mask]`` and ``where`` do."""

CASES: dict[str, Callable[[Any], Any]] = {
    "abs": lambda x: x.abs(),
    "astype": lambda x: x.astype("float64"),
    "chip": lambda x: x.chip(1),
    "clip": lambda x: x.clip(-0.5, 0.5),
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "contiguous": lambda x: x.contiguous(),
    "copy": lambda x: x.copy(),
    "cos": lambda x: x.cos(),
    "cumprod": lambda x: x.cumprod(1),
    "cumsum": lambda x: x.cumsum(1),
    "diagonal": lambda x: x.diagonal(1),
    "dot": lambda x: x.dot(x.T),
    "exp": lambda x: x.exp(),
    "expand": lambda x: x.expand(2, 3, 4),
    "expand_dims": lambda x: x.expand_dims(1),
    "flatten": lambda x: x.flatten(),
    "flip": lambda x: x.flip(1),
    "log": lambda x: (x * x + 1).log(),
    "max": lambda x: x.max(1),
    "maximum": lambda x: x.maximum(0.1),
    "mean": lambda x: x.mean(0),
    "min": lambda x: x.min(0, keepdims=True),
    "minimum": lambda x: x.minimum(x * 2),
    "pad": lambda x: x.pad([(1, 0), (0, 2)], 3.0),
    "permute": lambda x: x.permute(1, 0),
    "prod": lambda x: x.prod(1),
    "ptp": lambda x: x.ptp(1),
    "ravel": lambda x: x.ravel(),
    "repeat": lambda x: x.repeat(2, axis=1),
    "reshape": lambda x: x.reshape(4, 3),
    "round": lambda x: x.round(1),
    "shrink": lambda x: x.shrink([(0, 2), (1, 3)]),
    "sin": lambda x: x.sin(),
    "slice": lambda x: x.slice((0, 1), (2, 3)),
    "sliding_window": lambda x: x.sliding_window(2, 1),
    "sqrt": lambda x: (x * x + 1).sqrt(),
    "square": lambda x: x.square(),
    "squeeze": lambda x: x.expand_dims(0).squeeze(0),
    "std": lambda x: x.std(1, correction=1),
    "sum": lambda x: x.sum((0, 1)),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "take": lambda x: x.take(np.array([2, 0, 2]), axis=1),
    "tanh": lambda x: x.tanh(),
    "to_device": lambda x: x.to_device("CPU"),
    "trace": lambda x: x.trace(),
    "transpose": lambda x: x.transpose(),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "var": lambda x: x.var(1),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag + x,
    "getitem": lambda x: x[1, ::2],
    "getitem by indices": lambda x: x[np.array([0, 2, 0]), np.array([1, 1, 3])],
}


def test_every_method_of_buffers_is_one_of_tensors_or_left_out_for_a_reason() -> None:
    theirs = {name for name in dir(Buffer) if not name.startswith("_")}
    left_out = {*MEMORY, *IN_PLACE, *DYNAMIC}
    assert theirs - set(dir(Tensor)) - left_out == set()
    assert left_out & set(dir(Tensor)) == set()


def test_every_operator_of_buffers_is_one_of_tensors() -> None:
    made = set(methods.table())
    for name in (*methods.OPERATORS, *methods.COMPARISONS, *methods.SIGNS):
        assert f"__{name}__" in made
    theirs = {name for name in vars(Operators) if name.startswith("__")}
    assert theirs - set(dir(Tensor)) == set()


def test_every_recorded_method_has_a_case() -> None:
    assert {*methods.RECORDED, *methods.PROPERTIES} - set(CASES) == set()


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_buffers(name: str) -> None:
    array = draw(3, 4)
    found = CASES[name](Tensor(array, requires_grad=True))
    wanted = CASES[name](Buffer(array))
    assert isinstance(found, Tensor)
    assert found.data.tolist() == wanted.tolist()
    assert found.requires_grad


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_finite_differences(name: str) -> None:
    check_gradients(CASES[name], draw(3, 4), rtol=1e-5)


@pytest.mark.parametrize("name", methods.UNRECORDED)
def test_methods_without_a_gradient_give_the_values_of_buffers(name: str) -> None:
    array = np.array([3.0, 1.0, 0.0, 2.0])
    args = {"argpartition": (2,), "searchsorted": (1.5,)}.get(name, ())
    found = getattr(Tensor(array, requires_grad=True), name)(*args)
    wanted = getattr(Buffer(array), name)(*args)
    parts = zip(found, wanted, strict=True) if name == "nonzero" else [(found, wanted)]
    for one, two in parts:
        assert isinstance(one, Tensor)
        assert not one.requires_grad
        assert one.tolist() == two.tolist()


@pytest.mark.parametrize("name", methods.OPERATORS)
def test_operators_give_the_values_of_buffers(name: str) -> None:
    kind = "int64" if name in ("and", "or", "xor", "lshift", "rshift") else "float64"
    one, two = (np.array(x, kind) for x in ([[7, 2], [5, 3]], [[2, 4], [3, 1]]))
    compute = getattr(operator, f"{name}_" if name in ("and", "or") else name)
    wanted = compute(Buffer(one), Buffer(two)).tolist()
    assert compute(Tensor(one), Tensor(two)).tolist() == wanted
    assert compute(Tensor(one), Buffer(two)).tolist() == wanted
    assert compute(Buffer(one), Tensor(two)).tolist() == wanted
    in_place = Tensor(one.copy())
    assert getattr(operator, f"i{name}")(in_place, Tensor(two)) is in_place
    assert in_place.tolist() == wanted


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow", "matmul"])
def test_gradients_of_operators_are_finite_differences(name: str) -> None:
    compute = getattr(operator, name)
    check_gradients(compute, draw(3, 3) ** 2 + 0.5, draw(3, 3, seed=1), rtol=1e-5)
    if name != "matmul":
        check_gradients(lambda x: compute(x, 1.5), draw(3) ** 2 + 0.5, rtol=1e-5)
        check_gradients(lambda x: compute(1.5, x), draw(3) ** 2 + 0.5, rtol=1e-5)


@pytest.mark.parametrize("name", methods.COMPARISONS)
def test_comparisons_have_no_gradient(name: str) -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    found = getattr(operator, name)(x, 1.5)
    assert found.dtype == bool
    assert not found.requires_grad
    assert found.tolist() == getattr(operator, name)(np.array([1.0, 2.0]), 1.5).tolist()


@pytest.mark.parametrize("name", ["erf", "log1p", "expm1", "atan", "reciprocal", "sinh", "cbrt"])
def test_elementwise_operations_are_methods(name: str) -> None:
    assert name in UNARY
    check_gradients(lambda x: getattr(x, name)(), draw(5) ** 2 + 0.3, rtol=1e-5)


@pytest.mark.parametrize("name", ["atan2", "hypot", "logaddexp", "divide", "subtract"])
def test_elementwise_operations_on_two_tensors_are_methods(name: str) -> None:
    assert name in BINARY
    check_gradients(lambda x, y: getattr(x, name)(y), draw(5) + 3, draw(5, seed=1) + 3, rtol=1e-5)


def test_classification_is_a_value_without_gradient() -> None:
    x = Tensor([1.0, float("nan")], requires_grad=True)
    assert x.isnan().tolist() == [False, True]
    assert not x.isnan().requires_grad


def test_signs_have_gradients() -> None:
    check_gradients(lambda x: -x + abs(x) * 2 + (+x), draw(4))
    assert (~Tensor([1, 2])).tolist() == [-2, -3]
