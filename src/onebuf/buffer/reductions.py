"""Reduction methods: sums, extremes, means and spreads along axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from onebuf import ops
from onebuf.buffer.handle import Handle
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.buffer.numpy.out_arguments import written
from onebuf.buffer.numpy.reduction import as_axes, reduced
from onebuf.dtypes import as_dtype
from onebuf.errors import ArgumentTypeError
from onebuf.graph import REDUCE, Node

Axis = int | tuple[int, ...] | Sequence[int] | None


def one_axis(axis: Axis, axes: Axis) -> int | tuple[int, ...] | None:
    """The axes meant, whichever of the two spellings was used."""
    if axes is None and (axis is None or axis.__class__ is int):
        return axis
    if axis is not None and axes is not None:
        raise ArgumentTypeError(f"pass axis or axes, not both; got axis={axis} and axes={axes}")
    chosen = axes if axis is None else axis
    return as_axes(chosen)  # type: ignore[no-any-return]


def total(name: str, summary: str) -> Callable[..., Any]:
    """The method for a reduction whose result may be wanted, and computed, in another type."""
    op = REDUCE[name]

    def method(
        self: Reductions,
        axis: Axis = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
        *,
        axes: Axis = None,
    ) -> Any:
        along = one_axis(axis, axes)
        if dtype is None and initial is None and where is True:
            result = self._value(ops.reduce(op, self._node, along, keepdims))
        else:
            result = self._value(reduced(name, self._node, along, dtype, keepdims, initial, where))
        return result if out is None else written(name, out, result)

    return _named(method, name, summary)


def extreme(name: str, summary: str) -> Callable[..., Any]:
    """The method for the largest or the smallest element."""

    def method(
        self: Reductions,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
        *,
        axes: Axis = None,
    ) -> Any:
        node = reduced(name, self._node, one_axis(axis, axes), None, keepdims, initial, where)
        result = self._value(node)
        return result if out is None else written(name, out, result)

    return _named(method, name, summary)


def truth(name: str, summary: str) -> Callable[..., Any]:
    """The method for whether all or some elements are true."""

    def method(
        self: Reductions,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        *,
        where: Any = True,
        axes: Axis = None,
    ) -> Any:
        node = reduced(name, self._node, one_axis(axis, axes), None, keepdims, None, where)
        result = self._value(node)
        return result if out is None else written(name, out, result)

    return _named(method, name, summary)


def position(name: str, summary: str) -> Callable[..., Any]:
    """The method for the position of an extreme."""

    def method(
        self: Reductions,
        axis: Axis = None,
        out: Any = None,
        *,
        keepdims: bool = False,
        axes: Axis = None,
    ) -> Any:
        node = reduced(name, self._node, one_axis(axis, axes), None, keepdims)
        result = self._value(node)
        return result if out is None else written(name, out, result)

    return _named(method, name, summary)


def spread(function: Callable[..., Node], theirs: Any, summary: str) -> Callable[..., Any]:
    """The method for a measure of spread."""
    name = function.__name__

    def method(
        self: Reductions,
        axis: Axis = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float = 0.0,
        axes: Axis = None,
    ) -> Any:
        along, less = one_axis(axis, axes), correction or ddof
        node = self._node
        if where is not True or mean is not None:
            named = {"dtype": dtype, "ddof": less, "keepdims": keepdims, "where": where}
            if mean is not None:
                named["mean"] = mean
            result = on_arrays(type(self), theirs, (self, along), named)
        else:
            wide = node if dtype is None else ops.cast(node, as_dtype(dtype))
            result = self._value(function(wide, along, less, keepdims))
        return result if out is None else written(name, out, result)

    return _named(method, name, summary)


def _named(method: Callable[..., Any], name: str, summary: str) -> Callable[..., Any]:
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"{summary} along ``axis``; over all elements if None."
    return method


class Reductions(Handle):
    """Sums, extremes and means; ``axes`` is another spelling of ``axis``."""

    __slots__ = ()

    sum = total("sum", "The sum")
    prod = total("prod", "The product")
    max = extreme("max", "The largest element")
    min = extreme("min", "The smallest element")
    all = truth("all", "Whether every element is true")
    any = truth("any", "Whether some element is true")
    argmax = position("argmax", "The position of the largest element")
    argmin = position("argmin", "The position of the smallest element")

    def mean(
        self,
        axis: Axis = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        *,
        where: Any = True,
        axes: Axis = None,
    ) -> Self:
        """The arithmetic mean along ``axis``, computed in ``dtype`` if one is given."""
        along = one_axis(axis, axes)
        if where is not True:
            named = {"dtype": dtype, "keepdims": keepdims, "where": where}
            result: Self = on_arrays(type(self), np.mean, (self, along), named)
        else:
            node = self._node if dtype is None else ops.cast(self._node, as_dtype(dtype))
            result = self._value(ops.mean(node, along, keepdims))
        return result if out is None else written("mean", out, result)

    var = spread(ops.var, np.var, "The variance, divided by the count less ``correction``,")
    std = spread(ops.std, np.std, "The standard deviation, see `var`,")
