"""The null backend: it runs nothing, allocates nothing, and counts what would have run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onebuf.kernel import Limits, Linear, Opt, lower, verify
from onebuf.scheduler import NOTHING, Item
from onebuf.scheduler.groups import Group
from onebuf.scheduler.passes import Kernel


@dataclass(frozen=True, slots=True)
class Counts:
    """What a plan would do."""

    kernels: int = 0
    """Passes over memory, library calls among them."""
    instances: int = 0
    """Work-items of the kernels that have a linear form."""
    bytes_read: int = 0
    bytes_written: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.kernels + other.kernels,
            self.instances + other.instances,
            self.bytes_read + other.bytes_read,
            self.bytes_written + other.bytes_written,
        )


def run(group: Group, opts: Sequence[Opt] = (), limits: Limits | None = None) -> Linear:
    """The program that would have run."""
    views = [reach.view for reach in group.reaches]
    return verify(lower(group.nest, group.extents, views, group.scalars, opts, limits))


def count(plan: Sequence[Kernel | Item]) -> Counts:
    """What all of a plan would do."""
    total = Counts()
    for item in plan:
        total = total + _one(item)
    return total


def _one(item: Kernel | Item) -> Counts:
    if isinstance(item, Item):
        done = int(item.kind != NOTHING)
        return Counts(done, 0, item.bytes_read * done, item.bytes_written * done)
    instances = sum(run(part).instances for part in item.parts)
    return Counts(1, instances, item.bytes_read, item.bytes_written)
