"""Functions that the standard lacks and that clients call all the same, as NumPy spells them."""

from __future__ import annotations

from typing import Any

from onebuf.array_api.arguments import buffer_of, public, whole
from onebuf.array_api.creation import arange, asarray
from onebuf.array_api.searching import where
from onebuf.buffer import Buffer
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
