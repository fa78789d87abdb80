"""RemoteBuffer: a part of a distributed buffer, wherever it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import as_node
from onebuf.dtypes import Array, typed_scalar
from onebuf.engine import check_kind, read, settle_readers
from onebuf.errors import ShapeError
from onebuf.kinds.distributed import DistributedBuffer
from onebuf.kinds.future import FutureBuffer, submit
from onebuf.kinds.plain_operators import give_plain_results
from onebuf.machine import CPU
from onebuf.ops import SCALARS
from onebuf.placement.box import Box, shape_of
from onebuf.runtimes.protocols import Elements


class RemoteBuffer(DistributedBuffer):
    """A box of a distributed buffer: made by its `slice` and `chip`, without any communication.

    `local_buffer` pulls just these elements; `fetch` begins to, and gives a future. `write` and
    `accumulate` go the other way. None of them is collective: under MPI one process may call them
    alone. Expressions of it are distributed buffers.

    >>> import onebuf
    >>> with onebuf.runtime("threads", places=2):
    ...     x = onebuf.arange(12.0).reshape(4, 3).distribute(tiles=(2, 3))
    ...     part = x.slice((1, 0), (3, 2))
    ...     part.write(onebuf.zeros((2, 2)))
    ...     part.local_buffer().tolist(), x.sum().item()
    ([[0.0, 0.0], [0.0, 0.0]], 46.0)
    """

    __slots__ = ()

    _at = None

    def local_buffer(self) -> Buffer:
        """These elements in memory of this process; no others move."""
        return Buffer._place(self.to_device(CPU)._node)

    def fetch(self) -> FutureBuffer:
        """These elements as a future: they are on their way, and can be computed with."""
        coordinator = self._coordinator
        elements, box = coordinator.box_of(self._node)
        future = coordinator.runtime.fetch_later(elements, box)
        shape = self.shape

        def brought() -> Array:
            return np.array(future.result()).reshape(shape)

        return submit(brought, shape=shape, dtype=self.dtype)

    def write(self, value: Any) -> None:
        """Write these elements, from this process alone.

        Lazy buffers that read the old elements are computed first, if one program has them all
        (threads, Dask). Under MPI call their `realize` before, in every process.
        """
        elements, box = self._prepared()
        new = self._values(value).reshape(shape_of(box))
        self._coordinator.runtime.store(elements, box, new)

    def accumulate(self, value: Any) -> None:
        """Add to these elements, from this process alone: additions of several are all counted."""
        elements, box = self._prepared()
        new = self._values(value).reshape(shape_of(box))
        self._coordinator.runtime.accumulate(elements, box, new)

    def _prepared(self) -> tuple[Elements, Box]:
        """The elements and their box, ready to be written."""
        elements, box = self._coordinator.box_of(self._node)
        if self.runtime.mode == "driver":
            settle_readers(self._node)
        return elements, box

    def __setitem__(self, key: Any, value: Any, /) -> None:
        part: Any = self if key is Ellipsis or key == slice(None) else self[key]
        if isinstance(value, DistributedBuffer):
            super().__setitem__(key, value)
            return
        if not isinstance(part, RemoteBuffer):
            part = self._remote(part)
        part.write(value)

    def _values(self, value: Any) -> Array:
        """New elements, checked and broadcast."""
        if isinstance(value, SCALARS):
            new = np.asarray(typed_scalar(value, self.dtype))
        else:
            new = read(as_node(value, None, None, {}, None))
        check_kind(new, self._node)
        try:
            fitted = np.broadcast_to(new, self.shape)
        except ValueError:
            raise ShapeError(
                f"a write needs elements of shape {self.shape}, or such as broadcast to it, got "
                f"{new.shape}"
            ) from None
        return np.ascontiguousarray(fitted, self.dtype).reshape(self.shape)


give_plain_results(RemoteBuffer, RemoteBuffer._seen_as)
