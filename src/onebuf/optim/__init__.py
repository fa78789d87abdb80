"""Optimisers, schedules of learning rates, and clipping of gradients."""

from onebuf.optim.adam import Adam, AdamW
from onebuf.optim.clipping import clip_grad_norm_, clip_grad_value_
from onebuf.optim.optimizer import Optimizer
from onebuf.optim.schedules import ConstantLR, CosineLR, LambdaLR, LinearLR, StepLR
from onebuf.optim.sgd import SGD

# fmt: off
__all__ = [
    "SGD", "Adam", "AdamW", "ConstantLR", "CosineLR", "LambdaLR", "LinearLR", "Optimizer", "StepLR",
    "clip_grad_norm_", "clip_grad_value_",
]
