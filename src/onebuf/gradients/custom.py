"""Functions with gradients that a program gives itself."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import update_wrapper
from typing import Any, NamedTuple

from onebuf import pytree
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentTypeError
from onebuf.gradients.linearize import as_seed, is_differentiable
from onebuf.gradients.rules.table import RULES
from onebuf.graph import CUSTOM, Node, make
from onebuf.machine import Tracer
from onebuf.ops import full


class Given(NamedTuple):
    """The argument of a CUSTOM node: how to go back from it.

    Its operands are the result, the arguments, and what was kept for the way back.
    """

    backward: Callable[..., Any]
    results: pytree.Structure
    number: int
    """Which of the results it is."""
    kinds: tuple[tuple[tuple[int, ...], Any], ...]
    """Shape and dtype of each result."""
    counts: tuple[int, ...]
    """How many of the operands are leaves of each argument."""
    kept: pytree.Structure
    others: tuple[Any, ...]
    """What was kept and is no buffer, None in place of buffers."""


_inside: ContextVar[frozenset[CustomGradient]] = ContextVar("inside", default=frozenset())
"""The functions whose forward function is running: it may call the function itself."""


class CustomGradient:
    """A function whose gradient is what `defvjp` was given."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._forward: Callable[..., Any] | None = None
        self._backward: Callable[..., Any] | None = None
        update_wrapper(self, function)

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """Set the rule: ``forward(*args)`` gives (result, kept), ``backward(kept, gradient)`` a
        gradient for each argument, as a tuple."""
        self._forward, self._backward = forward, backward

    def __call__(self, *args: Any) -> Any:
        """The result of the function."""
        leaves, _ = pytree.flatten(args)
        if self in _inside.get() or not any(
            isinstance(x, Buffer) and isinstance(x.device, Tracer) for x in leaves
        ):
            return self._function(*args)
        if self._forward is None or self._backward is None:
            raise ArgumentTypeError(
                f"{getattr(self._function, '__name__', 'the function')} has no rule yet; give it "
                f"one with defvjp(forward, backward)"
            )
        token = _inside.set(_inside.get() | {self})
        try:
            result, kept = self._forward(*args)
        finally:
            _inside.reset(token)
        return _joined(result, kept, args, self._backward)


def _joined(result: Any, kept: Any, args: tuple[Any, ...], backward: Callable[..., Any]) -> Any:
    """The results as CUSTOM nodes."""
    results, structure = pytree.flatten(result)
    left, kept_structure = pytree.flatten(kept)
    parts = [[x._node for x in pytree.flatten(arg)[0] if is_differentiable(x)] for arg in args]
    arguments = tuple([node for part in parts for node in part])
    held = tuple([x._node for x in left if isinstance(x, Buffer)])
    others = tuple([None if isinstance(x, Buffer) else x for x in left])
    kinds = tuple([(x.shape, x.dtype) for x in results])

    def custom(number: int, leaf: Buffer) -> Buffer:
        counts = tuple([len(part) for part in parts])
        given = Given(backward, structure, number, kinds, counts, kept_structure, others)
        srcs = (leaf._node, *arguments, *held)
        node = make(CUSTOM, srcs, given, leaf.shape, leaf.dtype, unique=True)
        return leaf._value(node)

    return structure.unflatten([custom(number, leaf) for number, leaf in enumerate(results)])


def _rule(node: Node, gradient: Node) -> tuple[Node | None, ...]:
    """The gradients of a CUSTOM node's operands."""
    given: Given = node.arg
    count = sum(given.counts)
    held = iter(node.srcs[1 + count :])
    kept = [Buffer._value(next(held)) if x is None else x for x in given.others]
    device = node.device
    assert device is not None
    seeds = [
        Buffer._value(gradient if n == given.number else full(shape, 0, dtype, device))
        for n, (shape, dtype) in enumerate(given.kinds)
    ]
    found = given.backward(given.kept.unflatten(kept), given.results.unflatten(seeds))
    leaves = _leaves(found, given.counts)
    return (None, *leaves, *[None] * (len(node.srcs) - 1 - count))


def _leaves(found: Any, counts: tuple[int, ...]) -> list[Node | None]:
    """What a backward function gave, for each operand; None stands for zeros."""
    if not isinstance(found, tuple) or len(found) != len(counts):
        got = f"a tuple of {len(found)}" if isinstance(found, tuple) else type(found).__name__
        raise ArgumentTypeError(
            f"a backward function needs to return a tuple with a gradient for each of "
            f"{len(counts)} arguments, got {got}; None stands for zeros"
        )
    leaves: list[Node | None] = []
    for one, count in zip(found, counts, strict=True):
        given = [None] * count if one is None else [as_seed(x) for x in pytree.flatten(one)[0]]
        if len(given) != count:
            raise ArgumentTypeError(
                f"a backward function needs a gradient for each buffer of floats in an argument, "
                f"{count}, got {len(given)}; None stands for zeros"
            )
        leaves.extend(given)
    return leaves


RULES[CUSTOM] = _rule


def custom_vjp(function: Callable[..., Any]) -> CustomGradient:
    """``function`` with a gradient of its own, set by ``defvjp``.

    >>> import onebuf
    >>> @onebuf.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda kept, g: (onebuf.clip(g, -1, 1),))
    >>> onebuf.grad(lambda x: 5 * clipped(x))(2.0).item()
    1.0
    """
    return CustomGradient(function)


def stopped(leaf: Any) -> Any:
    """A leaf that gradients do not go through."""
    if not is_differentiable(leaf) or not isinstance(leaf.device, Tracer):
        return leaf
    return _joined(leaf, (), (leaf,), lambda kept, gradient: (None,))
