"""This process, by number: known without asking the system, and told anew to a child by a fork."""

from __future__ import annotations

import os


class Process:
    """The process that runs; asking the system for it takes a while."""

    __slots__ = ("pid",)

    def __init__(self) -> None:
        self.pid = os.getpid()

    def renew(self) -> None:
        """Ask the system, after a fork."""
        self.pid = os.getpid()


PROCESS = Process()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS.renew)
