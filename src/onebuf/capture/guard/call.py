"""Calls: the arguments of a function in one order, however they were given.

``f(x, y=1)``, ``f(y=1, x=x)`` and ``f(x)`` with 1 as default are the same call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from onebuf.pytree import container_of

_ANY = inspect.signature(lambda *args, **kwargs: None)
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Call:
    """How a function is called.

    ``names`` are those of its parameters; ``normalise(*args, **kwargs)`` gives a value for each.
    ``is_positional``: all can be given by position, and none takes several arguments.

    >>> call = Call(lambda x, *rest, y=1: None)
    >>> call.names, call.normalise(1, 2, 3)
    (('x', 'rest', 'y'), (1, (2, 3), 1))
    """

    __slots__ = ("function", "names", "normalise", "is_positional")

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            # What is really called: a wrapper may change the arguments.
            signature = inspect.signature(function, follow_wrapped=False)
        except ValueError:  # some functions written in C do not say
            signature = _ANY
        parameters = signature.parameters.values()
        self.function = function
        self.names = tuple(signature.parameters)
        self.normalise: Callable[..., tuple[Any, ...]] = _normaliser(signature)
        name = getattr(function, "__qualname__", self.normalise.__name__)
        self.normalise.__qualname__ = name  # by which Python calls it where arguments are missing
        self.is_positional = all(one.kind in _BY_POSITION for one in parameters)


def _normaliser(signature: inspect.Signature) -> Callable[..., tuple[Any, ...]]:
    """A function of the same signature that returns the values of its parameters."""
    defaults: dict[str, Any] = {}
    plain = []
    for number, (name, parameter) in enumerate(signature.parameters.items()):
        default: Any = inspect.Parameter.empty
        if parameter.default is not inspect.Parameter.empty:
            defaults[f"_{number}"] = parameter.default
            default = _Source(f"_{number}")
        plain.append(parameter.replace(default=default, annotation=inspect.Parameter.empty))
        assert name.isidentifier()
    text = str(inspect.Signature(plain))
    values = ", ".join(signature.parameters)
    exec(f"def normalise{text}: return ({values}{',' * (len(plain) == 1)})", defaults)
    return defaults["normalise"]  # type: ignore[no-any-return]


class _Source:
    """A name that shows as it is in the text of a signature."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def labels_of(where: str, value: Any) -> list[str]:
    """What the leaves of a pytree are called, which itself is called ``where``.

    >>> labels_of("x", [1, {"a": 2}])
    ['x[0]', "x[1]['a']"]
    """
    container = container_of(value)
    if container is None:
        return [where]
    children, rest = container.to_children(value)
    inner = list(children)
    labels = inner_labels(where, value, rest, len(inner))
    return [
        label
        for place, child in zip(labels, inner, strict=True)
        for label in labels_of(place, child)
    ]


def inner_labels(where: str, value: Any, rest: Any, count: int) -> list[str]:
    """What the ``count`` children of a container are called; ``rest`` is the static part of it."""
    if value.__class__ is dict:
        return [f"{where}[{key!r}]" for key in value]
    if hasattr(value, "__dataclass_fields__"):
        return [f"{where}.{name}" for name in rest]
    return [f"{where}[{number}]" for number in range(count)]
