"""Placement: where a buffer's elements are, and how they get elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Generator
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Self

from onebuf.buffer.exchange.export import release, window
from onebuf.buffer.handle import Handle
from onebuf.errors import ArgumentTypeError
from onebuf.graph import promises_of
from onebuf.late import Late
from onebuf.machine import CPU, Device, owner
from onebuf.machine import device as find_device
from onebuf.memory import FileBlock

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.runtimes import distribution as distributed
else:
    distributed = Late("onebuf.runtimes.distribution")
    engine = Late("onebuf.engine")


class Placement(Handle):
    """Devices, other libraries' memory, and giving memory back."""

    __slots__ = ()

    @property
    def device(self) -> Device:
        """Where the elements are."""
        return self._node.device or CPU

    @classmethod
    def wrap(cls, native: Any) -> Self:
        """A buffer on another library's own memory; an error where that cannot be shared.

        Tensors of torch and arrays of jax stay theirs: operations on the buffer are the library's,
        on the devices TORCH and JAX, and `unwrap` gives the object back.
        """
        kind = owner(native)
        return cls(native, copy=False) if kind is None else cls._place(engine.wrapped(native, kind))  # type: ignore[call-arg]

    def unwrap(self) -> Any:
        """The native object below: on the host, a NumPy array on the same memory.

        On TORCH and JAX it is the library's array, elsewhere what the device's own library knows
        the memory by: on OPENCL, say, a ``pyopencl.Buffer``. Of a buffer with a layout it is that
        of the stored elements.
        """
        node = self._node
        if not node.has_strides:
            node = node.base  # the elements that the layout stores
            return window(node) if engine.is_here(node) else engine.unwrapped(node)
        return window(self._shown()) if engine.is_here(node) else engine.unwrapped(node)

    def to_device(self, device: str | Device, /, *, stream: Any = None) -> Self:
        """The elements on ``device``: this buffer if they are there, else a copy.

        >>> from onebuf import Buffer
        >>> x = Buffer([1, 2, 3]).to_device("PYTHON")
        >>> x + x
        Buffer(<lazy add>, shape=(3,), dtype=int32, device=PYTHON)
        >>> (x + x).to_device("CPU")
        Buffer([2, 4, 6], shape=(3,), dtype=int32, device=CPU)
        """
        if stream is not None:
            raise ArgumentTypeError(
                f"to_device needs stream=None, since a queue is part of a device's name "
                f"(OPENCL:0@1), got {stream!r}"
            )
        node = engine.moved(self._node, find_device(device))
        return self if node is self._node else self._alike(node)

    def distribute(self, tiles: Any = None, *, grid: Any = None, runtime: Any = None) -> Any:
        """The elements at the places of a runtime: the one that is open, or ``runtime``.

        ``tiles`` says how they are cut: an extent for each axis (None: the whole axis), the extents
        of all tiles along each axis, or a `Tiled` or `Nested` shape; without it, into rows. Places
        hold runs of tiles, or tiles block-cyclically on a ``grid`` of places. A lazy buffer is
        computed where its elements are to be; of a file, each place reads its own part.

        >>> import onebuf
        >>> with onebuf.runtime("threads", places=2):
        ...     onebuf.arange(6.0).distribute(tiles=2)
        DistributedBuffer(<3 tiles>, shape=(6,), dtype=float64, device=threads[2]#...)
        """
        home = self if engine.is_here(self._node) else self.to_device(CPU)
        return self._value(distributed.distribute_node(home._node, tiles, grid, runtime))

    def __await__(self) -> Generator[Any, None, Self]:
        """This buffer, when all futures that it is computed from have come; waits in no thread."""
        for promise in promises_of([self._node]):
            yield from promise.awaited()
        return self

    def free(self) -> None:
        """Give the memory back now; an error while a window or another view uses it."""
        kept_by_us_alone = isinstance(self._base, Handle) and getrefcount(self._base) == 2
        self._node = release(self._node, spare=int(kept_by_us_alone))
        self._base = None

    def flush(self) -> None:
        """Wait until everything written so far is in the file, if this is a file's memory."""
        node = self._node
        if isinstance(node.block, FileBlock):
            node.block.flush()
        elif node.on_demand is not None:
            node.on_demand.flush()

    def close(self) -> None:
        """Flush, then free."""
        self.flush()
        self.free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        close_after(self.close, error)


def close_after(close: Callable[[], None], error: BaseException | None) -> None:
    """Close at the end of a ``with`` block; an ``error`` that ended the block is the one raised."""
    if error is None:
        close()
        return
    try:
        close()
    except Exception as second:  # the lines that failed may well hold views still
        error.add_note(f"closing failed, too: {second}")
