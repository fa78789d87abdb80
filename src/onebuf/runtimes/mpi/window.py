"""The slab window: one piece of memory at every place that all places can read and write.

It is allocated once, by MPI, and stays open for one-sided access until it is closed: a window for
each buffer would be too many for MPI. Blocks are cut from it (`onebuf.runtimes.mpi.slab`).

Memory of places on the same node is mapped into this process, so it is read and written as if it
were here. Memory of other nodes is reached with ``Get``, ``Put`` and ``Accumulate``. Offsets and
strides are in bytes, from where the slab of a place begins.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakSet

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.errors import ArgumentError, OutOfMemory
from onebuf.memory import address_of, most_nbytes
from onebuf.runtimes.mpi.library import MPI
from onebuf.runtimes.mpi.slab import ALIGNMENT, Slab

ROW_NBYTES = 2048
"""Rows of at least this size are got one by one; of shorter ones, many at once (derived types).
Between nodes, MPICH 5 gets rows of 16 KiB at 4.2 GB/s one by one and at 1.5 GB/s with a type."""
MOST_NBYTES = 1 << 30
"""The most that one call moves: counts have 32 bits before MPI 4."""
AT_ONCE_NBYTES = 1 << 30
"""The most that is taken where Open MPI spans nodes: there it commits all memory at once."""
_MADV_POPULATE_WRITE = 23

ACCUMULATED = {
    **{f"int{bits}": getattr(MPI, f"INT{bits}_T") for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": getattr(MPI, f"UINT{bits}_T") for bits in (8, 16, 32, 64)},
    **{"float32": MPI.FLOAT, "float64": MPI.DOUBLE},
    **{"complex64": MPI.C_FLOAT_COMPLEX, "complex128": MPI.C_DOUBLE_COMPLEX},
}
"""The types that MPI can add."""


class Lease:
    """What keeps ``owner`` alive as long as an array on the window's memory is looked at."""

    __slots__ = ("owner", "__weakref__")

    def __init__(self, owner: object) -> None:
        self.owner = owner


class Pin(np.ndarray[Any, Any]):
    """An array on the window's memory, as the base of those that are handed out."""

    lease: Lease


class Window:
    """A slab of ``nbytes`` bytes at every place of ``comm``; None: what the nodes can give.

    ``node`` has those places of ``comm`` that are on this node. If not ``direct``, memory of other
    places is reached as if they were on other nodes. Collective.
    """

    def __init__(self, comm: Any, node: Any, nbytes: int | None, direct: bool = True) -> None:
        self.here: int = comm.rank
        one_node = node.size == comm.size and direct
        if nbytes is None:
            nbytes = _fitting_nbytes(comm, node.size, one_node)
        elif MPI.get_vendor()[0] == "Open MPI":
            _check_room(comm, node.size, nbytes)
        self.slab = Slab(nbytes)
        self._win = _allocated(comm, self.slab.nbytes + ALIGNMENT, one_node)
        self._win.Lock_all(MPI.MODE_NOCHECK)
        self._memory: list[Any] = [None] * comm.size
        self._memory[self.here] = self._win.tomemory()
        if direct:
            neighbours = np.empty(node.size, np.int64)
            node.Allgather(np.array([comm.rank], np.int64), neighbours)
            for place in neighbours.tolist():
                if place != self.here:
                    self._memory[place] = self._mapped(place)
        self._address = address_of(np.frombuffer(self._memory[self.here], np.uint8))
        self._begins = np.empty(comm.size, np.int64)
        comm.Allgather(np.array([-self._address % ALIGNMENT], np.int64), self._begins)
        self._leases: WeakSet[Lease] = WeakSet()
        self._committed = 0
        self._commits = node.size > 1 and sys.platform == "linux"

    @property
    def reaches_all(self) -> bool:
        """Whether the memory of every place is mapped here."""
        return all(memory is not None for memory in self._memory)

    @property
    def is_looked_at(self) -> bool:
        """Whether there are arrays on the window's memory."""
        return len(self._leases) > 0

    def _mapped(self, place: int) -> Any:
        """The memory of a place on this node, if MPI maps it; before MPI 4.1 it may not."""
        try:
            memory, _ = self._win.Shared_query(place)
        except MPI.Exception:
            return None
        return memory if len(memory) > self.slab.nbytes else None

    # -- blocks ------------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> int:
        """The offset of a new block here. Not collective."""
        offset = self.slab.allocate(nbytes)
        if offset is None:
            raise OutOfMemory(
                f"place {self.here} needs {nbytes} bytes in one piece, and its slab of "
                f"{self.slab.nbytes} bytes has {self.slab.nbytes - self.slab.in_use} free, "
                f"{self.slab.largest_hole} of them in one piece; drop buffers, use more places, or "
                f"ask for more when the runtime begins: onebuf.runtime('mpi', slab_nbytes=...)"
            )
        if self._commits and self.slab.high_water > self._committed:
            try:
                self._commit()
            except OutOfMemory:
                self.slab.release(offset)
                raise
        return offset

    def release(self, offset: int) -> None:
        """Make a block of this place free."""
        self.slab.release(offset)

    def _commit(self) -> None:
        """Make the system give the memory of all blocks now.

        Shared memory is a file in /dev/shm. A page that the file system has no room for would end
        the process at its first touch; here it is an error.
        """
        begin = self._address + int(self._begins[self.here])
        first = (begin + self._committed) // mmap.PAGESIZE * mmap.PAGESIZE
        nbytes = begin + self.slab.high_water - first
        wrong = _madvise(first, nbytes, _MADV_POPULATE_WRITE)
        if wrong == errno.EINVAL:  # Linux before 5.14 has no such advice
            self._commits = False
        elif wrong:
            raise OutOfMemory(
                f"place {self.here} needs {nbytes} bytes more of shared memory, and the system has "
                f"none left ({os.strerror(wrong)}); drop buffers, run fewer places on a node, or "
                f"make /dev/shm larger (docker run --shm-size=...)"
            )
        else:
            self._committed = self.slab.high_water

    # -- elements ----------------------------------------------------------------------------------

    def view(
        self, place: int, offset: int, shape: Sequence[int], dtype: DT, owner: object
    ) -> Array | None:
        """An array on a block's memory, which keeps ``owner`` alive; None if it is not mapped."""
        memory = self._memory[place]
        if memory is None:
            return None
        pin = Pin(tuple(shape), dtype, memory, int(self._begins[place]) + offset)
        pin.lease = Lease(owner)
        self._leases.add(pin.lease)
        return pin.view(np.ndarray)

    def get(self, array: Array, place: int, offset: int, strides: Sequence[int]) -> None:
        """Begin to read elements at ``place`` into ``array``, which has to be kept until `flush`.

        In the slab of the place they begin at ``offset`` and have ``strides``.
        """
        self._move(self._win.Get, MPI.BYTE, 1, array, place, offset, strides)

    def put(self, array: Array, place: int, offset: int, strides: Sequence[int]) -> None:
        """Begin to write elements of ``array``; see `get`."""
        self._move(self._win.Put, MPI.BYTE, 1, array, place, offset, strides)

    def add(self, array: Array, place: int, offset: int, strides: Sequence[int]) -> None:
        """Begin to add elements of ``array`` to others, each at once; see `get`."""
        base = ACCUMULATED.get(array.dtype.name)
        if base is None:
            raise ArgumentError(
                f"accumulate needs a dtype that MPI can add ({', '.join(ACCUMULATED)}), got "
                f"{array.dtype.name}; accumulate in one of these and convert afterwards"
            )

        def add(origin: Any, rank: int, target: Any) -> None:
            self._win.Accumulate(origin, rank, target, MPI.SUM)

        self._move(add, base, array.itemsize, array, place, offset, strides)

    def flush(self, place: int) -> None:
        """Return when everything that was begun with ``place`` is done, here and there."""
        self._win.Flush(place)

    def sync(self) -> None:
        """Let what was written here be seen by others, and what others wrote be seen here."""
        self._win.Sync()

    def _move(
        self,
        act: Callable[[Any, int, Any], None],
        base: Any,
        unit: int,
        array: Array,
        place: int,
        offset: int,
        strides: Sequence[int],
    ) -> None:
        """Call ``act`` on all elements: in one call, row by row, or with derived types."""
        start = int(self._begins[place]) + offset
        row, outer = _rows(array, strides)
        if row >= ROW_NBYTES or not outer:
            address = address_of(array)
            steps = [(0, 0)]
            for extent, here, there in outer:
                steps = [(a + n * here, b + n * there) for a, b in steps for n in range(extent)]
            for a, b in steps:
                for done in range(0, row, MOST_NBYTES):
                    count = min(MOST_NBYTES, row - done)
                    memory = MPI.buffer.fromaddress(address + a + done, count)
                    act(
                        [memory, count // unit, base],
                        place,
                        [start + b + done, count // unit, base],
                    )
            return
        mine = _derived(base, row // unit, [(extent, here) for extent, here, _ in outer])
        theirs = _derived(base, row // unit, [(extent, there) for extent, _, there in outer])
        span = row + sum([(extent - 1) * here for extent, here, _ in outer])
        memory = MPI.buffer.fromaddress(address_of(array), span)
        act([memory, 1, mine], place, [start, 1, theirs])
        mine.Free()  # MPI keeps a type as long as something uses it
        theirs.Free()

    def close(self) -> None:
        """Give the memory back, unless arrays anywhere still lie on it. Collective."""
        self._win.Unlock_all()
        self._win.Free()
        self._memory = [None] * len(self._memory)


def _rows(array: Array, strides: Sequence[int]) -> tuple[int, list[tuple[int, int, int]]]:
    """Bytes that follow one another both here and there, and the axes around them.

    An axis is its extent, its stride here and its stride there.
    """
    axes = [axis for axis in zip(array.shape, array.strides, strides, strict=True) if axis[0] != 1]
    row = array.itemsize
    while axes and axes[-1][1:] == (row, row):
        row *= axes.pop()[0]
    return row, axes


def _derived(base: Any, count: int, axes: Sequence[tuple[int, int]]) -> Any:
    """A type of MPI: rows of ``count`` times ``base``, by extent and stride of the axes around."""
    made = [base.Create_contiguous(count)]
    for extent, stride in reversed(axes):
        made.append(made[-1].Create_hvector(extent, 1, stride))
    for inner in made[:-1]:
        inner.Free()
    return made[-1].Commit()


def _allocated(comm: Any, nbytes: int, one_node: bool) -> Any:
    """The window itself."""
    try:
        if not one_node:
            return MPI.Win.Allocate(nbytes, 1, MPI.INFO_NULL, comm)
        info = MPI.Info.Create({"alloc_shared_noncontig": "true"})
        try:
            return MPI.Win.Allocate_shared(nbytes, 1, info, comm)
        finally:
            info.Free()
    except MPI.Exception as error:
        raise OutOfMemory(
            f"MPI could not make a window with {nbytes} bytes at each place ({error}); ask for "
            f"less: onebuf.runtime('mpi', slab_nbytes=...), or make /dev/shm larger. Open MPI 4 "
            f"over several nodes without RDMA needs MPI4PY_RC_THREAD_LEVEL=serialized"
        ) from error


def _fitting_nbytes(comm: Any, on_node: int, one_node: bool) -> int:
    """Three quarters of what a node has for shared memory, divided by its places; the least node's.

    It costs nothing until it is used, except where Open MPI spans nodes.
    """
    mine = _room(on_node) // 4 * 3 // on_node
    if MPI.get_vendor()[0] == "Open MPI" and not one_node:
        mine = min(mine, AT_ONCE_NBYTES)
    return _least(comm, mine)


def _check_room(comm: Any, on_node: int, nbytes: int) -> None:
    """Refuse, at every place, slabs that a node has no room for.

    Where there is none, Open MPI raises an error at one place and leaves the others waiting.
    """
    room = _least(comm, _room(on_node) // on_node)
    if nbytes > room:
        raise OutOfMemory(
            f"a slab of {nbytes} bytes at each place needs as much shared memory, and there are "
            f"{room} bytes for each; ask for less (slab_nbytes), run fewer places on a node, or "
            f"make /dev/shm larger (docker run --shm-size=...)"
        )


def _room(on_node: int) -> int:
    """Bytes of memory that the places of this node can share."""
    room = most_nbytes()
    if on_node > 1 and os.path.isdir("/dev/shm"):
        found = os.statvfs("/dev/shm")
        room = min(room, found.f_bavail * found.f_frsize)
    return room


def _least(comm: Any, number: int) -> int:
    """The least of the numbers of all places."""
    least = np.empty(1, np.int64)
    comm.Allreduce(np.array([number], np.int64), least, MPI.MIN)
    return int(least[0])


def _madvise(address: int, nbytes: int, advice: int) -> int:
    """Tell the system about memory from a page on; returns the number of the error, or 0."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return ctypes.get_errno() if libc.madvise(address, nbytes, advice) else 0
