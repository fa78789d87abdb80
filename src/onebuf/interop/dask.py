"""dask: what to call on chunks that are buffers, where dask looks that up by type.

Only this file imports dask, and only `onebuf.interop.arrival` imports this file, when the user has
imported dask.array. All other lookups of dask have an answer for every type, which is NumPy's
function and so leads to ours; the one for percentiles has none.
"""

from __future__ import annotations

from importlib import import_module

from dask.array.backends import percentile
from dask.array.dispatch import percentile_lookup

percentile_lookup.register(import_module("onebuf").Buffer, percentile)
