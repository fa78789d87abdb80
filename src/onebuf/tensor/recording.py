"""Recording: any function of buffers as an operation on tensors.

A call is recorded as one `Function`, whose gradient is that of the whole function by the rules of
`onebuf.gradients`; there is no formula of a gradient here. So a function of many operations is one
call too, and what it computes forwards and backwards is two graphs that fuse.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from onebuf.buffer import Buffer
from onebuf.gradients import vjp
from onebuf.tensor.base import TensorState, is_differentiable
from onebuf.tensor.function import Function, Metadata
from onebuf.tensor.grad_mode import is_grad_enabled

F = TypeVar("F", bound=Callable[..., Any])


class Recorded(Function):
    """A call of a function of buffers, with the pullback that `onebuf.vjp` gives for it."""

    def forward(self, function: Callable[..., Any], *buffers: Buffer) -> Any:
        """The result of ``function``, whose arguments are ``buffers``."""
        found, pull = vjp(function, *buffers)
        self.saved = (pull, type(found))
        return found

    def backward(self, *gradients: Buffer) -> Any:
        """The gradients that the pull gives."""
        pull, kind = self.saved
        found = pull(kind(gradients) if issubclass(kind, tuple | list) else gradients[0])
        if pull.has_read_old:
            raise self.changed()
        return found


def call(function: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
    """``function`` of buffers called on tensors, recorded if a gradient may be asked for.

    Tensors may be anywhere in the arguments, also in tuples, lists and dicts. Buffers in the result
    become tensors. ``name`` is what errors call the function.
    """
    found: dict[int, TensorState] = {}
    _collect((args, kwargs), found)
    tensors = list(found.values())
    kind = type(tensors[0])
    wanted = []
    if is_grad_enabled():
        wanted = [t for t in tensors if t._requires_grad and is_differentiable(t.dtype)]
    plain = {key: tensor._data for key, tensor in found.items()}
    if not wanted:
        return as_tensors(_filled(function, args, kwargs, plain), kind)

    def on_buffers(*buffers: Buffer) -> Any:
        given = {id(t): buffer for t, buffer in zip(wanted, buffers, strict=True)}
        return _filled(function, args, kwargs, plain | given)

    others = [t for t in tensors if not t._requires_grad]
    made = Recorded(tensors[0].device, *wanted, metadata=Metadata.of_call(name))
    made.watch(others)
    return made.wrapped(made.forward(on_buffers, *[t._data for t in wanted]), kind)


def recorded(function: F) -> F:
    """``function`` of buffers, also for tensors: with one of those among its arguments, it is
    recorded as one operation.

    >>> from onebuf.tensor import Tensor
    >>> @recorded
    ... def length(x):
    ...     return (x * x).sum().sqrt()
    >>> x = Tensor([3.0, 4.0], requires_grad=True)
    >>> length(x).backward()
    >>> length(x).item(), [round(g, 6) for g in x.grad.tolist()]
    (5.0, [0.6, 0.8])
    """
    name = function.__name__

    @wraps(function)
    def on_tensors(*args: Any, **kwargs: Any) -> Any:
        if not has_tensor(args) and not has_tensor(tuple(kwargs.values())):
            return function(*args, **kwargs)
        return call(function, name, *args, **kwargs)

    return on_tensors  # type: ignore[return-value]


def has_tensor(tree: Any) -> bool:
    """Whether there is a tensor in ``tree``, which may be nested tuples, lists and dicts."""
    if isinstance(tree, tuple | list):
        return any([has_tensor(part) for part in tree])
    if isinstance(tree, dict):
        return any([has_tensor(part) for part in tree.values()])
    return isinstance(tree, TensorState)


def plain(tree: Any) -> Any:
    """``tree`` with the buffers of tensors in their place."""
    found: dict[int, TensorState] = {}
    _collect(tree, found)
    return _replaced(tree, {key: tensor._data for key, tensor in found.items()})


def as_tensors(tree: Any, kind: type[TensorState]) -> Any:
    """``tree`` with tensors on the buffers in it."""
    if isinstance(tree, Buffer):
        return kind._of(tree)
    if tree.__class__ is tuple or tree.__class__ is list:
        return tree.__class__([as_tensors(part, kind) for part in tree])
    return tree


def _collect(tree: Any, found: dict[int, TensorState]) -> None:
    if isinstance(tree, TensorState):
        found[id(tree)] = tree
    elif isinstance(tree, tuple | list):
        for part in tree:
            _collect(part, found)
    elif isinstance(tree, dict):
        for part in tree.values():
            _collect(part, found)


def _filled(
    function: Callable[..., Any], args: Any, kwargs: Any, buffers: dict[int, Buffer]
) -> Any:
    return function(*_replaced(args, buffers), **_replaced(kwargs, buffers))


def _replaced(tree: Any, buffers: dict[int, Buffer]) -> Any:
    if isinstance(tree, TensorState):
        return buffers[id(tree)]
    if tree.__class__ is tuple or tree.__class__ is list:
        return tree.__class__([_replaced(part, buffers) for part in tree])
    if tree.__class__ is dict:
        return {key: _replaced(part, buffers) for key, part in tree.items()}
    return tree
