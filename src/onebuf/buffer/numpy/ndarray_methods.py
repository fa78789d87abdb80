"""Methods under the names that NumPy's arrays have, for code that was written for those.

Each is NumPy's function of that name, which answers for buffers (`functions`) or is called on
windows (`calls`); the array API standard has functions in their place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.buffer.exchange.export import window
from onebuf.buffer.handle import Handle
from onebuf.buffer.numpy.order import memory_order
from onebuf.buffer.operators import operand
from onebuf.dtypes import kind
from onebuf.errors import ArgumentError, ArgumentTypeError, ExportError
from onebuf.graph import UNARY, Leaf
from onebuf.late import Late
from onebuf.ops import unary, view_of

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.buffer.numpy import flags, flat, functions
    from onebuf.buffer.numpy.flags import Flags
    from onebuf.buffer.numpy.flat import Flat
else:
    flags = Late("onebuf.buffer.numpy.flags")
    flat = Late("onebuf.buffer.numpy.flat")
    functions = Late("onebuf.buffer.numpy.functions")
    engine = Late("onebuf.engine")


def as_method(function: Any) -> Callable[..., Any]:
    """``function`` with the buffer as its first argument."""

    def method(self: Handle, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = function.__name__
    method.__doc__ = f"NumPy's ``{function.__name__}`` of the elements."
    return method


class NdarrayMethods(Handle):
    """What clients call on NumPy's arrays and the standard has not as a method."""

    __slots__ = ()

    nonzero, round = as_method(np.nonzero), as_method(np.round)
    take = as_method(np.take)
    cumprod, cumsum = as_method(np.cumprod), as_method(np.cumsum)
    trace = as_method(np.trace)
    repeat, swapaxes = as_method(np.repeat), as_method(np.swapaxes)
    argpartition = as_method(np.argpartition)
    ptp, searchsorted = as_method(np.ptp), as_method(np.searchsorted)

    def dot(self, b: Any, out: Any = None) -> Any:
        """NumPy's ``dot`` of the elements: a matrix product, of single numbers a product."""
        product = functions.dot(operand(self), operand(b)) if out is None else None
        return np.dot(self, b, out=out) if product is None else self._value(product)  # type: ignore[call-overload]

    def choose(self, *choices: Any, out: Any = None, mode: str = "raise") -> Any:
        """Of one of the ``choices`` each element: the elements of this buffer say of which."""
        among = choices[0] if len(choices) == 1 else choices
        return np.choose(self, among, out=out, mode=mode)  # type: ignore[call-overload]

    @property
    def real(self) -> Any:
        """The real parts, as a view; of real numbers, the buffer itself.

        On another device than the host they are a buffer of their own.
        """
        if kind(self._node.dtype) != "c":
            return self
        found = self._part_here("real")
        if found is not None:
            return found
        return np.real(self) if engine.is_here(self._node) else self._part("real")

    @real.setter
    def real(self, value: Any) -> None:
        self._write_part("real", value)

    @property
    def imag(self) -> Any:
        """The imaginary parts, as a view; of real numbers, zeros.

        On another device than the host they are a buffer of their own.
        """
        found = self._part_here("imag")
        if found is not None:
            return found
        if not engine.is_here(self._node):
            return self._part("imag") if kind(self._node.dtype) == "c" else self * 0  # type: ignore[operator]
        return np.imag(self) if kind(self._node.dtype) == "c" else np.zeros_like(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        if kind(self._node.dtype) != "c":
            raise ArgumentTypeError(
                f"imaginary parts need complex elements, got {self._node.dtype.name}; convert with "
                f"astype('complex128') first"
            )
        self._write_part("imag", value)

    def _part_here(self, name: str) -> Any:
        """A part of stored complex elements as a view; None of all others."""
        node = self._node
        array = node.array
        if array is None or node.block is None or not node.shape or kind(node.dtype) != "c":
            return None
        return self._view(Leaf(getattr(array, name), node.block))

    def _write_part(self, name: str, value: Any) -> None:
        part = getattr(self, name)
        if not engine.is_here(self._node) and part is not self:
            raise ExportError(f"the {name} parts can be written on the host alone; move it there")
        part[...] = value

    def _part(self, name: str) -> Any:
        return self._value(unary(UNARY[name], self._node))

    @property
    def strides(self) -> tuple[int, ...]:
        """How many bytes of the storage to step over along each axis; see `stride`."""
        itemsize = self._node.dtype.itemsize
        return tuple([step * itemsize for step in view_of(self._node).stride])

    @property
    def ctypes(self) -> Any:
        """The address, shape and strides of the elements as C wants them.

        They hold as long as the buffer does and nothing frees it.
        """
        node = self._node
        if node.on_demand is not None:
            raise ExportError(
                f"an address needs elements in memory, but those of {node.on_demand.name} are read "
                f"on demand; copy() them first"
            )
        return window(node).ctypes

    @property
    def flags(self) -> Flags:
        """How the memory lies, and whether it may be written."""
        return flags.Flags(self)

    def setflags(
        self, write: bool | None = None, align: bool | None = None, uic: bool | None = None
    ) -> None:
        """Forbid writes, or allow them where the memory does."""
        if write is not None:
            flags.set_writeable(self, bool(write))
        if align is not None and not align:
            raise ArgumentError("setflags cannot clear align: a buffer's elements are aligned")
        if uic:
            raise ArgumentError("cannot set WRITEBACKIFCOPY flag to True: a buffer is no such copy")

    @property
    def flat(self) -> Flat:
        """The elements in row-major order, by one index."""
        return flat.Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        flat.Flat(self)[:] = value

    def fill(self, value: Any) -> None:
        """Write one value to all elements."""
        if self._is_number:
            self._unfix()
        new = operand(value)
        if new is None:
            raise ArgumentTypeError(f"fill needs one number to write everywhere, got {value!r}")
        engine.assign(self._node, new)

    def tobytes(self, order: Any = "C") -> bytes:
        """The elements as bytes, in row-major order; in column-major order if that is "F"."""
        return window(self._node).tobytes(memory_order("tobytes", order))  # type: ignore[arg-type]
