"""Methods of NumPy's generators that take buffers and give buffers.

Numbers, shapes, errors and dtypes are NumPy's. Arrays in the arguments may be buffers, which are
read, or written where NumPy writes (``shuffle``, ``out=``) after what still has to read them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from onebuf.buffer import Buffer
from onebuf.buffer.handle import Handle
from onebuf.buffer.numpy.calls import NumpyCall
from onebuf.dtypes import is_supported
from onebuf.ops import pooled
from onebuf.random.lazy_generator import own_buffer


def giving_buffers(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method like ``function``, one of NumPy's, with buffers for arrays.

    It runs on ``self._numpy``, a generator of NumPy's own class: NumPy's methods call one another,
    and expect arrays.

    >>> normal = giving_buffers(np.random.RandomState.normal)
    >>> class Mine:
    ...     _numpy = np.random.RandomState(0)
    >>> normal(Mine(), Buffer([0.0, 5.0]), 1.0).astype("int64")
    Buffer([1, 5], shape=(2,), dtype=int64, device=CPU)
    """

    @wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        self = self._numpy
        for x in args:
            if isinstance(x, Handle):
                return _on_windows(function, self, args, kwargs)
        for x in kwargs.values():
            if isinstance(x, Handle):
                return _on_windows(function, self, args, kwargs)
        result = function(self, *args, **kwargs)
        if type(result) is not np.ndarray or result is kwargs.get("out"):
            return result
        return taken(result)

    return method


def taken(result: Any) -> Any:
    """A new array as a buffer on its memory; anything else as it is."""
    if type(result) is np.ndarray and is_supported(result.dtype):
        return own_buffer(pooled(result))
    return result


def _on_windows(
    function: Callable[..., Any], self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    call = NumpyCall(Buffer)
    arrays = [call.give(x) for x in args]
    named = {name: call.give(x) for name, x in kwargs.items()}
    result = function(self, *arrays, **named)
    passed = call.given.get(id(result))
    if passed is not None:
        return passed[0]
    return result if result is kwargs.get("out") else taken(result)
