"""The vkdispatch package, imported and initialised without harm to the program around it.

Three things about it need care. On import it installs handlers for SIGINT and SIGTERM, which only
the main thread may do: here it gets neither. An error in its native part is kept for ever, and
each later call fails with it: here it is cleared once it was raised. And a wrong device number or a
transfer that is too long aborts the process: callers check first.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import signal
import threading
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from onebuf.errors import DeviceError, MissingPackage

COMPUTE = 2
GRAPHICS = 1
"""Capability bits of a queue family."""

_ORDER = {2: 0, 1: 1, 3: 2, 4: 3}
"""Discrete, integrated and virtual GPUs come before CPUs, and these before anything else."""


class NoGcLock:
    """A lock under which no garbage is collected.

    A collected block frees its memory, for which it locks its allocator; and a thread that has
    locked an allocator may be waiting for this lock: a deadlock.
    """

    _holders = 0
    _collects = False
    _counting = threading.Lock()

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()
        with NoGcLock._counting:
            if NoGcLock._holders == 0:
                NoGcLock._collects = gc.isenabled()
                gc.disable()
            NoGcLock._holders += 1

    def __exit__(self, *error: object) -> None:
        with NoGcLock._counting:
            NoGcLock._holders -= 1
            if NoGcLock._holders == 0 and NoGcLock._collects:
                gc.enable()
        self._lock.release()


lock = NoGcLock()
"""Held for a native call and the look at its error, for which the native part has one place."""


def _unlock_after_fork() -> None:
    global lock
    lock = NoGcLock()
    if NoGcLock._holders and NoGcLock._collects:
        gc.enable()  # the threads that disabled it do not exist in the child
    NoGcLock._holders, NoGcLock._counting = 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_after_fork)


class NativeError(Exception):
    """An error of the native part."""


@dataclass(frozen=True, slots=True)
class VulkanDevice:
    """A physical device of Vulkan, and the family of each of its queues that can compute."""

    info: Any
    families: tuple[int, ...]

    @property
    def is_cpu(self) -> bool:
        """Whether it is the host's processor, with the host's memory."""
        return bool(self.info.device_type == 4)


class Native:
    """The native functions, and the place of their last error."""

    def __init__(self, module: ModuleType) -> None:
        self.call: Any = module
        self._place = _error_place(module)
        self._wait = _waiting(module)

    def forget(self) -> None:
        """Clear the last error."""
        if self._place is not None:
            self._place.value = None

    def wait(self, signal: int, executed: bool) -> bool:
        """Whether the work of a signal was recorded, or also executed, within a second.

        Other Python threads run meanwhile, if the build exports the C++ function to call.
        """
        wait = self.call.signal_wait if self._wait is None else self._wait
        return bool(wait(signal, executed, 0))

    def check(self) -> None:
        """Raise the last error, and clear it."""
        text = self.call.get_error_string()
        if text != 0:
            self.forget()
            raise NativeError(str(text).strip())


def _error_place(module: ModuleType) -> Any:
    """The pointer to the text of the last error; None in builds that do not export it."""
    try:
        return ctypes.c_void_p.in_dll(ctypes.CDLL(module.__file__), "__error_string")
    except (OSError, ValueError):
        return None


def _waiting(module: ModuleType) -> Any:
    """The function that waits for a signal, by its C++ name; None in builds that hide it."""
    found = getattr(ctypes.CDLL(module.__file__), "_Z18signal_wait_externPvbi", None)
    if found is not None:
        found.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_int]
        found.restype = ctypes.c_bool
    return found


@cache
def _start() -> tuple[Native, tuple[VulkanDevice, ...]] | DeviceError:
    """The native part and the devices, or the error, which is cached too."""
    package = _imported()
    name = "vkdispatch_vulkan_native"
    try:
        native = Native(importlib.import_module(name))
    except ImportError as error:
        raise MissingPackage.extra(name, "vulkan", "the VULKAN device") from error
    try:
        package.initialize(log_level=package.LogLevel.ERROR, backend="vulkan")
    except RuntimeError as error:
        native.forget()
        return DeviceError(
            f"VULKAN needs a driver that Vulkan finds, and vkdispatch says: {str(error).strip()}; "
            f"install one (mesa-vulkan-drivers has one for CPUs), and look at VK_DRIVER_FILES and "
            f"VK_ICD_FILENAMES if they are set"
        )
    found = [VulkanDevice(info, _families(info)) for info in package.get_devices()]
    usable = [device for device in found if device.families]
    usable.sort(key=lambda device: _ORDER.get(device.info.device_type, 4))
    return native, tuple(usable)


def _imported() -> Any:
    """The package, which cannot install signal handlers while it is imported."""
    untouched = signal.signal
    signal.signal = lambda *_: None
    try:
        return importlib.import_module("vkdispatch")
    except ImportError as error:
        raise MissingPackage.extra("vkdispatch", "vulkan", "the VULKAN device") from error
    finally:
        signal.signal = untouched


def _families(info: Any) -> tuple[int, ...]:
    """The family of each queue that can compute; families without graphics come first."""
    able = [
        (bool(bits & GRAPHICS), family, count)
        for family, (count, bits) in enumerate(info.queue_properties)
        if bits & COMPUTE
    ]
    return tuple([family for _, family, count in sorted(able) for _ in range(count)])


def start() -> tuple[Native, tuple[VulkanDevice, ...]]:
    """The native functions and every device that can compute; an error says what is missing."""
    with lock:
        found = _start()
    if isinstance(found, DeviceError):
        raise DeviceError(str(found))
    return found
