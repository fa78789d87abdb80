"""A system as TinyGPT is, on its buffers: operations, tensors, modules and optimisers.

It is the smallest of that kind: an operation knows its gradient on buffers, a tensor has a buffer
and the operation that made it, a module has tensors, and an optimiser changes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from onebuf.compat.tinygpt import Buffer

Shape = tuple[int, ...]


# -- operations ------------------------------------------------------------------------------------


class Operation:
    def forward(self, *buffers: Buffer) -> Buffer:
        raise NotImplementedError

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        raise NotImplementedError


class Add(Operation):
    def forward(self, *buffers: Buffer) -> Buffer:
        x, y = buffers
        return x + y

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return gradient, gradient


class Sub(Operation):
    def forward(self, *buffers: Buffer) -> Buffer:
        x, y = buffers
        return x - y

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return gradient, -gradient


class Mul(Operation):
    def forward(self, *buffers: Buffer) -> Buffer:
        self.x, self.y = buffers
        return self.x * self.y

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return gradient * self.y, gradient * self.x


class Div(Operation):
    def forward(self, *buffers: Buffer) -> Buffer:
        self.x, self.y = buffers
        return self.x / self.y

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return gradient / self.y, -(gradient * self.x) / (self.y * self.y)


class Exp(Operation):
    def forward(self, *buffers: Buffer) -> Buffer:
        self.found = buffers[0].exp()
        return self.found

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient * self.found,)


class Log(Operation):
    def forward(self, *buffers: Buffer) -> Buffer:
        (self.x,) = buffers
        return self.x.log()

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient / self.x,)


class Relu(Operation):
    def forward(self, *buffers: Buffer) -> Buffer:
        (self.x,) = buffers
        return self.x.maximum(Buffer.zeros(self.x.shape))

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient * (self.x > 0.0).float(),)


class Power(Operation):
    def __init__(self, exponent: float) -> None:
        self.exponent = exponent

    def forward(self, *buffers: Buffer) -> Buffer:
        (self.x,) = buffers
        return self.x**self.exponent

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient * (self.x ** (self.exponent - 1)) * self.exponent,)


class Sum(Operation):
    def __init__(self, axes: Shape) -> None:
        self.axes = axes

    def forward(self, *buffers: Buffer) -> Buffer:
        self.shape = buffers[0].shape
        return buffers[0].sum(self.axes)

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient.expand(self.shape),)


class Reshape(Operation):
    def __init__(self, shape: Shape) -> None:
        self.new = shape

    def forward(self, *buffers: Buffer) -> Buffer:
        self.old = buffers[0].shape
        return buffers[0].reshape(self.new)

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient.reshape(self.old),)


class Expand(Operation):
    def __init__(self, shape: Shape) -> None:
        self.new = shape

    def forward(self, *buffers: Buffer) -> Buffer:
        old = buffers[0].shape
        self.axes = tuple(n for n in range(len(old)) if old[n] != self.new[n])
        return buffers[0].expand(self.new)

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient.sum(self.axes),)


class Permute(Operation):
    def __init__(self, axes: Shape) -> None:
        self.axes = axes

    def forward(self, *buffers: Buffer) -> Buffer:
        return buffers[0].permute(self.axes)

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        return (gradient.permute(tuple(self.axes.index(n) for n in range(len(self.axes)))),)


class Slice(Operation):
    def __init__(self, key: Any) -> None:
        self.key = key

    def forward(self, *buffers: Buffer) -> Buffer:
        self.shape = buffers[0].shape
        return buffers[0][self.key]

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        whole = Buffer.zeros(self.shape)
        whole[self.key] = gradient
        return (whole,)


class Concatenate(Operation):
    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, *buffers: Buffer) -> Buffer:
        self.extents = [buffer.shape[self.axis] for buffer in buffers]
        return Buffer.concatenate(buffers, self.axis)

    def backward(self, gradient: Buffer) -> tuple[Buffer, ...]:
        parts, begin = [], 0
        for extent in self.extents:
            key = (*[slice(None)] * self.axis, slice(begin, begin + extent))
            parts.append(gradient[key])
            begin += extent
        return tuple(parts)


# -- tensors ---------------------------------------------------------------------------------------


class Tensor:
    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.buffer = Buffer(data)
        self.requires_grad = requires_grad
        self.grad: Buffer | None = None
        self.made_by: tuple[Operation, tuple[Tensor, ...]] | None = None

    @property
    def shape(self) -> Shape:
        return self.buffer.shape

    @classmethod
    def apply(cls, operation: Operation, *inputs: Tensor) -> Tensor:
        found = cls(operation.forward(*[x.buffer for x in inputs]))
        found.requires_grad = any(x.requires_grad for x in inputs)
        if found.requires_grad:
            found.made_by = operation, inputs
        return found

    def backward(self) -> None:
        order: list[Tensor] = []
        self._visit(order, set())
        self.grad = Buffer.ones(self.shape)
        for tensor in reversed(order):
            if tensor.made_by is None or tensor.grad is None:
                continue
            operation, inputs = tensor.made_by
            for x, gradient in zip(inputs, operation.backward(tensor.grad), strict=True):
                if x.requires_grad:
                    x.grad = gradient if x.grad is None else x.grad + gradient

    def _visit(self, order: list[Tensor], seen: set[int]) -> None:
        if id(self) in seen or not self.requires_grad:
            return
        seen.add(id(self))
        for x in self.made_by[1] if self.made_by else ():
            x._visit(order, seen)
        order.append(self)

    def reshape(self, shape: Shape) -> Tensor:
        return self if shape == self.shape else self.apply(Reshape(shape), self)

    def expand(self, shape: Shape) -> Tensor:
        one = self.reshape((1,) * (len(shape) - len(self.shape)) + self.shape)
        return one if shape == one.shape else self.apply(Expand(shape), one)

    def _with(self, operation: Operation, other: Any) -> Tensor:
        y = other if isinstance(other, Tensor) else Tensor(float(other))
        shape = np.broadcast_shapes(self.shape, y.shape)
        return self.apply(operation, self.expand(shape), y.expand(shape))

    def __add__(self, other: Any) -> Tensor:
        return self._with(Add(), other)

    def __sub__(self, other: Any) -> Tensor:
        return self._with(Sub(), other)

    def __mul__(self, other: Any) -> Tensor:
        return self._with(Mul(), other)

    def __truediv__(self, other: Any) -> Tensor:
        return self._with(Div(), other)

    def __pow__(self, exponent: float) -> Tensor:
        return self.apply(Power(exponent), self)

    def __getitem__(self, key: Any) -> Tensor:
        return self.apply(Slice(key), self)

    def sum(self, *axes: int) -> Tensor:
        return self.apply(Sum(axes), self)

    def relu(self) -> Tensor:
        return self.apply(Relu(), self)

    def permute(self, *axes: int) -> Tensor:
        return self.apply(Permute(axes), self)

    def __matmul__(self, other: Tensor) -> Tensor:
        (rows, inner), (_, columns) = self.shape, other.shape
        product = self.reshape((rows, inner, 1)) * other.reshape((1, inner, columns))
        return product.sum(1).reshape((rows, columns))

    def log_softmax(self) -> Tensor:
        apart = self - Tensor(self.buffer.max(axes=(1,)))
        powers = self.apply(Exp(), apart)
        return apart - self.apply(Log(), powers.sum(1))

    def softmax(self) -> Tensor:
        return self.apply(Exp(), self.log_softmax())

    def layer_norm(self) -> Tensor:
        width = self.shape[1]
        apart = self - self.sum(1) / width
        return apart * ((apart * apart).sum(1) / width + 1e-5) ** -0.5

    def cross_entropy(self, targets: list[int]) -> Tensor:
        picked = self.log_softmax() * Tensor(one_hot(targets, self.shape[1]))
        return picked.sum(0, 1).reshape(()) * (-1 / len(targets))


def one_hot(numbers: list[int], count: int) -> list[list[float]]:
    return [[float(place == number) for place in range(count)] for number in numbers]


# -- modules and optimisers ------------------------------------------------------------------------


class Module:
    def parameters(self) -> Iterator[Tensor]:
        for part in vars(self).values():
            for one in part if isinstance(part, list) else [part]:
                if isinstance(one, Module):
                    yield from one.parameters()
                elif isinstance(one, Tensor) and one.requires_grad:
                    yield one


class Linear(Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        bound = 1 / math.sqrt(inputs)
        self.weight = Tensor(Buffer.uniform((inputs, outputs), -bound, bound), requires_grad=True)
        self.bias = Tensor(Buffer.zeros((outputs,)), requires_grad=True)

    def __call__(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


class MLP(Module):
    def __init__(self, *widths: int) -> None:
        self.layers = [Linear(n, m) for n, m in pairwise(widths)]

    def __call__(self, x: Tensor) -> Tensor:
        for layer in self.layers[:-1]:
            x = layer(x).relu()
        return self.layers[-1](x)


class GPT(Module):
    """One block of a GPT: tokens and positions, causal attention of two heads, and an MLP."""

    def __init__(self, vocabulary: int, length: int, width: int) -> None:
        self.tokens = Tensor(Buffer.normal((vocabulary, width), std=0.5), requires_grad=True)
        self.positions = Tensor(Buffer.normal((length, width), std=0.5), requires_grad=True)
        self.qkv, self.projection = Linear(width, 3 * width), Linear(width, width)
        self.mlp = MLP(width, 2 * width, width)
        self.head = Linear(width, vocabulary)

    def __call__(self, tokens: list[int]) -> Tensor:
        x = Tensor(one_hot(tokens, self.tokens.shape[0])) @ self.tokens + self.positions
        x = x + self.projection(self.attention(self.qkv(x.layer_norm())))
        x = x + self.mlp(x.layer_norm())
        return self.head(x.layer_norm())

    def attention(self, qkv: Tensor) -> Tensor:
        length, width = qkv.shape[0], qkv.shape[1] // 6
        seen = Buffer.ones((length, length)).tril()
        hidden = Tensor((seen - 1.0) * 1e9)
        heads = []
        for head in range(2):
            begins = [place * 2 * width + head * width for place in range(3)]
            q, k, v = (qkv[:, begin : begin + width] for begin in begins)
            scores = (q @ k.permute(1, 0)) * (1 / math.sqrt(width))
            heads.append((scores + hidden).softmax() @ v)
        return Tensor.apply(Concatenate(axis=1), *heads)


class Optimizer:
    def __init__(self, module: Module) -> None:
        self.parameters = list(module.parameters())

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self) -> None:
        for place, parameter in enumerate(self.parameters):
            assert parameter.grad is not None
            everything = tuple(slice(None) for _ in parameter.shape)
            parameter.buffer[everything] = parameter.buffer - self.change(place, parameter.grad)

    def change(self, place: int, gradient: Buffer) -> Buffer:
        raise NotImplementedError


class SGD(Optimizer):
    def __init__(self, module: Module, rate: float, momentum: float) -> None:
        super().__init__(module)
        self.rate, self.momentum = rate, momentum
        self.kept = [Buffer.zeros(parameter.shape) for parameter in self.parameters]

    def change(self, place: int, gradient: Buffer) -> Buffer:
        self.kept[place] = self.kept[place] * self.momentum + gradient
        return self.kept[place] * self.rate


class Adam(Optimizer):
    def __init__(self, module: Module, rate: float) -> None:
        super().__init__(module)
        self.rate, self.steps = rate, 0
        self.means = [Buffer.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [Buffer.zeros(parameter.shape) for parameter in self.parameters]

    def step(self) -> None:
        self.steps += 1
        super().step()

    def change(self, place: int, gradient: Buffer) -> Buffer:
        self.means[place] = self.means[place] * 0.9 + gradient * 0.1
        self.squares[place] = self.squares[place] * 0.99 + gradient * gradient * 0.01
        root = (self.squares[place] / (1 - 0.99**self.steps)) ** 0.5 + 1e-8
        return self.means[place] / (1 - 0.9**self.steps) / root * self.rate


def train(loss: Callable[[], Tensor], optimizer: Optimizer, steps: int) -> list[float]:
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        found = loss()
        found.backward()
        optimizer.step()
        losses.append(found.buffer.to_python())
    return losses  # type: ignore[return-value]
