"""Buffer: elements plus how they are held; a thin handle on a node.

Every method is a line on top of `onebuf.ops` (what to compute), `onebuf.engine` (compute, write)
or `onebuf.buffer.exchange` (hand memory out).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer import indexing
from onebuf.buffer.construction import as_node, draw_bits
from onebuf.buffer.display import describe, values
from onebuf.buffer.exchange import flat_window, is_numpys_alone, window
from onebuf.buffer.foreign import ForeignProtocols
from onebuf.buffer.handle import Handle, claim, kind_at
from onebuf.buffer.movement import Movement
from onebuf.buffer.ndarray_methods import NdarrayMethods
from onebuf.buffer.operators import Operators, operand
from onebuf.buffer.parsing import NARROW
from onebuf.buffer.placement import Placement
from onebuf.buffer.reductions import Reductions
from onebuf.engine import explain, is_here, own, read, realize, reinterpreted
from onebuf.errors import ArgumentError, ArgumentTypeError, LayoutError
from onebuf.graph import FREED, Leaf
from onebuf.interop import Window, memoryview_of
from onebuf.machine import Device
from onebuf.machine import device as find_device
from onebuf.memory import address_of
from onebuf.scheduler import is_readable

DT = np.dtype[Any]
Shape = int | Sequence[int]
Where = str | Device | None


class Buffer(Operators, Movement, Reductions, NdarrayMethods, ForeignProtocols, Placement):
    """Elements of one dtype in some shape, stored or still to be computed.

    Made from nested lists or tuples (floats become float32, whole numbers int32), or from any
    object that exports memory, which is then shared, not copied.

    >>> b = Buffer([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> b.shape, b.stride, b.offset, b.dtype
    ((3, 3), (3, 1), 0, dtype('int32'))
    >>> b[0:2, :].sum(axes=(0,))
    Buffer([5, 7, 9], shape=(3,), dtype=int64, device=CPU)
    """

    __slots__ = ()

    def __init__(
        self,
        data: Any,
        dtype: Any = None,
        *,
        device: Where = None,
        copy: bool | None = None,
    ) -> None:
        node = as_node(data, dtype, copy, NARROW, device)
        if isinstance(data, Handle) and node is data._node:
            self._node = node
            self._base = data if data._base is None else data._base
        else:
            self._node = claim(node)
            self._base = None
        device_of = node.device
        if device_of is not None and device_of.__class__ is not self._at:
            self.__class__ = kind_at(device_of.__class__, type(self))  # type: ignore[assignment]

    # -- making ------------------------------------------------------------------------------------

    @classmethod
    def zeros(cls, shape: Shape, dtype: Any = dtypes.float32, *, device: Where = None) -> Self:
        """Zeros.

        >>> Buffer.zeros((2, 2))
        Buffer([[0., 0.],
                [0., 0.]], shape=(2, 2), dtype=float32, device=CPU)
        """
        return cls.full(shape, 0, dtype, device=device)

    @classmethod
    def ones(cls, shape: Shape, dtype: Any = dtypes.float32, *, device: Where = None) -> Self:
        """Ones."""
        return cls.full(shape, 1, dtype, device=device)

    @classmethod
    def full(
        cls, shape: Shape, value: Any, dtype: Any = dtypes.float32, *, device: Where = None
    ) -> Self:
        """One value everywhere."""
        where = find_device(device)
        return cls._value(ops.full(ops.as_shape(shape), value, dtypes.as_dtype(dtype), where))

    @classmethod
    def empty(cls, shape: Shape, dtype: Any = dtypes.float32, *, device: Where = None) -> Self:
        """Elements of no particular value; memory is taken at the first use."""
        where = find_device(device)
        return cls._value(ops.empty(ops.as_shape(shape), dtypes.as_dtype(dtype), where))

    @classmethod
    def uniform(
        cls, shape: Shape, low: float = 0.0, high: float = 1.0, dtype: Any = dtypes.float32
    ) -> Self:
        """Random numbers spread evenly over [low, high): see `onebuf.random`."""
        dtype = dtypes.as_dtype(dtype)
        return cls._value(ops.uniform(draw_bits(), ops.as_shape(shape), low, high, dtype))

    @classmethod
    def normal(
        cls, shape: Shape, mean: float = 0.0, std: float = 1.0, dtype: Any = dtypes.float32
    ) -> Self:
        """Random numbers of the normal distribution: see `onebuf.random`."""
        dtype = dtypes.as_dtype(dtype)
        return cls._value(ops.normal(draw_bits(), ops.as_shape(shape), mean, std, dtype))

    # -- what it is --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return self._node.shape

    @property
    def dtype(self) -> DT:
        """The type of the elements."""
        return self._node.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._node.shape)

    @property
    def numel(self) -> int:
        """The number of elements."""
        return self._node.numel

    size = numel

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._node.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, were each stored once."""
        return self._node.nbytes

    @property
    def stride(self) -> tuple[int, ...]:
        """How many elements of the storage to step over along each axis."""
        return ops.view_of(self._node).stride

    @property
    def offset(self) -> int:
        """Where in the storage the first element is."""
        return ops.view_of(self._node).offset

    @property
    def data(self) -> memoryview | Window:
        """The flat storage, shared by all views of it, as typed memory.

        A real ``memoryview`` where Python's can index the dtype, else a `Window`.

        >>> b = Buffer([[1, 2], [3, 4]])
        >>> b.T.data.tolist(), b.data.format, b.data.nbytes
        ([1, 2, 3, 4], 'i', 16)
        """
        return memoryview_of(flat_window(self._node))

    def window(self) -> Window:
        """The elements as typed memory in this buffer's shape, for every dtype."""
        return Window(window(self._node))

    @property
    def is_realized(self) -> bool:
        """Whether the elements are in memory, or are one constant that needs none."""
        return is_readable(self._node)

    @property
    def is_view(self) -> bool:
        """Whether the elements belong to another buffer."""
        return self._base is not None

    @property
    def base(self) -> Buffer:
        """The buffer that the elements belong to: for other buffers than views, itself."""
        return self if self._base is None else cast(Buffer, self._base)

    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return ops.view_of(self._node).is_contiguous

    # -- when it is --------------------------------------------------------------------------------

    def realize(self) -> Self:
        """Compute the elements now, if that is still to be done."""
        realize([self._node])
        return self

    def explain(self) -> str:
        """Which passes over memory computing the elements still takes, and why."""
        return explain([self._node])

    def contiguous(self) -> Self:
        """The same elements in row-major order: this buffer, or a copy if it is not."""
        return self if self.is_contiguous() else self._value(ops.copied(self._node))

    def copy(self) -> Self:
        """The same elements in memory of their own."""
        return self._value(ops.copied(self._node))

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def astype(
        self, dtype: Any, copy: bool = True, *, order: str = "K", device: Where = None
    ) -> Self:
        """The elements converted to ``dtype``; in column-major order if ``order`` is "F"."""
        if device is not None and find_device(device) is not self.device:
            return self.to_device(device).astype(dtype, copy, order=order)
        if order == "F":
            return self.T.astype(dtype, copy).T
        if order not in ("A", "C", "K"):
            raise ArgumentError(f"astype needs order 'A', 'C', 'F' or 'K', got {order!r}")
        node = ops.cast(self._node, dtypes.as_dtype(dtype))
        return self if node is self._node and not copy else self._value(node)

    def view(self, dtype: Any) -> Any:
        """The same bytes read as another dtype; as one that only NumPy has, in NumPy's array.

        >>> Buffer([1.0, -2.0]).view("uint32") >> 31
        Buffer([0, 1], shape=(2,), dtype=uint32, device=CPU)
        """
        if is_numpys_alone(dtype):
            return window(self._node).view(dtype)
        if not is_here(self._node):
            return self._view(reinterpreted(self._node, dtypes.as_dtype(dtype)))
        array = own(self._node)
        try:
            seen = array.view(dtypes.as_dtype(dtype))
        except ValueError as error:
            raise LayoutError(
                f"bytes of shape {self.shape} and dtype {self.dtype.name} cannot be read as "
                f"{dtypes.as_dtype(dtype).name} ({error}); make it contiguous() first"
            ) from None
        block = self._node.block
        if block is None:
            return type(self)(seen)
        node = Leaf(seen, block)
        distance = address_of(seen) - block.address
        if seen.size and distance % seen.itemsize:
            raise LayoutError(
                f"{seen.dtype.name} needs to start a multiple of {seen.itemsize} bytes into the "
                f"storage, got {distance}; copy() first"
            )
        return self._view(node)

    # -- elements ----------------------------------------------------------------------------------

    def __getitem__(self, key: Any, /) -> Self:
        if indexing.is_basic(key):
            return self._view(ops.index(self._node, key))
        node, is_view = indexing.get(self._node, key)
        return self._view(node) if is_view else self._value(node)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        new = operand(value)
        if new is None:
            new = as_node(value, None, None, {}, None)
        indexing.put(self._node, key, new)

    def __len__(self, /) -> int:
        if not self.shape:
            raise ArgumentTypeError("a 0-d buffer has no length; its one value is x.item()")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        realize([self._node])
        return (self[i] for i in range(len(self)))

    def to_python(self) -> Any:
        """The elements as nested lists of Python numbers, or as one number.

        >>> Buffer([[1, 2], [3, 4]]).T.to_python()
        [[1, 3], [2, 4]]
        """
        array = read(self._node)
        if dtypes.is_added(array.dtype):  # NumPy's tolist leaves these as their own scalar type
            array = array.astype(dtypes.float32)
        return array.tolist()

    tolist = to_python

    def item(self) -> Any:
        """The one element, as a Python number."""
        if self.numel != 1:
            raise ArgumentTypeError(
                f"needed a buffer of one element, got {self.numel} of shape {self.shape}; "
                f"index one element, or reduce with sum(), max(), all() or any()"
            )
        value = self.to_python()
        while isinstance(value, list):
            (value,) = value
        return value

    def _real_item(self, what: str) -> Any:
        value = self.item()
        if value.__class__ is complex:
            raise ArgumentTypeError(
                f"{what} needs a real number, got {value} of {self.dtype.name}; "
                f"take real(x), imag(x) or abs(x)"
            )
        return value

    def __bool__(self, /) -> bool:
        return bool(self.item())

    def __int__(self, /) -> int:
        return int(self._real_item("int"))

    def __float__(self, /) -> float:
        return float(self._real_item("float"))

    def __complex__(self, /) -> complex:
        value = self.item()
        if value != value and dtypes.kind(self.dtype) == "f":
            return complex(value, value)  # the standard's; Python's own has a zero there
        return complex(value)

    def __index__(self, /) -> int:
        if self.shape or dtypes.kind(self.dtype) not in "iu":
            raise ArgumentTypeError(
                f"an index needs one of the whole numbers, of shape (), got {self.dtype.name} of "
                f"shape {self.shape}; take one element or convert with astype(...)"
            )
        return int(self.item())

    def __bytes__(self) -> bytes:
        return read(self._node).tobytes()

    def __str__(self) -> str:
        return values(read(self._node))

    def __repr__(self) -> str:
        node = self._node
        if node.op is FREED:
            return f"{type(self).__name__}(<freed>)"
        array = read(node) if is_readable(node) else None
        facts = {"shape": self.shape, "dtype": self.dtype.name, "device": self.device}
        return describe(type(self).__name__, array, node.base.op.name, facts)

    __array_priority__: ClassVar[float] = 100.0
