"""Renderings: the choices that change the code of a nest, and never its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Strategy = Literal["rows", "columns", "register_tiles", "cache_tiles", "scans"]
RowCache = Literal["", "stack", "output"]

CACHE_LINE_NBYTES = 64
VECTOR_NBYTES = 64
"""Bytes of the vectors that kernels compute with: two registers of AVX2 or four of SSE, so that the
latency of one operation overlaps with the next."""
ROW_CACHE_NBYTES = 65536
"""The most bytes of a row that is cached on the stack."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a nest becomes text."""

    lanes: int = 16
    """SIMD lanes of a vector."""
    strategy: Strategy = "rows"
    """The order in which the two innermost loops access memory."""
    streamed: bool = False
    """Whether stores are non-temporal, past the caches: every row of each result has to begin on a
    cache line."""
    small_strides: tuple[int, ...] = ()
    """For each slot its stride along the axis of the lanes, if it is small and more than 1, else 0.
    Empty: all are 0."""
    row_cache: RowCache = ""
    """Where costly results of a row are stored for the next loop over it: on the stack for rows of
    at most ROW_CACHE_NBYTES bytes, else in the row's own output."""
    checked: bool = False
    """Whether every address is compared with the bounds of its slot before it is used. The
    arguments then have more words after the scalars: the first byte and the end of each slot, and
    one word that is set to 1 + the number of a slot whose bounds would be exceeded."""
    prefetch: bool = False
    """Whether rows are prefetched some rows ahead: those gathered by index, or folded columns'."""
    tiles: int = 1
    """Register tiles beside one another that are computed before those below them."""
