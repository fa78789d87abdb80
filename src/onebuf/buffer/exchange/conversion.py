"""Conversion: what Python's own functions make of a buffer.

``float(x)``, ``hash(x)``, ``f"{x:.2f}"``, ``round(x)``, ``for v in x``. Of one number they give
what they give of NumPy's; of several elements, what NumPy gives of an array, in NumPy's words where
it refuses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import index as as_int
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from onebuf import dtypes
from onebuf.buffer.display import formatted, values
from onebuf.buffer.exchange.export import as_numpy
from onebuf.buffer.handle import Handle
from onebuf.errors import ArgumentError, ArgumentTypeError, IndexRangeError
from onebuf.graph import Element, Number
from onebuf.late import Late
from onebuf.ops import SCALARS

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")


_SCALARS = frozenset(SCALARS)


def python_number(array: np.ndarray[Any, Any]) -> Any:
    """The elements of an array as Python numbers; NumPy's tolist leaves added types as they are."""
    if dtypes.is_added(array.dtype):
        array = array.astype(dtypes.float32)
    return array.tolist()


class Conversion(Handle):
    """Python's numbers, text and loops from a buffer."""

    __slots__ = ()

    # -- several elements --------------------------------------------------------------------------

    def __len__(self, /) -> int:
        shape = self._node.shape
        if not shape:
            raise ArgumentTypeError(
                "len() of unsized object: a 0-d buffer has no length; its one value is x.item()"
            )
        return shape[0]

    def __iter__(self) -> Iterator[Self]:
        """Each part along the first axis: of a vector, numbers; else views."""
        node = self._node
        if not node.shape:
            raise ArgumentTypeError(
                "iteration over a 0-d array: a buffer without axes has nothing to go through; its "
                "one value is x.item()"
            )
        if len(node.shape) == 1 and engine.is_here(node):
            return _numbers(self)
        engine.realize([node])
        return (self[i] for i in range(node.shape[0]))  # type: ignore[index]

    def __contains__(self, value: Any, /) -> bool:
        """Whether some element equals ``value``."""
        same: Any = self == value
        return bool(same.any()) if hasattr(same, "any") else bool(same)

    def to_python(self) -> Any:
        """The elements as nested lists of Python numbers, or as one number.

        >>> from onebuf import Buffer
        >>> Buffer([[1, 2], [3, 4]]).T.to_python()
        [[1, 3], [2, 4]]
        """
        return python_number(engine.read(self._node))

    tolist = to_python

    def to_numpy(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The elements in an array of NumPy's, on the same memory unless a copy is needed.

        >>> from onebuf import Buffer
        >>> Buffer([1, 2, 3]).to_numpy()
        array([1, 2, 3], dtype=int32)
        """
        return as_numpy(self._node if copy is False else self._shown(), dtype, copy)

    # -- one element -------------------------------------------------------------------------------

    def item(self, *index: Any) -> Any:
        """One element as a Python number: the only one, number ``i``, or the one at ``(i, j)``.

        >>> from onebuf import Buffer
        >>> x = Buffer([[1, 2], [3, 4]])
        >>> x.item(2), x.item(0, 1), x[1, 1].item()
        (3, 2, 4)
        """
        node = self._node
        if isinstance(node, Number) and not index:
            scalar = node.scalar
            if scalar.__class__ in _SCALARS:
                return scalar
            return float(scalar) if dtypes.is_added(node.dtype) else scalar.item()
        if index:
            if node.array is not None and len(index) == 1 and index[0].__class__ is int:
                try:
                    return python_number(node.array.flat[index[0]])
                except IndexError:
                    pass  # told below
            return python_number(engine.read(self._at_index(index)._node))
        if node.numel != 1:
            raise ArgumentError(
                f"can only convert an array of size 1 to a Python scalar, got {node.numel} "
                f"elements of shape {node.shape}; index one element, or reduce with sum(), max(), "
                f"all() or any()"
            )
        return python_number(engine.read(node).reshape(()))

    def _at_index(self, index: tuple[Any, ...]) -> Any:
        if len(index) == 1 and isinstance(index[0], tuple):
            (index,) = index
        if len(index) != 1:
            if len(index) != len(self._node.shape):
                raise ArgumentError(
                    f"item needs one index, or one for each of {len(self._node.shape)} axes, got "
                    f"{len(index)}: incorrect number of indices for array"
                )
            return self[index]  # type: ignore[index]
        place, numel = as_int(index[0]), self._node.numel
        if not -numel <= place < numel:
            raise IndexRangeError(
                f"index {place} is out of bounds for size {numel}; item counts all elements, row "
                f"by row"
            )
        shape = self._node.shape
        return self[tuple([int(i) for i in np.unravel_index(place % numel, shape)])]  # type: ignore[index]

    def _one(self, what: str) -> Any:
        """The one element, for a function of Python's that takes numbers."""
        if self._node.numel == 1:
            return self.item()
        raise ArgumentTypeError(
            f"only length-1 arrays can be converted to Python scalars: {what} needs one element, "
            f"got {self._node.numel} of shape {self._node.shape}; index one element, or reduce "
            f"with sum(), max(), all() or any()"
        )

    def _real(self, what: str) -> float:
        value = self._one(what)
        if value.__class__ is complex:
            raise ArgumentTypeError(
                f"{what} needs a real number, got {value} of {self._node.dtype.name}; "
                f"take real(x), imag(x) or abs(x)"
            )
        return cast(float, value)

    def __bool__(self, /) -> bool:
        node = self._node
        if isinstance(node, Number):
            return bool(node.scalar)
        count = node.numel
        if count == 1:
            return bool(self.item())
        if not count:
            raise ArgumentError(
                f"The truth value of an empty array is ambiguous, got shape {self._node.shape}; "
                f"ask for x.size > 0"
            )
        raise ArgumentError(
            f"The truth value of an array with more than one element is ambiguous, got shape "
            f"{self._node.shape}. Use a.any() or a.all()"
        )

    def __int__(self, /) -> int:
        node = self._node
        if isinstance(node, Number) and node.dtype.kind != "c":
            return int(node.scalar)
        return int(self._real("int"))

    def __float__(self, /) -> float:
        node = self._node
        if isinstance(node, Number) and node.dtype.kind != "c":
            return float(node.scalar)
        return float(self._real("float"))

    def __complex__(self, /) -> complex:
        value = self._one("complex")
        if value != value and dtypes.kind(self._node.dtype) == "f":
            return complex(value, value)  # the standard's; Python's own has a zero there
        return complex(value)

    def __index__(self, /) -> int:
        node = self._node
        if isinstance(node, Number) and node.dtype.kind in "iu":
            return int(node.scalar)
        if self._node.shape or dtypes.kind(self._node.dtype) not in "iu":
            raise ArgumentTypeError(
                f"only integer scalar arrays can be converted to a scalar index: an index needs "
                f"an integer dtype and shape (), got {self._node.dtype.name} of shape "
                f"{self._node.shape}; take one element or convert with astype(...)"
            )
        return int(self.item())

    def __hash__(self) -> int:
        if not self._is_number:
            raise ArgumentTypeError(
                f"unhashable type: {type(self).__name__!r}, because its elements can be written; "
                f"a number that was read from it, x[i], can be a key, and so can x.tobytes()"
            )
        return hash(self.item())

    def __round__(self, ndigits: int | None = None, /) -> Any:
        if ndigits is None and self._is_number:
            return round(self._real("round"))
        return np.round(self, ndigits or 0)  # type: ignore[call-overload]

    def __floor__(self, /) -> int:
        return math.floor(self._real("floor"))

    def __ceil__(self, /) -> int:
        return math.ceil(self._real("ceil"))

    def __trunc__(self, /) -> int:
        return math.trunc(self._real("trunc"))

    # -- text --------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return values(engine.read(self._node))

    def __format__(self, spec: str, /) -> str:
        """As a Python number is formatted; of several elements, each."""
        if not spec:
            return str(self)
        return (
            formatted(engine.read(self._node), spec)
            if self._node.shape
            else format(self.item(), spec)
        )


def _numbers(buffer: Handle) -> Iterator[Any]:
    """A buffer for each element of a vector, as it is when its turn comes."""
    node = buffer._node
    array = engine.own(node) if node.has_places else engine.read(node)
    cls, dtype, new = buffer.__class__, node.dtype, object.__new__
    for scalar in array:
        element = Element()  # `Element.of`, spelled out for speed
        element.scalar = scalar
        element.dtype = dtype
        element._array = element._block = None
        value = new(cls)
        value._node = element
        value._base = None
        yield value
