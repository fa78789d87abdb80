"""Functions of NumPy that the namespace has under the same name, for all buffers by operations.

They come here when a program calls NumPy's own on a traced buffer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.buffer.numpy.functions import namespace
from onebuf.numpy_api.by_operations.table import stands_for

# fmt: off
_NAMES = (
    "atleast_1d", "atleast_2d", "atleast_3d", "clip", "count_nonzero", "cumulative_prod",
    "cumulative_sum", "diag", "diagflat", "dot", "fliplr", "flipud", "imag", "isin",
    "matrix_transpose", "meshgrid", "nancumprod", "nancumsum", "ravel", "real", "reshape",
    "rollaxis", "searchsorted", "sinc", "take_along_axis", "tensordot", "tril", "triu", "unstack",
)
# fmt: on


def _namesake(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return getattr(namespace(), name)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return function


for _name in _NAMES:
    stands_for(getattr(np, _name))(_namesake(_name))
