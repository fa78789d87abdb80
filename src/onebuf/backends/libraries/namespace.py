"""An interpreter of operations on any namespace of the array API standard.

NumPy's rules hold. Operands are cast to the dtypes of NumPy's loop before a function of the
namespace is called, and its result to the dtype of the graph, so that a library's own promotion
never shows. Where the standard leaves the result open, as in an integer division by zero,
`onebuf.backends.libraries.conventions` has NumPy's. What only NumPy computes, its loops do
(`onebuf.backends.numpy.loops`). A subclass overrides what its library does differently.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.backends.libraries.conventions import CONVENTIONS
from onebuf.backends.numpy.gather import outside
from onebuf.backends.numpy.loops import run_into
from onebuf.dtypes import DT, Array, float32, is_added, promote
from onebuf.errors import DTypeError
from onebuf.graph import (
    ARANGE,
    BINARY,
    CAST,
    COMPLEX,
    CONCAT,
    CONSTANT,
    COPY,
    EMPTY,
    FULL,
    LIBRARY,
    MATMUL,
    PAD,
    RANDOM_BITS,
    REDUCE,
    SCAN,
    TAKE,
    TAKE_ALONG,
    UNARY,
    WHERE,
    Op,
)
from onebuf.graph.loop_dtypes import loop_dtypes
from onebuf.ops import quietly

Operands = tuple[Any, ...]
Shape = tuple[int, ...]

EIGHTS = frozenset({dtypes.float8_e4m3fn, dtypes.float8_e5m2})
"""Floats of 8 bits: stored as such, and computed with in float32."""


def computed_in(dtype: DT) -> DT:
    """The dtype that a library computes in for results of ``dtype``."""
    return float32 if dtype in EIGHTS else dtype


class ArrayApi:
    """Operations on the arrays of one namespace.

    >>> ArrayApi(np).run(BINARY["add"], (np.arange(3), np.ones(3, int)), None, (3,), np.dtype(int))
    array([1, 2, 3])
    """

    def __init__(self, namespace: ModuleType | Any) -> None:
        self.namespace = namespace

    def run(self, op: Op, operands: Operands, arg: Any, shape: Shape, dtype: DT) -> Any:
        """The result of ``op``, as an array of the namespace."""
        return _RUN[op](self, op, operands, arg, shape, dtype)

    # -- elements and dtypes -----------------------------------------------------------------------

    def own(self, dtype: DT) -> Any:
        """The namespace's own object for a dtype."""
        return dtype if self.namespace is np else getattr(self.namespace, dtype.name)

    def dtype_of(self, array: Any) -> DT:
        """The dtype of an array of the namespace."""
        if isinstance(array.dtype, np.dtype):
            return dtypes.as_dtype(array.dtype)
        return _by_own(self)[array.dtype]

    def from_host(self, array: Array) -> Any:
        """An array of the namespace with the elements of a new array of NumPy."""
        return self.namespace.asarray(array)

    def cast(self, x: Any, dtype: DT) -> Any:
        """``x`` as ``dtype``; of complex numbers the real parts, or whether they are not zero."""
        source = self.dtype_of(x)
        if source == dtype:
            return x
        if source.kind == "c" and dtype.kind == "b":
            return x != 0
        if source.kind == "c" and dtype.kind != "c":
            x = self.namespace.real(x)
        return self.astype(x, dtype)

    def astype(self, x: Any, dtype: DT) -> Any:
        """``x`` converted; it is not complex unless ``dtype`` is."""
        return self.namespace.astype(x, self.own(dtype))

    def scalar(self, value: Any, dtype: DT) -> Any:
        """One number as an array without axes."""
        return self.from_host(np.asarray(value, dtype))

    # -- creation ----------------------------------------------------------------------------------

    def empty(self, shape: Shape, dtype: DT) -> Any:
        """An array with undefined content."""
        return self.namespace.empty(shape, dtype=self.own(dtype))

    def full(self, value: Any, shape: Shape, dtype: DT) -> Any:
        """One value everywhere."""
        one = self.scalar(value, dtype)
        return self.copied(self.namespace.broadcast_to(one, shape)) if shape else one

    def arange(self, arg: Any, shape: Shape, dtype: DT) -> Any:
        """As NumPy does: the step is the difference of the first two elements, as stored."""
        start, _, step = arg
        (extent,) = shape
        if extent <= 2:
            return self.on_numpy(ARANGE, (), arg, shape, dtype)
        first, second = np.asarray(start).astype(dtype), np.asarray(start + step).astype(dtype)
        counted = self.cast(self.count(extent), dtype)
        delta = self.scalar(quietly(np.subtract, second, first), dtype)
        distance = self.elementwise(BINARY["multiply"], (counted, delta), dtype)
        begin = self.scalar(first, dtype)
        return self.elementwise(BINARY["add"], (distance, begin), dtype)

    def count(self, extent: int) -> Any:
        """0, 1, 2, ... of int64."""
        return self.namespace.arange(extent, dtype=self.own(dtypes.int64))

    def on_numpy(self, op: Op, operands: Operands, arg: Any, shape: Shape, dtype: DT) -> Any:
        """What NumPy's loops compute on the host: the same bits on every device."""
        out = np.empty(shape, dtype)
        run_into(op, tuple([np.asarray(operand) for operand in operands]), arg, out)
        return self.from_host(out)

    # -- elementwise -------------------------------------------------------------------------------

    def elementwise(self, op: Op, operands: Operands, dtype: DT) -> Any:
        """Everything of UNARY and BINARY."""
        loop = loop_dtypes(op, tuple([self.dtype_of(operand) for operand in operands]))
        assert loop is not None, f"{op} has a dtype, so that NumPy has a loop for it"
        if not EIGHTS.isdisjoint(loop):
            if op is BINARY["nextafter"]:
                raise DTypeError(
                    f"nextafter of {loop[0].name} is not there on this device; take its neighbours "
                    f"on the host, after to_device('CPU')"
                )
            loop = tuple([computed_in(dtype) for dtype in loop])
        converted = [self.cast(x, wanted) for x, wanted in zip(operands, loop, strict=True)]
        found = self.cast(self.call(op, tuple(converted), loop), dtype)
        if op is UNARY["sign"] and is_added(dtype):  # in NumPy these keep the signs of zeros
            return self.namespace.where(operands[0] == 0, operands[0], found)
        return found

    def call(self, op: Op, operands: Operands, loop: tuple[DT, ...]) -> Any:
        """The result of ``op`` on operands that have the dtypes of NumPy's loop."""
        if op.name == "round" and loop[0].kind == "c":
            (x,) = operands
            parts = [self.namespace.real(x), self.namespace.imag(x)]
            return self.from_parts(*[self.namespace.round(part) for part in parts])
        kinds = "".join([dtype.kind if not is_added(dtype) else "f" for dtype in loop])
        special = CONVENTIONS.get((op.name, kinds))
        if special is not None:
            return special(self.namespace, *operands)
        return self.function(op.name)(*operands)

    def function(self, name: str) -> Callable[..., Any]:
        """The namespace's function of a name; one that it lacks is computed on the host."""
        return getattr(self.namespace, name, None) or partial(self.on_host, name)

    def on_host(self, name: str, *operands: Any) -> Any:
        """A function of floats by the loop that NumPy's arrays have, there and back."""
        arrays = [np.asarray(operand) for operand in operands]
        out = np.empty(np.broadcast_shapes(*[x.shape for x in arrays]), arrays[0].dtype)
        run_into((UNARY | BINARY)[name], tuple(arrays), None, out)
        return self.from_host(out)

    def where(self, condition: Any, x: Any, y: Any, dtype: DT) -> Any:
        """``x`` where the condition holds, else ``y``."""
        return self.namespace.where(condition, self.cast(x, dtype), self.cast(y, dtype))

    def complex(self, operands: Operands, dtype: DT) -> Any:
        """Complex numbers of their real and imaginary parts, of any dtypes."""
        part = dtypes.float32 if dtype == dtypes.complex64 else dtypes.float64
        return self.from_parts(*[self.cast(x, part) for x in operands])

    def from_parts(self, real: Any, imaginary: Any) -> Any:
        """Complex numbers of floats of the same width."""
        dtype = promote(self.dtype_of(real), dtypes.complex64)
        return self.cast(real, dtype) + self.cast(imaginary, dtype) * self.scalar(1j, dtype)

    # -- along axes --------------------------------------------------------------------------------

    def reduce(self, name: str, x: Any, arg: Any, shape: Shape, dtype: DT) -> Any:
        """``x`` reduced along any number of axes."""
        axes, keepdims = arg
        if name in ("argmax", "argmin"):
            return self.cast(self.position(name, x, axes, shape), dtype)
        if name in ("any", "all"):
            x = self.cast(x, dtypes.bool)
        if not axes:
            return self.copied(self.cast(x, dtype))
        x = self.cast(x, computed_in(self.dtype_of(x)))
        return self.cast(self.fold(name, x, axes, keepdims, dtype), dtype)

    def fold(self, name: str, x: Any, axes: tuple[int, ...], keepdims: bool, dtype: DT) -> Any:
        """``x`` reduced along at least one axis."""
        function = self.function(name)
        if name in ("sum", "prod"):
            own = self.own(computed_in(dtype))
            return function(x, axis=axes, keepdims=keepdims, dtype=own)
        return function(x, axis=axes, keepdims=keepdims)

    def position(self, name: str, x: Any, axes: tuple[int, ...], shape: Shape) -> Any:
        """The position of an extreme along one axis, or in row-major order along all of them."""
        x = self.cast(x, computed_in(self.dtype_of(x)))
        axis = axes[0] if len(axes) == 1 else 0
        if len(axes) != 1:
            x = self.namespace.reshape(x, (-1,))
        return self.namespace.reshape(self.function(name)(x, axis=axis), shape)

    def scan(self, name: str, x: Any, axis: int, dtype: DT) -> Any:
        """The running sums or products of ``x``."""
        wide = computed_in(dtype)
        return self.cast(self.running(name, self.cast(x, wide), axis, wide), dtype)

    def running(self, name: str, x: Any, axis: int, dtype: DT) -> Any:
        """The same, of operands in the dtype that the library computes in."""
        return self.function(name)(x, axis=axis, dtype=self.own(dtype))

    # -- movement ----------------------------------------------------------------------------------

    def copied(self, x: Any) -> Any:
        """The same elements in memory of their own."""
        return self.namespace.asarray(x, copy=True)

    def pad(self, x: Any, padding: Any, dtype: DT) -> Any:
        """Borders are concatenated, which also works where arrays cannot be written."""
        inner = x
        value = self.scalar(padding.value, dtype)
        for axis, (before, after) in enumerate(padding.widths):
            if before or after:
                borders = [
                    self.namespace.broadcast_to(
                        value, (*x.shape[:axis], width, *x.shape[axis + 1 :])
                    )
                    for width in (before, after)
                ]
                x = self.namespace.concat((borders[0], x, borders[1]), axis=axis)
        return x if x is not inner else self.copied(x)

    def take(self, x: Any, indices: Any, axis: int, shape: Shape) -> Any:
        """Slices by indices of any shape, which may be negative."""
        indices = self.inside(TAKE, indices, axis, x.shape[axis])
        flat = self.namespace.reshape(indices, (-1,))
        return self.namespace.reshape(self.pick(x, flat, axis), shape)

    def take_along(self, x: Any, indices: Any, axis: int, shape: Shape, dtype: DT) -> Any:
        """One element along an axis for each index, broadcast."""
        indices = self.inside(TAKE_ALONG, indices, axis, x.shape[axis])
        if not prod(shape):
            return self.empty(shape, dtype)
        around = (*shape[:axis], x.shape[axis], *shape[axis + 1 :])
        x = self.namespace.broadcast_to(x, around)
        return self.pick_along(x, self.namespace.broadcast_to(indices, shape), axis)

    def inside(self, op: Op, indices: Any, axis: int, extent: int) -> Any:
        """Indices without negative ones; an error where one is out of range."""
        if not prod(indices.shape):
            return indices
        low, high = int(self.namespace.min(indices)), int(self.namespace.max(indices))
        refusal = outside(op, axis, extent, np.array([low, high]))
        if refusal is not None:
            raise refusal
        return self.namespace.where(indices < 0, indices + extent, indices) if low < 0 else indices

    def pick(self, x: Any, indices: Any, axis: int) -> Any:
        """Slices along an axis, by a vector of valid indices."""
        return self.namespace.take(x, indices, axis=axis)

    def pick_along(self, x: Any, indices: Any, axis: int) -> Any:
        """One element along an axis for each index, all of which are valid."""
        return self.namespace.take_along_axis(x, indices, axis=axis)

    # -- matrix products ---------------------------------------------------------------------------

    def matmul(self, x: Any, y: Any, dtype: DT) -> Any:
        """The matrix product."""
        wide = computed_in(dtype)
        return self.cast(self.product(self.cast(x, wide), self.cast(y, wide), wide), dtype)

    def product(self, x: Any, y: Any, dtype: DT) -> Any:
        """The matrix product of two arrays of one dtype."""
        return self.namespace.matmul(x, y)


@cache
def _by_own(api: ArrayApi) -> dict[Any, DT]:
    """The dtypes of a namespace, by its own objects for them."""
    return {api.own(d): d for d in dtypes.ALL if hasattr(api.namespace, d.name)}


_RUN: dict[Op, Callable[[ArrayApi, Op, Operands, Any, Shape, DT], Any]] = {
    **dict.fromkeys([RANDOM_BITS, LIBRARY], ArrayApi.on_numpy),
    **dict.fromkeys(
        [CONSTANT, FULL], lambda api, op, x, arg, shape, dtype: api.full(arg, shape, dtype)
    ),
    **dict.fromkeys(
        [*UNARY.values(), *BINARY.values()],
        lambda api, op, x, arg, shape, dtype: api.elementwise(op, x, dtype),
    ),
    **dict.fromkeys(
        REDUCE.values(),
        lambda api, op, x, arg, shape, dtype: api.reduce(op.name, x[0], arg, shape, dtype),
    ),
    **dict.fromkeys(
        SCAN.values(), lambda api, op, x, arg, shape, dtype: api.scan(op.name, x[0], arg, dtype)
    ),
    EMPTY: lambda api, op, x, arg, shape, dtype: api.empty(shape, dtype),
    ARANGE: lambda api, op, x, arg, shape, dtype: api.arange(arg, shape, dtype),
    CAST: lambda api, op, x, arg, shape, dtype: api.cast(x[0], dtype),
    COPY: lambda api, op, x, arg, shape, dtype: api.copied(x[0]),
    WHERE: lambda api, op, x, arg, shape, dtype: api.where(x[0], x[1], x[2], dtype),
    COMPLEX: lambda api, op, x, arg, shape, dtype: api.complex(x, dtype),
    CONCAT: lambda api, op, x, arg, shape, dtype: api.namespace.concat(x, axis=arg),
    TAKE: lambda api, op, x, arg, shape, dtype: api.take(x[0], x[1], arg, shape),
    TAKE_ALONG: lambda api, op, x, arg, shape, dtype: api.take_along(x[0], x[1], arg, shape, dtype),
    MATMUL: lambda api, op, x, arg, shape, dtype: api.matmul(x[0], x[1], dtype),
    PAD: lambda api, op, x, arg, shape, dtype: api.pad(x[0], arg, dtype),
}
"""What runs an operation of a graph; kernels have others. ``x`` is the tuple of operands."""
