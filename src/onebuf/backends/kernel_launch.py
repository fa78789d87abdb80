"""Kernel launches: what the backends that run kernels share before and after a run.

A rendered kernel checks what only its operands decide: indices, and exponents of integer powers.
Each check has two int64 in the memory of the kernel's *flags*: whether it failed, and the value
that failed. A launch clears the flags, runs the kernel, reads them back and raises the error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onebuf.backends.operand_errors import index_out_of_range, negative_power
from onebuf.dtypes import Array
from onebuf.errors import IndexRangeError
from onebuf.graph import TAKE
from onebuf.kernel.linear import Limits, Linear, Opt, lower, verify
from onebuf.render.clike import Check, Memory, Scalar, Source
from onebuf.scheduler.fuse.group import Group


def linear_program(group: Group, opts: Sequence[Opt] = (), limits: Limits | None = None) -> Linear:
    """The verified linear program of a group."""
    views = [reach.view for reach in group.reaches]
    return verify(lower(group.nest, group.extents, views, group.scalars, opts, limits))


def memory_slots(source: Source) -> list[int]:
    """The slots whose memory is an argument of the kernel, in order."""
    return [one.slot for one in source.parameters if isinstance(one, Memory)]


def cleared_flags(checks: Sequence[Check]) -> Array:
    """The flags of some checks, none of which has failed."""
    return np.zeros(2 * len(checks), np.int64)


def check_extents(checks: Sequence[Check], scalars: Sequence[np.generic]) -> None:
    """Raise where an axis has no elements: no index is valid, and the kernel must not read."""
    for check in checks:
        if check.op is TAKE and _extent(check, scalars) == 0:
            raise IndexRangeError("an index needs an axis with elements, got one of extent 0")


def raise_if_set(flags: Array, checks: Sequence[Check], scalars: Sequence[np.generic]) -> None:
    """Raise the error of the first check that failed."""
    failed = np.flatnonzero(flags[::2])
    if not failed.size:
        return
    number = int(failed[0])
    check, value = checks[number], int(flags[2 * number + 1])
    if check.op is TAKE:
        raise index_out_of_range(value, _extent(check, scalars))
    raise negative_power(value)


def _extent(check: Check, scalars: Sequence[np.generic]) -> int:
    """The extent of the axis that an index points along: a kernel argument or a literal."""
    extent = check.extent
    if isinstance(extent, Scalar):
        return int(scalars[extent.number])
    assert extent is not None, "an index is checked against an extent"
    return extent
