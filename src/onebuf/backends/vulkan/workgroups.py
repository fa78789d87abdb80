"""How the work of a kernel is shared out: work-items in a group, groups, and turns of loops.

A fold with few results is shared by the work-items of a group, as far as its extent can be divided.
llvmpipe, which runs Vulkan on CPUs, lets no work-item make more than 65,535 turns of loops, all of
them together, and then goes on without a word. So turns are counted here: bodies of loops are
written several times until the turns are few enough, and if they never are, that is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from onebuf.errors import DeviceError, OptimisationError
from onebuf.graph import BINARY
from onebuf.kernel import SCANS
from onebuf.kernel.linear import GROUP, Code, Limits, Linear, Opt, lower, reduce_axes, verify
from onebuf.scheduler.fuse.group import Group

Size = tuple[int, int, int]

ITEMS = 64
"""Work-items in a group where kernels leave it open."""
FEW = 4096
"""Results, below which the work-items of a group share a fold."""
LONG = 64
"""The least extent of a fold that is shared."""
COPIES = (1, 4, 16, 64, 256)
TURNS = 60_000
"""Turns that a work-item may make where they are limited, with some to spare."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A program with the size of its groups, and how many there are along each dimension."""

    program: Linear
    local: Size
    grid: Size
    copies: int
    """How often the body of an innermost loop has to be written."""


def share(
    group: Group, limits: Limits, most: Size, turns: int | None, opts: Sequence[Opt] | None = None
) -> Shared:
    """The program of a kernel; without ``opts``, with those that suit it."""
    chosen = [opts] if opts is not None else [_opts(group, limits, False), ()]
    if turns is not None and opts is None:
        chosen.append(_opts(group, limits, True))
    best: Shared | None = None
    for some in chosen:
        found = _shared(group, limits, most, turns, some)
        if found is not None and (best is None or found.copies < best.copies):
            best = found
        if best is not None and best.copies == 1:
            break
    if best is not None:
        return best
    raise DeviceError(
        f"this device ends loops after {TURNS} turns or so, and {group.name} needs more, for axes "
        f"of {group.extents}; fold an extent with small divisors, or a part at a time"
    )


def _shared(
    group: Group, limits: Limits, most: Size, turns: int | None, opts: Sequence[Opt]
) -> Shared | None:
    """The program with these optimisations; None if they do not suit it."""
    views = [reach.view for reach in group.reaches]
    for allowed in (limits, replace(limits, dimensions=1)):
        try:
            linear = lower(group.nest, group.extents, views, group.scalars, opts, allowed)
        except OptimisationError:
            return None
        program = verify(linear)
        copies = _copies(program, turns)
        if not copies:
            return None
        outer = [special.extent for special in program.specials if not special.is_local]
        is_local = any(special.is_local for special in program.specials)
        extents = outer[::-1]
        local = local_size(extents)
        sizes = (1, 1, 1) if is_local else local
        counts = [-(-extent // size) for extent, size in zip(extents, sizes, strict=False)]
        if all(n <= limit for n, limit in zip(counts, most, strict=False)):
            return Shared(program, local, (*counts, 1, 1, 1)[:3], copies)  # type: ignore[arg-type]
    return None if is_local else Shared(program, local, _folded(counts[0], most), copies)


def local_size(extents: Sequence[int]) -> Size:
    """How many work-items a group has along each dimension, the fastest one first.

    >>> local_size((1000,)), local_size((3, 1000)), local_size(())
    ((64, 1, 1), (4, 16, 1), (1, 1, 1))
    """
    if not extents:
        return (1, 1, 1)  # without an index, all work-items would be the same one
    if len(extents) == 1 or extents[0] >= ITEMS // 2:
        return (ITEMS, 1, 1)
    first = next(size for size in (1, 4, 16, ITEMS) if size >= extents[0])
    return (first, ITEMS // first, 1)


def _folded(groups: int, most: Size) -> Size:
    """So many groups, or some more that do nothing, along three dimensions."""
    first = min(groups, most[0])
    second = min(-(-groups // first), most[1])
    return (first, second, -(-groups // (first * second)))


def _opts(group: Group, limits: Limits, always: bool) -> tuple[Opt, ...]:
    """A fold shared by a group of work-items, if there are few results; or ``always``."""
    nest, extents = group.nest, group.extents
    folded = reduce_axes(nest)
    if not folded or any(step.op in SCANS for step in nest.steps):
        return ()
    results = prod([extent for axis, extent in enumerate(extents) if axis not in folded])
    axis = max(folded, key=lambda one: extents[one])
    if not always and (results > FEW or extents[axis] < LONG):
        return ()
    amounts = [n for n in range(2, limits.items + 1) if extents[axis] % n == 0]
    return (Opt(GROUP, axis, amounts[-1]),) if amounts else ()


# -- turns -----------------------------------------------------------------------------------------


def _copies(program: Linear, most: int | None) -> int:
    """How often innermost bodies have to be written; 0: no number of times is enough."""
    if most is None:
        return 1
    return next((n for n in COPIES if turns(program, n) <= most), 0)


def turns(program: Linear, copies: int = 1) -> int:
    """How many turns of loops a work-item makes."""
    lines = program.instructions
    open_: list[list[int]] = [[0, 1]]
    """The turns inside of each scope that is open, and how often it is entered."""
    for line in lines:
        if line.code is Code.LOOP:
            first, end = (int(lines[arg].arg) for arg in line.args)
            open_.append([0, max(0, end - first)])
        elif line.code is Code.ENDLOOP:
            inside, count = open_.pop()
            own = count if inside else count // copies + count % copies
            open_[-1][0] += own + inside * count
        elif line.code is Code.ALU:
            open_[-1][0] += _hidden(line)
    return open_[0][0]


def _hidden(line: Any) -> int:
    """The turns that an operation makes itself."""
    is_power = line.arg is BINARY["pow"] and line.dtype is not None and line.dtype.kind in "iu"
    return 8 * int(line.dtype.itemsize) if is_power else 0
