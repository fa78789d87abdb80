"""Fourier transforms: the fft extension of the array API standard, computed by NumPy.

Each is one node of the graph. Single precision stays single.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import into, node_of, number, public, sequence, whole
from onebuf.buffer import Buffer
from onebuf.dtypes import DT
from onebuf.errors import ArgumentError, DTypeError, ShapeError
from onebuf.graph import Node
from onebuf.layout import normalize_axes, normalize_axis
from onebuf.machine import CPU
from onebuf.machine import device as find_device
from onebuf.options import options

NORMS = ("backward", "ortho", "forward")


class AlongAxis(Protocol):
    """A transform along one axis."""

    def __call__(
        self,
        x: Any,
        /,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = "backward",
        out: Any = None,
    ) -> Buffer: ...


class AlongAxes(Protocol):
    """A transform along several axes."""

    def __call__(
        self,
        x: Any,
        /,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str | None = "backward",
        out: Any = None,
    ) -> Buffer: ...


def _along_axis(name: str, extent: str, kind: str, summary: str) -> AlongAxis:
    """The transform ``name`` of NumPy, whose results have ``extent`` and are of ``kind``."""
    theirs = getattr(np.fft, name)

    def transform(
        x: Any,
        /,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = "backward",
        out: Any = None,
    ) -> Buffer:
        node = _floating(name, x, norm)
        axis = normalize_axis(axis, len(node.shape), name)
        length = _length(name, n, node.shape[axis], extent)
        shape = (*node.shape[:axis], length, *node.shape[axis + 1 :])
        dtype = _result(node.dtype, kind)
        return _transformed(name, theirs, node, (n, axis, norm), shape, dtype, out)

    transform.__name__, transform.__qualname__, transform.__doc__ = name, name, summary
    return public(transform)


def _along_axes(
    name: str, extent: str, kind: str, summary: str, default: Sequence[int] | None = None
) -> AlongAxes:
    """The same along several axes; of two, NumPy's along any number with a ``default``."""
    theirs = getattr(np.fft, name.replace("2", "n"))

    def transform(
        x: Any,
        /,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = default,
        norm: str | None = "backward",
        out: Any = None,
    ) -> Buffer:
        node = _floating(name, x, norm)
        ndim = len(node.shape)
        if s is not None:
            s = [whole(name, "s", extent) for extent in sequence(name, "s", s)]
        if axes is None:
            axes = range(ndim) if s is None else range(ndim - len(s), ndim)
        chosen = normalize_axes(sequence(name, "axes", axes), ndim, name)
        if not chosen and extent != "same":
            raise ShapeError(f"{name} needs at least 1 axis to transform, got axes={chosen}")
        if s is not None and len(s) != len(chosen):
            raise ArgumentError(
                f"{name} needs one extent for each axis, got s={s} and axes={chosen}"
            )
        shape = list(node.shape)
        points = []
        for place, axis in enumerate(chosen):
            wanted = None if s is None or s[place] == -1 else s[place]
            rule = extent if place == len(chosen) - 1 else "same"
            shape[axis] = _length(name, wanted, node.shape[axis], rule)
            points.append(_points(name, wanted, node.shape[axis], rule))
        static = (tuple(points), chosen, norm)
        dtype = _result(node.dtype, kind)
        return _transformed(name, theirs, node, static, tuple(shape), dtype, out)

    transform.__name__, transform.__qualname__, transform.__doc__ = name, name, summary
    return public(transform)


def _transformed(
    name: str, theirs: Any, node: Node, static: Any, shape: tuple[int, ...], dtype: Any, out: Any
) -> Buffer:
    """A transform by NumPy; that of no elements is zero, of which NumPy leaves some unwritten."""
    if node.numel:
        return into(name, out, Buffer._value(ops.library(theirs, (node,), static, shape, dtype)))
    return into(name, out, Buffer._value(ops.full(shape, 0, dtype, node.device or CPU)))


fft = _along_axis(
    "fft",
    "same",
    "complex",
    """The discrete Fourier transform along ``axis``.

    >>> fft(Buffer([1.0, 0.0, 0.0, 0.0])).to_python()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """,
)
ifft = _along_axis("ifft", "same", "complex", "The inverse of `fft`.")
rfft = _along_axis("rfft", "half", "complex", "The half of `fft` that real elements need.")
irfft = _along_axis("irfft", "double", "real", "The inverse of `rfft`.")
hfft = _along_axis("hfft", "double", "real", "The transform of elements with Hermitian symmetry.")
ihfft = _along_axis("ihfft", "half", "complex", "The inverse of `hfft`.")

fftn = _along_axes("fftn", "same", "complex", "The discrete Fourier transform along several axes.")
ifftn = _along_axes("ifftn", "same", "complex", "The inverse of `fftn`.")
rfftn = _along_axes("rfftn", "half", "complex", "The half of `fftn` that real elements need.")
irfftn = _along_axes("irfftn", "double", "real", "The inverse of `rfftn`.")

_LAST = (-2, -1)
fft2 = _along_axes(
    "fft2", "same", "complex", "The discrete Fourier transform along two axes.", _LAST
)
ifft2 = _along_axes("ifft2", "same", "complex", "The inverse of `fft2`.", _LAST)
rfft2 = _along_axes(
    "rfft2", "half", "complex", "The half of `fft2` that real elements need.", _LAST
)
irfft2 = _along_axes("irfft2", "double", "real", "The inverse of `rfft2`.", _LAST)


@public
def fftfreq(n: int, /, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Buffer:
    """The frequencies of the elements of an `fft` of ``n`` samples ``d`` apart."""
    return _frequencies("fftfreq", np.fft.fftfreq, n, d, dtype, device)


@public
def rfftfreq(n: int, /, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Buffer:
    """The frequencies of the elements of an `rfft` of ``n`` samples ``d`` apart."""
    return _frequencies("rfftfreq", np.fft.rfftfreq, n, d, dtype, device)


@public
def fftshift(x: Any, /, axes: int | Sequence[int] | None = None) -> Buffer:
    """Frequency zero moved to the middle."""
    return _shifted("fftshift", np.fft.fftshift, x, axes)


@public
def ifftshift(x: Any, /, axes: int | Sequence[int] | None = None) -> Buffer:
    """The inverse of `fftshift`."""
    return _shifted("ifftshift", np.fft.ifftshift, x, axes)


def _points(name: str, n: int | None, extent: int, rule: str) -> int:
    """How many points a transform has: ``n``, or as many as the elements along the axis give."""
    if n is not None:
        return whole(name, "n", n, 1)
    points = 2 * (extent - 1) if rule == "double" else extent
    if points < 1:
        raise ArgumentError(
            f"Invalid number of FFT data points ({points}): {name} needs at least 1 along the "
            f"axis, got an extent of {extent}"
        )
    return points


def _length(name: str, n: int | None, extent: int, rule: str) -> int:
    points = _points(name, n, extent, rule)
    return points // 2 + 1 if rule == "half" else points


def _floating(name: str, x: Any, norm: str | None) -> Node:
    node = node_of(name, x)
    if norm is not None and norm not in NORMS:
        raise ArgumentError(f"{name} needs a norm of {', '.join(NORMS)}; got {norm!r}")
    if name in ("rfft", "rfft2", "rfftn", "ihfft") and dtypes.kind(node.dtype) == "c":
        raise DTypeError(f"{name} needs real numbers, got {node.dtype.name}; use fft, or real(x)")
    return ops.widened(node)


def _result(dtype: DT, kind: str) -> DT:
    single = dtype in (dtypes.float32, dtypes.complex64)
    if kind == "real":
        return dtypes.float32 if single else dtypes.float64
    return dtypes.complex64 if single else dtypes.complex128


def _frequencies(
    name: str, function: Callable[..., Any], n: int, d: float, dtype: Any, device: Any
) -> Buffer:
    where = find_device(device)
    n, d = whole(name, "n", n, 1), number(name, "d", d)
    if d == 0:
        raise ArgumentError(f"{name} needs samples apart from each other, got d={d}")
    wanted = options().default_float if dtype is None else dtypes.as_dtype(dtype)
    if dtypes.kind(wanted) != "f":
        raise DTypeError(f"{name} needs a real floating dtype, got {wanted.name}")
    length = n if name == "fftfreq" else n // 2 + 1
    node = ops.library(function, (), (n, d), (length,), dtypes.float64, "", where)
    return Buffer._value(ops.cast(node, wanted))


def _shifted(
    name: str, function: Callable[..., Any], x: Any, axes: int | Sequence[int] | None
) -> Buffer:
    node = node_of(name, x)
    chosen = normalize_axes(axes, len(node.shape), name)
    if not chosen:
        return Buffer._value(ops.copied(node))
    return Buffer._value(ops.library(function, (node,), (chosen,), node.shape, node.dtype))


__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

BY_OPERATIONS: dict[Any, Callable[..., Any]] = {
    getattr(np.fft, name): globals()[name] for name in __all__
}
"""By function of NumPy: ours, for buffers that are traced; see `onebuf.numpy_api.by_operations`."""
