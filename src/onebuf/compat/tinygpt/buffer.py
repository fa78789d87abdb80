"""The buffer: a flat list of Python scalars, with shape, stride and offset to read it by.

Invariant: every view of a buffer has the same list object as ``data``. Movement needs contiguous
elements, strictly: where they are not, the result is a view of a contiguous copy.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import prod
from typing import Any, Self

from onebuf.compat.tinygpt.arguments import (
    check_axes,
    check_axis,
    check_instances,
    check_number,
    check_shape,
    check_strided,
    check_tuple,
)
from onebuf.compat.tinygpt.dtype import DType, Real, Scalar, check_dtype, common_dtype
from onebuf.compat.tinygpt.elementwise import Operand, apply, repeat_scalar
from onebuf.compat.tinygpt.nested import Nested, flatten, nest
from onebuf.compat.tinygpt.operators import Operators
from onebuf.compat.tinygpt.rows import join, lower_triangle, split
from onebuf.compat.tinygpt.selection import positions, read, select
from onebuf.errors import ArgumentError, ArgumentTypeError, AxisError, ShapeError
from onebuf.layout import View


class Buffer(Operators):
    """Elements of one type in a flat list, read through shape, stride and offset.

    Parameters
    ----------
    data
        A number, or lists or tuples of numbers nested evenly; or a Buffer, whose list is shared.
    dtype
        The type to convert to; by default that of the first number, float32 if there is none.

    Attributes
    ----------
    data
        The flat list, the same object for all views of it.
    shape, stride, offset
        The extent of each axis, the step along each axis, and the first element's position in
        ``data``, all in elements.
    ndim, numel, dtype
        The number of axes, the number of elements, and their type.

    Examples
    --------
    >>> buffer = Buffer([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> buffer.data, buffer.shape, buffer.stride, buffer.offset
    ([1, 2, 3, 4, 5, 6, 7, 8, 9], (3, 3), (3, 1), 0)
    >>> (buffer[0] / 2).to_python()
    [0.5, 1.0, 1.5]
    """

    def __init__(self, data: Any, dtype: DType | None = None) -> None:
        if dtype is not None:
            check_dtype(dtype)
        if not isinstance(data, Buffer):
            values, shape, deduced = flatten(data, dtype)
            self._assign(values, View.contiguous(shape), deduced)
        elif dtype in (None, data.dtype):
            self._assign(data.data, data._view, data.dtype)
        else:
            raise RuntimeError(
                f"a Buffer of a Buffer shares its elements and needs their dtype {data.dtype}, got "
                f"{dtype}; pass to_python() to copy and convert them"
            )

    def _assign(self, data: list[Scalar], view: View, dtype: DType) -> None:
        self.data = data
        self.shape = view.shape
        self.stride = view.stride
        self.offset = view.offset
        self.ndim = view.ndim
        self.numel = view.numel
        self.dtype = dtype

    @classmethod
    def _wrap(cls, data: list[Scalar], view: View, dtype: DType) -> Self:
        buffer = cls.__new__(cls)
        buffer._assign(data, view, dtype)
        return buffer

    @property
    def _view(self) -> View:
        return View(self.shape, self.stride, self.offset)

    # -- creation ---------------------------------------------------------------------------------

    @classmethod
    def _create_buffer_from_data(
        cls, data: list[Scalar], shape: tuple[int, ...], stride: tuple[int, ...], offset: int
    ) -> Self:
        """A buffer on the list itself, read with any stride that stays inside it.

        >>> Buffer._create_buffer_from_data([1, 2, 3, 4], (3, 2), (1, 1), 0).to_python()
        [[1, 2], [2, 3], [3, 4]]
        """
        view = View(*check_strided(data, shape, stride, offset))
        return cls._wrap(data, view, common_dtype(data))

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: DType = DType.float32) -> Self:
        """Elements that are all 0.

        >>> Buffer.zeros((2, 2)).to_python()
        [[0.0, 0.0], [0.0, 0.0]]
        """
        return cls._generate("zeros", shape, dtype, lambda: 0)

    @classmethod
    def ones(cls, shape: tuple[int, ...], dtype: DType = DType.float32) -> Self:
        """Elements that are all 1.

        >>> Buffer.ones((2,), DType.bool).to_python()
        [True, True]
        """
        return cls._generate("ones", shape, dtype, lambda: 1)

    @classmethod
    def uniform(
        cls, shape: tuple[int, ...], low: Real = 0.0, high: Real = 1.0, dtype: DType = DType.float32
    ) -> Self:
        """Random elements between ``low`` and ``high``; ``random.seed`` makes them repeat.

        >>> all(Buffer.uniform((3, 4), low=2.0, high=3.0) >= 2.0)
        True
        """
        low, high = check_number("low", low), check_number("high", high)
        return cls._generate("uniform", shape, dtype, lambda: random.uniform(low, high))

    @classmethod
    def normal(
        cls, shape: tuple[int, ...], mean: Real = 0.0, std: Real = 1.0, dtype: DType = DType.float32
    ) -> Self:
        """Normally distributed random elements; ``random.seed`` makes them repeat.

        >>> Buffer.normal((2,), mean=5.0, std=0.0).to_python()
        [5.0, 5.0]
        """
        mean, std = check_number("mean", mean), check_number("std", std)
        if std < 0:
            raise ArgumentError(f"std needs to be at least 0, got {std}; pass {-std}")
        return cls._generate("normal", shape, dtype, lambda: random.gauss(mean, std))

    @classmethod
    def concatenate(cls, buffers: Sequence[Buffer], axis: int = 0) -> Self:
        """The buffers one after another along an axis, copied.

        >>> Buffer.concatenate([Buffer([[1, 2]]), Buffer([[3, 4], [5, 6]])], axis=0).to_python()
        [[1, 2], [3, 4], [5, 6]]
        """
        first, *others = check_instances("concatenate", buffers, Buffer)
        axis = check_axis("concatenate", axis, first.ndim)
        for other in others:
            first._check_dtype("concatenate", other)
            if other.ndim != first.ndim:
                raise ShapeError(
                    f"concatenate needs buffers with one number of axes, got {first.ndim} and "
                    f"{other.ndim}, for the shapes {first.shape} and {other.shape}; reshape one of "
                    "them first"
                )
            if _without(axis, other.shape) != _without(axis, first.shape):
                raise ShapeError(
                    f"concatenate needs shapes that differ in axis {axis} only, "
                    f"got {first.shape} and {other.shape}; reshape or slice one of them first"
                )
        values, shape = join([(buffer._elements(), buffer.shape) for buffer in buffers], axis)
        return cls._wrap(values, View.contiguous(shape), first.dtype)

    @classmethod
    def _generate(
        cls, what: str, shape: tuple[int, ...], dtype: DType, draw: Callable[[], Scalar]
    ) -> Self:
        view = View.contiguous(check_shape(what, shape))
        cast = check_dtype(dtype).cast
        return cls._wrap([cast(draw()) for _ in range(view.numel)], view, dtype)

    # -- looking ----------------------------------------------------------------------------------

    def is_contiguous(self) -> bool:
        """Whether the strides are exactly those of row-major order, on axes of extent 1 too.

        >>> buffer = Buffer([[1, 2], [3, 4]])
        >>> buffer.is_contiguous(), buffer.permute((1, 0)).is_contiguous()
        (True, False)
        """
        return self.stride == View.contiguous(self.shape).stride

    def to_python(self) -> Nested:
        """The elements as nested lists; without axes, as one Python scalar.

        >>> Buffer([[1, 2], [3, 4]]).permute((1, 0)).to_python(), Buffer(2.5).to_python()
        ([[1, 3], [2, 4]], 2.5)
        """
        return nest(self._elements(), self.shape)

    def __iter__(self) -> Iterator[Scalar]:
        return iter(self._elements())

    def __str__(self) -> str:
        return str(self.to_python())

    def __repr__(self) -> str:
        return f"<Buffer {self}, shape={self.shape}, dtype={self.dtype}>"

    def _elements(self) -> list[Scalar]:
        return read(self.data, self._view)

    # -- element by element -----------------------------------------------------------------------

    def _apply(self, operation: str, function: Callable[..., Scalar], *operands: object) -> Self:
        columns = [self._operand(operation, operand) for operand in operands]
        values, dtype = apply(operation, function, columns)
        return self._wrap(values, View.contiguous(self.shape), dtype)

    def _operand(self, operation: str, other: object) -> Operand:
        if not isinstance(other, Buffer):
            return repeat_scalar(operation, other, self.numel)
        self._check_dtype(operation, other)
        if other.shape != self.shape:
            raise RuntimeError(
                f"Shape mismatch: {operation} needs two buffers of one shape, got {self.shape} and "
                f"{other.shape}; reshape or expand one of them first"
            )
        return Operand(other._elements(), self.dtype.cast(1))

    def _check_dtype(self, operation: str, other: Buffer) -> None:
        if other.dtype != self.dtype:
            raise ArgumentError(
                f"DType mismatch: {operation} needs buffers of one dtype, got {self.dtype} and "
                f"{other.dtype}; convert one of them first, for example with float()"
            )

    def float(self) -> Self:
        """The elements converted to float32, copied.

        >>> Buffer([True, False]).float().to_python()
        [1.0, 0.0]
        """
        values = [DType.float32.cast(value) for value in self._elements()]
        return self._wrap(values, View.contiguous(self.shape), DType.float32)

    def tril(self, diagonal: int = 0) -> Self:
        """The last two axes' elements on and below a diagonal, and 0 above it, copied.

        >>> Buffer([[1, 2], [3, 4]]).tril().to_python()
        [[1, 0], [3, 4]]
        """
        if self.ndim < 2:
            raise ShapeError(
                f"tril needs at least 2 axes, got shape {self.shape}; reshape to a matrix first"
            )
        if not isinstance(diagonal, int):
            raise ArgumentTypeError(f"diagonal needs to be an int, got {diagonal!r}; pass an int")
        values = lower_triangle(self._elements(), self.shape, diagonal, self.dtype.cast(0))
        return self._wrap(values, View.contiguous(self.shape), self.dtype)

    # -- reductions -------------------------------------------------------------------------------

    def sum(self, axes: int | tuple[int, ...]) -> Self:
        """The sum along some axes, each of which stays, with extent 1.

        >>> Buffer([[1, 2, 3], [4, 5, 6]]).sum(axes=(0,)).to_python()
        [[5, 7, 9]]
        """
        zero = 0.0 if self.dtype is DType.float32 else 0
        return self._reduce("sum", axes, lambda row: reduce(operator.add, row, zero))

    def max(self, axes: int | tuple[int, ...]) -> Self:
        """The greatest element along some axes, each of which stays, with extent 1.

        >>> Buffer([[1, 2, 3], [4, 5, 6]]).max(axes=1).to_python()
        [[3], [6]]
        """
        return self._reduce("max", axes, max)

    def _reduce(
        self, operation: str, axes: int | tuple[int, ...], function: Callable[..., Scalar]
    ) -> Self:
        reduced = sorted(check_axes(operation, axes, self.ndim))
        if not reduced:
            return self
        kept = [axis for axis in range(self.ndim) if axis not in reduced]
        values = read(self.data, self._view.permute((*kept, *reduced)))
        rows = split(
            values,
            length=prod(self.shape[axis] for axis in reduced),
            count=prod(self.shape[axis] for axis in kept),
        )
        shape = [1 if axis in reduced else self.shape[axis] for axis in range(self.ndim)]
        results, dtype = apply(operation, function, [Operand(rows, [self.dtype.cast(1)])])
        return self._wrap(results, View.contiguous(shape), dtype)

    # -- movement ---------------------------------------------------------------------------------

    def _contiguous(self) -> Self:
        if self.is_contiguous():
            return self
        return self._wrap(self._elements(), View.contiguous(self.shape), self.dtype)

    def reshape(self, new_shape: tuple[int, ...]) -> Self:
        """The same elements along other axes: a view if they are contiguous, else of a copy.

        >>> Buffer([1, 2, 3, 4]).reshape((2, 2)).to_python()
        [[1, 2], [3, 4]]
        """
        shape = check_shape("reshape", new_shape)
        if prod(shape) != self.numel:
            raise RuntimeError(
                f"reshape needs as many elements after as before: {self.shape} has {self.numel}, "
                f"got {shape} with {prod(shape)}; choose extents whose product is {self.numel}"
            )
        base = self._contiguous()
        view = View(shape, View.contiguous(shape).stride, base.offset)
        return self._wrap(base.data, view, self.dtype)

    def expand(self, new_shape: tuple[int, ...]) -> Self:
        """Axes of extent 1 repeated, with stride 0: a view if contiguous, else of a copy.

        >>> Buffer([[1, 2, 3]]).expand((2, 3)).to_python()
        [[1, 2, 3], [1, 2, 3]]
        """
        shape = check_shape("expand", new_shape)
        if len(shape) != self.ndim or any(
            old not in (1, new) for old, new in zip(self.shape, shape, strict=True)
        ):
            raise ShapeError(
                f"expand needs each axis of {self.shape} to keep its extent or to grow from 1, "
                f"got {shape}; add axes with reshape first"
            )
        base = self._contiguous()
        return self._wrap(base.data, base._view.expand(shape), self.dtype)

    def permute(self, dims: tuple[int, ...]) -> Self:
        """The axes in another order: a view if contiguous, else of a copy.

        >>> Buffer([[1, 2, 3], [4, 5, 6]]).permute((1, 0)).to_python()
        [[1, 4], [2, 5], [3, 6]]
        """
        axes = check_tuple("the axes for permute", dims)
        if sorted(axes) != list(range(self.ndim)):
            raise AxisError(
                f"permute needs each of the axes {tuple(range(self.ndim))} exactly once, got "
                f"{axes}; for example {tuple(range(self.ndim))[::-1]} reverses them"
            )
        base = self._contiguous()
        return self._wrap(base.data, base._view.permute(axes), self.dtype)

    def __getitem__(self, key: Any) -> Self:
        view = select(self._view, key)
        if self.is_contiguous() or view.ndim == 0:
            return self._wrap(self.data, view, self.dtype)
        return self._wrap(read(self.data, view), View.contiguous(view.shape), self.dtype)

    def __setitem__(self, key: Any, value: Buffer | Scalar) -> None:
        view = select(self._view, key)
        if not isinstance(value, (Buffer, int, float)):
            raise ArgumentError(
                f"assignment needs a Buffer, an int, a float or a bool, got {value!r}; "
                "make a Buffer of it first"
            )
        if view.numel == 0:
            return
        values = value._elements() if isinstance(value, Buffer) else [value] * view.numel
        if isinstance(value, Buffer) and _without_ones(value.shape) != _without_ones(view.shape):
            raise ShapeError(
                f"assignment needs a Buffer of shape {view.shape}, give or take axes of extent 1, "
                f"got {value.shape}; reshape or expand it first"
            )
        # All are converted before the first is written, so that a failure changes nothing.
        values = [self.dtype.cast(one) for one in values]
        for position, one in zip(positions(view), values, strict=True):
            self.data[position] = one


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for extent in shape if extent != 1)


def _without(axis: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]
