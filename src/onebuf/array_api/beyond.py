"""Functions that the standard lacks and that clients call all the same, as NumPy spells them."""

from __future__ import annotations

from math import ceil, inf
from sys import float_info
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, number, public, whole
from onebuf.array_api.creation import arange, asarray
from onebuf.array_api.searching import where
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.errors import ArgumentError
from onebuf.machine import Device, current_context

Where = str | Device | None


@public
def asbuffer(x: Any, dtype: Any = None, *, device: Where = None) -> Buffer:
    """The elements of ``x`` on ``device``; by default on the context whose ``with`` block this is.

    On a context every queue gets a replica, in a `ReplicatedBuffer`. Outside of all contexts it
    is a buffer of the host, as from `asarray`.

    >>> from onebuf import context
    >>> with context(["CPU"], queues=2):
    ...     b = asbuffer([0, 1, 2])
    >>> [replica.tolist() for replica in (b + 1).read()]
    [[1, 2, 3], [1, 2, 3]]
    """
    return asarray(x, dtype=dtype, device=current_context() if device is None else device)


@delegate(np.diag)
@public
def diag(v: Buffer, k: int = 0) -> Buffer:
    """A matrix with ``v`` on diagonal ``k``; of a matrix, a view of that diagonal.

    >>> diag(Buffer([1, 2]), k=1)
    Buffer([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]], shape=(3, 3), dtype=int32, device=CPU)
    """
    v, k = buffer_of("diag", v, "v"), whole("diag", "k", k)
    if v.ndim == 2:
        return v.diagonal(k)
    if v.ndim != 1:
        raise ArgumentError(f"diag needs a buffer of 1 or 2 dimensions, got shape {v.shape}")
    places = arange(v.shape[0] + abs(k), device=v.device)
    lengthened = v.pad([(0, abs(k))])
    spread = lengthened.expand_dims(1 if k >= 0 else 0)
    return where(places - places.expand_dims(1) == k, spread, False)  # type: ignore[no-any-return]


@public
def approximately_equal(a: Any, b: Any, tol: float = 1e-16) -> bool:
    """Whether two buffers have one shape, and all elements differ by less than ``tol``.

    The difference is taken in double precision, or exactly if an integer dtype holds the elements
    of both. What is NaN or infinite is near to nothing, because no difference from it is a number.

    >>> approximately_equal([1.0, 2.0], [1.0, 2.25], tol=0.5)
    True
    >>> approximately_equal([1.0, 2.0], [1.0, 2.5], tol=0.5)
    False
    """
    x, y = buffer_of("approximately_equal", a, "a"), buffer_of("approximately_equal", b, "b")
    limit = number("approximately_equal", "tol", tol)
    limit = limit.item() if isinstance(limit, np.number) else limit
    if isinstance(limit, complex) or not limit >= 0:
        raise ArgumentError(f"approximately_equal needs a real tol of 0 or more, got {tol!r}")
    if x.shape != y.shape:
        return False
    kinds = dtypes.kind(x.dtype), dtypes.kind(y.dtype)
    if dtypes.kind(dtypes.promote(x.dtype, y.dtype)) in "biu":
        # Between integers, less than 2.5 is less than 3; and 64 bits hold every distance.
        within = 2**64 if limit > 2**64 - 1 else ceil(limit)
        return within == 2**64 or bool((_distance(x, y, "i" in kinds) < within).all())
    wide = dtypes.complex128 if "c" in kinds else dtypes.float64
    most = inf if limit > float_info.max else float(limit)
    return bool((abs(_cast(x, wide) - _cast(y, wide)) < most).all())


def _distance(x: Buffer, y: Buffer, is_signed: bool) -> Buffer:
    """How far integers are apart, as integers without a sign, which never overflow."""
    wide = dtypes.int64 if is_signed else dtypes.uint64
    x, y = _cast(x, wide), _cast(y, wide)
    return _cast(x.maximum(y), dtypes.uint64) - _cast(x.minimum(y), dtypes.uint64)


def _cast(x: Buffer, dtype: np.dtype[Any]) -> Buffer:
    """The elements as another dtype, converted when they are needed."""
    return x if x.dtype == dtype else Buffer._value(ops.cast(x._node, dtype))
