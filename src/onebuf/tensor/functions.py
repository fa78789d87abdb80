"""Functions of several tensors, and activations: each is one recorded operation.

They take buffers as well, and give buffers then, so that they can be used with `onebuf.grad`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt
from typing import Any

from onebuf import ops
from onebuf.buffer import Buffer
from onebuf.buffer.einsum import einsum as einsum_of_buffers
from onebuf.buffer.operators import node_of, operand
from onebuf.errors import ArgumentError
from onebuf.gradients import stop_gradient
from onebuf.graph import UNARY, Node
from onebuf.tensor.precision import in_float32
from onebuf.tensor.recording import recorded


@recorded
def concat(tensors: Sequence[Any], axis: int | None = 0) -> Any:
    """``tensors`` one after another along ``axis``; flattened first if it is None.

    >>> from onebuf.tensor import Tensor
    >>> concat([Tensor([1.0]), Tensor([2.0, 3.0])]).tolist()
    [1.0, 2.0, 3.0]
    """
    return Buffer._value(ops.concat([node_of("concat", x) for x in tensors], axis))


@recorded
def stack(tensors: Sequence[Any], axis: int = 0) -> Any:
    """``tensors`` of one shape along a new axis."""
    return Buffer._value(ops.stack([node_of("stack", x) for x in tensors], axis))


@recorded
def where(condition: Any, x: Any, y: Any) -> Any:
    """``x`` where ``condition`` holds, else ``y``, broadcast.

    >>> from onebuf.tensor import Tensor
    >>> where(Tensor([True, False]), 1.0, Tensor([5.0, 6.0])).tolist()
    [1.0, 6.0]
    """
    chosen = node_of("where", condition)
    one, two = operand(x), operand(y)
    typed = one if isinstance(one, Node) else two if isinstance(two, Node) else None
    if typed is None:
        raise ArgumentError("where needs a tensor among x and y, got two numbers; use full(...)")
    parts = [ops.as_operand(part, typed.dtype, chosen.device) for part in (one, two)]
    return Buffer._value(ops.ternary_where(chosen, *parts))


@recorded
def take_along_axis(x: Any, indices: Any, axis: int = -1) -> Any:
    """Elements of ``x`` chosen along ``axis`` by an index for each place."""
    node = ops.take_along_axis(node_of("take_along_axis", x), indices._node, axis)
    return Buffer._value(node)


@recorded
def einsum(subscripts: str, *tensors: Any) -> Any:
    """The sum of products that ``subscripts`` describes; see `onebuf.einsum`.

    >>> from onebuf.tensor import Tensor
    >>> einsum("ij,j->i", Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])).tolist()
    [3.0, 7.0]
    """
    return einsum_of_buffers(subscripts, *tensors)


# -- activations -----------------------------------------------------------------------------------


@recorded
def relu(x: Any) -> Any:
    """``x`` where it is positive, else 0; the gradient at 0 is 0.

    >>> from onebuf.tensor import Tensor
    >>> relu(Tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return where(x > 0, x, 0)


@recorded
@in_float32
def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``, without overflow."""
    return ((x * 0.5).tanh() + 1) * 0.5


@recorded
@in_float32
def silu(x: Any) -> Any:
    """``x * sigmoid(x)``."""
    return x * sigmoid(x)


@recorded
@in_float32
def gelu(x: Any, approximate: str = "none") -> Any:
    """``x`` times the chance that a normal number is below ``x``.

    ``approximate="tanh"`` is the formula that GPT-2 was trained with.

    >>> from onebuf.tensor import Tensor
    >>> [round(v, 4) for v in gelu(Tensor([-1.0, 0.0, 1.0])).tolist()]
    [-0.1587, 0.0, 0.8413]
    """
    if approximate == "tanh":
        inner = (x + x * x * x * 0.044715) * sqrt(2 / pi)
        return x * 0.5 * (inner.tanh() + 1)
    if approximate != "none":
        raise ArgumentError(f"gelu needs approximate='none' or 'tanh', got {approximate!r}")
    return x * 0.5 * (elementwise("erf", x * sqrt(0.5)) + 1)


@recorded
@in_float32
def softmax(x: Any, axis: int = -1) -> Any:
    """Positive numbers that add up to 1 along ``axis``, in proportion to ``exp(x)``.

    >>> from onebuf.tensor import Tensor
    >>> softmax(Tensor([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    powers = (x - stop_gradient(x.max(axis, keepdims=True))).exp()
    return powers / powers.sum(axis, keepdims=True)


@recorded
@in_float32
def logsumexp(x: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """``log(sum(exp(x)))`` along ``axis``, without overflow."""
    most = stop_gradient(x.max(axis, keepdims=True))
    most = where(elementwise("isfinite", most), most, 0)
    found = (x - most).exp().sum(axis, keepdims=True).log() + most
    return found if keepdims else found.squeeze(axis)


@recorded
@in_float32
def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of `softmax`, exact where that is nearly 0."""
    return x - logsumexp(x, axis, keepdims=True)


def elementwise(name: str, x: Buffer) -> Buffer:
    """The elementwise operation ``name`` of a buffer."""
    return x._value(ops.unary(UNARY[name], x._node))
