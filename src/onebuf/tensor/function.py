"""Functions: operations on tensors that know how to hand gradients on.

A `Function` object is one call: what it read, whose gradients are wanted, what it saved, and the
line of the program that it came from. The depth of a call is one more than that of the deepest call
whose results it read, so going from the deepest calls up is an order in which gradients can be
added up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast
from weakref import ref

from onebuf.buffer import Buffer
from onebuf.dtypes import DT
from onebuf.errors import ArgumentTypeError, ChangedError, GradientError, ShapeError
from onebuf.graph.origin import Origin, caller
from onebuf.machine import Device
from onebuf.options import config
from onebuf.tensor.base import TensorState, is_differentiable
from onebuf.tensor.grad_mode import is_grad_enabled
from onebuf.tensor.watch import Watch, read_by


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a call is for people: the name of the function, and the line that called it."""

    name: str
    origin: Origin | None

    @classmethod
    def of_call(cls, name: str) -> Self:
        """The metadata of the call that is being made."""
        found = caller()
        return cls(name, None if found is None else Origin(*found))

    def __str__(self) -> str:
        return self.name if self.origin is None else f"{self.name} at {self.origin}"


@dataclass(frozen=True, slots=True)
class Result:
    """Shape, dtype and device of a result, for a gradient of zeros."""

    shape: tuple[int, ...]
    dtype: DT
    device: Device

    def zeros(self) -> Buffer:
        """A gradient for a result that nothing depends on."""
        return Buffer.zeros(self.shape, self.dtype, device=self.device)


class Function:
    """An operation with a gradient of its own: subclass it, and call it by `apply`.

    ``forward`` gets the buffers of the tensors, and other arguments as they are; ``backward`` gets
    the gradient of each result and gives one for each argument, None where there is none.
    ``self.needs_input_grad`` says for each argument whether its gradient is wanted, ``self.saved``
    is for what ``backward`` needs, ``self.device`` is that of the first tensor and
    ``self.metadata`` the name and the line of the call.

    >>> from onebuf.tensor import Tensor
    >>> class Cube(Function):
    ...     def forward(self, x):
    ...         self.saved = (x,)
    ...         return x * x * x
    ...     def backward(self, gradient):
    ...         (x,) = self.saved
    ...         return gradient * 3 * x * x
    >>> x = Tensor([2.0, 3.0], requires_grad=True)
    >>> Cube.apply(x).sum().backward()
    >>> x.grad.tolist()
    [12.0, 27.0]
    """

    name: ClassVar[str | None] = None
    """What errors call it; None: the name of the class."""

    def __init__(self, device: Device, *inputs: Any, metadata: Metadata | None = None) -> None:
        self.device = device
        self.metadata = metadata or Metadata(type(self).__name__, None)
        self.needs_input_grad = tuple([_needs(x) for x in inputs])
        self.requires_grad = is_grad_enabled() and any(self.needs_input_grad)
        self.saved: tuple[Any, ...] = ()
        self.depth = 0
        """How many calls there are, at most, one after another, up to this one."""
        self.results: tuple[Result, ...] = ()
        self.kept: dict[int, ref[TensorState]] = {}
        """Tensors that keep the gradient of a result, by the number of the result."""
        self.is_freed = False
        self._watches: tuple[Watch, ...] = ()
        self.edges: tuple[TensorState | tuple[Function, int] | None, ...] = ()
        """Where the gradient of each argument goes: to a leaf, or a result of an earlier call."""
        if self.requires_grad:
            self.edges = tuple([_edge(x) for x in inputs])
            calls = [edge[0] for edge in self.edges if isinstance(edge, tuple)]
            self.depth = 1 + max([call.depth for call in calls], default=0)
            self.watch([x for x in inputs if isinstance(x, TensorState)])

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result, or a tuple of results, as buffers."""
        raise NotImplementedError(f"{type(self).__name__} needs a method forward(self, *args)")

    def backward(self, *gradients: Any) -> Any:
        """The gradient for each argument, from that of each result."""
        raise NotImplementedError(
            f"{type(self).__name__} needs a method backward(self, gradient), because a gradient "
            f"was asked for through {self.metadata}"
        )

    @classmethod
    def apply(cls, *inputs: Any, **kwargs: Any) -> Any:
        """Call ``forward`` on tensors; the result is a tensor, or a tuple of tensors."""
        first = next((x for x in inputs if isinstance(x, TensorState)), None)
        if first is None:
            raise ArgumentTypeError(
                f"{cls.__name__}.apply needs a tensor among its arguments, got "
                f"{', '.join(type(x).__name__ for x in inputs) or 'none'}; make one with Tensor(x)"
            )
        call = cls(first.device, *inputs, metadata=Metadata.of_call(cls.name or cls.__name__))
        buffers = [x._data if isinstance(x, TensorState) else x for x in inputs]
        return call.wrapped(call.forward(*buffers, **kwargs), type(first))

    def watch(self, tensors: Iterable[TensorState]) -> None:
        """Take note of the elements of ``tensors``, which ``backward`` may need, as they are."""
        for tensor in tensors:
            _check_unchanged(tensor, self.metadata)
            self._watches += (tensor._watched(),)

    def wrapped(self, found: Any, kind: type[TensorState]) -> Any:
        """The result of ``forward`` as tensors of class ``kind`` that know where they are from."""
        parts = found if isinstance(found, tuple | list) else (found,)
        for part in parts:
            if not isinstance(part, Buffer):
                raise ArgumentTypeError(
                    f"forward of {self.metadata} needs to give buffers, got {type(part).__name__}"
                )
        tensors = []
        if self.requires_grad:
            self.results = tuple([Result(b.shape, b.dtype, b.device) for b in parts])
        for place, part in enumerate(parts):
            if self.requires_grad and is_differentiable(part.dtype):
                tensor = kind._of(part, True, (self, place))
                self._watches += (cast(Watch, tensor._watch),)
            else:
                tensor = kind._of(part)
            tensors.append(tensor)
        return type(found)(tensors) if isinstance(found, tuple | list) else tensors[0]

    # -- backward ----------------------------------------------------------------------------------

    def pulled(self, gradients: list[Buffer | None]) -> list[Buffer | None]:
        """The gradient for each argument that wants one, from those of the results."""
        self.check_alive()
        given = [
            result.zeros() if gradient is None else gradient
            for gradient, result in zip(gradients, self.results, strict=True)
        ]
        written = [watch for watch in self._watches if watch.was_written]
        if not written:
            return self._checked(self.backward(*given))
        with config(eager_numel=0):  # so that what it reads can be seen before it is read
            found = self._checked(self.backward(*given))
        if read_by([b._node for b in found if b is not None], written):
            raise self.changed()
        return found

    def changed(self) -> ChangedError:
        """The error for a gradient that needs elements which are no longer there."""
        return ChangedError(
            f"elements that the gradient of {self.metadata} needs were changed in place since; "
            f"change a copy of them, or call backward() first"
        )

    def _checked(self, found: Any) -> list[Buffer | None]:
        parts = tuple(found) if isinstance(found, tuple | list) else (found,)
        if len(parts) != len(self.needs_input_grad):
            raise ArgumentTypeError(
                f"backward of {self.metadata} needs to give a gradient, or None, for each of "
                f"{len(self.needs_input_grad)} arguments, got {len(parts)}"
            )
        made = zip(parts, self.needs_input_grad, strict=True)
        return [_as_buffer(part) if needed else None for part, needed in made]

    def check_alive(self) -> None:
        """Raise if an earlier `backward` gave up what this call saved."""
        if self.is_freed:
            raise GradientError(
                f"backward went through {self.metadata} before, and what it needs was given up "
                f"then; compute the result again, or call the first backward(retain_graph=True)"
            )

    def free(self) -> None:
        """Give up what ``backward`` needs."""
        self.is_freed = True
        self.saved = ()
        self.edges = ()
        self._watches = ()


def check_gradient(gradient: Buffer, shape: tuple[int, ...], whose: str) -> Buffer:
    """``gradient``, if it has the shape of what it is the gradient of."""
    if gradient.shape != shape:
        raise ShapeError(
            f"the gradient of {whose} needs the shape {shape}, got {gradient.shape}; sum over the "
            f"axes that were broadcast"
        )
    return gradient


def _needs(x: Any) -> bool:
    return isinstance(x, TensorState) and x._requires_grad


def _edge(x: Any) -> TensorState | tuple[Function, int] | None:
    if not isinstance(x, TensorState) or not x._requires_grad:
        return None
    return x if x._source is None else x._source


def _check_unchanged(tensor: TensorState, metadata: Metadata) -> None:
    """Raise for a tensor whose elements are no longer those that its function made."""
    watch = tensor._watch
    if tensor._source is not None and watch is not None and watch.was_written:
        raise ChangedError(
            f"{metadata} reads a tensor whose elements were changed in place, through .data or a "
            f"view, since {tensor._source[0].metadata} made it, so it has no gradient any more; "
            f"use detach() if none is wanted"
        )


def _as_buffer(part: Any) -> Buffer | None:
    if isinstance(part, TensorState):
        return part._data
    if part is None or isinstance(part, Buffer):
        return part
    return Buffer(part)
