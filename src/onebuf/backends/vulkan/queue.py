"""Queues: a context of vkdispatch each, so that memory and faults stay where they belong.

A buffer of vkdispatch has memory on every queue of its context. One context for all queues would
mean that a block, which is on one queue here, takes memory on all of them. So each queue has a
context of its own, with one device and one queue: a block takes its size there, and once more for
the copy on the host side that every transfer goes through. Programs are compiled for each queue.

A failure in the native part stops the threads of the context that was made last. That is always an
unused one, made for this after every queue, so that a program that does not compile costs nothing
but its error. A failure on the queue's own thread, out of memory above all, ends that thread: the
queue is *lost*, its memory with it, and its device goes on with a new queue.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onebuf.backends.vulkan import package
from onebuf.backends.vulkan.memory_limits import release, reserve
from onebuf.backends.vulkan.package import Native, NativeError, NoGcLock, VulkanDevice
from onebuf.errors import CompileError, DeviceError

MOST_QUEUES = 16
"""How many queues of a device can be opened."""
STORAGE = 1
"""The type of a binding to memory that programs read and write, in vkdispatch."""
MOST_BOUND = 256
"""How many programs stay bound to memory, ready to be submitted again."""


class VulkanMemory:
    """Memory of a queue, ``nbytes`` long, and the read that still needs its staging memory."""

    __slots__ = ("queue", "handle", "signal", "nbytes", "pending")

    def __init__(self, queue: VulkanQueue, handle: int, signal: int, nbytes: int) -> None:
        self.queue = queue
        self.handle = handle
        self.signal = signal
        self.nbytes = nbytes
        self.pending: PendingRead | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A compiled program with ``bindings`` memories and ``nbytes`` of arguments."""

    handle: int
    bindings: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Bound:
    """A program with its memories: a recorded command list."""

    commands: int
    descriptors: int


class VulkanQueue:
    """One queue of one device."""

    def __init__(self, name: str, native: Native, device: VulkanDevice, family: int) -> None:
        self.name = name
        self.device = device
        self.lost = ""
        """Why it cannot be used any more; empty while it can."""
        self._reserved = 0
        """Bytes of memory that it has reserved."""
        self._native = native
        self._programs: dict[str, Program] = {}
        self._bound: OrderedDict[tuple[int, ...], Bound] = OrderedDict()
        number = device.info.dev_index
        self._lock = NoGcLock()
        """Held by each use of the queue, also while waiting for it; each queue has its own."""
        with package.lock:
            native.forget()
            try:
                self._context = native.call.context_create([number], [[family]])
                native.check()
                native.call.context_create([number], [[family]])  # the one that failures stop
                native.check()
            except NativeError as error:
                raise DeviceError(f"{name} cannot be opened; Vulkan says: {error}") from None

    # -- memory ------------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> VulkanMemory:
        """Memory; a MemoryError if there is none."""
        if self.lost:
            raise MemoryError(_lost(self.name, self.lost))
        most = self.device.info.max_storage_buffer_range
        if nbytes > most:
            raise MemoryError(f"a block has at most {most} bytes")
        reserve(self.device, nbytes)
        self._reserved += nbytes
        return self._created(nbytes)

    def _created(self, nbytes: int) -> VulkanMemory:
        with self._lock:
            call = self._begin()
            handle = call.buffer_create(self._context, nbytes, 0)
            self._check()
            memory = VulkanMemory(self, handle, call.buffer_get_queue_signal(handle, 0), nbytes)
            self._await(memory, False)
            return memory

    def free(self, memory: VulkanMemory) -> None:
        """Free memory, when everything that was queued is complete."""
        if self.lost:
            return
        release(self.device, memory.nbytes)
        self._reserved -= memory.nbytes
        with self._lock:
            self.synchronize()
            gone = [key for key in self._bound if memory.handle in key[1:]]
            for key in gone:
                self._unbind(self._bound.pop(key))
            self._begin().buffer_destroy(memory.handle)
            self._check()

    def write(self, memory: VulkanMemory, data: bytes, offset_bytes: int) -> None:
        """Begin to copy bytes into memory."""
        self._check_span(memory, len(data), offset_bytes)
        if not data:
            return
        with self._lock:
            call = self._begin()
            self._finish(memory)
            self._await(memory, True)
            call.buffer_write_staging(memory.handle, 0, data, len(data))
            call.buffer_write(memory.handle, offset_bytes, len(data), 0)
            self._check()

    def read(self, memory: VulkanMemory, nbytes: int, offset_bytes: int) -> PendingRead:
        """Begin to copy bytes out of memory."""
        self._check_span(memory, nbytes, offset_bytes)
        reading = PendingRead(memory, nbytes)
        if nbytes == 0:
            return reading
        with self._lock:
            call = self._begin()
            self._finish(memory)
            self._await(memory, True)
            call.buffer_read(memory.handle, offset_bytes, nbytes, 0)
            self._check()
            memory.pending = reading
        return reading

    def collect(self, memory: VulkanMemory, nbytes: int) -> bytes:
        """The bytes of a read that was begun."""
        with self._lock:
            call = self._begin()
            self._await(memory, True)
            found = call.buffer_read_staging(memory.handle, 0, nbytes)
            self._check()
            return bytes(found)

    def settle(self, memory: VulkanMemory) -> None:
        """Return when the transfer that was begun last is complete."""
        with self._lock:
            self._begin()
            self._await(memory, True)

    def _finish(self, memory: VulkanMemory) -> None:
        """Copy the bytes of an earlier read out of the staging memory, which is needed now."""
        if memory.pending is not None:
            memory.pending.take()

    def _check_span(self, memory: VulkanMemory, nbytes: int, offset_bytes: int) -> None:
        if offset_bytes < 0 or offset_bytes + nbytes > memory.nbytes:
            raise DeviceError(
                f"{self.name}: a transfer needs to be inside of its block of {memory.nbytes} "
                f"bytes, got bytes {offset_bytes} to {offset_bytes + nbytes}"
            )

    # -- programs ----------------------------------------------------------------------------------

    def program(self, text: str, bindings: int, nbytes: int) -> Program:
        """The program of a text, compiled once."""
        found = self._programs.get(text)
        if found is None:
            with self._lock:
                found = self._programs[text] = self._compile(text, bindings, nbytes)
        return found

    def _compile(self, text: str, bindings: int, nbytes: int) -> Program:
        call = self._begin()
        kinds = [STORAGE] * bindings
        try:
            with package.lock:
                handle = call.stage_compute_plan_create(
                    self._context, text.encode(), kinds, nbytes, b"onebuf"
                )
                self._native.check()
        except NativeError as error:
            raise CompileError(
                f"{self.name} refuses a kernel ({error}; its compiler says more on the error "
                f"output), which is a mistake in onebuf:\n{text}"
            ) from None
        return Program(handle, bindings, nbytes)

    def submit(
        self,
        program: Program,
        memories: Sequence[VulkanMemory],
        arguments: bytes,
        groups: tuple[int, int, int],
    ) -> None:
        """Queue a program on memories, as many work-groups along each axis as ``groups`` says."""
        assert len(memories) == program.bindings, "a memory for each binding"
        assert len(arguments) == program.nbytes, "as many arguments as the program takes"
        for memory in memories:
            if memory.queue.lost:
                raise DeviceError(_lost(memory.queue.name, memory.queue.lost))
            if memory.queue is not self:
                raise DeviceError(
                    f"a kernel of {self.name} needs memory of its own queue, got some of "
                    f"{memory.queue.name}; copy it first"
                )
        with self._lock:
            call = self._begin()
            bound = self._bind(program, memories, groups)
            while not call.command_list_submit(bound.commands, arguments, 1, 0):
                self._check()
            self._check()

    def _bind(
        self, program: Program, memories: Sequence[VulkanMemory], groups: tuple[int, int, int]
    ) -> Bound:
        key = (program.handle, *[memory.handle for memory in memories], -1, *groups)
        found = self._bound.get(key)
        if found is not None:
            self._bound.move_to_end(key)
            return found
        if len(self._bound) >= MOST_BOUND:
            self._drop_half()
        call = self._native.call
        descriptors = call.descriptor_set_create(program.handle)
        for binding, memory in enumerate(memories):
            call.descriptor_set_write_buffer(descriptors, binding, memory.handle, 0, 0, 0, 1, 1)
        commands = call.command_list_create(self._context)
        call.stage_compute_record(commands, program.handle, descriptors, *groups)
        self._check()
        found = self._bound[key] = Bound(commands, descriptors)
        return found

    def _drop_half(self) -> None:
        self.synchronize()
        for _ in range(len(self._bound) // 2):
            self._unbind(self._bound.popitem(last=False)[1])

    def _unbind(self, bound: Bound) -> None:
        call = self._native.call
        call.command_list_destroy(bound.commands)
        call.descriptor_set_destroy(bound.descriptors)
        self._check()

    # -- waiting and failing -----------------------------------------------------------------------

    def synchronize(self) -> None:
        """Return when everything that was queued is complete."""
        signal = self.mark()
        while not self.is_reached(signal):
            pass
        self.unmark(signal)

    def mark(self) -> int:
        """A place in the queue, behind everything that was queued so far."""
        with self._lock:
            signal = self._begin().signal_insert(self._context, 0)
            self._check()
            return int(signal)

    def is_reached(self, signal: int) -> bool:
        """Whether everything before a place in the queue is complete."""
        with self._lock:
            self._begin()
            if self._native.wait(signal, True):
                return True
            self._check()
            return False

    def unmark(self, signal: int) -> None:
        """Free a place that was reached."""
        with self._lock:
            self._begin().signal_destroy(signal)
            self._check()

    def _begin(self) -> Any:
        """The native functions, after the errors of other users of the package are cleared."""
        if self.lost:
            raise DeviceError(_lost(self.name, self.lost))
        with package.lock:
            self._native.forget()
        return self._native.call

    def _await(self, memory: VulkanMemory, executed: bool) -> None:
        """Return when the last transfer of some memory was recorded, or also executed."""
        while not self._native.wait(memory.signal, executed):
            self._check()

    def _check(self) -> None:
        """Mark the queue as lost and raise, if it failed."""
        try:
            with package.lock:
                self._native.check()
        except NativeError as error:
            self.lost = str(error)
            release(self.device, self._reserved)
            if "OUT_OF" in self.lost and "MEMORY" in self.lost:
                raise MemoryError(_lost(self.name, self.lost)) from None
            raise DeviceError(_lost(self.name, self.lost)) from None


def _lost(name: str, why: str) -> str:
    return (
        f"{name}: its queue was lost, and the elements of all its buffers with it, when Vulkan "
        f"said {why!r}; buffers made from now on are not affected"
    )


class PendingRead:
    """A read that was begun: bytes on their way to the host."""

    __slots__ = ("_memory", "_nbytes", "_found")

    def __init__(self, memory: VulkanMemory, nbytes: int) -> None:
        self._memory = memory
        self._nbytes = nbytes
        self._found: bytes | None = None if nbytes else b""

    @property
    def has_come(self) -> bool:
        """Whether the bytes are there."""
        return self._found is not None or self._memory.queue.is_reached(self._memory.signal)

    def take(self) -> bytes:
        """The bytes, when they are there."""
        with self._memory.queue._lock:
            if self._found is None:
                self._found = self._memory.queue.collect(self._memory, self._nbytes)
                if self._memory.pending is self:
                    self._memory.pending = None
            return self._found
