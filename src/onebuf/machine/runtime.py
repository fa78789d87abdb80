"""Runtimes: what a program runs on, as far as buffers know.

There is one runtime, this process with its devices.
"""

from __future__ import annotations

from dataclasses import dataclass

from onebuf.machine.device import Device, devices


@dataclass(frozen=True, slots=True)
class Runtime:
    """A process among ``size``, of which this one is number ``rank``.

    >>> THREADS
    Runtime(name='threads', size=1, rank=0)
    """

    name: str
    size: int = 1
    rank: int = 0

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that can be used here."""
        return devices()


THREADS = Runtime("threads")
"""This process alone."""
