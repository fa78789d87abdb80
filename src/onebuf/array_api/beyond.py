"""Functions that the standard lacks and that clients call all the same, as NumPy spells them."""

from __future__ import annotations

from onebuf.array_api.arguments import buffer_of, public, whole
from onebuf.array_api.creation import arange
from onebuf.array_api.searching import where
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError


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
