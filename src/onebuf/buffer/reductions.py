"""Reduction methods: axes folded into one element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from onebuf import ops
from onebuf.buffer.handle import Handle
from onebuf.dtypes import as_dtype
from onebuf.errors import ArgumentTypeError
from onebuf.graph import REDUCE, Node, Op

Axis = int | tuple[int, ...] | Sequence[int] | None


def one_axis(axis: Axis, axes: Axis) -> int | tuple[int, ...] | None:
    """The axes meant, whichever of the two spellings was used."""
    if axis is not None and axes is not None:
        raise ArgumentTypeError(f"pass axis or axes, not both; got axis={axis} and axes={axes}")
    chosen = axes if axis is None else axis
    return tuple(chosen) if isinstance(chosen, list) else chosen  # type: ignore[return-value]


def fold(op: Op, summary: str) -> Callable[..., Any]:
    """The method for one reduction."""

    def method(
        self: Reductions, axis: Axis = None, *, axes: Axis = None, keepdims: bool = False
    ) -> Any:
        return self._value(ops.reduce(op, self._node, one_axis(axis, axes), keepdims))

    method.__name__ = method.__qualname__ = op.name
    method.__doc__ = f"{summary} along ``axis``; over all elements if None."
    return method


def total(op: Op, summary: str) -> Callable[..., Any]:
    """The method for a reduction whose result may be wanted, and computed, in another type."""

    def method(
        self: Reductions,
        axis: Axis = None,
        dtype: Any = None,
        *,
        axes: Axis = None,
        keepdims: bool = False,
    ) -> Any:
        node = self._node
        if dtype is None:
            return self._value(ops.reduce(op, node, one_axis(axis, axes), keepdims))
        wanted = as_dtype(dtype)
        wide = ops.reduce(op, ops.cast(node, wanted), one_axis(axis, axes), keepdims)
        return self._value(ops.cast(wide, wanted))

    method.__name__ = method.__qualname__ = op.name
    method.__doc__ = f"{summary} along ``axis``; over all elements if None."
    return method


def spread(function: Callable[..., Node], summary: str) -> Callable[..., Any]:
    """The method for a measure of spread."""

    def method(
        self: Reductions,
        axis: Axis = None,
        *,
        axes: Axis = None,
        correction: float = 0.0,
        keepdims: bool = False,
    ) -> Any:
        return self._value(function(self._node, one_axis(axis, axes), correction, keepdims))

    method.__name__ = method.__qualname__ = function.__name__
    method.__doc__ = f"{summary} along ``axis``; over all elements if None."
    return method


class Reductions(Handle):
    """Sums, extremes and means; ``axes`` is another spelling of ``axis``."""

    __slots__ = ()

    sum = total(REDUCE["sum"], "The sum")
    prod = total(REDUCE["prod"], "The product")
    max = fold(REDUCE["max"], "The largest element")
    min = fold(REDUCE["min"], "The smallest element")
    all = fold(REDUCE["all"], "Whether every element is true")
    any = fold(REDUCE["any"], "Whether some element is true")
    argmax = fold(REDUCE["argmax"], "The position of the largest element")
    argmin = fold(REDUCE["argmin"], "The position of the smallest element")

    def argsort(self, axis: int = -1) -> Self:
        """The order that sorts the elements along ``axis``; equal ones keep theirs."""
        return self._value(ops.argsort(self._node, axis))

    def mean(
        self,
        axis: Axis = None,
        dtype: Any = None,
        *,
        axes: Axis = None,
        keepdims: bool = False,
    ) -> Self:
        """The arithmetic mean along ``axis``, computed in ``dtype`` if one is given."""
        node = self._node if dtype is None else ops.cast(self._node, as_dtype(dtype))
        return self._value(ops.mean(node, one_axis(axis, axes), keepdims))

    var = spread(ops.var, "The variance, divided by the count less ``correction``,")
    std = spread(ops.std, "The standard deviation, see `var`,")
