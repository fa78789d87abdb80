"""ReplicatedBuffer: the same elements on every queue of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import ops
from onebuf.backends.replicas import Replicas
from onebuf.buffer import Buffer
from onebuf.buffer.exchange.nested import parse
from onebuf.buffer.handle import kind_named
from onebuf.dtypes import Array
from onebuf.engine import force, read
from onebuf.errors import DTypeError, LayoutError, ShapeError
from onebuf.graph import Node, on_block, placed_block
from onebuf.interop import view_foreign
from onebuf.late import Late
from onebuf.machine import Context, checked_index

if TYPE_CHECKING:
    from onebuf.ops.structured import nodes
else:
    nodes = Late("onebuf.ops.structured.nodes")


class ReplicatedBuffer(Buffer):
    """A buffer with a replica on every queue of a `Context`.

    Operations run on every queue; `replica` is a buffer on one queue alone. Replicas are alike
    until one is written to, and then whatever needs one value for all says so.

    >>> from onebuf import context
    >>> x = Buffer([1, 2, 3]).to_device(context(["CPU"], queues=2))
    >>> x.write(np.array([7, 8, 9], np.int32), 1)
    >>> [replica.tolist() for replica in (x + 1).read()]
    [[2, 3, 4], [8, 9, 10]]
    >>> x.diverged
    True
    """

    __slots__ = ()

    _at = Context

    @classmethod
    def _on_cluster(cls) -> type[Buffer]:
        """The class of this kind on a runtime."""
        return kind_named("everywhere")

    @property
    def context(self) -> Context:
        """The queues that it has replicas on."""
        device = self.device
        assert isinstance(device, Context)
        return device

    @property
    def diverged(self) -> bool:
        """Whether replicas may differ, because one was written to alone."""
        return self._replicas().diverged

    def replica(self, index: int) -> Buffer:
        """The elements on one queue, as a buffer of that queue alone; they share memory."""
        place = self.context.places[checked_index(self.context, index)]
        block = self._replicas().replica(checked_index(self.context, index))
        base = self._node.base
        whole = on_block(block, base.shape, base.dtype, place)
        made = Buffer.__new__(Buffer)
        made._node = self._seen_on(whole)
        made._base = self.base
        return made

    def _seen_on(self, whole: Node) -> Node:
        """``whole``, a replica of the elements below, as this buffer sees them."""
        node = self._node
        if node.has_strides:
            return ops.seen(whole, ops.view_of(node))
        part = nodes.structured(node)
        if part is None:
            raise LayoutError(
                "a replica of a part of a buffer with a layout was asked for; take the replica of "
                "the whole buffer, and then the part"
            )
        return part.seen(whole)

    def read(self, index: int | None = None) -> Any:
        """The elements of one replica as a NumPy array; without ``index``, a list of all of them.

        It waits for what its own replica needs, and for no other queue.
        """
        if index is None:
            return [read(self.replica(place)._node) for place in range(len(self.context))]
        return read(self.replica(index)._node)

    def write(self, data: Any, index: int | None = None) -> None:
        """Write ``data`` to one replica, or to all of them.

        It needs as many elements of the same dtype; bytes need to be as many bytes.
        """
        new = self._elements(data)
        if index is not None:
            self.replica(index)[...] = Buffer(new, device=self.context.on_queue(index))
            return
        self[...] = Buffer(new, device=self.context)

    def _elements(self, data: Any) -> Array:
        """What is to be written, checked."""
        if isinstance(data, bytes | bytearray):
            if len(data) != self.nbytes:
                raise ShapeError(
                    f"a write needs {self.nbytes} bytes, for {self.numel} elements of "
                    f"{self.dtype.name}, got {len(data)}"
                )
            return np.frombuffer(data, self.dtype).reshape(self.shape)
        if isinstance(data, Buffer):
            new = read(data._node)
        else:
            foreign = view_foreign(data, copy=None)
            new = parse(data, self.dtype, {}) if foreign is None else foreign[0]
        if new.dtype != self.dtype:
            raise DTypeError(
                f"a write needs elements of {self.dtype.name}, got {new.dtype.name}; "
                f"convert them first: data.astype({self.dtype.name!r})"
            )
        if new.size != self.numel or (new.shape != self.shape and new.ndim != 1):
            raise ShapeError(
                f"a write needs elements of shape {self.shape}, got {new.shape}; "
                f"write to a slice for some of them"
            )
        return new.reshape(self.shape)

    def __str__(self) -> str:
        return self._differences() or super().__str__()

    def __repr__(self) -> str:
        told = self._differences()
        if not told:
            return super().__repr__()
        return (
            f"{type(self).__name__}({told}, shape={self.shape}, dtype={self.dtype.name}, "
            f"device={self.device})"
        )

    def _differences(self) -> str:
        """That replicas diverged, for people; empty if they did not, as far as it is known."""
        base = self._node.base
        block = placed_block(base) if base.is_placed else None
        if not isinstance(block, Replicas) or not block.diverged:
            return ""
        return f"<{len(block.stamps)} replicas, {len(set(block.stamps))} of them different>"

    def _replicas(self) -> Replicas:
        """The memory of all replicas."""
        node: Node = self._node
        force(node)
        block = placed_block(node.base)
        assert isinstance(block, Replicas)
        return block
