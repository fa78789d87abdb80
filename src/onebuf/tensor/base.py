"""What every tensor has: elements, a gradient, and where it came from.

A tensor is a leaf, made by a program, or it was made by a `Function`, which knows how to hand a
gradient on to the tensors that it read. This module has the state and the rules for changing it;
operations are in `onebuf.tensor.tensor`.
"""

from __future__ import annotations

from typing import Any, Self

from onebuf.buffer import Buffer
from onebuf.dtypes import DT, kind
from onebuf.errors import DTypeError, GradientError
from onebuf.graph.origin import here
from onebuf.machine import Device
from onebuf.tensor.watch import Watch

_new = object.__new__


def is_differentiable(dtype: DT) -> bool:
    """Whether elements of ``dtype`` can have a gradient."""
    return kind(dtype) in "fc"


class TensorState:
    """Elements, whether they need a gradient, and the function that made them."""

    __slots__ = ("__weakref__", "_data", "_grad", "_watch", "_requires_grad", "_source")

    _data: Buffer
    _grad: TensorState | None
    _watch: Watch | None
    _requires_grad: bool
    _source: tuple[Any, int] | None
    """The `Function` that made the tensor, and which of its results it is; None for leaves."""

    @classmethod
    def _of(
        cls,
        data: Buffer,
        requires_grad: bool = False,
        source: tuple[Any, int] | None = None,
    ) -> Self:
        """A tensor on ``data``."""
        self = _new(cls)
        self._data = data
        self._grad = None
        self._watch = None if source is None else Watch(data._node)
        self._requires_grad = requires_grad
        self._source = source
        return self

    # -- elements ----------------------------------------------------------------------------------

    @property
    def data(self) -> Buffer:
        """The elements. What is done with them is not recorded."""
        return self._data

    @data.setter
    def data(self, data: Any) -> None:
        data = data._data if isinstance(data, TensorState) else data
        self._data = data if isinstance(data, Buffer) else Buffer(data)
        self._watch = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return self._data._node.shape

    @property
    def dtype(self) -> DT:
        """The type of the elements."""
        return self._data._node.dtype

    @property
    def device(self) -> Device:
        """Where the elements are."""
        return self._data.device

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._data._node.shape)

    @property
    def numel(self) -> int:
        """The number of elements."""
        return self._data._node.numel

    size = numel

    # -- gradients ---------------------------------------------------------------------------------

    @property
    def grad(self) -> Self | None:
        """The gradient that `backward` has added up here; None before."""
        return self._grad  # type: ignore[return-value]

    @grad.setter
    def grad(self, grad: Any) -> None:
        if grad is not None and not isinstance(grad, TensorState):
            grad = self._of(grad if isinstance(grad, Buffer) else Buffer(grad))
        self._grad = grad

    @property
    def requires_grad(self) -> bool:
        """Whether `backward` computes a gradient for this tensor."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, required: bool) -> None:
        if self._source is not None and not required:
            raise GradientError(
                f"requires_grad can be changed on leaves alone, and this tensor was made by "
                f"{self._source[0].metadata}; use x.detach(), or with no_grad()"
            )
        if required:
            check_differentiable(self.dtype)
        self._requires_grad = bool(required)

    def requires_grad_(self, required: bool = True) -> Self:
        """This tensor, for which `backward` computes a gradient from now on, or no longer."""
        self.requires_grad = required
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor."""
        return self._source is None

    def zero_grad(self) -> None:
        """Forget the gradient."""
        self._grad = None

    def detach(self) -> Self:
        """A tensor on the same elements, of which nothing is recorded."""
        return self._of(self._data)

    def _watched(self) -> Watch:
        """A watch of the elements as they are now.

        That of a leaf is not kept: a captured function is captured again if a leaf has changed.
        """
        if self._watch is None or self._source is None:
            return Watch(self._data._node)
        return self._watch

    def _check_may_change(self, what: str) -> None:
        """Raise if changing the elements in place would leave a gradient without a meaning."""
        if self._source is None and self._requires_grad:
            raise GradientError(
                f"{what} would change a leaf that requires a gradient, at {here()}; write x = x + "
                f"y for a new tensor, or change the elements inside with no_grad()"
            )


def check_differentiable(dtype: DT) -> None:
    """Raise for elements that cannot have a gradient."""
    if not is_differentiable(dtype):
        raise DTypeError(
            f"a gradient needs floating elements, got {dtype.name}; convert with dtype='float32'"
        )
