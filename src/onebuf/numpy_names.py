"""NumPy's functions that the array API standard does not have, under their names in onebuf.

Programs and libraries that take a namespace ask it for more than the standard promises: `xarray`
for ``pad``, ``gradient`` and ``cross``, `opt_einsum` for ``transpose``, `cubed` for ``nansum``.
So whatever function of NumPy takes arrays is there in onebuf, too, unless onebuf has one of that
name already, with the standard's meaning. It takes buffers and gives buffers, by the protocols
that `onebuf.buffer.numpy_functions` and `onebuf.buffer.numpy_calls` describe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from onebuf.buffer import Buffer
from onebuf.buffer.numpy_calls import Call

_FUNCTION = type(np.pad)
"""The type of those functions of NumPy that ask their arguments' ``__array_function__``."""
_MODULES = ("lib",)
"""Parts of NumPy whose functions do so, too, and that are asked for by name."""


def find(name: str) -> Any:
    """The function called ``name``, or an AttributeError.

    >>> find("gradient")(Buffer([1.0, 4.0, 9.0])).to_python()
    [3.0, 4.0, 5.0]
    """
    found = None if name.startswith("_") else getattr(np, name, None)
    if isinstance(found, _FUNCTION | np.ufunc):
        return buffers_from(found)
    if found is not None and name in _MODULES:
        return found
    raise AttributeError(f"module 'onebuf' has no attribute {name!r}")


def buffers_from(function: Any) -> Callable[..., Any]:
    """``function``, giving buffers whatever it was given.

    >>> buffers_from(np.median)([3, 1, 2])
    Buffer(2., shape=(), dtype=float64, device=CPU)
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return Call(Buffer).take(function(*args, **kwargs))

    return call
