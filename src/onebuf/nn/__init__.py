"""Neural networks: modules, layers, losses and batches of tokens, on tensors.

Names, shapes and initial values are torch's, so state dicts load by name.
"""

from onebuf.nn.attention import (
    CausalSelfAttention,
    KeyCache,
    MultiHeadAttention,
    scaled_dot_product_attention,
)
from onebuf.nn.convolution import Conv2d, conv2d
from onebuf.nn.functional import dropout, embedding, layer_norm, linear, rms_norm
from onebuf.nn.layers import (
    GELU,
    MLP,
    Dropout,
    Embedding,
    LayerNorm,
    Linear,
    ReLU,
    RMSNorm,
    SiLU,
)
from onebuf.nn.losses import (
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
)
from onebuf.nn.module import Module, ModuleList, Sequential
from onebuf.nn.token_loader import TokenLoader
from onebuf.tensor import (
    Tensor,
    autocast,
    gelu,
    log_softmax,
    no_grad,
    relu,
    sigmoid,
    silu,
    softmax,
)

# fmt: off
__all__ = [
    "GELU", "MLP", "CausalSelfAttention", "Conv2d", "Dropout", "Embedding", "KeyCache", "LayerNorm",
    "Linear", "Module", "ModuleList", "MultiHeadAttention", "RMSNorm", "ReLU", "Sequential", "SiLU",
    "Tensor", "TokenLoader", "autocast", "binary_cross_entropy_with_logits", "conv2d",
    "cross_entropy", "dropout", "embedding", "gelu", "huber_loss", "l1_loss", "layer_norm",
    "linear", "log_softmax", "mse_loss", "no_grad", "relu", "rms_norm",
    "scaled_dot_product_attention", "sigmoid", "silu", "softmax",
]
