"""A thread that lets MPI work while this place computes.

Between nodes, some of what other places ask of this one happens only while it is inside of MPI:
additions always, reads where the network cannot do them by itself. Without the thread, an addition
to a place that computes for a second takes that second. Within a node nothing needs it.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import Any

SECONDS = 1e-3
"""How long it sleeps in between."""


class ProgressThread:
    """Asks ``comm``, which nothing else uses, for messages that never come, until it is closed."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm
        self._is_over = Event()
        self._thread = Thread(target=self._run, name="onebuf-mpi-progress", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._is_over.wait(SECONDS):
            self._comm.Iprobe()

    def close(self) -> None:
        """Return when the thread has left MPI."""
        self._is_over.set()
        self._thread.join()
