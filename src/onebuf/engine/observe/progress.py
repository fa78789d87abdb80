"""Progress bars of long computations: reductions over what is made on demand, tile by tile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Any, TextIO

from tqdm import tqdm

from onebuf.events import Event, Progress, watching

DELAY_SECONDS = 1.0
"""A bar that nobody asked for appears after so long."""
_shown = local()


class Bar:
    """Shows the progress of one computation after another; ``file`` is where, else stderr."""

    def __init__(self, file: TextIO | None = None, delay: float = 0.0) -> None:
        self._file = file
        self._delay = delay
        self._bar: Any = None

    def hear(self, event: Event) -> None:
        """Show how far a computation is."""
        if not isinstance(event, Progress):
            return
        if self._bar is None:
            self._bar = tqdm(
                total=event.total,
                desc=event.name,
                unit="elements",
                unit_scale=True,
                delay=self._delay,
                file=self._file,
                leave=False,
            )
        self._bar.update(event.done - self._bar.n)
        if event.is_over:
            self._bar.close()
            self._bar = None


def show(event: Event) -> None:
    """Show progress that nobody asked to see: a bar for each thread, after a second."""
    bar = getattr(_shown, "bar", None)
    if bar is None:
        bar = _shown.bar = Bar(delay=DELAY_SECONDS)
    bar.hear(event)


@contextmanager
def progress(show: bool = True, file: TextIO | None = None) -> Iterator[None]:
    """Show the progress of long computations in this block of code, on a terminal or not.

    With ``show=False`` nothing is shown. Without this block, a bar appears on terminals alone.

    >>> from onebuf import on_demand
    >>> import numpy as np
    >>> x = on_demand((4, 5), lambda box: np.ones(box.shape), dtype="float64")
    >>> with progress(show=False):
    ...     x.sum().item()
    20.0
    """
    bar = Bar(file)
    with watching(*([bar.hear] if show else [])):
        yield
