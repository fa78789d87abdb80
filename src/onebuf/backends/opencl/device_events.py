"""Events of OpenCL, with the time stamps of the device."""

from __future__ import annotations

from typing import Any

from onebuf.backends.opencl.memory import is_complete
from onebuf.backends.opencl.package import our_errors


class ClEvent:
    """A command that was queued."""

    __slots__ = ("native", "_keeps")

    def __init__(self, native: Any, keeps: Any = None) -> None:
        self.native = native
        self._keeps = keeps

    @property
    def is_done(self) -> bool:
        """Whether it is complete."""
        return is_complete(self.native)

    def wait(self) -> None:
        """Return when it is complete."""
        with our_errors("waiting for queued work"):
            self.native.wait()
        self._keeps = None

    def times(self) -> tuple[int, int]:
        """When it began and when it ended, in nanoseconds of the device's own clock."""
        self.wait()
        profile = self.native.profile
        return int(profile.start), int(profile.end)
