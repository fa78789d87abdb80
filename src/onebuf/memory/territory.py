"""Aliasing: which blocks lie on the same bytes, however each was reached.

One stretch of memory can be known twice: a buffer's own memory comes back by DLPack, a tensor is
taken twice, a file is mapped twice. Writes through one have to wait for readers of the other. A
territory finds them by address range, not by owner. `MEMORY` is the address space; every
file has a territory of its own, in which positions count from its start.

A *tenant* (a block, or a node that is read on demand) is in a territory for as long as it lives,
and where it lives nothing else can be: equal positions are the same bytes. Tenants on the same
bytes are *neighbours*: each has the other in its table of readers, which is empty for all others,
so that a write has one question to ask.

Tenants enter from any thread and leave by finalisers, in the middle of any line. So there is no
lock: every change is one operation on a dict. Intervals are kept by a power of 16 above their
length, and by the first cell of that size that they touch, modulo `BUCKETS`: there is a bounded
number of buckets, and none is ever removed. A tenant enters before it looks for others, so of two
that enter at the same time at least one finds the other.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from typing import Any, Protocol

BUCKETS = 1024
LEVELS = 17
"""For lengths below 16, 16**2, ... bytes, up to all that 64 bits address."""
MANY_NEIGHBOURS = 8
"""With more neighbours than this, those that are gone are looked for."""


class Tenant(Protocol):
    """Bytes that have readers; a weak reference to it can be made."""

    readers: dict[Any, Any]

    @property
    def nbytes(self) -> int:
        """How many bytes it lies on."""
        ...


class Neighbours:
    """The key under which a table of readers has the neighbours of its tenant."""


class _Claim(weakref.ref[Any]):
    """A tenant and the bytes that it lies on, in a bucket of a territory."""

    __slots__ = ("bucket", "first", "last")

    bucket: dict[_Claim, None]
    first: int
    last: int
    __hash__ = object.__hash__
    __eq__ = object.__eq__


def _leave(claim: Any) -> None:
    claim.bucket.pop(claim, None)


class Territory:
    """Tenants by the bytes that they lie on.

    >>> from onebuf.memory import Block
    >>> import numpy as np
    >>> whole, half = Block.foreign(np.arange(8)), Block.foreign(np.arange(4))
    >>> land = Territory()
    >>> land.settle(whole, 0)
    >>> land.settle(half, 32)
    >>> land.overlapping(32, 8) == [whole, half], neighbours(whole.readers) == [half]
    (True, True)
    """

    __slots__ = ("__weakref__", "_levels")

    def __init__(self) -> None:
        self._levels: list[dict[int, dict[_Claim, None]]] = [{} for _ in range(LEVELS)]

    def settle(self, tenant: Tenant, first: int, nbytes: int | None = None) -> None:
        """Let ``tenant``, whose bytes begin at ``first``, be found, and know its neighbours.

        ``nbytes`` is how many they are if there are gaps between them.
        """
        nbytes = tenant.nbytes if nbytes is None else nbytes
        if not nbytes:
            return
        self.enter(tenant, first, nbytes)
        for other in self.overlapping(first, nbytes):
            if other is not tenant:
                introduce(tenant, other)

    def enter(self, tenant: Tenant, first: int, nbytes: int) -> None:
        """Let ``tenant``, which is the first on its bytes, be found for as long as it lives."""
        level = (nbytes.bit_length() + 3) // 4
        claim = _Claim(tenant, _leave)
        claim.first, claim.last = first, first + nbytes
        claim.bucket = self._levels[level].setdefault((first >> 4 * level) % BUCKETS, {})
        claim.bucket[claim] = None

    def overlapping(self, first: int, nbytes: int) -> list[Any]:
        """The tenants on any of ``nbytes`` bytes from ``first`` on."""
        last = first + nbytes
        found = []
        for level, buckets in enumerate(self._levels):
            if not buckets:
                continue
            low, high = (first >> 4 * level) - 1, (last - 1) >> 4 * level  # one may reach over
            if high - low < len(buckets):
                near = [buckets.get(cell % BUCKETS) for cell in range(low, high + 1)]
            else:
                near = list(buckets.values())
            for bucket in near:
                if not bucket:
                    continue
                for claim in list(bucket):
                    if claim.first < last and first < claim.last:
                        tenant = claim()
                        if tenant is not None:
                            found.append(tenant)
        return found


MEMORY = Territory()
"""The address space of this process."""

_files: weakref.WeakValueDictionary[Any, Territory] = weakref.WeakValueDictionary()


def file_territory(identity: Hashable) -> Territory:
    """The territory of a file; ``identity`` is the same for whatever leads to the same file.

    It lives as long as there is a reference to it: every tenant keeps one.
    """
    found = _files.get(identity)
    if found is None:
        found = _files.setdefault(identity, Territory())
    return found


def neighbours(readers: dict[Any, Any]) -> list[Any]:
    """The neighbours of the tenant that has this table of readers."""
    found = [claim() for claim in list(readers.get(Neighbours, ()))]
    return [tenant for tenant in found if tenant is not None]


def introduce(one: Tenant, two: Tenant) -> None:
    """Let two tenants know of each other."""
    for tenant, other in ((one, two), (two, one)):
        known = tenant.readers.setdefault(Neighbours, {})
        known[weakref.ref(other)] = None
        if len(known) > MANY_NEIGHBOURS:
            for claim in list(known):
                if claim() is None:
                    known.pop(claim, None)
