"""tinygrad's ``Tensor``: elements, gradients, and the modes in which both are used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

import onebuf
from onebuf import Buffer, pytree
from onebuf import tensor as ours
from onebuf.compat.tinygrad import training
from onebuf.compat.tinygrad.dtype import DType, dtypes, to_dtype
from onebuf.compat.tinygrad.tensor.conversion import Conversion
from onebuf.compat.tinygrad.tensor.core import TensorCore, place, unwrap
from onebuf.compat.tinygrad.tensor.creation import Creation
from onebuf.compat.tinygrad.tensor.neural import Neural
from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError


class Tensor(Creation, Neural, Conversion):
    """Elements with a gradient, as tinygrad spells them.

    ``data`` is a number, nested lists, bytes, an array or a buffer of onebuf's, which is shared.
    ``requires_grad`` is None unless something else is asked for: an optimiser then makes it True.

    >>> x = Tensor([[2.0, 0.0, -2.0]], requires_grad=True)
    >>> y = (x @ Tensor.eye(3)).relu().sum()
    >>> _ = y.backward()
    >>> x.grad.tolist(), y.item()
    ([[1.0, 0.0, 0.0]], 2.0)
    """

    __slots__ = ()

    train = training.train
    test = training.test

    def __init__(
        self,
        data: Any,
        device: str | None = None,
        dtype: DType | str | None = None,
        requires_grad: bool | None = None,
    ) -> None:
        wanted = None if dtype is None else to_dtype(dtype).numpy
        if isinstance(data, TensorCore):
            data = data._tensor.data
        if isinstance(data, bytes):
            data = np.frombuffer(data, dtypes.uint8.numpy)
        if not isinstance(
            data, bool | int | float | list | tuple | np.ndarray | np.generic | Buffer
        ):
            raise ArgumentTypeError(
                f"a Tensor needs a number, a list, bytes, an array or a buffer, got "
                f"{type(data).__name__}; convert it first"
            )
        if not isinstance(data, Buffer):
            data = Buffer(data, wanted, device=place(device))
        elif wanted is not None:
            data = data.astype(wanted, copy=False)
        if device is not None:
            data = data.to_device(place(device))
        self._tensor = ours.Tensor(data, bool(requires_grad))
        self._choice = requires_grad

    # -- elements ----------------------------------------------------------------------------------

    def numpy(self) -> np.ndarray[Any, Any]:
        """The elements in an array of NumPy's, copied; those of bfloat16 as float32."""
        tensor = self._tensor.detach()
        if self.is_floating_point() and self.dtype.fmt is None:
            tensor = tensor.astype(dtypes.float32.numpy)
        return np.array(tensor.numpy())

    def data(self) -> memoryview:
        """The elements as a ``memoryview`` of their shape, copied."""
        return np.ascontiguousarray(self._tensor.numpy()).data

    def tolist(self) -> Any:
        """The elements as nested lists, or as one number."""
        return self._tensor.tolist()

    def item(self) -> Any:
        """The one element as a Python number."""
        if self.numel() != 1:
            raise ArgumentError(
                f"item needs one element, got shape {self.shape}; choose one, or use tolist()"
            )
        return self._tensor.item()

    def realize(self, *lst: Tensor) -> Self:
        """Compute the elements of this tensor and of others now, in one schedule."""
        onebuf.realize(self._tensor.data, *[tensor._tensor.data for tensor in lst])
        return self

    def schedule(self, *lst: Tensor) -> list[Any]:
        """What `realize` would do, as kernels and other items of onebuf's."""
        return onebuf.schedule(self._tensor.data, *[tensor._tensor.data for tensor in lst])

    def contiguous(self) -> Self:
        """The elements in row-major order."""
        return self._of(self._tensor.contiguous())

    def contiguous_backward(self) -> Self:
        """The tensor itself: gradients are in row-major order here."""
        return self

    def clone(self) -> Self:
        """A copy of the elements; a gradient goes through it."""
        return self._of(self._tensor.copy(), self._choice)

    def to(self, device: str | None) -> Self:
        """The elements on another device."""
        there = place(device)
        if there is self._tensor.device:
            return self
        return self._of(self._tensor.to_device(there), self._choice)

    def to_(self, device: str | None) -> Self:
        """This tensor, with its elements on another device from now on."""
        moved = self._tensor.data.to_device(place(device))
        return self.replace(self._of(ours.Tensor(moved, bool(self.requires_grad))))

    def assign(self, x: Any) -> Self:
        """Write the elements of ``x`` over those of this tensor; no gradient goes through that."""
        value = x if isinstance(x, TensorCore) else type(self)(x, self.device, self.dtype)
        with ours.no_grad():
            self._tensor[...] = value._tensor.detach().astype(self.dtype.numpy, copy=False)
        return self

    def replace(self, x: Tensor) -> Self:
        """This tensor, with the elements of ``x`` from now on."""
        if x.shape != self.shape:
            raise ShapeError(f"replace needs the shape {self.shape}, got {x.shape}")
        self._tensor = x._tensor
        return self

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentTypeError("a tensor without axes has no length; use item()")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        return (self[n] for n in range(len(self)))

    def __bool__(self) -> bool:
        raise ArgumentTypeError("a Tensor is neither true nor false in tinygrad; use item()")

    def __repr__(self) -> str:
        facts = f"{self.shape} {self.dtype} on {self.device}"
        return f"<Tensor {facts} with grad {'None' if self.grad is None else repr(self.grad)}>"

    # -- gradients ---------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool | None:
        """Whether `backward` computes a gradient for this tensor; None: not decided yet."""
        return True if self._tensor.requires_grad else self._choice

    @requires_grad.setter
    def requires_grad(self, required: bool | None) -> None:
        self._tensor.requires_grad = bool(required)
        self._choice = required

    def requires_grad_(self, requires_grad: bool | None = True) -> Self:
        """This tensor, with `requires_grad` set."""
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Self | None:
        """The gradient that `backward` has added up here; None before."""
        found = self._tensor.grad
        return None if found is None else self._of(found, False)

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        self._tensor.grad = unwrap(grad)

    def detach(self) -> Self:
        """The same elements, of which nothing is recorded."""
        return self._of(self._tensor.detach(), False)

    def backward(self, gradient: Any = None, retain_graph: bool = False) -> Self:
        """Add the gradient of this tensor to ``grad`` of every leaf that requires one."""
        self._tensor.backward(unwrap(gradient), retain_graph)
        return self

    # -- in place ----------------------------------------------------------------------------------

    def __iadd__(self, x: Any) -> Self:
        self._tensor += unwrap(x)
        return self

    def __isub__(self, x: Any) -> Self:
        self._tensor -= unwrap(x)
        return self

    def __imul__(self, x: Any) -> Self:
        self._tensor *= unwrap(x)
        return self

    def __itruediv__(self, x: Any) -> Self:
        self._tensor /= unwrap(x)
        return self


def _children(tensor: Tensor) -> tuple[tuple[ours.Tensor], bool | None]:
    return (tensor._tensor,), tensor._choice


def _from_children(choice: bool | None, children: Any) -> Tensor:
    return Tensor._of(children[0], choice)


pytree.register(Tensor, _children, _from_children)
