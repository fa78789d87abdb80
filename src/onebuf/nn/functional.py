"""Functions of layers, on tensors or on buffers: each is one recorded operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError, ShapeError
from onebuf.nn.standardisation import standardised
from onebuf.ops import take
from onebuf.tensor import Tensor, recorded
from onebuf.tensor.precision import NARROW, product


@recorded
def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """``x @ weight.T + bias`` along the last axis of ``x``; ``weight`` is (out, in).

    >>> from onebuf.nn import Tensor
    >>> linear(Tensor([1.0, 2.0]), Tensor([[3.0, 4.0]]), Tensor([1.0])).tolist()
    [12.0]
    """
    if x.shape[-1:] != weight.shape[1:]:
        raise ShapeError(
            f"linear needs as many inputs as the weight of shape {weight.shape} has columns, got "
            f"{x.shape}"
        )
    rows = product(x.reshape(-1, weight.shape[1]), weight.T)
    found = rows if bias is None else rows + bias.astype(rows.dtype, copy=False)
    return found.reshape(*x.shape[:-1], weight.shape[0])


@recorded
def embedding(indices: Any, weight: Any) -> Any:
    """Rows of ``weight``, one for each of ``indices``."""
    return weight._value(take(weight._node, indices._node, 0))


@recorded
def layer_norm(
    x: Any,
    normalized_shape: int | Sequence[int],
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
) -> Any:
    """``x`` shifted and scaled to mean 0 and variance 1 over the last axes.

    Then multiplied by ``weight``, and ``bias`` added, if there are such.

    >>> from onebuf.nn import Tensor
    >>> [round(v, 3) for v in layer_norm(Tensor([1.0, 2.0, 3.0]), 3).tolist()]
    [-1.225, 0.0, 1.225]
    """
    wide, axes = _over_last(x, normalized_shape, "layer_norm")
    return _affine(standardised(wide, axes, eps, True), weight, bias, x.dtype)


@recorded
def rms_norm(
    x: Any, normalized_shape: int | Sequence[int], weight: Any = None, eps: float | None = None
) -> Any:
    """``x`` scaled to a mean square of 1 over the last axes, times ``weight``.

    ``eps`` is the smallest step of the dtype, if None.
    """
    wide, axes = _over_last(x, normalized_shape, "rms_norm")
    least = float(np.finfo(wide.dtype).eps) if eps is None else eps
    return _affine(standardised(wide, axes, least, False), weight, None, x.dtype)


def _over_last(
    x: Buffer, normalized_shape: int | Sequence[int], name: str
) -> tuple[Buffer, tuple[int, ...]]:
    """``x`` in at least float32, and the axes that ``normalized_shape`` stands for."""
    one = isinstance(normalized_shape, int)
    shape = (normalized_shape,) if one else tuple(normalized_shape)  # type: ignore[arg-type]
    if not shape or x.shape[-len(shape) :] != shape:
        raise ShapeError(f"{name} needs a tensor whose shape ends with {shape}, got {x.shape}")
    wide = x.astype(dtypes.float32) if x.dtype in NARROW else x
    return wide, tuple(range(-len(shape), 0))


def _affine(x: Buffer, weight: Buffer | None, bias: Buffer | None, dtype: Any) -> Buffer:
    found = x if weight is None else x * weight
    found = found if bias is None else found + bias
    return found if found.dtype == dtype else found.astype(dtype)


def dropout(x: Any, p: float = 0.5, training: bool = True) -> Any:
    """``x`` with each element set to 0 with the chance ``p``, the others divided by ``1 - p``.

    Without ``training`` it is ``x`` itself. Chances are drawn from `onebuf.random`.
    """
    if not 0 <= p <= 1:
        raise ArgumentError(f"dropout needs a chance between 0 and 1, got p={p}")
    if not training or p == 0:
        return x
    return _kept(x, kept_mask(x, x.shape, p), p)


def kept_mask(x: Tensor | Buffer, shape: tuple[int, ...], p: float) -> Buffer:
    """Which elements dropout keeps, on the device of ``x``."""
    mask = Buffer.uniform(shape) >= p
    return mask if x.device == mask.device else mask.to_device(x.device)


@recorded
def _kept(x: Any, mask: Any, p: float) -> Any:
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return x * (mask.astype(x.dtype) * scale)
