"""Methods of NumPy's arrays that reorder, replace or write elements in place."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onebuf import ops
from onebuf.buffer.exchange.export import window
from onebuf.buffer.handle import Handle, claim
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.buffer.numpy.order import check_sort
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")


class InPlace(Handle):
    """Sorting and putting, as NumPy's arrays do; and the elements as a file."""

    __slots__ = ()

    def argsort(
        self,
        axis: int | None = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
    ) -> Self:
        """The order that sorts the elements along ``axis``; equal ones keep theirs."""
        node, along = self._sorting("argsort", axis, kind, order)
        if node.dtype.kind == "c":
            return on_arrays(type(self), np.argsort, (self, axis), {"kind": "stable"})  # type: ignore[no-any-return]
        return self._value(ops.argsort(node, along))

    def sort(
        self,
        axis: int = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
    ) -> None:
        """Sort the elements along ``axis`` in their own memory.

        >>> from onebuf import Buffer
        >>> x = Buffer([3, 1, 2])
        >>> x.sort()
        >>> x.to_python()
        [1, 2, 3]
        """
        node, along = self._sorting("sort", axis, kind, order)
        if node.dtype.kind == "c":
            on_arrays(type(self), np.ndarray.sort, (self, axis), {})
        else:
            engine.assign(self._node, ops.sort(node, along))

    def _sorting(self, name: str, axis: int | None, kind: Any, order: Any) -> tuple[Any, int]:
        if kind is not None or order is not None:
            check_sort(name, kind, order)
        return (ops.reshape(self._node, (-1,)), 0) if axis is None else (self._node, axis)

    def partition(
        self, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None
    ) -> None:
        """Put the elements that sorting would put at ``kth`` there, smaller ones before them."""
        on_arrays(type(self), np.ndarray.partition, (self, kth, axis, kind), {})

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write ``values`` to the flat ``indices``."""
        on_arrays(type(self), np.ndarray.put, (self, indices, values, mode), {})

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        """The slices along ``axis`` where ``condition`` holds."""
        choose: Any = np.compress  # which asks buffers, so that theirs is called
        return choose(condition, self, axis, out)

    def byteswap(self, inplace: bool = False) -> Any:
        """The elements with their bytes reversed."""
        result = on_arrays(type(self), np.ndarray.byteswap, (self, inplace), {})
        return self if inplace else result

    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Give this buffer another shape: elements cut off, or zeros after them.

        Other buffers on the same memory keep it as it was.
        """
        if not new_shape or new_shape == (None,):
            return
        extents = new_shape[0] if len(new_shape) == 1 else new_shape
        shape = ops.as_shape(extents)
        flat = ops.reshape(self._node, (-1,))
        numel = int(np.prod(shape, dtype=np.int64))
        if numel <= self._node.numel:
            kept = ops.index(flat, (slice(0, numel),))
        else:
            kept = ops.pad(flat, [(0, numel - self._node.numel)], 0)
        self._node, self._base = claim(engine.taken(ops.copied(ops.reshape(kept, shape)))), None

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the elements in row-major order to a file, as bytes or as text."""
        window(self._node).tofile(fid, sep, format)

    def dumps(self) -> bytes:
        """The buffer as a pickle."""
        return pickle.dumps(self)

    def dump(self, file: Any) -> None:
        """Write the buffer as a pickle to a file."""
        if hasattr(file, "write"):
            pickle.dump(self, file)
            return
        with open(file, "wb") as opened:
            pickle.dump(self, opened)
