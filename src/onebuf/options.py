"""Scoped options: ``with onebuf.config(eager_numel=0): ...``.

Options belong to the thread or asynchronous task that set them and end with the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

import numpy as np

from onebuf import quick
from onebuf.dtypes import as_dtype, float64, kind
from onebuf.errors import ArgumentError, ArgumentTypeError

TIERS = ("auto", "interpret", "compile")


class Options(NamedTuple):
    """Every option with its default."""

    eager_numel: int = 32768
    """Operations on stored buffers of at most this many elements of 8 bytes, or of as many bytes,
    run at once; 0: none do."""
    tier: Literal["auto", "interpret", "compile"] = "auto"
    """How lazy graphs run: NumPy's loops, compiled kernels, or whichever costs less."""
    threads: int | None = None
    """Threads that a kernel may use; None: as many as the process may run on."""
    check_bounds: bool = False
    """Check every index of every kernel: slow, for finding mistakes in kernels."""
    cache_dir: str | None = None
    """Where compiled kernels are kept; None: the user's cache directory."""
    search_seconds: float = 0.0
    """Seconds that looking for the fastest way to run a kernel may take, for each kernel and class
    of sizes; 0: the usual way will do."""
    default_float: np.dtype[Any] = float64
    """The type that the namespace's functions give to Python floats."""
    memory_cap: int | None = None
    """The most bytes that may be in use; None: what the machine has."""
    donate_nbytes: int | None = 1 << 20
    """Results of at least this many bytes may take the memory of operands that die; 0: all may,
    None: none do."""
    eager_nbytes: int = 8 * 32768
    """`eager_numel` in bytes."""
    quick_numel: int = quick.QUICK_NUMEL
    """Operations on so few elements need not count what memory their results take; -1: all do."""


def _checked(chosen: Options) -> Options:
    """The same options, with what follows from them; an error if one has no meaning."""
    for name in ("eager_numel", "threads", "memory_cap", "donate_nbytes"):
        value = getattr(chosen, name)
        if value is not None and (type(value) is not int or value < 0):
            raise ArgumentError(f"{name} needs an integer of at least 0, got {value!r}")
    seconds = chosen.search_seconds
    if type(seconds) not in (int, float) or not 0 <= seconds < float("inf"):
        raise ArgumentError(f"search_seconds needs a number of at least 0, got {seconds!r}")
    if chosen.check_bounds not in (True, False):
        raise ArgumentError(f"check_bounds needs True or False, got {chosen.check_bounds!r}")
    if chosen.cache_dir is not None and not isinstance(chosen.cache_dir, str):
        raise ArgumentError(f"cache_dir needs a path as text or None, got {chosen.cache_dir!r}")
    if chosen.tier not in TIERS:
        raise ArgumentError(f"tier needs one of {', '.join(TIERS)}; got {chosen.tier!r}")
    dtype = as_dtype(chosen.default_float)
    if kind(dtype) != "f":
        raise ArgumentError(f"default_float needs a real floating type, got {dtype.name}")
    may_run = chosen.eager_numel > 0 and chosen.memory_cap is None
    few = min(chosen.eager_numel, quick.QUICK_NUMEL) if may_run else quick.NONE
    return chosen._replace(
        default_float=dtype, eager_nbytes=8 * chosen.eager_numel, quick_numel=few
    )


_DERIVED = ("eager_nbytes", "quick_numel")
_NAMES = tuple(name for name in Options._fields if name not in _DERIVED)
_options: ContextVar[Options] = ContextVar("options", default=Options())
options = _options.get
"""The options in force here."""
quick.cap(lambda: _options.get().quick_numel)


@contextmanager
def config(**changes: Any) -> Iterator[Options]:
    """Change options for a block of code.

    >>> with config(eager_numel=0) as now:
    ...     now.eager_numel
    0
    >>> options().eager_numel
    32768
    """
    unknown = sorted(set(changes) - set(_NAMES))
    if unknown:
        raise ArgumentTypeError(
            f"config has no option {unknown[0]!r}; the options are {', '.join(_NAMES)}"
        )
    token = _options.set(_checked(_options.get()._replace(**changes)))
    quick.refresh()
    try:
        yield _options.get()
    finally:
        _options.reset(token)
        quick.refresh()
