"""Buffer: elements plus how they are held; a thin handle on a node.

Every method is a line on top of `onebuf.ops` (what to compute), `onebuf.engine` (compute, write)
or `onebuf.buffer.exchange.export` (hand memory out). It is longer than 400 lines because methods
have examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer.display import describe
from onebuf.buffer.exchange.array_protocols import ForeignProtocols
from onebuf.buffer.exchange.construction import as_node, draw_bits
from onebuf.buffer.exchange.conversion import Conversion
from onebuf.buffer.exchange.export import flat_window, is_numpys_alone, window
from onebuf.buffer.exchange.nested import NARROW
from onebuf.buffer.handle import PLACE, Handle, claim, kind_of, register, set_default
from onebuf.buffer.index import indexing
from onebuf.buffer.layout.structure import Structure, layout_of
from onebuf.buffer.method_types import MethodTypes
from onebuf.buffer.movement import Movement
from onebuf.buffer.numpy.in_place import InPlace
from onebuf.buffer.numpy.ndarray_methods import NdarrayMethods
from onebuf.buffer.numpy.order import memory_order
from onebuf.buffer.numpy.out_arguments import check_cast
from onebuf.buffer.operators import Operators, operand
from onebuf.buffer.placement import Placement
from onebuf.buffer.recipe import Computation
from onebuf.buffer.reductions import Reductions
from onebuf.dtypes import DT
from onebuf.errors import ArgumentTypeError, CopyError, LayoutError
from onebuf.graph import FREED, Element, Leaf, Node, Number
from onebuf.late import Late
from onebuf.machine import Device, Tracer
from onebuf.machine import device as find_device
from onebuf.memory import address_of

if TYPE_CHECKING:
    from onebuf import engine, scheduler
    from onebuf.buffer import labels
    from onebuf.interop import window as windows
    from onebuf.interop.window import Window
else:
    labels = Late("onebuf.buffer.labels")
    engine = Late("onebuf.engine")
    scheduler = Late("onebuf.scheduler")
    windows = Late("onebuf.interop.window")

Shape = int | Sequence[int]
Where = str | Device | None

_new = object.__new__
_CLASS = type
_ndarray = np.ndarray


class Buffer(
    MethodTypes,
    Conversion,
    Operators,
    Movement,
    Reductions,
    NdarrayMethods,
    InPlace,
    ForeignProtocols,
    Placement,
    Structure,
    Computation,
):
    """Elements of one dtype in some shape, stored or still to be computed.

    Made from nested lists or tuples (floats become float32, integers int32), or from any
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
            self._base = data if data._base is None or data._base is PLACE else data._base
        else:
            self._node = claim(node)
            self._base = None if node.shape else PLACE
        device_of = node.device
        if device_of is not None and device_of.__class__ is not self._at:
            self.__class__ = kind_of(node, type(self))  # type: ignore[assignment]

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
        return cls._place(ops.full(ops.as_shape(shape), value, dtypes.as_dtype(dtype), where))

    @classmethod
    def empty(cls, shape: Shape, dtype: Any = dtypes.float32, *, device: Where = None) -> Self:
        """Elements of no particular value; memory is taken at the first use."""
        where = find_device(device)
        return cls._place(ops.empty(ops.as_shape(shape), dtypes.as_dtype(dtype), where))

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
        """The extent of each axis; another one can be assigned, if that needs no copy."""
        return self._node.shape

    @shape.setter
    def shape(self, shape: Shape) -> None:
        if self._is_number:
            raise AttributeError(f"a number has no axes, so it cannot have shape {shape}")
        try:
            node = self.reshape(shape, copy=False)._node
        except CopyError as error:
            raise AttributeError(f"Incompatible shape for in-place modification: {error}") from None
        node.claimed = True
        self._node = node
        if self._base is None and not node.shape:
            self._base = PLACE

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
        """Bytes of all elements; of a buffer with a layout, of those that are stored."""
        node = self._node
        layout = None if node.has_strides else layout_of(node)
        return node.nbytes if layout is None else layout.stored * node.dtype.itemsize

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
        return windows.memoryview_of(flat_window(self._shown()))

    def window(self) -> Window:
        """The elements as typed memory in this buffer's shape, for every dtype."""
        return windows.Window(window(self._shown()))

    @property
    def is_realized(self) -> bool:
        """Whether the elements are in memory, or are one constant that needs none."""
        return scheduler.is_readable(self._node)

    @property
    def is_view(self) -> bool:
        """Whether the elements belong to another buffer."""
        return isinstance(self._base, Handle)

    @property
    def base(self) -> Buffer:
        """The buffer that the elements belong to: for other buffers than views, itself."""
        return cast(Buffer, self._base) if self.is_view else self

    # -- when it is --------------------------------------------------------------------------------

    def realize(self) -> Self:
        """Compute the elements now, if that is still to be done."""
        engine.realize([self._node])
        return self

    def explain(self) -> str:
        """Which passes over memory computing the elements still takes, and why."""
        return engine.explain([self._node])

    def copy(self, order: str = "C") -> Self:
        """The same elements in memory of their own; in column-major order if ``order`` is "F"."""
        if order == "C":
            return self._alike(engine.taken(ops.copied(self._node)))
        letter = memory_order("copy", order)
        turned = letter == "F" or (letter in "AK" and self.ndim > 1 and self.flags.fnc)
        return self.T.copy().T if turned else self.copy()

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def astype(
        self,
        dtype: Any,
        order: Any = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
        *,
        device: Where = None,
    ) -> Self:
        """The elements converted to ``dtype``; in column-major order if ``order`` is "F".

        The second argument may be ``copy`` as well, the standard's.
        """
        if isinstance(order, bool):
            order, copy = "K", order
        if casting != "unsafe":
            check_cast("astype", self.dtype, dtypes.as_dtype(dtype), casting)
        if device is not None and find_device(device) is not self.device:
            return self.to_device(device).astype(dtype, order, copy=copy)
        if order != "K" and memory_order("astype", order, "K") == "F":
            return self.T.astype(dtype, copy=copy).T
        node = ops.cast(self._node, dtypes.as_dtype(dtype))
        if node is self._node:
            return self.copy() if copy else self
        return self._alike(engine.taken(node))

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        """The same bytes read as another dtype; as one that only NumPy has, in NumPy's array.

        Without a dtype, or for the class of this buffer, a view of all elements.

        >>> Buffer([1.0, -2.0]).view("uint32") >> 31
        Buffer([0, 1], shape=(2,), dtype=uint32, device=CPU)
        """
        kind = dtype if type is None else type
        if isinstance(kind, _CLASS) and issubclass(kind, Handle | np.ndarray):
            viewed = self if kind is dtype or dtype is None else self.view(dtype)
            return viewed[...] if issubclass(kind, Handle) else np.asarray(viewed).view(kind)
        if dtype is None:
            return self[...]
        if is_numpys_alone(dtype):
            return window(self._shown()).view(dtype)
        if isinstance(self._node.device, Tracer):
            self._node.device.refuse("view", self._node)
        if not engine.is_here(self._node):
            return self._view(engine.reinterpreted(self._node, dtypes.as_dtype(dtype)))
        array = engine.own(self._node)
        try:
            seen = array.view(dtypes.as_dtype(dtype))
        except ValueError as error:
            raise LayoutError(
                f"bytes of shape {self.shape} and dtype {self.dtype.name} cannot be read as "
                f"{dtypes.as_dtype(dtype).name} ({error}); make it contiguous() first"
            ) from None
        block = self._node.block
        if block is None:
            return self.__class__(seen)
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
        node = self._node
        array = node.array
        if array is not None and (key.__class__ is int or indexing.is_basic(key)):
            try:
                part = array[key]
            except (IndexError, TypeError, ValueError):
                ops.index(node, key)  # whose errors say more
                raise
            if part.__class__ is _ndarray:
                base = self._base
                if base is None and not node.shape:
                    return self._indexed(Leaf(part, node.block))  # type: ignore[arg-type]
                leaf = _new(Leaf)  # its `__init__` and `_view`, spelled out for speed
                leaf.shape = part.shape
                leaf.dtype = node.dtype
                leaf.array = part
                leaf.block = node.block
                leaf.claimed = True
                view = _new(self.__class__)
                view._node = leaf
                view._base = self if base is None or base is PLACE else base
                return view
            element = Element()  # `Element.of`, spelled out for speed
            element.scalar = part
            element.dtype = node.dtype
            element._array = element._block = None
            value = _new(self.__class__)
            value._node = element
            value._base = None
            return value
        kind = key.__class__
        if kind is self.__class__:
            index = key._node
            if isinstance(index, Number) and node.shape and index.dtype.kind in "iu":
                return self[int(index.scalar)]
        elif isinstance(key, str):
            return labels.label(self, key)  # type: ignore[return-value]
        found, is_view = indexing.get(node, key)
        return self._indexed(found) if is_view else self._value(found)

    def _indexed(self, node: Node) -> Self:
        """A view by a basic key; memory of its own if this is a number, as in ``x[0][...]``."""
        if self._base is None and not self._node.shape:
            return self._place(ops.copied(node))
        return self._view(node)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        if self._base is None and not self._node.shape:
            self._unfix()
        if value.__class__ is self.__class__:
            new: Node | ops.Scalar = value._node
            base = value._base
            shares = base is not None and (base is self or base is self._base)
            if shares and indexing.is_there(self._node, key, value._node):
                return
        else:
            made = operand(value)
            if made is None and isinstance(key, str):
                labels.write(self, key, value)
                return
            new = as_node(value, None, None, {}, None) if made is None else made
        indexing.put(self._node, key, new)

    def __delitem__(self, key: Any, /) -> None:
        advice = f"onebuf.delete(x, {key!r}) gives a buffer without some"
        raise ArgumentTypeError(f"elements cannot be deleted from a buffer: {advice}")

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + (0 if self.is_view else self.nbytes)

    def __bytes__(self) -> bytes:
        return engine.read(self._node).tobytes()

    def __repr__(self) -> str:
        node = self._node
        if node.op is FREED:
            return f"{type(self).__name__}(<freed>)"
        array = engine.read(node) if scheduler.is_readable(node) else None
        facts = {"shape": self.shape, "dtype": self.dtype.name, "device": self.device}
        return describe(type(self).__name__, array, node.base.op.name, facts)

    __array_priority__: ClassVar[float] = 100.0


set_default(lambda: Buffer)
register(lambda: Buffer, Tracer)
