"""The error of a task that was cancelled: ours, and the one of `concurrent.futures`."""

from __future__ import annotations

from concurrent.futures import CancelledError

from onebuf.errors import OnebufError


class TaskCancelled(OnebufError, CancelledError):
    """A task was cancelled before it had run, or one that it depends on was."""
