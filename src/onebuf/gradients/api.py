"""Gradients of functions: `grad`, `value_and_grad` and `jvp`, on top of `vjp`.

Forward mode is reverse mode twice: a pullback is linear, and the pullback of a pullback pushes
tangents forward. So there is one rule for each operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from onebuf import pytree
from onebuf.buffer import Buffer
from onebuf.dtypes import kind
from onebuf.errors import ArgumentError, ArgumentTypeError, NotDifferentiable
from onebuf.gradients.custom import stopped
from onebuf.gradients.linearize import is_differentiable, linearized, vjp
from onebuf.graph import Number
from onebuf.ops import full
from onebuf.options import options

Numbers = int | Sequence[int]


def value_and_grad(
    function: Callable[..., Any], argnums: Numbers = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the value of ``function`` and its gradient, as a pair.

    ``function`` returns one real number. ``argnums`` says for which positional arguments gradients
    are wanted: an integer, or several. With ``has_aux`` it returns a pair (value, aux), and so does
    this function in place of the value.

    >>> import onebuf
    >>> f = onebuf.value_and_grad(lambda x: (x**3).sum())
    >>> value, gradient = f(onebuf.asarray([1.0, 2.0]))
    >>> value.item(), gradient.tolist()
    (9.0, [3.0, 12.0])
    """

    @wraps(function)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        places = _places(argnums, len(args))
        chosen = tuple([_floats(args[place], place) for place in places])

        def of_chosen(*given: Any) -> Any:
            whole = list(args)
            for place, arg in zip(places, given, strict=True):
                whole[place] = arg
            return function(*whole, **kwargs)

        value, pull, aux = linearized(of_chosen, chosen, has_aux)
        found = pull(_one(value))
        gradients = found[0] if isinstance(argnums, int) else found
        return ((value, aux) if has_aux else value), gradients

    return differentiated


def grad(
    function: Callable[..., Any], argnums: Numbers = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of ``function``, which returns one real number.

    ``argnums`` and ``has_aux`` are those of `value_and_grad`; with ``has_aux`` the result is a pair
    (gradient, aux). Gradients have the structure of the arguments: tuples, lists and dicts of
    buffers.

    >>> import onebuf
    >>> onebuf.grad(onebuf.sin)(0.0).item()
    1.0
    >>> onebuf.grad(onebuf.grad(lambda x: x**3))(2.0).item()
    12.0
    """
    both = value_and_grad(function, argnums, has_aux)

    @wraps(function)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """The value of ``function(*primals)``, and how it changes along ``tangents``.

    >>> import onebuf
    >>> onebuf.jvp(onebuf.sin, (0.0,), (2.0,))[1].item()
    2.0
    """
    args = tuple([_floats(arg, place) for place, arg in enumerate(primals)])
    leaves, structure = pytree.flatten(args)
    changes, other = pytree.flatten(tuple([_floats(arg, n) for n, arg in enumerate(tangents)]))
    if structure != other:
        raise ArgumentTypeError(
            f"jvp needs tangents with the structure of the arguments, {structure}, got {other}"
        )
    value, pull = vjp(function, *args)
    results, shape = pytree.flatten(value)
    zeros = shape.unflatten([_zeros(leaf) for leaf in results])
    _, push = vjp(lambda seed: [g for g in pytree.flatten(pull(seed))[0] if g is not None], zeros)
    wanted = [c for c, leaf in zip(changes, leaves, strict=True) if is_differentiable(leaf)]
    return value, push(wanted)[0]


def stop_gradient(x: Any) -> Any:
    """The elements of ``x``, as far as gradients are concerned constants.

    >>> import onebuf
    >>> onebuf.grad(lambda x: x * onebuf.stop_gradient(x))(3.0).item()
    3.0
    """
    return pytree.map(stopped, x)


def _zeros(leaf: Buffer) -> Buffer:
    return leaf._value(full(leaf.shape, 0, leaf.dtype, leaf.device))


def _places(argnums: Numbers, count: int) -> list[int]:
    """The arguments that gradients are wanted for, counted from the front."""
    places = [argnums] if isinstance(argnums, int) else list(argnums)
    for place in places:
        if not isinstance(place, int) or not -count <= place < count:
            raise ArgumentError(
                f"argnums needs the number of a positional argument, 0 to {count - 1}, got "
                f"{place!r}; a gradient for a keyword argument needs it to be positional"
            )
    return [place % count for place in places]


def _floats(arg: Any, place: int) -> Any:
    """An argument with floats and NumPy's arrays as buffers; all of it has to be floats."""
    leaves, structure = pytree.flatten(arg)
    made = [_float(leaf) for leaf in leaves]
    for leaf in made:
        if not is_differentiable(leaf):
            what = leaf.dtype.name if isinstance(leaf, Buffer) else type(leaf).__name__
            raise NotDifferentiable(
                f"a gradient needs arguments of floats, got {what} in argument {place}; convert it "
                f"with astype, or leave it out of argnums"
            )
    return structure.unflatten(made)


def _float(leaf: Any) -> Any:
    if isinstance(leaf, float | complex):
        dtype = options().default_float if isinstance(leaf, float) else np.complex128
        return Buffer._value(Buffer(leaf, dtype)._node)
    return Buffer(leaf) if isinstance(leaf, np.ndarray) else leaf


def _one(value: Any) -> Buffer:
    """The gradient of a value for itself: 1, if it is one real number."""
    if not isinstance(value, Buffer) or value.shape or kind(value.dtype) != "f":
        got = f"{value.dtype.name}{list(value.shape)}" if isinstance(value, Buffer) else repr(value)
        raise NotDifferentiable(
            f"a gradient needs a function that returns one real number, got {got}; reduce it with "
            f"sum() or mean(), or use onebuf.vjp"
        )
    if value.device.is_host:
        return value._value(Number.of(value.dtype.type(1), value.dtype))
    return value._value(full((), 1, value.dtype, value.device))
