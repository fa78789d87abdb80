"""``TinyJit``: `onebuf.jit`, with tinygrad's attributes.

A call whose shapes, types or constants differ is captured anew, and so is one after something else
has changed that the function read; in tinygrad the first is an error and the second goes unnoticed.
Results of an earlier call stay what they are. Functions may be nested.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any

from onebuf.capture.api import Jitted, jit


class TinyJit:
    """A function that is captured at its first call and replayed after; a decorator.

    ``prune`` has no effect: what does not depend on the arguments is not computed again anyway.

    >>> from onebuf.compat.tinygrad import Tensor
    >>> @TinyJit
    ... def double(x):
    ...     return (x * 2).realize()
    >>> double(Tensor([1.0, 2.0])).tolist(), double(Tensor([3.0, 4.0])).tolist(), double.cnt
    ([2.0, 4.0], [6.0, 8.0], 2)
    """

    def __new__(cls, fxn: Callable[..., Any] | None = None, *, prune: bool = False) -> Any:
        """The function; without one, a decorator."""
        if fxn is None:
            return lambda function: cls(function, prune=prune)
        return super().__new__(cls)

    def __init__(self, fxn: Callable[..., Any], *, prune: bool = False) -> None:
        self.fxn = fxn
        self.prune = prune
        self.reset()
        update_wrapper(self, fxn)

    def reset(self) -> None:
        """Forget what was captured."""
        self._jitted: Jitted = jit(self.fxn)
        self.cnt = 0
        """How often it was called."""

    @property
    def captured(self) -> Jitted | None:
        """The function of onebuf, if a call was captured; its ``explain()`` says what that is."""
        return self._jitted if self._jitted.captures else None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        self.cnt += 1
        return self._jitted(*args, **kwargs)
