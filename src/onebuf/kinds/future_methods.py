"""What the operators and methods of a future do, all by one rule.

If its shape and dtype are known, or it is done, they are those of an ordinary buffer on the same
node. If not, the operation is queued, and its result is a future as well. An operation that writes,
or whose result is no buffer, is in no list here: it needs the node, and so it waits.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from onebuf.buffer import Buffer

Later = Callable[..., Any]
"""Makes a future of a function and its arguments, some of which are futures."""

_INFIX = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_OTHERS = ("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert", "getitem")
_METHODS = (
    *("abs", "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "byteswap"),
    *("choose", "clip", "compress", "conj", "conjugate", "contiguous", "copy", "cos", "cumprod"),
    *("cumsum", "diagonal", "dot", "exp", "expand", "expand_dims", "flatten", "flip", "log", "max"),
    *("maximum", "mean", "min", "minimum", "pad", "permute", "prod", "ptp", "ravel", "repeat"),
    *("reshape", "round", "searchsorted", "shrink", "sin", "sliding_window", "sqrt", "square"),
    *("squeeze", "std", "sum", "swapaxes", "take", "tanh", "to_device", "trace", "transpose"),
    *("unsqueeze", "var", "view", "slice", "chip", "dense"),
    *("__copy__", "__deepcopy__", "__round__"),
)
_PROPERTIES = ("T", "mT", "real", "imag")
_ASKED = (*(f"__i{name}__" for name in _INFIX), "__array_function__")
"""What waits, but gives a result of the class of whom it is asked of."""


def install(kind: type[Any], later: Later) -> None:
    """Give ``kind``, the class of futures, its operators and methods."""
    for name in (*_INFIX, *_OTHERS):
        dunder = f"__{name}__"
        setattr(kind, dunder, _queued(dunder, getattr(operator, dunder), later))
    for name in _INFIX:
        dunder = f"__r{name}__"
        setattr(kind, dunder, _queued(dunder, _swapped(name), later))
    for name in _METHODS:
        setattr(kind, name, _queued(name, _method(name), later))
    for name in _PROPERTIES:
        setattr(kind, name, _queued_property(name, later))
    for name in _ASKED:
        setattr(kind, name, _asked(name))
    kind.__array_ufunc__ = _queued_ufunc(later)


def _asked(name: str) -> Callable[..., Any]:
    """A method of ordinary buffers, asked of an ordinary buffer."""
    ordinary: Any = getattr(Buffer, name)

    @wraps(ordinary)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        plain = self._plain()
        result = ordinary(plain, *args, **kwargs)
        return self if result is plain else result

    return method


def _queued(name: str, function: Callable[..., Any], later: Later) -> Callable[..., Any]:
    """The same, or ``function`` of the future and the arguments as a future of its own."""
    ordinary: Any = getattr(Buffer, name)
    asked = _asked(name)

    @wraps(ordinary)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        is_known = self._is_known and not any(map(_is_unknown, args))
        if is_known or _has_to_wait(ordinary, args, kwargs):
            return asked(self, *args, **kwargs)
        return later(function, self, *args, **kwargs)

    return method


def _queued_property(name: str, later: Later) -> property:
    ordinary: Any = inspect.getattr_static(Buffer, name)
    function = _named(name, operator.attrgetter(name))

    def get(self: Any) -> Any:
        return getattr(self._plain(), name) if self._is_known else later(function, self)

    return property(get, ordinary.fset, doc=ordinary.__doc__)


def _queued_ufunc(later: Later) -> Callable[..., Any]:
    asked = _asked("__array_ufunc__")

    def method(self: Any, ufunc: np.ufunc, how: str, *inputs: Any, **kwargs: Any) -> Any:
        gives_one = how == "__call__" and ufunc.nout == 1 and kwargs.get("out") is None
        if gives_one and any(_is_unknown(x) for x in inputs):
            return later(ufunc, *inputs, **kwargs)
        return asked(self, ufunc, how, *inputs, **kwargs)

    return method


def _is_unknown(value: Any) -> bool:
    return value.__class__ is not Buffer and not getattr(value, "_is_known", True)


def _has_to_wait(ordinary: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call has an argument ``out``, which it would write to, or gives no buffer."""
    if ordinary is Buffer.__getitem__ and isinstance(args[0], str):
        return True  # labels
    try:
        given = inspect.signature(ordinary).bind(None, *args, **kwargs).arguments
    except TypeError:
        return True  # arguments that do not fit: there is no reason to say so later
    return given.get("out") is not None


def _swapped(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")
    return _named(name, lambda self, other: function(other, self))


def _method(name: str) -> Callable[..., Any]:
    return _named(name, lambda self, *args, **kwargs: getattr(self, name)(*args, **kwargs))


def _named(name: str, function: Any) -> Callable[..., Any]:
    @wraps(function, assigned=())
    def named(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    named.__name__ = named.__qualname__ = name
    return named
