"""Work-groups of a kernel: their size, their number, and the loop iterations of a work-item.

A reduction with few results is shared by the work-items of a group, if its extent has a divisor for
them. llvmpipe, which runs Vulkan on CPUs, ends the loops of a work-item after 65,535 iterations in
total, without an error. So iterations are counted here: innermost loops are unrolled until the
iterations are few enough, and if they never are, that is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from onebuf.backends.kernel_launch import linear_program
from onebuf.errors import DeviceError, OptimisationError
from onebuf.graph import BINARY
from onebuf.kernel import SCANS
from onebuf.kernel.linear import GROUP, Code, Limits, Linear, Opt, reduce_axes
from onebuf.scheduler.fuse.group import Group

Size = tuple[int, int, int]

ITEMS = 64
"""Work-items in a group, for kernels that do not fix the number."""
FEW = 4096
"""With at most so many results, the work-items of a group share a reduction."""
LONG = 64
"""The least extent of a reduction that is shared."""
COPIES = (1, 4, 16, 64, 256)
"""How often the body of an innermost loop may be unrolled."""
MAX_ITERATIONS = 60_000
"""Loop iterations of a work-item where they are limited, with a margin."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A program with the size of its work-groups, and their number along each dimension."""

    program: Linear
    local: Size
    grid: Size
    copies: int
    """How often the body of an innermost loop is unrolled."""


def dispatch_of(
    group: Group,
    limits: Limits,
    most: Size,
    max_iterations: int | None,
    opts: Sequence[Opt] | None = None,
) -> Dispatch:
    """The program of a kernel; without ``opts``, with those that need the least unrolling."""
    chosen = [opts] if opts is not None else [_opts(group, limits, False), ()]
    if max_iterations is not None and opts is None:
        chosen.append(_opts(group, limits, True))
    best: Dispatch | None = None
    for some in chosen:
        found = _dispatch(group, limits, most, max_iterations, some)
        if found is not None and (best is None or found.copies < best.copies):
            best = found
        if best is not None and best.copies == 1:
            break
    if best is not None:
        return best
    raise DeviceError(
        f"this device ends loops after about {MAX_ITERATIONS} iterations, and {group.name} needs "
        f"more, for axes of {group.extents}; fold an extent with small divisors, or a part at a "
        f"time"
    )


def _dispatch(
    group: Group, limits: Limits, most: Size, max_iterations: int | None, opts: Sequence[Opt]
) -> Dispatch | None:
    """The program with these optimisations; None if they do not suit it."""
    for allowed in (limits, replace(limits, dimensions=1)):
        try:
            program = linear_program(group, opts, allowed)
        except OptimisationError:
            return None
        copies = _copies(program, max_iterations)
        if not copies:
            return None
        outer = [special.extent for special in program.specials if not special.is_local]
        is_local = any(special.is_local for special in program.specials)
        extents = outer[::-1]
        local = local_size(extents)
        sizes = (1, 1, 1) if is_local else local
        counts = [-(-extent // size) for extent, size in zip(extents, sizes, strict=False)]
        if all(n <= limit for n, limit in zip(counts, most, strict=False)):
            return Dispatch(program, local, (*counts, 1, 1, 1)[:3], copies)  # type: ignore[arg-type]
    return None if is_local else Dispatch(program, local, _folded(counts[0], most), copies)


def local_size(extents: Sequence[int]) -> Size:
    """How many work-items a group has along each dimension, the fastest one first.

    >>> local_size((1000,)), local_size((3, 1000)), local_size(())
    ((64, 1, 1), (4, 16, 1), (1, 1, 1))
    """
    if not extents:
        return (1, 1, 1)  # without an index, all work-items would do the same
    if len(extents) == 1 or extents[0] >= ITEMS // 2:
        return (ITEMS, 1, 1)
    first = next(size for size in (1, 4, 16, ITEMS) if size >= extents[0])
    return (first, ITEMS // first, 1)


def _folded(groups: int, most: Size) -> Size:
    """At least so many groups along three dimensions; the extra ones do nothing."""
    first = min(groups, most[0])
    second = min(-(-groups // first), most[1])
    return (first, second, -(-groups // (first * second)))


def _opts(group: Group, limits: Limits, always: bool) -> tuple[Opt, ...]:
    """A reduction shared by a group of work-items, if it has few results, or ``always``."""
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


# -- iterations ------------------------------------------------------------------------------------


def _copies(program: Linear, most: int | None) -> int:
    """How often innermost loops have to be unrolled; 0: no number is enough."""
    if most is None:
        return 1
    return next((n for n in COPIES if iterations(program, n) <= most), 0)


def iterations(program: Linear, copies: int = 1) -> int:
    """How many loop iterations a work-item runs."""
    lines = program.instructions
    open_: list[list[int]] = [[0, 1]]
    """The iterations inside of each open loop, and how often it is run."""
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
    """The loop iterations inside of an operation."""
    is_power = line.arg is BINARY["pow"] and line.dtype is not None and line.dtype.kind in "iu"
    return 8 * int(line.dtype.itemsize) if is_power else 0
