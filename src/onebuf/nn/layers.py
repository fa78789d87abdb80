"""Layers: modules with torch's names, shapes and initial values, so that its state dicts load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onebuf.errors import ArgumentError
from onebuf.nn import functional
from onebuf.nn.initialisation import normal, ones, spread_evenly, zeros
from onebuf.nn.module import Module
from onebuf.tensor import gelu, relu, silu


class Linear(Module):
    """``x @ weight.T + bias``; the weight is (out_features, in_features).

    >>> from onebuf import nn
    >>> nn.Linear(3, 4)(nn.Tensor.ones((2, 3))).shape
    (2, 4)
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        self.in_features, self.out_features = in_features, out_features
        self.weight = spread_evenly((out_features, in_features), in_features)
        self.bias = spread_evenly((out_features,), in_features) if bias else None

    def forward(self, x: Any) -> Any:
        """The product with the weight, and the bias added."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.in_features}, {self.out_features}, bias={self.bias is not None}"


class Embedding(Module):
    """A row of the weight for each index.

    >>> from onebuf import nn
    >>> nn.Embedding(10, 4)(nn.Tensor([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = normal((num_embeddings, embedding_dim))

    def forward(self, indices: Any) -> Any:
        """The rows at ``indices``."""
        return functional.embedding(indices, self.weight)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.num_embeddings}, {self.embedding_dim}"


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes, then a weight and a bias for each place.

    >>> from onebuf import nn
    >>> round(nn.LayerNorm(4)(nn.Tensor([[1.0, 2.0, 3.0, 4.0]])).sum().item(), 6)
    0.0
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.weight = ones(self.normalized_shape) if elementwise_affine else None
        self.bias = zeros(self.normalized_shape) if elementwise_affine and bias else None

    def forward(self, x: Any) -> Any:
        """The normalised elements."""
        return functional.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The axes."""
        return f"{self.normalized_shape}, eps={self.eps}"


class RMSNorm(Module):
    """A mean square of 1 over the last axes, then a weight for each place."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
    ) -> None:
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.weight = ones(self.normalized_shape) if elementwise_affine else None

    def forward(self, x: Any) -> Any:
        """The normalised elements."""
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The axes."""
        return f"{self.normalized_shape}, eps={self.eps}"


class Dropout(Module):
    """Elements set to 0 with the chance ``p`` during training; after `eval`, nothing."""

    def __init__(self, p: float = 0.5) -> None:
        if not 0 <= p <= 1:
            raise ArgumentError(f"Dropout needs a chance between 0 and 1, got p={p}")
        self.p = p

    def forward(self, x: Any) -> Any:
        """The elements that are kept, scaled so that their mean stays."""
        return functional.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        """The chance."""
        return f"p={self.p}"


class ReLU(Module):
    """`relu` as a module."""

    def forward(self, x: Any) -> Any:
        """``x`` where it is positive, else 0."""
        return relu(x)


class SiLU(Module):
    """`silu` as a module."""

    def forward(self, x: Any) -> Any:
        """``x * sigmoid(x)``."""
        return silu(x)


class GELU(Module):
    """`gelu` as a module."""

    def __init__(self, approximate: str = "none") -> None:
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        """``x`` times the chance that a normal number is below it."""
        return gelu(x, self.approximate)


class MLP(Module):
    """Two linear layers with an activation in between, under GPT-2's names.

    ``hidden`` is four times the width by default.

    >>> from onebuf import nn
    >>> list(nn.MLP(4).state_dict())
    ['c_fc.weight', 'c_fc.bias', 'c_proj.weight', 'c_proj.bias']
    """

    def __init__(
        self,
        width: int,
        hidden: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        activation: Callable[[Any], Any] = gelu,
    ) -> None:
        wide = 4 * width if hidden is None else hidden
        self.c_fc = Linear(width, wide, bias)
        self.activation = activation
        self.c_proj = Linear(wide, width, bias)
        self.dropout = Dropout(dropout)

    def forward(self, x: Any) -> Any:
        """The second layer of the activation of the first."""
        return self.dropout(self.c_proj(self.activation(self.c_fc(x))))


def _shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(normalized_shape, int):
        return (normalized_shape,)
    return tuple(normalized_shape)
