"""The id of this process, cached, and renewed in the child of a fork."""

from __future__ import annotations

import os


class Process:
    """The id of this process; a system call for each use would be slow."""

    __slots__ = ("pid",)

    def __init__(self) -> None:
        self.pid = os.getpid()

    def renew(self) -> None:
        """Ask the system again, after a fork."""
        self.pid = os.getpid()


PROCESS = Process()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS.renew)
