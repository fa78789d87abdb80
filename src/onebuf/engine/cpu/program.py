"""Programs: a nest compiled once, its arguments packed, its outermost loop shared by threads.

This is tier 2. Programs are found by nest, so a new shape compiles nothing. The compiler itself is
imported when the first program is compiled.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import BoundsError
from onebuf.events import kernel_frame, listeners
from onebuf.kernel import Nest
from onebuf.late import Late
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering

if TYPE_CHECKING:
    from onebuf.backends import cpu
else:
    cpu = Late("onebuf.backends.cpu")

Limits = list[tuple[int, int]]

SHARED = 32768
"""Fewer elements than this are not worth waking another thread for."""
MOST_PROGRAMS = 1024
"""So many programs are kept though no plan may need them; each takes some 50 kB."""
PLAIN = Rendering()
WORD_NBYTES = 8


def compiled(nest: Nest, rendering: Rendering) -> Any:
    """The program of a nest, which lives as long as it is referred to."""
    return cpu.compile(render(nest, "kernel", rendering), "kernel")


@lru_cache(MOST_PROGRAMS)
def program(nest: Nest, rendering: Rendering = PLAIN) -> Any:
    """The compiled program of a nest, from a cache.

    Plans refer to their programs: one that leaves the cache is unloaded with its last plan.
    """
    return compiled(nest, rendering)


forget = program.cache_clear
"""Forget all programs that nothing else holds."""


def share(
    program: Any, words_address: int, count: int, grain: int, name: str = "", begin: int = 0
) -> None:
    """Run a program on the indices up to ``count``, ``grain`` of them at a time, on all threads.

    With a ``name``, profilers know it by that.
    """
    if name and listeners():
        call, arguments = cpu.shared(program, words_address, count, grain, begin)
        kernel_frame(name)(call, *arguments)
    else:
        cpu.run(program, words_address, count, grain, begin)


def share_in_pieces(
    program: Any,
    words_address: int,
    count: int,
    grain: int,
    piece: int,
    name: str,
    first: int = 0,
) -> None:
    """As `share`, with an interrupt, if there is one, after every ``piece`` indices at most.

    The indices are those from ``first`` on.
    """
    for begin in range(first, count, piece):
        share(program, words_address, min(count, begin + piece), grain, name, begin)


def word(scalar: np.generic) -> bytes:
    """A scalar as a call takes it."""
    return scalar.tobytes().ljust(WORD_NBYTES, b"\0")


def scalar_words(scalars: Iterable[np.generic]) -> bytes:
    """Scalars as a call takes them: a word each.

    >>> scalar_words([np.int64(1), np.bool(True)]).hex()
    '01000000000000000100000000000000'
    """
    return b"".join(map(word, scalars))


def pack(
    addresses: list[int], extents: Any, strides: Any, scalars: bytes, limits: Limits | None = None
) -> Array:
    """The argument block of a call, as `onebuf.render.llvm.loop.vector_loops` lays it out.

    ``limits`` are for a kernel that checks its bounds, as `onebuf.render.llvm.rendering` says.
    """
    rows = [step for stride in strides for step in stride]
    front = struct.pack(
        f"{len(addresses) + len(extents) + len(rows)}q", *addresses, *extents, *rows
    )
    more = [] if limits is None else [*(byte for pair in limits for byte in pair), 0]
    block = bytearray(front + scalars + struct.pack(f"{len(more)}q", *more))
    return np.frombuffer(block, np.int64)


def report(words: Array, nest: Nest) -> None:
    """Raise if the kernel that had these arguments would have left its memory."""
    slot = int(words[-1]) - 1
    if slot >= 0:
        raise BoundsError(
            f"a kernel needs to stay within its memory, and would have left that of slot {slot}, "
            f"{nest.slots[slot]}; it stopped, and results are incomplete. This is a mistake in "
            f"onebuf, not in your program; please report it with this text.\n{nest.listing()}"
        )
