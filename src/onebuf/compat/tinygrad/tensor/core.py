"""What a tensor is made of: one of onebuf's, under tinygrad's names for its facts.

Every operation takes the tensors of onebuf out of its arguments, calls a function on them and wraps
what comes back. Nothing is computed here, and gradients are recorded by the tensors inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from onebuf import tensor as ours
from onebuf.compat.tinygrad.device import Device
from onebuf.compat.tinygrad.dtype import (
    DType,
    dtypes,
    from_numpy,
    least_upper_dtype,
    to_dtype,
)
from onebuf.compat.tinygrad.missing import MissingName
from onebuf.compat.tinygrad.names import find
from onebuf.compat.tinygrad.training import Modes
from onebuf.errors import ArgumentTypeError
from onebuf.machine import Device as OurDevice


class TensorCore(metaclass=Modes):
    """A tensor of onebuf, and whether a gradient was asked for: None if that was left open."""

    __slots__ = ("__weakref__", "_choice", "_tensor")

    __array_ufunc__ = None  # so that NumPy's scalars leave operators to tensors

    _choice: bool | None
    _tensor: ours.Tensor

    @classmethod
    def _of(cls, tensor: ours.Tensor, choice: bool | None = None) -> Self:
        self = object.__new__(cls)
        self._tensor = tensor
        self._choice = choice
        return self

    @classmethod
    def _call(cls, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What ``function`` of onebuf's tensors gives for these, as tensors of this class."""
        return cls._wrap(function(*unwrap(args), **unwrap(kwargs)))

    @classmethod
    def _wrap(cls, found: Any) -> Any:
        if isinstance(found, ours.Tensor):
            return cls._of(found)
        if isinstance(found, tuple | list):
            return type(found)([cls._wrap(part) for part in found])
        return found

    # -- facts -------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return self._tensor.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._tensor.ndim

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return from_numpy(self._tensor.dtype)

    @property
    def device(self) -> str:
        """The name of the device that the elements are on."""
        return str(self._tensor.device)

    def numel(self) -> int:
        """The number of elements."""
        return self._tensor.numel

    def size(self, dim: int | None = None) -> Any:
        """The extent of an axis, or of each."""
        return self.shape if dim is None else self.shape[dim]

    def element_size(self) -> int:
        """The bytes of one element."""
        return self.dtype.itemsize

    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.numel() * self.dtype.itemsize

    def is_floating_point(self) -> bool:
        """Whether the elements are floats."""
        return dtypes.is_float(self.dtype)

    # -- conversion --------------------------------------------------------------------------------

    def cast(self, dtype: DType | str) -> Self:
        """The elements converted to ``dtype``."""
        wanted = numpy_dtype(dtype)
        return self if self._tensor.dtype == wanted else self._of(self._tensor.astype(wanted))

    def _floats(self) -> ours.Tensor:
        """The tensor of onebuf; elements that are no floats as those of the default type."""
        if self.is_floating_point():
            return self._tensor
        return self._tensor.astype(dtypes.default_float.numpy)

    def __getattr__(self, name: str) -> Any:
        raise MissingName(type(self).__name__, name)


def unwrap(tree: Any) -> Any:
    """``tree`` with onebuf's tensors in place of tinygrad's."""
    if isinstance(tree, TensorCore):
        return tree._tensor
    if tree.__class__ is tuple or tree.__class__ is list:
        return tree.__class__([unwrap(part) for part in tree])
    if tree.__class__ is dict:
        return {key: unwrap(part) for key, part in tree.items()}
    return tree


def promoted(*operands: Any) -> list[Any]:
    """Tensors of onebuf in the type that tinygrad computes in, and numbers as they are.

    A Python number has no type of its own: a float makes floats of integers, and no more.
    """
    plain = [_operand(one) for one in operands]
    tensors = [one for one in plain if isinstance(one, ours.Tensor)]
    common = least_upper_dtype(*[from_numpy(tensor.dtype) for tensor in tensors])
    numbers = [type(one) for one in plain if not isinstance(one, ours.Tensor)]
    if float in numbers and not dtypes.is_float(common):
        common = dtypes.default_float
    elif int in numbers and dtypes.is_bool(common):
        common = dtypes.default_int
    return [
        one.astype(common.numpy)
        if isinstance(one, ours.Tensor) and one.dtype != common.numpy
        else one
        for one in plain
    ]


def is_operand(value: Any) -> bool:
    """Whether ``value`` may stand beside a tensor."""
    return isinstance(value, TensorCore | int | float | np.generic)


def _operand(value: Any) -> Any:
    if isinstance(value, TensorCore):
        return value._tensor
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, int | float):
        raise ArgumentTypeError(
            f"needed a Tensor or a number beside a Tensor, got {type(value).__name__}; make a "
            "Tensor of it first"
        )
    return value


def extents(*shape: Any) -> tuple[int, ...]:
    """A shape that is given as several arguments, or as one.

    >>> extents(2, 3), extents((2, 3)), extents()
    ((2, 3), (2, 3), ())
    """
    if len(shape) == 1 and isinstance(shape[0], tuple | list):
        return tuple(shape[0])
    return shape


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype that onebuf has for one of tinygrad's, which may be given by name."""
    return to_dtype(dtype).numpy


def place(device: str | None) -> OurDevice:
    """The device of that name, by default the default one."""
    return find(Device.DEFAULT if device is None else device)
