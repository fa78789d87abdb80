"""tinygrad's spellings: each gives what NumPy says, in the type that tinygrad gives.

Types and arguments are those that tinygrad 0.10.2 and 0.14 take and give on their Python device.
Longer than 400 lines because it is tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from onebuf.compat.tinygrad import Tensor, dtypes
from onebuf.compat.tinygrad.dtype import from_numpy

Case = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def _arrays() -> SimpleNamespace:
    draw = np.random.default_rng(3)

    def normal(*shape: int) -> np.ndarray[Any, Any]:
        return draw.normal(size=shape).astype("float32")

    return SimpleNamespace(
        x=normal(2, 3),
        y=normal(2, 3),
        v=np.abs(normal(3)),
        c=normal(2, 3, 4),
        i=np.array([1, 2, -7], "int32"),
        b=np.array([True, False, True]),
        h=np.array([1, 2, 3], "float16"),
        u=np.array([200, 100], "uint8"),
        t=np.array([2, 0], "int32"),
        image=normal(2, 2, 6, 6),
        weight=normal(3, 2, 3, 3),
    )


def _check(case: Case) -> None:
    arrays = _arrays()
    tensors = SimpleNamespace(**{name: Tensor(array) for name, array in vars(arrays).items()})
    found, expected = case[0](tensors), np.asarray(case[1](arrays))
    assert isinstance(found, Tensor)
    assert found.dtype is from_numpy(expected.dtype)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5, atol=2e-6)


def _f32(array: Any) -> np.ndarray[Any, Any]:
    return np.asarray(array).astype("float32")


def _i32(array: Any) -> np.ndarray[Any, Any]:
    return np.asarray(array).astype("int32")


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _softmax(x: Any, axis: int = -1) -> Any:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _erf(x: Any) -> Any:
    return _f32(np.vectorize(math.erf)(x))


OPERATORS: dict[str, Case] = {
    "ints by floor": (lambda a: a.i // 2, lambda a: a.i // 2),
    "remainder": (lambda a: a.i % -3, lambda a: a.i % -3),
    "quotient of ints": (lambda a: a.i / 2, lambda a: _f32(a.i / 2)),
    "number by ints": (lambda a: 1 / a.i, lambda a: _f32(1 / a.i)),
    "ints and a float": (lambda a: a.i + 1.5, lambda a: _f32(a.i + 1.5)),
    "number minus ints": (lambda a: 1 - a.i, lambda a: 1 - a.i),
    "ints and floats": (lambda a: a.i * a.x, lambda a: _f32(a.i * a.x)),
    "ints and halves": (lambda a: a.i * a.h, lambda a: (a.i * a.h).astype("float16")),
    "truth and an int": (lambda a: a.b + 1, lambda a: _i32(a.b + 1)),
    "truth and a float": (lambda a: a.b * 1.5, lambda a: _f32(a.b * 1.5)),
    "power": (lambda a: a.x**2, lambda a: a.x**2),
    "power of a number": (lambda a: 2**a.x, lambda a: _f32(2**a.x)),
    "minus": (lambda a: -a.x, lambda a: -a.x),
    "not": (lambda a: ~a.b, lambda a: ~a.b),
    "and": (lambda a: a.i & 1, lambda a: a.i & 1),
    "or": (lambda a: a.i | 2, lambda a: a.i | 2),
    "xor": (lambda a: a.i ^ 3, lambda a: a.i ^ 3),
    "shift": (lambda a: a.i << 1, lambda a: a.i << 1),
    "equal": (lambda a: a.i == 1, lambda a: a.i == 1),
    "not equal": (lambda a: a.i.ne(1), lambda a: a.i != 1),
    "less": (lambda a: a.x < a.y, lambda a: a.x < a.y),
    "at least": (lambda a: a.x >= 0.1, lambda a: a.x >= 0.1),
    "by method": (lambda a: a.x.add(a.y).mul(2).sub(1, True), lambda a: 1 - (a.x + a.y) * 2),
    "NumPy's scalar": (lambda a: np.float32(2) * a.x, lambda a: 2 * a.x),
    "rounded to 0": (
        lambda a: a.i.div(2, rounding_mode="trunc"),
        lambda a: _i32(np.trunc(a.i / 2)),
    ),
    "matrices": (lambda a: a.x @ a.y.T, lambda a: a.x @ a.y.T),
    "matrix and vector": (lambda a: a.x.dot(a.v), lambda a: a.x @ a.v),
    "einsum": (lambda a: Tensor.einsum("ij,kj->ik", a.x, a.y), lambda a: a.x @ a.y.T),
    "maximum": (lambda a: a.x.maximum(0.1), lambda a: np.maximum(a.x, np.float32(0.1))),
    "minimum": (lambda a: a.x.minimum(a.y), lambda a: np.minimum(a.x, a.y)),
    "where": (lambda a: (a.x > 0).where(a.x, a.y), lambda a: np.where(a.x > 0, a.x, a.y)),
    "where numbers": (lambda a: (a.x > 0).where(1, 0), lambda a: _i32(a.x > 0)),
    "where floats": (lambda a: (a.x > 0).where(1.0, 0), lambda a: _f32(a.x > 0)),
    "masked_fill": (
        lambda a: a.x.masked_fill(a.x > 0, 5.0),
        lambda a: np.where(a.x > 0, np.float32(5), a.x),
    ),
    "clip": (lambda a: a.x.clip(-0.5, 0.5), lambda a: np.clip(a.x, -0.5, 0.5)),
    "lerp": (lambda a: a.x.lerp(a.y, 0.25), lambda a: a.x + (a.y - a.x) * np.float32(0.25)),
    "greater infinity": (
        lambda a: (a.x / 0).isinf(detect_negative=False),
        lambda a: a.x > 0,
    ),
    "lesser infinity": (
        lambda a: (a.x / 0).isinf(detect_positive=False),
        lambda a: a.x < 0,
    ),
    "isclose": (lambda a: a.x.isclose(a.x + 1e-7), lambda a: np.isclose(a.x, a.x + 1e-7)),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_gives_what_numpy_says(name: str) -> None:
    _check(OPERATORS[name])


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "celu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "cos": np.cos,
    "cosh": np.cosh,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "erf": _erf,
    "exp": np.exp,
    "exp2": np.exp2,
    "floor": np.floor,
    "gelu": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "leaky_relu": lambda x: np.where(x < 0, x * np.float32(0.01), x),
    "logsigmoid": lambda x: np.log(_sigmoid(x)),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "quick_gelu": lambda x: x * _sigmoid(x * np.float32(1.702)),
    "reciprocal": np.reciprocal,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "round": np.round,
    "selu": lambda x: np.float32(1.0507) * np.where(x > 0, x, 1.67326 * np.expm1(x)).astype("f4"),
    "sigmoid": _sigmoid,
    "sign": np.sign,
    "silu": lambda x: x * _sigmoid(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "square": np.square,
    "swish": lambda x: x * _sigmoid(x),
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gives_what_numpy_says(name: str) -> None:
    _check((lambda a: getattr(a.x, name)(), lambda a: FUNCTIONS[name](a.x)))


@pytest.mark.parametrize("name", ["exp", "sigmoid", "sin", "tanh"])
def test_a_function_of_ints_is_float32(name: str) -> None:
    _check((lambda a: getattr(a.i, name)(), lambda a: _f32(FUNCTIONS[name](_f32(a.i)))))


@pytest.mark.parametrize("name", ["abs", "relu", "sign", "square"])
def test_a_function_that_needs_no_floats_keeps_ints(name: str) -> None:
    _check((lambda a: getattr(a.i, name)(), lambda a: FUNCTIONS[name](a.i)))


@pytest.mark.parametrize(
    "name, expected",
    [("log", np.log), ("log2", np.log2), ("sqrt", np.sqrt), ("rsqrt", lambda x: 1 / np.sqrt(x))],
)
def test_a_function_of_positive_numbers_gives_what_numpy_says(name: str, expected: Any) -> None:
    _check((lambda a: getattr(a.v, name)(), lambda a: expected(a.v)))


REDUCTIONS: dict[str, Case] = {
    "sum": (lambda a: a.x.sum(), lambda a: a.x.sum()),
    "sum of an axis": (lambda a: a.x.sum(1), lambda a: a.x.sum(1)),
    "sum kept": (lambda a: a.x.sum(axis=(0, 1), keepdim=True), lambda a: a.x.sum(keepdims=True)),
    "sum of ints": (lambda a: a.i.sum(), lambda a: a.i.sum(dtype="int32")),
    "sum of truth": (lambda a: a.b.sum(), lambda a: a.b.sum(dtype="int32")),
    "sum of bytes": (lambda a: a.u.sum(), lambda a: a.u.sum(dtype="uint32")),
    "sum of halves": (lambda a: a.h.sum(), lambda a: a.h.sum()),
    "sum in doubles": (lambda a: a.x.sum(dtype="float64"), lambda a: a.x.sum(dtype="float64")),
    "prod": (lambda a: a.i.prod(), lambda a: a.i.prod(dtype="int32")),
    "mean": (lambda a: a.x.mean(axis=1, keepdim=True), lambda a: a.x.mean(1, keepdims=True)),
    "mean of ints": (lambda a: a.i.mean(), lambda a: _f32(a.i.mean())),
    "std": (lambda a: a.x.std(0), lambda a: a.x.std(0, ddof=1)),
    "var": (lambda a: a.x.var(), lambda a: a.x.var(ddof=1)),
    "var of all": (lambda a: a.x.var(1, correction=0), lambda a: a.x.var(1)),
    "max": (lambda a: a.x.max(0), lambda a: a.x.max(0)),
    "min": (lambda a: a.i.min(), lambda a: a.i.min()),
    "argmax": (lambda a: a.x.argmax(1), lambda a: _i32(a.x.argmax(1))),
    "argmin": (lambda a: a.x.argmin(), lambda a: _i32(a.x.argmin())),
    "any": (lambda a: a.b.any(), lambda a: a.b.any()),
    "all": (lambda a: a.b.all(), lambda a: a.b.all()),
    "softmax": (lambda a: a.x.softmax(0), lambda a: _softmax(a.x, 0)),
    "log_softmax": (lambda a: a.x.log_softmax(), lambda a: np.log(_softmax(a.x))),
    "logsumexp": (lambda a: a.x.logsumexp(), lambda a: np.log(np.exp(a.x).sum())),
    "logsumexp kept": (
        lambda a: a.c.logsumexp(axis=(0, 2), keepdim=True),
        lambda a: np.log(np.exp(a.c).sum((0, 2), keepdims=True)),
    ),
    "cumsum": (lambda a: a.x.cumsum(1), lambda a: a.x.cumsum(1)),
    "cumsum of ints": (lambda a: a.i.cumsum(), lambda a: a.i.cumsum(dtype="int32")),
    "sorted": (lambda a: a.x.sort(descending=True)[0], lambda a: -np.sort(-a.x)),
    "places": (lambda a: a.x.sort()[1], lambda a: _i32(a.x.argsort())),
    "topk": (lambda a: a.x.topk(2)[0], lambda a: -np.sort(-a.x)[:, :2]),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_gives_what_numpy_says(name: str) -> None:
    _check(REDUCTIONS[name])


MOVEMENTS: dict[str, Case] = {
    "reshape": (lambda a: a.x.reshape(-1, 2), lambda a: a.x.reshape(-1, 2)),
    "reshape with None": (lambda a: a.c.reshape(None, 12), lambda a: a.c.reshape(2, 12)),
    "reshape to one number": (lambda a: a.x[:1, :1].reshape(()), lambda a: a.x[0, 0]),
    "view": (lambda a: a.x.view((6,)), lambda a: a.x.reshape(6)),
    "T": (lambda a: a.c.T, lambda a: a.c.transpose(1, 0, 2)),
    "transpose": (lambda a: a.c.transpose(-1, 0), lambda a: a.c.swapaxes(-1, 0)),
    "permute": (lambda a: a.c.permute(2, 0, 1), lambda a: a.c.transpose(2, 0, 1)),
    "unsqueeze": (lambda a: a.x.unsqueeze(-1), lambda a: a.x[..., None]),
    "squeeze": (lambda a: a.x.unsqueeze(1).squeeze(), lambda a: a.x),
    "squeeze of a long axis": (lambda a: a.x.squeeze(0), lambda a: a.x),
    "flatten": (lambda a: a.c.flatten(1), lambda a: a.c.reshape(2, 12)),
    "unflatten": (lambda a: a.c.unflatten(2, (2, 2)), lambda a: a.c.reshape(2, 3, 2, 2)),
    "expand": (
        lambda a: a.x.unsqueeze(0).expand(4, -1, None),
        lambda a: np.broadcast_to(a.x, (4, 2, 3)),
    ),
    "flip": (lambda a: a.x.flip((0, 1)), lambda a: a.x[::-1, ::-1]),
    "shrink": (lambda a: a.x.shrink((None, (1, 3))), lambda a: a.x[:, 1:3]),
    "pad by pairs": (
        lambda a: a.x.pad(((1, 0), None)),
        lambda a: np.pad(a.x, ((1, 0), (0, 0))),
    ),
    "pad by numbers": (
        lambda a: a.x.pad((1, 0, 0, 2), value=7.0),
        lambda a: np.pad(a.x, ((0, 2), (1, 0)), constant_values=7),
    ),
    "pad by less": (
        lambda a: a.x.pad(((0, 0), (-1, 1))),
        lambda a: np.pad(a.x[:, 1:], ((0, 0), (0, 1))),
    ),
    "cat": (lambda a: a.x.cat(a.y, a.x, dim=-1), lambda a: np.concatenate([a.x, a.y, a.x], -1)),
    "cat of types": (lambda a: a.i.cat(a.v), lambda a: _f32(np.concatenate([a.i, a.v]))),
    "stack": (lambda a: Tensor.stack(a.x, a.y, dim=1), lambda a: np.stack([a.x, a.y], 1)),
    "split": (lambda a: a.x.split([1, 2], dim=1)[1], lambda a: a.x[:, 1:]),
    "split by size": (lambda a: a.x.split(2, dim=1)[1], lambda a: a.x[:, 2:]),
    "chunk": (lambda a: a.x.chunk(2, dim=1)[0], lambda a: a.x[:, :2]),
    "repeat": (lambda a: a.x.repeat(2, 1), lambda a: np.tile(a.x, (2, 1))),
    "interleave": (lambda a: a.x.repeat_interleave(2, 1), lambda a: a.x.repeat(2, 1)),
    "roll": (lambda a: a.x.roll(1, 1), lambda a: np.roll(a.x, 1, 1)),
    "tril": (lambda a: a.x.tril(), lambda a: np.tril(a.x)),
    "triu": (lambda a: a.x.triu(1), lambda a: np.triu(a.x, 1)),
    "diagonal": (lambda a: a.x.diagonal(), lambda a: a.x.diagonal()),
    "gather": (
        lambda a: a.x.gather(1, a.t.unsqueeze(1)),
        lambda a: np.take_along_axis(a.x, a.t[:, None], 1),
    ),
    "gather fewer": (
        lambda a: a.c.gather(1, Tensor([[[2], [0]]])),
        lambda a: a.c[:1, [2, 0], :1],
    ),
    "one element": (lambda a: a.x[1, 2], lambda a: a.x[1, 2]),
    "slices": (lambda a: a.c[..., ::2], lambda a: a.c[..., ::2]),
    "new axis": (lambda a: a.x[:, None], lambda a: a.x[:, None]),
    "by tensors": (lambda a: a.x[Tensor([1, 0]), a.t], lambda a: a.x[[1, 0], a.t]),
    "by a list": (lambda a: a.c[:, [0, 2]], lambda a: a.c[:, [0, 2]]),
    "one_hot": (lambda a: a.t.one_hot(4), lambda a: np.eye(4, dtype="int32")[a.t]),
}


@pytest.mark.parametrize("name", MOVEMENTS)
def test_a_movement_gives_what_numpy_says(name: str) -> None:
    _check(MOVEMENTS[name])


def _losses(a: Any) -> np.ndarray[Any, Any]:
    return -np.log(_softmax(a.x))[np.arange(2), a.t]


def _smooth(a: Any) -> np.ndarray[Any, Any]:
    spread = -np.log(_softmax(a.x)).mean(-1)
    return _losses(a) * np.float32(0.9) + spread * np.float32(0.1)


def _attention(a: Any, mask: Any) -> np.ndarray[Any, Any]:
    scores = a.c @ a.c.swapaxes(-1, -2) / 2
    return _softmax(np.where(mask, scores, -np.inf).astype("float32")) @ a.c


def _convolved(a: Any, step: int = 1, around: int = 0) -> np.ndarray[Any, Any]:
    sides = ((0, 0), (0, 0), (around, around), (around, around))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(a.image, sides), (3, 3), (2, 3))
    return np.einsum("bchwij,ocij->bohw", windows[:, :, ::step, ::step], a.weight)


def _pooled(a: Any) -> np.ndarray[Any, Any]:
    padded = np.pad(a.image, ((0, 0), (0, 0), (0, 0), (1, 1)), constant_values=-np.inf)
    return padded.reshape(2, 2, 2, 3, 4, 2).max((3, 5))


NETWORKS: dict[str, Case] = {
    "linear": (lambda a: a.x.linear(a.y.T, a.v[:2]), lambda a: a.x @ a.y.T + a.v[:2]),
    "linear by a vector": (lambda a: a.x.linear(a.v), lambda a: a.x * a.v),
    "layernorm": (
        lambda a: a.x.layernorm(),
        lambda a: (a.x - a.x.mean(1, keepdims=True)) / np.sqrt(a.x.var(1, keepdims=True) + 1e-5),
    ),
    "crossentropy": (
        lambda a: a.x.sparse_categorical_crossentropy(a.t),
        lambda a: _losses(a).mean(),
    ),
    "crossentropy of each": (
        lambda a: a.x.sparse_categorical_crossentropy(a.t, reduction="none"),
        _losses,
    ),
    "crossentropy, smooth": (
        lambda a: a.x.sparse_categorical_crossentropy(a.t, label_smoothing=0.1),
        lambda a: _smooth(a).mean(),
    ),
    "crossentropy without a class": (
        lambda a: a.x.sparse_categorical_crossentropy(a.t, ignore_index=2),
        lambda a: _losses(a)[1],
    ),
    "crossentropy of -1": (
        lambda a: a.x.sparse_categorical_crossentropy(Tensor([2, -1])),
        lambda a: _losses(a)[0] / 2,
    ),
    "cross_entropy": (lambda a: a.x.cross_entropy(a.t), lambda a: _losses(a).mean()),
    "cross_entropy of chances": (
        lambda a: a.x.cross_entropy(a.y.softmax()),
        lambda a: -(np.log(_softmax(a.x)) * _softmax(a.y)).sum(1).mean(),
    ),
    "nll_loss": (lambda a: a.x.log_softmax().nll_loss(a.t), lambda a: _losses(a).mean()),
    "nll_loss by weight": (
        lambda a: a.x.log_softmax().nll_loss(a.t, weight=a.v),
        lambda a: (_losses(a) * a.v[a.t]).sum() / a.v[a.t].sum(),
    ),
    "binary_crossentropy": (
        lambda a: a.x.binary_crossentropy_logits(a.y.sigmoid()),
        lambda a: (
            -(
                np.log(_sigmoid(a.x)) * _sigmoid(a.y) + np.log(_sigmoid(-a.x)) * _sigmoid(-a.y)
            ).mean()
        ),
    ),
    "attention": (
        lambda a: a.c.scaled_dot_product_attention(a.c, a.c),
        lambda a: _attention(a, True),
    ),
    "causal attention": (
        lambda a: a.c.scaled_dot_product_attention(a.c, a.c, is_causal=True),
        lambda a: _attention(a, np.tri(3, dtype=bool)),
    ),
    "attention with a mask": (
        lambda a: a.c.scaled_dot_product_attention(
            a.c, a.c, attn_mask=Tensor.ones(3, 3).tril() > 0
        ),
        lambda a: _attention(a, np.tri(3, dtype=bool)),
    ),
    "conv2d": (lambda a: a.image.conv2d(a.weight), _convolved),
    "conv2d with steps": (
        lambda a: a.image.conv2d(a.weight, stride=2, padding=1),
        lambda a: _convolved(a, 2, 1),
    ),
    "conv2d of four sides": (
        lambda a: a.image.conv2d(a.weight, padding=(1, 1, 1, 1)),
        lambda a: _convolved(a, 1, 1),
    ),
    "conv2d, higher than wide": (
        lambda a: a.image.conv2d(a.weight, padding=(1, 0)),
        lambda a: _convolved(a, 1, 1)[..., 1:-1],
    ),
    "max_pool2d with padding": (
        lambda a: a.image.max_pool2d((3, 2), stride=(3, 2), padding=(0, 1)),
        _pooled,
    ),
    "avg_pool2d of what is there": (
        lambda a: (a.image * 0 + 2).avg_pool2d(3, 1, padding=1, count_include_pad=False),
        lambda a: a.image * 0 + 2,
    ),
    "max_pool2d": (
        lambda a: a.image.max_pool2d(),
        lambda a: a.image.reshape(2, 2, 3, 2, 3, 2).max((3, 5)),
    ),
    "avg_pool2d": (
        lambda a: a.image.avg_pool2d((3, 2)),
        lambda a: a.image.reshape(2, 2, 2, 3, 3, 2).mean((3, 5)),
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_part_of_a_network_gives_what_numpy_says(name: str) -> None:
    _check(NETWORKS[name])


CREATIONS: dict[str, Case] = {
    "ints": (lambda _: Tensor([1, 2]), lambda _: np.array([1, 2], "int32")),
    "floats": (lambda _: Tensor([1, 2.5]), lambda _: np.array([1, 2.5], "float32")),
    "truth": (lambda _: Tensor([True]), lambda _: np.array([True])),
    "a number": (lambda _: Tensor(1.5), lambda _: np.float32(1.5)),
    "an array": (lambda _: Tensor(np.arange(3)), lambda _: np.arange(3)),
    "bytes": (lambda _: Tensor(b"\1\2"), lambda _: np.array([1, 2], "uint8")),
    "a type": (lambda _: Tensor([1, 2], dtype=dtypes.half), lambda _: np.array([1, 2], "float16")),
    "a type by name": (lambda _: Tensor([1.5], dtype="int"), lambda _: np.array([1], "int32")),
    "zeros": (lambda _: Tensor.zeros(2, 3), lambda _: np.zeros((2, 3), "float32")),
    "zeros of a type": (
        lambda _: Tensor.zeros((2, 3), dtype=dtypes.int),
        lambda _: np.zeros((2, 3), "int32"),
    ),
    "ones without axes": (lambda _: Tensor.ones(), lambda _: np.float32(1)),
    "full of ints": (lambda _: Tensor.full((2,), 3), lambda _: np.array([3, 3], "int32")),
    "full of truth": (lambda _: Tensor.full((2,), True), lambda _: np.array([True, True])),
    "arange": (lambda _: Tensor.arange(5, 0, -2), lambda _: np.array([5, 3, 1], "int32")),
    "arange of floats": (lambda _: Tensor.arange(0, 1, 0.25), lambda _: _f32(np.arange(4) / 4)),
    "linspace": (lambda _: Tensor.linspace(0, 1, 5), lambda _: _f32(np.linspace(0, 1, 5))),
    "eye": (lambda _: Tensor.eye(2, 3), lambda _: np.eye(2, 3, dtype="float32")),
    "alike": (lambda a: a.i.ones_like(), lambda a: np.ones_like(a.i)),
    "alike of a type": (lambda a: a.i.zeros_like(dtype="half"), lambda _: np.zeros(3, "float16")),
    "cast": (lambda a: a.x.cast(dtypes.int), lambda a: a.x.astype("int32")),
    "double": (lambda a: a.x.double(), lambda a: a.x.astype("float64")),
    "long": (lambda a: a.i.long(), lambda a: a.i.astype("int64")),
    "bool": (lambda a: a.i.bool(), lambda a: a.i.astype(bool)),
}


@pytest.mark.parametrize("name", CREATIONS)
def test_a_tensor_is_made_as_numpy_makes_it(name: str) -> None:
    _check(CREATIONS[name])
