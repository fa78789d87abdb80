"""dask: buffers entered in its registries.

Only this file imports dask, and only `onebuf.interop.arrival` imports this file, when the user has
imported dask.array. Buffers are chunks to it, not something around arrays of its own, so that
``dask_array + buffer`` is a dask array. Of what it looks up by type, all but the percentiles have
an answer for every type already: NumPy's function, which leads to ours.
"""

from __future__ import annotations

from importlib import import_module

from dask.array.backends import percentile
from dask.array.chunk_types import register_chunk_type
from dask.array.dispatch import percentile_lookup

_buffer = import_module("onebuf").Buffer  # the root is above: it is there, look it up

register_chunk_type(_buffer)
percentile_lookup.register(_buffer, percentile)
