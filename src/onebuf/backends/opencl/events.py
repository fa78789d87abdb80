"""Events of OpenCL, with the time stamps of the device."""

from __future__ import annotations

from typing import Any

from onebuf.backends.opencl.memory import is_over
from onebuf.backends.opencl.package import told


class ClEvent:
    """Work that was queued."""

    __slots__ = ("native", "_keeps")

    def __init__(self, native: Any, keeps: Any = None) -> None:
        self.native = native
        self._keeps = keeps

    @property
    def is_done(self) -> bool:
        """Whether it is over."""
        return is_over(self.native)

    def wait(self) -> None:
        """Return when it is over."""
        with told("waiting for queued work"):
            self.native.wait()
        self._keeps = None

    def times(self) -> tuple[int, int]:
        """When it began and when it ended, in nanoseconds of the device's own clock."""
        self.wait()
        profile = self.native.profile
        return int(profile.start), int(profile.end)


class Nothing:
    """No work at all."""

    is_done = True

    def wait(self) -> None:
        """Return at once."""

    def times(self) -> tuple[int, int]:
        """Nothing takes no time."""
        return (0, 0)


NOTHING = Nothing()
