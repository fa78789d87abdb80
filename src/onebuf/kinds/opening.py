"""Opening a runtime: under its name, with one supply of random bits for all processes (SPMD).

Every process would draw from randomness of its own otherwise, and what they take for the same
buffer would differ. When such a runtime is opened, all go on from the state of place 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.buffer.exchange.construction import BITS
from onebuf.dtypes import DT, Array, uint64
from onebuf.placement import Assigned, Box, Partition
from onebuf.runtimes.protocols import Fetch, Need, Runtime
from onebuf.runtimes.registry import OpenRuntime, open_runtime
from onebuf.shapes import Tiled


def runtime(name: str | Runtime = "threads", *args: Any, **options: Any) -> OpenRuntime:
    """Open a runtime: "threads" of this process, "mpi", or a "dask" cluster.

    ``threads`` takes ``places=``, how many parts of this process there are to be. ``mpi`` is for
    programs that `onebuf run` or mpiexec started. ``dask`` takes a ``distributed.Client``, or makes
    one of its own.

    >>> runtime("threads", places=2)
    runtime('threads', places=2)
    """
    opened = open_runtime(name, *args, **options)
    if opened.mode == "spmd":
        try:
            _share_seed(opened)
        except BaseException:
            opened.close()
            raise
    return opened


@dataclass(frozen=True)
class Words:
    """The given words; only place 0 makes them, so only its own count."""

    words: tuple[int, ...]
    dtype: DT = uint64

    name = "seed"

    def needs(self, box: Box) -> list[Need]:
        """Nothing."""
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Write them."""
        out[...] = np.array(self.words, np.uint64)[slice(*box[0])]


def _share_seed(opened: OpenRuntime) -> None:
    """Let all processes draw the random bits of place 0 from now on."""
    key, coming = BITS.state
    words = (*key, coming)
    where = Partition(Tiled((len(words),)), opened.places, Assigned(((0, 1, 0),)))
    elements = opened.engine.run(Words(words), where, [])
    low, high, number = [int(word) for word in opened.engine.fetch(elements, ((0, len(words)),))]
    BITS.state = (low, high), number
