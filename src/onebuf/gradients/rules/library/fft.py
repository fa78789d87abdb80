"""Rules of Fourier transforms: linear functions, whose gradients are the adjoint transforms.

The adjoint of a transform is the one in the other direction with the scale of this one, so that
"forward" and "backward" are exchanged. A transform of real elements leaves out the half that is the
conjugate of the other; elements of the half that is there count twice. Operands that were padded or
cut off before the transform have gradients that are cut off or padded after it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.gradients.rules.arithmetic import conj, fitted, multiply
from onebuf.gradients.rules.table import call_name, differentiates_call
from onebuf.graph import Node
from onebuf.machine import CPU
from onebuf.ops import index, library, pad, reshape
from onebuf.ops.numpy.lapack import complex_of, real_of

_OTHER = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The norm of the adjoint."""


def _along(node: Node) -> tuple[tuple[int, ...], str]:
    """The axes of a transform, and the norm of its adjoint."""
    _, axes, norm = node.arg.static
    return (axes,) if isinstance(axes, int) else tuple(axes), _OTHER[norm]


def _points(node: Node, axis: int) -> int:
    """How many real points a transform has along its last axis."""
    n, _, _ = node.arg.static
    wanted = n if n is None or isinstance(n, int) else n[-1]
    return int(node.srcs[0].shape[axis] if wanted is None else wanted)


@differentiates_call("fft", "ifft", "fftn", "ifftn")
def _fft(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    axes, norm = _along(node)
    name = "fftn" if call_name(node).startswith("i") else "ifftn"
    pulled = _transformed(name, g, axes, norm)
    return (fitted(_resized(pulled, x.shape), x),)


@differentiates_call("rfft", "rfftn")
def _rfft(node: Node, g: Node) -> tuple[Node]:
    axes, norm = _along(node)
    return (_of_real(node.srcs[0], g, axes, _points(node, axes[-1]), norm),)


@differentiates_call("irfft", "irfftn")
def _irfft(node: Node, g: Node) -> tuple[Node]:
    axes, norm = _along(node)
    return (fitted(_of_half(node.srcs[0], g, axes, norm), node.srcs[0]),)


@differentiates_call("hfft")
def _hfft(node: Node, g: Node) -> tuple[Node]:
    """It is the `irfft` of conjugates with the other norm."""
    axes, norm = _along(node)
    return (fitted(conj(_of_half(node.srcs[0], g, axes, _OTHER[norm])), node.srcs[0]),)


@differentiates_call("ihfft")
def _ihfft(node: Node, g: Node) -> tuple[Node]:
    """It is the conjugate of the `rfft` with the other norm."""
    axes, norm = _along(node)
    return (_of_real(node.srcs[0], conj(g), axes, _points(node, axes[-1]), _OTHER[norm]),)


@differentiates_call("fftshift", "ifftshift")
def _shift(node: Node, g: Node) -> tuple[Node]:
    back = np.fft.fftshift if call_name(node) == "ifftshift" else np.fft.ifftshift
    return (library(back, (g,), node.arg.static, g.shape, g.dtype),)


def _of_real(x: Node, g: Node, axes: tuple[int, ...], points: int, norm: str) -> Node:
    """The gradient of real elements whose half transform has the gradient ``g``."""
    *others, last = axes
    if others:
        g = _transformed("ifftn", g, others, norm)
    g = multiply(g, _weights(g, last, points, 0.5))
    return fitted(_resized(_transformed("irfftn", g, (last,), norm, points), x.shape), x)


def _of_half(x: Node, g: Node, axes: tuple[int, ...], norm: str) -> Node:
    """The gradient of a half transform whose real elements have the gradient ``g``."""
    *others, last = axes
    points = g.shape[last]
    g = _transformed("rfftn", g, (last,), norm, points)
    g = multiply(g, _weights(g, last, points, 2.0))
    if others:
        g = _transformed("fftn", g, others, norm)
    return _resized(g, x.shape)


def _transformed(
    name: str, x: Node, axes: Sequence[int], norm: str, points: int | None = None
) -> Node:
    """A transform of NumPy's; ``points`` are those of its last axis."""
    extents = [x.shape[axis] for axis in axes]
    shape = list(x.shape)
    if points is not None:
        extents[-1] = points
        shape[axes[-1]] = points // 2 + 1 if name == "rfftn" else points
    dtype = real_of(x.dtype) if name == "irfftn" else complex_of(x.dtype)
    static = (tuple(extents), tuple(axes), norm)
    return library(getattr(np.fft, name), (x,), static, tuple(shape), dtype)


def _weights(half: Node, axis: int, points: int, inner: float) -> Node:
    """A factor for each frequency of a half transform, shaped to broadcast along ``axis``."""
    extent = half.shape[axis]
    dtype = real_of(half.dtype)
    static = (extent, points, inner, dtype)
    found = library(_weigh, (), static, (extent,), dtype, "weights", half.device or CPU)
    return reshape(found, [extent if n == axis else 1 for n in range(len(half.shape))])


def _weigh(extent: int, points: int, inner: float, dtype: DT) -> Array:
    """``inner``, but 1 for frequencies that are their own conjugates: zero, and half of all."""
    found = np.full(extent, inner, dtype)
    found[0] = 1
    if points % 2 == 0:
        found[-1] = 1
    return found


def _resized(x: Node, shape: tuple[int, ...]) -> Node:
    """``x`` cut off, or padded with zeros, at the end of each axis."""
    if x.shape == shape:
        return x
    part = index(x, tuple([slice(0, extent) for extent in shape]))
    widths = [(0, extent - short) for extent, short in zip(shape, part.shape, strict=True)]
    return pad(part, widths) if part.shape != shape else part
