"""Functions made of Python functions, applied to elements, slices or pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onebuf.array_api.arguments import public
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.numpy_api.delegation import delegated


class vectorize:
    """A Python function of numbers as one of buffers, called once for each element.

    >>> vectorize(lambda x, y: max(x, y))([1, 5], [3, 2]).to_python()
    [3, 5]
    """

    def __init__(self, pyfunc: Any = None, *args: Any, **kwargs: Any) -> None:
        self._named = (args, kwargs)
        self._theirs = None if pyfunc is None else np.vectorize(pyfunc, *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function of each element; with none yet, the function that this decorates."""
        if self._theirs is None:
            given, named = self._named
            return vectorize(args[0], *given, **named)
        return on_arrays(Buffer, self._theirs, args, kwargs)


@public
def frompyfunc(
    func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None
) -> Callable[..., Any]:
    """A Python function as a ufunc; its results are Python's objects in arrays of NumPy's.

    >>> frompyfunc(lambda x: x + 1, 1, 1)([1, 2])
    array([2, 3], dtype=object)
    """
    named = {} if identity is None else {"identity": identity}
    return delegated(np.frompyfunc(func, nin, nout, **named))


@public
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Buffer:
    """``func1d`` of every slice of one dimension along ``axis``.

    >>> apply_along_axis(lambda row: row.max(), 1, [[1, 2], [4, 3]]).to_python()
    [2, 4]
    """

    def of_buffer(row: Any, *more: Any, **named: Any) -> Any:
        found = func1d(Buffer(row), *more, **named)
        return np.asarray(found)

    return on_arrays(Buffer, np.apply_along_axis, (of_buffer, axis, arr, *args), kwargs)  # type: ignore[no-any-return]


@public
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Buffer:
    """``func`` along each of ``axes`` in turn, which stay with extent 1."""

    def of_buffer(part: Any, axis: int) -> Any:
        return np.asarray(func(Buffer(part), axis))

    return on_arrays(Buffer, np.apply_over_axes, (of_buffer, a, axes), {})  # type: ignore[no-any-return]


@public
def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Buffer:
    """Functions, or numbers, each where its condition holds.

    >>> piecewise([-1.0, 2.0], [[True, False], [False, True]], [lambda v: -v, 5]).to_python()
    [1.0, 5.0]
    """
    wrapped = [_of_buffer(part) if callable(part) else part for part in funclist]
    return on_arrays(Buffer, np.piecewise, (x, condlist, wrapped, *args), kw)  # type: ignore[no-any-return]


def _of_buffer(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(part: Any, *args: Any, **kw: Any) -> Any:
        return np.asarray(function(Buffer(part), *args, **kw))

    return call
