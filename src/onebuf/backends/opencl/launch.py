"""Launches on OpenCL: a compiled kernel with the arguments that do not change between runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from onebuf.backends.kernel_launch import check_extents, cleared_flags, memory_slots, raise_if_set
from onebuf.backends.opencl.package import cl, our_errors
from onebuf.backends.opencl.queue import ClQueue
from onebuf.backends.opencl.workgroups import group_size
from onebuf.dtypes import DT, float32, int64, uint8
from onebuf.errors import OnebufError
from onebuf.kernel import Nest
from onebuf.kernel.linear import Opt, Split, lower, split, suggest, verify
from onebuf.layout import View
from onebuf.machine import DeviceBlock
from onebuf.render.clike import NARROW, Check, Flags, Memory, Parameter, Scalar, Source, render
from onebuf.scheduler.fuse.group import Group

PARTS = 4
"""Parts of a split reduction, for each compute unit."""
MULTIPLE = 1024
"""The length of a part is a multiple of this: work-items in a group, times copies."""


def launch_of(queue: ClQueue, group: Group) -> ClLaunch | SplitLaunch:
    """A compiled kernel, or several for a long reduction with few results."""
    traits = queue.device.traits
    views = [reach.view for reach in group.reaches]
    if group.nest.ndim and group.extents[-1] >= PARTS * MULTIPLE:
        results = prod(group.extents[:-1])
        if results < traits.units:
            parts = PARTS * traits.units
            stages = split(group.nest, group.extents, views, parts, MULTIPLE)
            if stages is not None:
                return SplitLaunch(queue, stages, group.scalars)
    return ClLaunch(queue, group.nest, group.extents, views, group.scalars)


class SplitLaunch:
    """Kernels that run one after another, with memory for the results in between."""

    def __init__(self, queue: ClQueue, stages: Split, scalars: Sequence[np.generic]) -> None:
        self.launches = [
            ClLaunch(queue, stage.nest, stage.extents, stage.views, scalars)
            for stage in stages.stages
        ]
        self._slots = [stage.slots for stage in stages.stages]
        self._between = [queue.allocator.allocate(nbytes) for nbytes in stages.nbytes]
        self._lock = threading.Lock()
        """Held while a run is queued: all runs use the same memory in between, in queue order."""

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Queue all of them."""
        with self._lock:
            for launch, slots in zip(self.launches, self._slots, strict=True):
                between = iter(self._between)
                launch.run([next(between) if at is None else blocks[at] for at in slots], scalars)


class ClLaunch:
    """A compiled kernel, for any memory of the sizes that it was prepared for."""

    def __init__(
        self,
        queue: ClQueue,
        nest: Nest,
        extents: Sequence[int],
        views: Sequence[View],
        scalars: Sequence[np.generic] = (),
        opts: Sequence[Opt] | None = None,
    ) -> None:
        traits = queue.device.traits
        if opts is None:
            opts = suggest(nest, extents, views, traits)
        program = lower(nest, extents, views, scalars, opts, traits.limits)
        self.nest, self.opts = nest, tuple(opts)
        self.source = source = render(verify(program), queue.dialect)
        self.is_empty = not program.instances
        self._queue = queue
        self._lock = threading.Lock()
        """Held while arguments are set and the kernel is queued: its object has one set of them."""
        if self.is_empty:
            return
        self._kernel = queue.device.programs.kernel(source.text, source.name)
        self._kernel.set_scalar_arg_dtypes([_argument_dtype(one) for one in source.parameters])
        self._local = source.local or group_size(source.extents, traits.limits.items)
        self._global = _global_size(source, self._local)
        self._slots = memory_slots(source)
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
        """The arguments of the last run, without the fixed ones; None: some are not set."""
        self._flags = _Flags(queue, source.checks) if source.checks else None
        if self._flags is not None:
            self._fixed.append(self._flags.buffer)

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Queue it."""
        if self.is_empty:
            return
        if self._flags is not None:
            check_extents(self.source.checks, scalars)
        arguments: list[Any] = [blocks[slot].memory.buffer for slot in self._slots]  # type: ignore[union-attr]
        for number, convert in self._scalars:
            value = scalars[number]
            arguments.append(value if convert is None else convert(value))
        waits: list[Any] = []
        written: list[Any] = [blocks[slot] for slot in self._written]
        for block in written:
            waits += block.memory.pending()
        with self._lock:
            native = self._enqueue(arguments, waits)
            self._queue.wrote(native, *written)
            if self._flags is not None:
                self._flags.raise_if_set(scalars)

    def _enqueue(self, arguments: list[Any], waits: list[Any]) -> Any:
        try:
            return self._queued(arguments, waits)
        except cl.MemoryError:
            self._queue.allocator.trim_all()  # some drivers allocate at the first use
        except cl.Error:
            self._last = None  # the second try raises an error that names the kernel
        with our_errors(f"a kernel on {self._queue.name}"):
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
        commands = self._queue.commands
        native = cl.enqueue_nd_range_kernel(
            commands, kernel, self._global, self._local, wait_for=waits or None
        )
        commands.flush()
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
    """The conversion of a scalar to an argument: numbers of one byte are passed as their bits."""
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
    """The flags of a kernel in memory of the device; cleared again after an error."""

    def __init__(self, queue: ClQueue, checks: Sequence[Check]) -> None:
        self._queue = queue
        self._checks = checks
        self._host = cleared_flags(checks)
        self.buffer = cl.Buffer(queue.device.context, cl.mem_flags.READ_WRITE, self._host.nbytes)
        self._clear()

    def _clear(self) -> None:
        self._host[:] = 0
        cl.enqueue_copy(self._queue.commands, self.buffer, self._host)

    def raise_if_set(self, scalars: Sequence[np.generic]) -> None:
        """Wait for the kernel, and raise the error of a check that failed."""
        with our_errors(f"a kernel on {self._queue.name}"):
            cl.enqueue_copy(self._queue.commands, self._host, self.buffer)
        try:
            raise_if_set(self._host, self._checks, scalars)
        except OnebufError:
            self._clear()
            raise
