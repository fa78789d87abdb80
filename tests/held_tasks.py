"""Tasks that end when a test says so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import onebuf


class Held:
    """A task that waits for `bring` or `fail`; ``future`` is its buffer."""

    def __init__(self, value: Any = None, **promise: Any) -> None:
        self._gate = threading.Event()
        self.begun = threading.Event()
        self._value = value
        self._error: BaseException | None = None
        self.future = onebuf.submit(self._task, **promise)

    def _task(self) -> Any:
        self.begun.set()
        assert self._gate.wait(60), "the test has not ended the task"
        if self._error is not None:
            raise self._error
        return self._value

    def bring(self, value: Any = None) -> None:
        if value is not None:
            self._value = value
        self._gate.set()

    def fail(self, error: BaseException) -> None:
        self._error = error
        self._gate.set()


@contextmanager
def told() -> Iterator[list[Any]]:
    """The errors that Python tells of because nobody could be told otherwise."""
    found: list[Any] = []
    before = threading.excepthook
    threading.excepthook = found.append
    try:
        yield found
    finally:
        threading.excepthook = before
