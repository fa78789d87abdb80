"""OpenCL devices: the context, the programs and the memory limit that a device's queues share."""

from __future__ import annotations

import os
import threading
from typing import Any

from onebuf.backends.opencl.package import cl
from onebuf.backends.opencl.program import Programs
from onebuf.errors import DeviceError
from onebuf.kernel.linear import Limits, Traits
from onebuf.machine import Facts

MOST_QUEUES = 256
_lock = threading.RLock()
_devices: list[Any] = []
_opened: dict[int, ClDevice] = {}
_pid = 0


def all_devices() -> list[Any]:
    """All devices, GPUs first. The first call loads the drivers."""
    global _pid
    with _lock:
        if _devices and _pid != os.getpid():
            raise DeviceError(
                "OpenCL was used before this process was forked, and cannot be used in the child; "
                "use it in the child alone, or start processes with the 'spawn' method of "
                "multiprocessing"
            )
        if not _devices:
            _pid = os.getpid()
            _devices.extend(_look())
        return list(_devices)


def _look() -> list[Any]:
    try:
        platforms = cl.get_platforms()
    except cl.Error as error:
        raise _nothing(f"none is installed ({error})") from None
    devices, failures = [], []
    for platform in platforms:
        try:
            found = platform.get_devices()
        except cl.Error:
            continue  # a driver without a device
        failure = _failure(platform, found)
        if failure is None:
            devices += found
        else:
            failures.append(failure)
    if not devices:
        names = ", ".join(platform.name.strip() for platform in platforms) or "none"
        why = "; ".join(dict.fromkeys(failures))
        raise _nothing(f"those that are installed find none: {why or names}")
    return sorted(devices, key=lambda device: not device.type & cl.device_type.GPU)


def _failure(platform: Any, devices: list[Any]) -> str | None:
    """Why the devices of a platform cannot be used; None if they can.

    PoCL brings a compiler of its own, which refuses every kernel on processors that are newer than
    it is. Other drivers are made for their hardware.
    """
    if platform.name.strip() != _POCL or not devices:
        return None
    try:
        cl.Program(cl.Context(devices[:1]), "__kernel void none() {}").build(cache_dir=False)
    except cl.Error:
        version = platform.version.partition("PoCL")[2].split()[:1]
        return (
            f"PoCL {' '.join(version)} does not know this processor and cannot compile for it (on "
            f"Debian or Ubuntu there may be a newer one: apt-get install pocl-opencl-icd)"
        )
    return None


_POCL = "Portable Computing Language"


def _nothing(why: str) -> DeviceError:
    return DeviceError(
        f"OPENCL needs a driver with a device, and {why}; install that of the hardware, or PoCL, "
        f"which runs kernels on any processor: pip install 'onebuf[opencl]'"
    )


def cl_device(index: int) -> ClDevice:
    """The device of that number, opened once."""
    devices = all_devices()
    with _lock:
        if index not in _opened:
            _opened[index] = ClDevice(devices[index])
        return _opened[index]


class ClDevice:
    """One device: its context, its programs, and how many bytes of its memory are reserved."""

    def __init__(self, device: Any) -> None:
        self.native = device
        try:
            self.context = cl.Context([device])
        except cl.Error as error:
            raise DeviceError(f"{device.name.strip()} cannot be opened: {error}") from None
        self.programs = Programs(self.context, device)
        self.has_float64 = bool(getattr(device, "double_fp_config", 0))
        self.is_cpu = bool(device.type & cl.device_type.CPU)
        self.is_unified = bool(device.host_unified_memory)
        self.memory = int(device.global_mem_size)
        self.max_block_nbytes = int(device.max_mem_alloc_size)
        self.alignment = max(1, int(device.mem_base_addr_align) // 8)
        sizes = device.max_work_item_sizes
        limits = Limits(
            items=min(int(device.max_work_group_size), int(min(sizes))),
            shared_bytes=int(device.local_mem_size),
        )
        self.traits = Traits(limits, self.is_cpu, int(device.max_compute_units))
        self._lock = threading.Lock()
        self._reserved = 0
        self.allocators: list[Any] = []
        """The allocators of all its queues."""

    def reserve(self, nbytes: int) -> None:
        """Count memory as reserved; MemoryError if the device has less. Drivers allocate at the
        first use of memory, which is too late for an error."""
        with self._lock:
            if nbytes > self.max_block_nbytes:
                raise MemoryError(f"{self.max_block_nbytes} bytes are the most at once")
            if self._reserved + nbytes > self.memory:
                raise MemoryError(
                    f"{self.memory} bytes in all, of which {self._reserved} are taken"
                )
            self._reserved += nbytes

    def release(self, nbytes: int) -> None:
        """Count memory as free."""
        with self._lock:
            self._reserved -= nbytes

    def facts(self) -> Facts:
        """Its name, memory, limits and missing dtypes."""
        device = self.native
        limits = {
            "work-items in a group": self.traits.limits.items,
            "shared bytes": self.traits.limits.shared_bytes,
            "bytes at once": self.max_block_nbytes,
            "compute units": self.traits.units,
            "alignment of parts": self.alignment,
        }
        lacks: tuple[str, ...] = ("float8_e4m3fn", "float8_e5m2")
        if not self.has_float64:
            lacks = ("float64", "complex128", *lacks)
        name = f"{device.name.strip()} ({device.platform.name.strip()}, {device.version.strip()})"
        return Facts(name, self.memory, MOST_QUEUES, limits, lacks)
