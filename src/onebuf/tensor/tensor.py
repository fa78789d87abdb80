"""Tensor: a buffer that remembers what was done with it, for gradients.

Operators and methods are those of buffers (`onebuf.tensor.methods`). Every operation on a tensor
that requires a gradient is recorded, and `Tensor.backward` goes back through what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, ClassVar, Self
from weakref import ref

import numpy as np

from onebuf import dtypes, pytree
from onebuf.buffer import Buffer
from onebuf.buffer.index.indexing import is_basic
from onebuf.errors import CopyError, GradientError
from onebuf.graph import Number
from onebuf.graph.origin import here
from onebuf.tensor import functions
from onebuf.tensor.backward import backward
from onebuf.tensor.base import TensorState, check_differentiable
from onebuf.tensor.function import check_gradient
from onebuf.tensor.grad_mode import is_grad_enabled, no_grad
from onebuf.tensor.method_types import MethodTypes
from onebuf.tensor.methods import with_methods
from onebuf.tensor.recording import call, has_tensor, plain
from onebuf.tensor.watch import Watch


class Tensor(TensorState, MethodTypes):
    """Elements with a gradient.

    ``data`` is a buffer, which is then shared, or anything that makes one; Python's floats become
    float32. With ``requires_grad``, `backward` adds up a gradient in ``grad``.

    >>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    Tensor([2., 4., 6.])
    """

    __slots__ = ()

    no_grad: ClassVar[type[no_grad]] = no_grad
    __array_priority__: ClassVar[float] = 200.0

    def __init__(
        self,
        data: Any,
        requires_grad: bool = False,
        dtype: Any = None,
        device: Any = None,
    ) -> None:
        if isinstance(data, TensorState):
            data = data._data
        if not isinstance(data, Buffer) or dtype is not None or device is not None:
            data = Buffer(data, dtype, device=device)
        if requires_grad:
            check_differentiable(data.dtype)
        self._data = data
        self._grad = self._watch = self._source = None
        self._requires_grad = requires_grad

    # -- making ------------------------------------------------------------------------------------

    @classmethod
    def zeros(cls, shape: Any, requires_grad: bool = False, **named: Any) -> Self:
        """Zeros; ``dtype`` and ``device`` by name."""
        return cls(Buffer.zeros(shape, **named), requires_grad)

    @classmethod
    def ones(cls, shape: Any, requires_grad: bool = False, **named: Any) -> Self:
        """Ones; ``dtype`` and ``device`` by name."""
        return cls(Buffer.ones(shape, **named), requires_grad)

    @classmethod
    def full(cls, shape: Any, value: Any, requires_grad: bool = False, **named: Any) -> Self:
        """One value everywhere; ``dtype`` and ``device`` by name."""
        return cls(Buffer.full(shape, value, **named), requires_grad)

    @classmethod
    def uniform(
        cls,
        shape: Any,
        low: float = 0.0,
        high: float = 1.0,
        requires_grad: bool = False,
        dtype: Any = dtypes.float32,
    ) -> Self:
        """Random numbers spread evenly over [low, high): see `onebuf.random`."""
        return cls(Buffer.uniform(shape, low, high, dtype), requires_grad)

    @classmethod
    def normal(
        cls,
        shape: Any,
        mean: float = 0.0,
        std: float = 1.0,
        requires_grad: bool = False,
        dtype: Any = dtypes.float32,
    ) -> Self:
        """Random numbers of the normal distribution: see `onebuf.random`."""
        return cls(Buffer.normal(shape, mean, std, dtype), requires_grad)

    # -- gradients ---------------------------------------------------------------------------------

    def backward(self, gradient: Any = None, retain_graph: bool = False) -> None:
        """Add the gradient of this tensor to ``grad`` of every leaf that it was made from.

        ``gradient`` is that of something else with respect to this tensor, in its shape; it may be
        left out if this tensor is one number. What was recorded is given up, unless
        ``retain_graph``.
        """
        if not self._requires_grad:
            raise GradientError(
                f"backward needs a tensor that requires a gradient, or was made from one while "
                f"gradients were enabled; this one, at {here()}, does not: make the leaves with "
                f"requires_grad=True"
            )
        if gradient is None:
            if self.numel != 1:
                raise GradientError(
                    f"backward without a gradient needs one number, got shape {self.shape} at "
                    f"{here()}; reduce it with sum() or mean(), or pass backward(gradient)"
                )
            given = Buffer.ones(self.shape, self.dtype, device=self.device)
        else:
            found = gradient._data if isinstance(gradient, TensorState) else gradient
            given = found if isinstance(found, Buffer) else Buffer(found, device=self.device)
            check_gradient(given, self.shape, f"backward, at {here()},")
        backward(self, given, retain_graph)

    def retain_grad(self) -> None:
        """Let `backward` add up ``grad`` for this tensor too, although it is no leaf."""
        if self._source is not None:
            function, place = self._source
            function.kept[place] = ref(self)

    def _is_recorded_with(self, other: Any) -> bool:
        """Whether an operation on this tensor and ``other`` is recorded."""
        if not is_grad_enabled():
            return False
        return self._requires_grad or (isinstance(other, TensorState) and other._requires_grad)

    def _become(self, new: Self, key: Any, value: Any = None) -> None:
        """Write the elements of ``new`` in place, and take over where it came from."""
        if isinstance(self._data._node, Number):
            self._data = new._data
        elif key is ...:
            self._data[...] = new._data
        else:
            self._data[key] = value
        self._source = new._source
        self._requires_grad = new._requires_grad
        self._watch = Watch(self._data._node)

    # -- elements ----------------------------------------------------------------------------------

    def item(self, *index: Any) -> Any:
        """One element as a Python number."""
        return self._data.item(*index)

    def numpy(self) -> np.ndarray[Any, Any]:
        """The elements in an array of NumPy's, which shares memory where it can."""
        return self._data.to_numpy()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers, or as one number."""
        return self._data.tolist()

    def realize(self) -> Self:
        """Compute the elements now, if that is still to be done."""
        self._data.realize()
        return self

    def __getitem__(self, key: Any, /) -> Self:
        return call(_item, "getitem", self, key)  # type: ignore[no-any-return]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        key, new = plain(key), plain(value)
        if not self._is_recorded_with(value):
            self._data[key] = new
            return
        self._check_may_change("setitem")
        self._become(call(_put, "setitem", self, key, value), key, new)

    def __divmod__(self, other: Any, /) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: Any, /) -> tuple[Self, Self]:
        return other // self, other % self

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[Self]:
        return (self[place] for place in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self._data)

    def __int__(self) -> int:
        return int(self._data)

    def __float__(self) -> float:
        return float(self._data)

    def __index__(self) -> int:
        return self._data.__index__()

    __hash__ = object.__hash__

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        self._check_is_leaf("copied with all that it holds")
        return self._of(self._data.copy(), self._requires_grad)

    def __reduce__(self) -> tuple[Any, ...]:
        self._check_is_leaf("pickled")
        return _restored, (type(self), self._data, self._requires_grad)

    def _check_is_leaf(self, what: str) -> None:
        if self._source is not None:
            raise GradientError(
                f"only leaves can be {what}, and this tensor was made by "
                f"{self._source[0].metadata}; use x.detach()"
            )

    def __repr__(self) -> str:
        text = str(np.array2string(self._data.to_numpy(), separator=", ", prefix="Tensor("))
        facts = "" if self.dtype == dtypes.float32 else f", dtype={self.dtype.name}"
        if self._requires_grad:
            facts += ", requires_grad=True"
        return f"{type(self).__name__}({text}{facts})"

    # -- NumPy -------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self._is_recorded_with(None):
            raise CopyError(
                f"an array of NumPy's has no gradient, and this tensor requires one, at {here()}; "
                f"use x.numpy() or x.detach() if none is wanted"
            )
        return self._data.__array__(dtype, copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        if has_tensor(named.get("out")):
            return NotImplemented
        return call(getattr(ufunc, method), ufunc.__name__, *inputs, **named)

    def __array_function__(self, function: Any, types: Any, args: Any, named: Any) -> Any:
        return call(function, function.__name__, *args, **named)

    # -- functions as methods ----------------------------------------------------------------------

    relu, sigmoid, silu, gelu = functions.relu, functions.sigmoid, functions.silu, functions.gelu
    softmax, log_softmax = functions.softmax, functions.log_softmax
    logsumexp = functions.logsumexp


def _restored(kind: type[Tensor], data: Buffer, requires_grad: bool) -> Tensor:
    return kind._of(data, requires_grad)


def _item(x: Buffer, key: Any) -> Any:
    return x[key]


def _put(x: Buffer, key: Any, value: Any) -> Any:
    """``x`` with other elements at ``key``, by operations that have a gradient."""
    is_traced_alike = not isinstance(value, Buffer) or value.device is x.device
    if is_basic(key) and is_traced_alike:
        whole = x.copy()
        whole[key] = value
        return whole
    table = np.full(x.shape, -1)
    chosen = table[key].shape
    table[key] = np.arange(prod(chosen)).reshape(chosen)
    if not isinstance(value, Buffer):
        value = Buffer(value, x.dtype, device=x.device)
    new = value.expand(chosen).reshape(-1)
    places = Buffer(table, device=x.device)
    return functions.where(places >= 0, new.take(places.maximum(0)), x)


def _children(tensor: Tensor) -> tuple[tuple[Buffer], bool]:
    return (tensor._data,), tensor._requires_grad and tensor.is_leaf


def _from_children(requires_grad: bool, children: Any) -> Tensor:
    return Tensor._of(children[0], requires_grad)


with_methods(Tensor)
pytree.register(Tensor, _children, _from_children)
