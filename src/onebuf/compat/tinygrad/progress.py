"""Progress bars: the package ``tqdm``, under the spelling of tinygrad's small one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tqdm import std

from onebuf.errors import ArgumentTypeError


class tqdm(std.tqdm):  # type: ignore[misc]
    """A progress bar, also around an iterable.

    ``unit_scale`` counts in thousands, as `SI` writes them. ``rate`` is how often a second it may
    be drawn. ``disable=None`` draws it on terminals only. It is as wide as the terminal is when it
    is drawn.

    Attributes
    ----------
    n, t
        How many are done, and of how many; 0 if not known.
    i
        How often `update` was called.

    >>> with tqdm(desc="bytes", total=2_000, unit_scale=True, disable=True) as bar:
    ...     bar.update(1_000)
    >>> bar.n, bar.i
    (1000, 2)
    >>> tqdm.SI(1_500_000), tqdm.HMS(3_725)
    ('1.50M', '1:02:05')
    """

    disable: bool
    monitor_interval = 0  # no thread: a bar is drawn when it is updated

    def __init__(
        self,
        iterable: Iterable[Any] | None = None,
        desc: str = "",
        disable: bool | None = False,
        unit: str = "it",
        unit_scale: bool = False,
        total: int | None = None,
        rate: int = 100,
    ) -> None:
        self.i = 0
        super().__init__(
            iterable,
            desc=desc,
            disable=disable,
            unit=unit,
            unit_scale=unit_scale,
            total=total,
            mininterval=1 / rate,
            smoothing=0,  # the speed is that of all so far
        )
        self._draws = not self.disable

    @property
    def format_dict(self) -> Any:
        """What a bar is drawn from, with the width of the terminal as it is now."""
        return {**super().format_dict, "ncols": shutil.get_terminal_size().columns}

    @property
    def t(self) -> int:
        """Of how many; 0 if not known."""
        return int(self.total or 0)

    def __iter__(self) -> Iterator[Any]:
        if self.iterable is None:
            raise ArgumentTypeError("a bar without an iterable cannot be iterated; pass one to it")
        try:
            for item in self.iterable:
                yield item
                self.update(1)
        finally:
            self.update(close=True)

    def __exit__(self, *error: object) -> None:
        self.update(close=True)

    def update(self, n: int = 0, close: bool = False) -> None:
        """So many more are done; ``close`` draws the bar once more and goes to the next line.

        A bar that was closed goes on there if there is more to come.
        """
        self.i += 1
        if close and n == 0 and self.disable and self._draws:
            return  # closed already, with nothing new to draw
        self.disable = not self._draws
        if self.disable:
            self.n += n
        super().update(n)
        if close:
            self.close()

    @classmethod
    def write(cls, s: str, file: Any = None, end: str = "\n", nolock: bool = False) -> None:
        """Print a line above the bars, on standard error as they are."""
        super().write(s, file=sys.stderr if file is None else file, end=end, nolock=nolock)

    @staticmethod
    def SI(x: float) -> str:
        """A number with three digits and k, M, G, ... for each thousand that it is divided by."""
        return str(std.tqdm.format_sizeof(x))

    @staticmethod
    def HMS(t: float) -> str:
        """Seconds as hours, minutes and seconds."""
        return str(std.tqdm.format_interval(t))


def trange(n: int, **kwargs: Any) -> tqdm:
    """``range(n)`` with a progress bar."""
    return tqdm(range(n), total=n, **kwargs)
