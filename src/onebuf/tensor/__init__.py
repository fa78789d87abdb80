"""Tensors: buffers with gradients, and functions with gradients of their own."""

from onebuf.tensor.function import Function, Metadata
from onebuf.tensor.functions import (
    concat,
    einsum,
    gelu,
    log_softmax,
    logsumexp,
    relu,
    sigmoid,
    silu,
    softmax,
    stack,
    take_along_axis,
    where,
)
from onebuf.tensor.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from onebuf.tensor.precision import autocast
from onebuf.tensor.recording import recorded
from onebuf.tensor.tensor import Tensor

# fmt: off
__all__ = [
    "Function", "Metadata", "Tensor", "autocast", "concat", "einsum", "enable_grad", "gelu",
    "is_grad_enabled", "log_softmax", "logsumexp", "no_grad", "recorded", "relu",
    "set_grad_enabled", "sigmoid", "silu", "softmax", "stack", "take_along_axis", "where",
]
