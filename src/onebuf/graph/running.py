"""The lock of the engine: one plan is made and run at a time.

A thread that has it may let go of how a node was computed, because nobody else is looking at that
then. It can be taken again by the thread that has it: signal handlers and finalisers run in the
middle of a plan, and compute with buffers as well.
"""

from __future__ import annotations

import os
from threading import RLock

lock = RLock()


def _renew() -> None:
    global lock
    lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
