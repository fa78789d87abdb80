"""Launches: a kernel with everything that does not change from run to run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from onebuf.backends.opencl.package import cl, told
from onebuf.backends.opencl.queue import Line
from onebuf.backends.opencl.workgroups import group_size
from onebuf.dtypes import float32, int64, uint8
from onebuf.errors import ArgumentError, IndexRangeError, OnebufError
from onebuf.graph import TAKE
from onebuf.kernel import Nest
from onebuf.kernel.linear import Opt, Split, lower, split, suggest, verify
from onebuf.layout import View
from onebuf.machine import DeviceBlock
from onebuf.render.clike import NARROW, Check, Flags, Memory, Parameter, Scalar, Source, render
from onebuf.scheduler.fuse.group import Group

DT = np.dtype[Any]


PARTS = 4
"""Parts of a split fold, for each compute unit."""
MULTIPLE = 1024
"""What the length of a part is a multiple of: work-items in a group, times copies."""


def launch_of(line: Line, group: Group) -> ClLaunch | SplitLaunch:
    """A kernel that is ready to run; a long fold with few results is several."""
    traits = line.physical.traits
    views = [reach.view for reach in group.reaches]
    if group.nest.ndim and group.extents[-1] >= PARTS * MULTIPLE:
        results = prod(group.extents[:-1])
        if results < traits.units:
            parts = PARTS * traits.units
            stages = split(group.nest, group.extents, views, parts, MULTIPLE)
            if stages is not None:
                return SplitLaunch(line, stages, group.scalars)
    return ClLaunch(line, group.nest, group.extents, views, group.scalars)


class SplitLaunch:
    """Kernels that run one after another, with memory for what the first ones leave."""

    def __init__(self, line: Line, stages: Split, scalars: Sequence[np.generic]) -> None:
        self.launches = [
            ClLaunch(line, stage.nest, stage.extents, stage.views, scalars)
            for stage in stages.stages
        ]
        self._slots = [stage.slots for stage in stages.stages]
        self._between = [line.allocator.allocate(nbytes) for nbytes in stages.nbytes]
        self._lock = threading.Lock()
        """The memory between them is for one run at a time; the queue keeps runs apart."""

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Queue them."""
        with self._lock:
            for launch, slots in zip(self.launches, self._slots, strict=True):
                between = iter(self._between)
                launch.run([next(between) if at is None else blocks[at] for at in slots], scalars)


class ClLaunch:
    """A kernel that is ready to run on any memory of the sizes that it was prepared for."""

    def __init__(
        self,
        line: Line,
        nest: Nest,
        extents: Sequence[int],
        views: Sequence[View],
        scalars: Sequence[np.generic] = (),
        opts: Sequence[Opt] | None = None,
    ) -> None:
        physical = line.physical
        traits = physical.traits
        if opts is None:
            opts = suggest(nest, extents, views, traits)
        program = lower(nest, extents, views, scalars, opts, traits.limits)
        self.nest, self.opts = nest, tuple(opts)
        self.source = source = render(verify(program), line.dialect)
        self.is_empty = not program.instances
        self._line = line
        self._lock = threading.Lock()
        """A kernel object has one set of arguments."""
        if self.is_empty:
            return
        self._kernel = physical.programs.kernel(source.text, source.name)
        self._kernel.set_scalar_arg_dtypes([_argument_dtype(one) for one in source.parameters])
        self._local = source.local or group_size(source.extents, traits.limits.items)
        self._global = _global_size(source, self._local)
        self._slots = [one.slot for one in source.parameters if isinstance(one, Memory)]
        self._written = [
            one.slot for one in source.parameters if isinstance(one, Memory) and one.is_output
        ]
        self._scalars = [
            (one.number, _given_as(one.dtype))
            for one in source.parameters
            if isinstance(one, Scalar)
        ]
        rest = source.parameters[len(self._slots) + len(self._scalars) :]
        self._fixed = [one.value for one in rest if not isinstance(one, Flags)]  # type: ignore[union-attr]
        self._last: list[Any] | None = None
        """The arguments that the kernel object has, the fixed ones apart; None: not all of them."""
        self._flags = _Flags(line, source.checks) if source.checks else None
        if self._flags is not None:
            self._fixed.append(self._flags.buffer)

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Queue it."""
        if self.is_empty:
            return
        arguments: list[Any] = [blocks[slot].memory.buffer for slot in self._slots]  # type: ignore[union-attr]
        for number, convert in self._scalars:
            value = scalars[number]
            arguments.append(value if convert is None else convert(value))
        waits: list[Any] = []
        written: list[Any] = [blocks[slot] for slot in self._written]
        for block in written:
            waits += block.memory.pending()
        line = self._line
        with self._lock:
            if self._flags is not None:
                self._flags.check_extents(scalars)
            native = self._enqueue(arguments, waits)
            line.wrote(native, *written)
            if self._flags is not None:
                self._flags.raise_if_set(scalars)

    def _enqueue(self, arguments: list[Any], waits: list[Any]) -> Any:
        try:
            return self._queued(arguments, waits)
        except cl.MemoryError:
            self._line.allocator.trim_all()  # drivers may get memory only now
        except cl.Error:
            self._last = None  # and once more, for an error that says what was asked for
        with told(f"a kernel on {self._line.name}"):
            return self._queued(arguments, waits)

    def _queued(self, arguments: list[Any], waits: list[Any]) -> Any:
        kernel, last = self._kernel, self._last
        if last is None or self._scalars:
            kernel.set_args(*arguments, *self._fixed)
        else:
            for at, memory in enumerate(arguments):
                if memory is not last[at]:
                    kernel.set_arg(at, memory)
        self._last = arguments
        queue = self._line.queue
        native = cl.enqueue_nd_range_kernel(
            queue, kernel, self._global, self._local, wait_for=waits or None
        )
        queue.flush()
        return native


def _argument_dtype(parameter: Parameter) -> DT | None:
    if isinstance(parameter, Memory | Flags):
        return None
    if not isinstance(parameter, Scalar):
        return int64
    if parameter.dtype.name in NARROW:
        return float32
    return uint8 if parameter.dtype.itemsize == 1 else parameter.dtype


def _given_as(dtype: DT) -> Callable[[Any], Any] | None:
    """How a scalar is converted to be an argument: bytes are given as their bits."""
    if dtype.name in NARROW:
        return np.float32
    return _byte if dtype.itemsize == 1 and dtype != uint8 else None


def _byte(value: np.generic) -> np.uint8:
    return np.uint8(np.asarray(value).view(np.uint8))


def _global_size(source: Source, local: tuple[int, ...]) -> tuple[int, ...]:
    pairs = zip(source.extents, local, strict=True)
    if source.local is not None:
        return tuple([groups * items for groups, items in pairs])
    return tuple([-(-extent // items) * items for extent, items in pairs])


class _Flags:
    """Memory in which a kernel says what was wrong; all zeros as long as nothing was."""

    def __init__(self, line: Line, checks: Sequence[Check]) -> None:
        self._line = line
        self._checks = checks
        self._found = np.zeros(2 * len(checks), np.int64)
        self.buffer = cl.Buffer(line.physical.context, cl.mem_flags.READ_WRITE, self._found.nbytes)
        self._clear()

    def _clear(self) -> None:
        self._found[:] = 0
        cl.enqueue_copy(self._line.queue, self.buffer, self._found)

    def check_extents(self, scalars: Sequence[np.generic]) -> None:
        """Raise where no index can be right, so that nothing at all may be read."""
        for check in self._checks:
            if check.op is TAKE and self._extent(check, scalars) == 0:
                raise IndexRangeError("an index needs an axis with elements, got one of extent 0")

    def raise_if_set(self, scalars: Sequence[np.generic]) -> None:
        """Wait for the kernel, and raise what it says."""
        with told(f"a kernel on {self._line.name}"):
            cl.enqueue_copy(self._line.queue, self._found, self.buffer)
        if not self._found.any():
            return
        error = self._error(scalars)
        self._clear()
        raise error

    def _error(self, scalars: Sequence[np.generic]) -> OnebufError:
        number = int(np.flatnonzero(self._found[::2])[0])
        check, value = self._checks[number], int(self._found[2 * number + 1])
        if check.op is TAKE:
            extent = self._extent(check, scalars)
            return IndexRangeError(f"an index needs to be in {-extent}..{extent - 1}, got {value}")
        return ArgumentError(
            f"{check.op.name}: Integers to negative integer powers are not allowed, got the "
            f"exponent {value}; convert with astype('float64') first"
        )

    def _extent(self, check: Check, scalars: Sequence[np.generic]) -> int:
        extent = check.extent
        return int(scalars[extent.number]) if isinstance(extent, Scalar) else int(extent or -1)
