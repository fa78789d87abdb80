"""dask: buffers in its registries.

Buffers are chunks to dask, not something around arrays of its own, so ``dask_array + buffer`` is a
dask array. Of all that dask looks up by type, only percentiles need an entry: for the rest, it
calls NumPy's function for any type, which leads to ours.
"""

from __future__ import annotations

from dask.array.backends import percentile
from dask.array.chunk_types import register_chunk_type
from dask.array.dispatch import percentile_lookup

from onebuf.buffer import Buffer

register_chunk_type(Buffer)
percentile_lookup.register(Buffer, percentile)
