"""Losses, with torch's arguments: how far predictions are from targets, as one number.

Each is one recorded operation. ``reduction`` is "mean", "sum" or "none".
"""

from __future__ import annotations

from math import nan
from typing import Any

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError, DTypeError, IndexRangeError, ShapeError
from onebuf.graph import UNARY
from onebuf.tensor import log_softmax, recorded, where
from onebuf.tensor.precision import NARROW


@recorded
def cross_entropy(
    logits: Any,
    targets: Any,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
    *,
    strict: bool = True,
) -> Any:
    """How unlikely the classes ``targets`` are by ``logits``, whose axis 1 is that of the classes.

    Of logits with one axis, that is it. Targets that are ``ignore_index`` do not count. A target
    that is no class is an error; if it is only found when the loss is computed, as in a captured
    function, the loss is NaN. If not ``strict``, such a target counts, with no loss of its own.

    >>> from onebuf.nn import Tensor
    >>> round(cross_entropy(Tensor([[0.0, 0.0], [9.0, 9.0]]), Tensor([0, 1])).item(), 6)
    0.693147
    """
    axis = 1 if logits.ndim > 1 else 0
    _check_targets(logits, targets, axis, label_smoothing)
    classes = logits.shape[axis]
    if strict:
        _check_classes(targets, classes, ignore_index)
    logs = log_softmax(_wide(logits), axis)
    column = targets.expand_dims(axis)
    numbers = Buffer._value(ops.arange(0, classes, 1, dtypes.int64, logits.device))
    places = [classes if place == axis else 1 for place in range(logits.ndim)]
    is_target = numbers.reshape(places) == column
    counts = targets != ignore_index
    losses = -where(is_target, logs, 0).sum(axis)
    if label_smoothing:
        spread = -logs.sum(axis)
        losses = losses * (1 - label_smoothing) + spread * (label_smoothing / classes)
    if strict:
        losses = where((targets >= 0) & (targets < classes), losses, nan)
    losses = where(counts, losses, 0)
    if reduction == "mean":
        return losses.sum() / counts.astype(losses.dtype).sum()
    return _reduced(losses, reduction)


def _check_targets(logits: Buffer, targets: Buffer, axis: int, smoothing: float) -> None:
    if dtypes.kind(targets.dtype) not in "iu":
        raise DTypeError(
            f"cross_entropy needs the numbers of classes as targets, got {targets.dtype.name}; "
            f"take argmax of probabilities, or convert with astype('int64')"
        )
    needed = (*logits.shape[:axis], *logits.shape[axis + 1 :])
    if targets.shape != needed:
        raise ShapeError(
            f"cross_entropy needs targets of shape {needed} for logits of shape {logits.shape}, "
            f"whose axis {axis} is that of the classes, got {targets.shape}; reshape logits to "
            f"(-1, classes) and targets to (-1,)"
        )
    if not 0 <= smoothing <= 1:
        raise ArgumentError(f"label_smoothing needs to be between 0 and 1, got {smoothing}")


def _check_classes(targets: Buffer, classes: int, ignore_index: int) -> None:
    """Raise for a target that is no class, if the targets are in memory already."""
    array = targets._node.array
    if array is None:
        return
    wrong = array[((array < 0) | (array >= classes)) & (array != ignore_index)]
    if wrong.size:
        raise IndexRangeError(
            f"cross_entropy needs targets from 0 to {classes - 1}, as there are {classes} classes, "
            f"or ignore_index={ignore_index}; got {wrong[0]}"
        )


@recorded
def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The squares of the differences.

    >>> from onebuf.nn import Tensor
    >>> mse_loss(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])).item()
    2.0
    """
    apart = _difference(x, target, "mse_loss")
    return _reduced(apart * apart, reduction)


@recorded
def l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute differences."""
    return _reduced(_difference(x, target, "l1_loss").abs(), reduction)


@recorded
def huber_loss(x: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squares of differences up to ``delta``, and straight lines beyond."""
    if delta <= 0:
        raise ArgumentError(f"huber_loss needs a positive delta, got {delta}")
    apart = _difference(x, target, "huber_loss")
    size = apart.abs()
    return _reduced(
        where(size < delta, apart * apart * 0.5, (size - 0.5 * delta) * delta), reduction
    )


@recorded
def binary_cross_entropy_with_logits(x: Any, target: Any, reduction: str = "mean") -> Any:
    """How unlikely the chances ``target`` are by ``sigmoid(x)``, without overflow."""
    wide = _wide(x)
    _difference(x, target, "binary_cross_entropy_with_logits")
    small = wide._value(ops.unary(UNARY["log1p"], (-wide.abs()).exp()._node))
    return _reduced(wide.maximum(0) - wide * target + small, reduction)


def _difference(x: Buffer, target: Buffer, name: str) -> Buffer:
    if x.shape != target.shape:
        raise ShapeError(
            f"{name} needs predictions and targets of one shape, got {x.shape} and {target.shape}; "
            f"broadcast or reshape one of them"
        )
    return _wide(x) - target


def _wide(x: Buffer) -> Buffer:
    """``x`` in at least float32."""
    return x.astype(dtypes.float32) if x.dtype in NARROW else x


def _reduced(losses: Buffer, reduction: str) -> Buffer:
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    if reduction != "none":
        raise ArgumentError(f"reduction needs 'mean', 'sum' or 'none', got {reduction!r}")
    return losses
