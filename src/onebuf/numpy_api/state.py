"""NumPy's settings, printing and iterators.

Floating-point events are silent in buffers (docs/design/0004), so that `errstate` and `seterr`
govern NumPy's own functions and scalars; programs that switch warnings off run as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from onebuf.array_api.arguments import public
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.calls import NumpyCall
from onebuf.numpy_api.delegation import delegated

euler_gamma = np.euler_gamma

errstate, geterr, seterr = np.errstate, np.geterr, np.seterr
geterrcall, seterrcall = np.geterrcall, np.seterrcall
getbufsize, setbufsize = np.getbufsize, np.setbufsize
get_printoptions, set_printoptions = np.get_printoptions, np.set_printoptions
printoptions = np.printoptions
format_float_positional = np.format_float_positional
format_float_scientific = np.format_float_scientific
get_include, info = np.get_include, np.info
show_config, show_runtime = np.show_config, np.show_runtime

array2string = delegated(np.array2string)
array_repr = delegated(np.array_repr)
array_str = delegated(np.array_str)


class nditer:
    """NumPy's iterator over the memory of buffers; arrays that it gives are NumPy's views."""

    def __init__(self, op: Any, *args: Any, **kwargs: Any) -> None:
        call = NumpyCall(Buffer)
        operands = call.give(op if isinstance(op, list | tuple) else [op])
        self._theirs = np.nditer(operands, *args, **kwargs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._theirs)

    def __next__(self) -> Any:
        return next(self._theirs)

    def __enter__(self) -> Any:
        return self._theirs.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._theirs.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)


class broadcast:
    """Several buffers as one of the shape that they broadcast to: its shape, and all tuples."""

    def __init__(self, *arrays: Any) -> None:
        call = NumpyCall(Buffer)
        self._theirs = np.broadcast(*[call.give(x) for x in arrays])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._theirs)

    def __next__(self) -> Any:
        return next(self._theirs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)


flatiter = np.flatiter


@public
def nested_iters(op: Any, axes: Any, *args: Any, **kwargs: Any) -> Any:
    """NumPy's iterators of nested loops over the memory of buffers."""
    operands = NumpyCall(Buffer).give(list(op) if isinstance(op, list | tuple) else [op])
    return np.nested_iters(operands, axes, *args, **kwargs)
