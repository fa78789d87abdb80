"""EverywhereBuffer: all elements at every place of a runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onebuf.buffer import Buffer
from onebuf.dtypes import Array
from onebuf.engine import read
from onebuf.errors import ArgumentError
from onebuf.kinds.distributed import DistributedBuffer
from onebuf.kinds.plain_operators import give_plain_results
from onebuf.kinds.replicated import ReplicatedBuffer

if TYPE_CHECKING:
    from onebuf.buffer.layout.allocator import Allocator
    from onebuf.layout.layout import Layout


class EverywhereBuffer(DistributedBuffer, ReplicatedBuffer):
    """A replica at every place of a runtime, made by `replicate` or by an allocator.

    >>> import onebuf
    >>> with onebuf.runtime("threads", places=2):
    ...     x = onebuf.arange(4.0).distribute(tiles=2)
    ...     copies = x.allocator.rebind(onebuf.ReplicatedBuffer).construct(x)
    ...     isinstance(copies, onebuf.ReplicatedBuffer), copies.local_buffer().tolist()
    (True, [0.0, 1.0, 2.0, 3.0])
    """

    __slots__ = ()

    _at = None  # type: ignore[assignment]

    @property
    def diverged(self) -> bool:
        """False: a write reaches every replica."""
        return False

    def local_buffer(self) -> Buffer:
        """The replica of this process; with Dask, a copy of one."""
        return self.to_local()

    def replica(self, index: int) -> Buffer:
        """The elements of one replica, which are those of all."""
        places = self.runtime.places
        if type(index) is not int or not -places <= index < places:
            raise ArgumentError(f"a place needs a number in 0..{places - 1}, got {index!r}")
        return self.to_local()

    def read(self, index: int | None = None) -> Any:
        """The elements of one replica as a NumPy array; without ``index``, a list of all."""
        found: Array = read(self._node)
        return [found] * self.runtime.places if index is None else found

    def write(self, data: Any, index: int | None = None) -> None:
        """Write ``data`` to all replicas; they cannot be written one by one."""
        if index is not None:
            raise ArgumentError("replicas of a runtime are written all at once, without an index")
        self[...] = Buffer(self._elements(data))

    @classmethod
    def _constructed(cls, allocator: Allocator, layout: Layout, value: Any, dtype: Any) -> Any:
        """What an allocator of this kind makes."""
        found = super()._constructed(allocator, layout, value, dtype)
        return found.replicate()

    __str__ = DistributedBuffer.__str__
    __repr__ = DistributedBuffer.__repr__


give_plain_results(EverywhereBuffer, EverywhereBuffer._seen_as)
