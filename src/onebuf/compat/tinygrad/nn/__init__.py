"""``tinygrad.nn``: layers with tinygrad's names, shapes and initial weights."""

from onebuf.compat.tinygrad.nn import optim, state
from onebuf.compat.tinygrad.nn.layers import Conv2d, Embedding, Linear
from onebuf.compat.tinygrad.nn.norms import (
    BatchNorm,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm,
    LayerNorm,
    LayerNorm2d,
    RMSNorm,
)

# fmt: off
__all__ = [
    "BatchNorm", "BatchNorm2d", "BatchNorm3d", "Conv2d", "Embedding", "GroupNorm", "InstanceNorm",
    "LayerNorm", "LayerNorm2d", "Linear", "RMSNorm", "optim", "state",
]
