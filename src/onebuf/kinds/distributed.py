"""DistributedBuffer: elements that the places of a runtime hold, each some of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from onebuf.buffer import Buffer
from onebuf.buffer.handle import PLACE, Handle, kind_named
from onebuf.dtypes import as_dtype
from onebuf.errors import ArgumentTypeError, DeviceError, LayoutError
from onebuf.graph import FREED
from onebuf.kinds.on_demand import expression_of, of_box
from onebuf.late import Late
from onebuf.machine import CPU, Cluster, Device
from onebuf.ops import as_shape
from onebuf.placement import Everywhere, Partition
from onebuf.placement.box import Box
from onebuf.runtimes.compute.expression import Expression
from onebuf.runtimes.compute.generate import Generated
from onebuf.runtimes.coordinator import Coordinator
from onebuf.runtimes.distribution import partition_for
from onebuf.runtimes.registry import OpenRuntime, current_runtime
from onebuf.shapes import Nested, Tiled

if TYPE_CHECKING:
    from onebuf.buffer.layout.allocator import Allocator
    from onebuf.layout import layout as layouts
    from onebuf.layout.layout import Layout
else:
    layouts = Late("onebuf.layout.layout")


class DistributedBuffer(Buffer):
    """A buffer whose elements lie at the places of a runtime, tile by tile.

    Operators, functions and methods work where the elements are, and give distributed buffers.
    What has no distributed algorithm is an error: nothing is gathered unasked. `to_local` gathers.
    Under MPI every process has to make the same calls, in the same order.

    >>> import onebuf
    >>> with onebuf.runtime("threads", places=2):
    ...     x = onebuf.arange(12.0).reshape(4, 3).distribute(tiles=(2, 3))
    ...     (x * 2).sum(axis=0).to_local()
    Buffer([36., 44., 52.], shape=(3,), dtype=float64, device=CPU)
    """

    __slots__ = ()

    _at: type[Device] | None = Cluster

    # -- where -------------------------------------------------------------------------------------

    @property
    def runtime(self) -> OpenRuntime:
        """The runtime whose places hold the elements."""
        return self._cluster.runtime  # type: ignore[no-any-return]

    @property
    def _cluster(self) -> Cluster:
        device = self.device
        assert isinstance(device, Cluster)
        return device

    @property
    def _coordinator(self) -> Coordinator:
        return self._cluster.driver  # type: ignore[no-any-return]

    @property
    def placement(self) -> Partition:
        """Which place holds which elements; computed first, if they are lazy."""
        return self._coordinator.partition_of(self._node)

    @property
    def tiles(self) -> Tiled:
        """The tiles that the elements are cut into."""
        return self.placement.tiling

    @property
    def nested_shape(self) -> Nested:
        """The shape in two layers: the grid of tiles outside, the elements of a tile inside."""
        tiles = self.tiles
        return Nested((tiles.rank, tiles.rank), tiles)

    @property
    def layout(self) -> Layout:
        """The shape, and the tiles that the elements are cut into."""
        return layouts.Layout(self.shape, tiles=self.tiles if self.shape else None)

    # -- here --------------------------------------------------------------------------------------

    def local_buffer(self) -> Buffer:
        """What of the elements is in the memory of this process, as an ordinary buffer on it.

        Under MPI that is what this place holds; with threads it is everything. A write to it is a
        write to the distributed buffer.
        """
        parts = self.local_boxes()
        if not parts:
            if self.runtime.mode == "driver":
                raise DeviceError(
                    f"the places of {self._cluster.name} are other processes, so no element is "
                    f"here; pull a part with x.slice(first, last).local_buffer(), or everything "
                    f"with x.to_local()"
                )
            return Buffer.empty((0,) * max(1, self.ndim) if self.ndim else (0,), self.dtype)
        if len(parts) > 1:
            raise LayoutError(
                f"this place holds {len(parts)} boxes that are not one box together; "
                f"x.local_boxes() gives each of them with its indices"
            )
        return parts[0][1]

    def local_boxes(self) -> list[tuple[Box, Buffer]]:
        """What of the elements is in the memory of this process: boxes of indices, with buffers."""
        coordinator = self._coordinator
        elements, box = coordinator.box_of(self._node)
        if self._node is not self._node.base and box != tuple([(0, n) for n in elements.shape]):
            raise LayoutError(
                "the local part of a slice was asked for; take the local part of the whole buffer, "
                "or pull the slice: x.slice(first, last).local_buffer()"
            )
        found = coordinator.runtime.here_boxes(elements)
        return [(held, Buffer(array, copy=False)) for held, array in found if array.size]

    def to_local(self) -> Buffer:
        """All elements in the memory of this process, as an ordinary buffer."""
        return self.to_device(CPU)

    # -- elsewhere ---------------------------------------------------------------------------------

    def slice(self, *bounds: Any) -> Any:
        """A box of the elements, with all axes, wherever they are; nothing moves."""
        return self._remote(super().slice(*bounds))

    def chip(self, *bounds: Any) -> Any:
        """`slice` without the axes that are pinned to one index; nothing moves."""
        return self._remote(super().chip(*bounds))

    def _remote(self, part: Buffer) -> Buffer:
        made: Buffer = object.__new__(kind_named("remote"))
        made._node = part._node
        base = self._base
        made._base = self if base is None or base is PLACE else base
        return made

    def distribute(
        self, tiles: Any = None, *, grid: Any = None, runtime: OpenRuntime | None = None
    ) -> Buffer:
        """The elements in other tiles, or at the places of another runtime."""
        if runtime is not None and runtime is not self.runtime:
            moved: Buffer = self.to_local().distribute(tiles, grid=grid, runtime=runtime)
            return moved
        return self.redistribute(tiles, grid=grid)

    def redistribute(self, tiles: Any = None, *, grid: Any = None) -> Self:
        """The elements in other tiles; those whose place stays the same do not move.

        ``grid`` places tiles block-cyclically: tile (i, j) is at place (i mod p, j mod q) of a grid
        of p x q places.
        """
        where = partition_for(self.shape, tiles, grid, self.runtime.places)
        return self._value(self._coordinator.redistributed(self._node, where))

    def replicate(self) -> Buffer:
        """All elements at every place."""
        whole = Tiled(*[(extent,) if extent else () for extent in self.shape])
        where = Partition(whole, self.runtime.places, Everywhere())
        node = self._coordinator.redistributed(self._node, where)
        node.claimed = True
        made: Buffer = object.__new__(kind_named("everywhere"))
        made._node = node
        made._base = None if node.shape else PLACE
        return made

    def to_dask(self) -> Any:
        """An array of `dask.array` with a block for each tile, of elements that a runtime of Dask
        holds; nothing is copied."""
        coordinator = self._coordinator
        convert = getattr(coordinator.runtime, "to_array", None)
        if convert is None:
            raise DeviceError(
                f"an array of Dask is made of what a runtime of Dask holds, and these elements are "
                f"on {self._cluster.name}; gather them: x.to_local()"
            )
        node = self._node
        whole = node.base if node.is_view else node
        if whole is not node:
            return self.copy().to_dask()
        coordinator.realize([node])
        return convert(coordinator.elements_of(node))

    @classmethod
    def from_dask(cls, array: Any, runtime: OpenRuntime | None = None) -> DistributedBuffer:
        """The elements of an array of `dask.array`, with a tile for each block, at the workers that
        compute it."""
        opened = runtime or current_runtime()
        convert = getattr(opened.engine, "from_array", None)
        if convert is None:
            raise DeviceError(
                f"an array of Dask needs a runtime of Dask, and {opened!r} is open; open one with "
                f"its client: onebuf.runtime('dask', client)"
            )
        return DistributedBuffer._value(opened.device.driver.node_of(convert(array)))

    @classmethod
    def _on_cluster(cls) -> type[DistributedBuffer]:
        """The class of this kind on a runtime."""
        return cls

    @classmethod
    def _constructed(cls, allocator: Allocator, layout: Layout, value: Any, dtype: Any) -> Any:
        """What an allocator of this kind makes: in the tiles of the layout, if it has some."""
        tiles = layout.tiles
        if isinstance(value, Handle):
            found = value if isinstance(value, Buffer) else Buffer(value)
            if isinstance(value, DistributedBuffer) and value.placement.is_everywhere:
                tiles = None
            found = found if dtype is None else found.astype(dtype)
            return found.distribute(tiles, runtime=_runtime_of(allocator, value))
        if not callable(value):
            made = Buffer.full(layout.shape, value, allocator._dtype(dtype, value))
            return made.distribute(tiles, runtime=_runtime_of(allocator, None))
        return distributed(layout.shape, value, tiles, dtype)

    def _seen_as(self) -> DistributedBuffer:
        """The same elements in a handle whose operators give distributed buffers."""
        plain = object.__new__(DistributedBuffer)
        plain._node = self._node
        plain._base = self
        return plain

    # -- looking -----------------------------------------------------------------------------------

    def __str__(self) -> str:
        return super().__str__() if not self.shape else repr(self)

    def __repr__(self) -> str:
        node = self._node
        if node.op is FREED:
            return f"{type(self).__name__}(<freed>)"
        state = f"<lazy {node.base.op.name}>"
        if node.base.is_placed:
            held = node.base.block.memory.partition  # type: ignore[union-attr]
            state = "<at every place>" if held.is_everywhere else f"<{held.tiling.grid} tiles>"
            state = state.replace(", ", " x ").replace("(", "").replace(")", "").replace(",", "")
        return (
            f"{type(self).__name__}({state}, shape={self.shape}, dtype={self.dtype.name}, "
            f"device={self.device})"
        )


def _runtime_of(allocator: Allocator, value: Any) -> OpenRuntime | None:
    device = allocator.device
    if isinstance(device, Cluster):
        return device.runtime  # type: ignore[no-any-return]
    return value.runtime if isinstance(value, DistributedBuffer) else None


def distributed(
    shape: Any,
    fn: Callable[..., Any],
    tiles: Any = None,
    dtype: Any = None,
    *,
    grid: Any = None,
    runtime: OpenRuntime | None = None,
) -> DistributedBuffer:
    """A distributed buffer whose elements each place makes for itself.

    ``fn`` is an expression of the index, or a function of a region, as for `onebuf.on_demand`; a
    region function is called once for every tile, at the place that holds it. It may also be a
    buffer: one over a file or store is read by each place in part.

    >>> import onebuf
    >>> with onebuf.runtime("threads", places=2):
    ...     distributed((4, 4), lambda i, j: i * 10 + j, tiles=(2, 2)).sum().item()
    264
    """
    extents = as_shape(shape)
    opened = runtime or current_runtime()
    where = partition_for(extents, tiles, grid, opened.places)
    coordinator = opened.device.driver
    given: Any = fn
    if isinstance(given, Handle):
        return DistributedBuffer._value(coordinator.distributed(given._node, partition=where))
    if not callable(fn):
        raise ArgumentTypeError(f"distributed needs a function that makes elements, got {fn!r}")
    root = expression_of(fn, extents, dtype)
    if root is not None:
        return DistributedBuffer._value(coordinator.run(Expression(root, _name(fn)), where))
    recipe = Generated(of_box(fn), extents, as_dtype(dtype), where.tiling, _name(fn))
    return DistributedBuffer._value(coordinator.run(recipe, where))


def _name(fn: Any) -> str:
    return getattr(fn, "__name__", type(fn).__name__)
