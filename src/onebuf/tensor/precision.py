"""Mixed precision: matrix products of 16-bit operands, everything else as it was.

Inside `autocast`, the operands of matrix products are rounded to the compute dtype and so is the
result, while sums of products are float32. Parameters stay float32, and so do their gradients:
a rounding has the gradient of a conversion. Functions that reduce (norms, softmax, losses) compute
in float32 by `in_float32`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from onebuf import dtypes
from onebuf.buffer import Buffer
from onebuf.capture.guard.ambient import register_ambient
from onebuf.dtypes import DT
from onebuf.errors import DTypeError

F = TypeVar("F", bound=Callable[..., Any])
NARROW = (dtypes.bfloat16, dtypes.float16)
_compute_dtype: ContextVar[DT | None] = ContextVar("compute_dtype", default=None)

compute_dtype = _compute_dtype.get
"""The dtype that matrix products round to here; None: none."""
register_ambient("compute dtype", compute_dtype)


@contextmanager
def autocast(dtype: Any = "bfloat16") -> Iterator[None]:
    """Let matrix products of float32 compute in ``dtype`` in a block of code.

    >>> from onebuf.tensor import Tensor
    >>> x = Tensor([[1.001, 2.0]])
    >>> with autocast("bfloat16"):
    ...     y = x @ x.T
    >>> y.dtype.name, y.item()
    ('bfloat16', 5.0)
    """
    wanted = dtypes.as_dtype(dtype)
    if wanted not in NARROW:
        raise DTypeError(
            f"autocast needs bfloat16 or float16, got {wanted.name}; without it, products are "
            f"computed in the dtype of their operands"
        )
    token = _compute_dtype.set(wanted)
    try:
        yield
    finally:
        _compute_dtype.reset(token)


def product(x: Buffer, y: Buffer) -> Buffer:
    """The matrix product ``x @ y``, in the precision that is asked for here."""
    narrow = compute_dtype()
    if narrow is None or not all(_may_narrow(factor, narrow) for factor in (x, y)):
        return x @ y
    one, two = (rounded(factor, narrow) for factor in (x, y))
    return (one @ two).astype(narrow)


def rounded(x: Buffer, narrow: DT) -> Buffer:
    """``x`` in float32, with no more digits than ``narrow`` has."""
    return x.astype(narrow, copy=False).astype(dtypes.float32)


def _may_narrow(x: Any, narrow: DT) -> bool:
    return isinstance(x, Buffer) and x.dtype in (dtypes.float32, narrow)


def in_float32(function: F) -> F:
    """``function`` of a buffer of floats, computed in float32 if the buffer has fewer bits."""

    @wraps(function)
    def computed(x: Buffer, *args: Any, **kwargs: Any) -> Any:
        if x.dtype not in NARROW:
            return function(x, *args, **kwargs)
        return function(x.astype(dtypes.float32), *args, **kwargs).astype(x.dtype)

    return computed  # type: ignore[return-value]
