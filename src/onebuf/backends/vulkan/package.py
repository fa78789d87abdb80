"""The vkdispatch package, imported and initialised without harm to the program around it.

Three things about it need care. On import it takes over Ctrl-C and the signal to end, which only
the main thread may do: here it gets neither. An error in its native part is kept for ever, and
each later call fails with it: here it is taken away once it was told. And a wrong number of a
device or a transfer that is too long ends the process: whoever calls in has to check first.
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
"""Bits of what the queues of a family can do."""

_ORDER = {2: 0, 1: 1, 3: 2, 4: 3}
"""Discrete, integrated and virtual GPUs come before CPUs, and these before anything else."""


class Quiet:
    """A lock under which no garbage is collected.

    A block that is found to be garbage gives its memory back, for which it locks its allocator; and
    whoever has locked an allocator may be waiting here.
    """

    _holders = 0
    _collects = False
    _counting = threading.Lock()

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()
        with Quiet._counting:
            if Quiet._holders == 0:
                Quiet._collects = gc.isenabled()
                gc.disable()
            Quiet._holders += 1

    def __exit__(self, *error: object) -> None:
        with Quiet._counting:
            Quiet._holders -= 1
            if Quiet._holders == 0 and Quiet._collects:
                gc.enable()
        self._lock.release()


lock = Quiet()
"""The native part has one place for errors: whoever calls it and looks there holds this."""


def _unlock_after_fork() -> None:
    global lock
    lock = Quiet()
    if Quiet._holders and Quiet._collects:
        gc.enable()  # the threads that had stopped it are not here
    Quiet._holders, Quiet._counting = 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_after_fork)


class NativeError(Exception):
    """What the native part said when it failed."""


@dataclass(frozen=True, slots=True)
class Physical:
    """A device that Vulkan knows, and the family of each queue of it that can compute."""

    info: Any
    families: tuple[int, ...]

    @property
    def is_cpu(self) -> bool:
        """Whether its memory is the host's."""
        return bool(self.info.device_type == 4)


class Native:
    """The native functions, and the place where they leave errors."""

    def __init__(self, module: ModuleType) -> None:
        self.call: Any = module
        self._place = _error_place(module)
        self._wait = _waiting(module)

    @property
    def can_forget(self) -> bool:
        """Whether errors can be taken away."""
        return self._place is not None

    def forget(self) -> None:
        """Take away what is left of an error."""
        if self._place is not None:
            self._place.value = None

    def wait(self, signal: int, executed: bool) -> bool:
        """Whether what a signal stands for was recorded, or executed as well, within a second.

        Other threads run meanwhile, if the build lets us call what is behind its own function.
        """
        wait = self.call.signal_wait if self._wait is None else self._wait
        return bool(wait(signal, executed, 0))

    def check(self) -> None:
        """Raise what went wrong since the last time, and forget it."""
        text = self.call.get_error_string()
        if text != 0:
            self.forget()
            raise NativeError(str(text).strip())


def _error_place(module: ModuleType) -> Any:
    """The pointer to the text of the last error; None in builds that keep it to themselves."""
    try:
        return ctypes.c_void_p.in_dll(ctypes.CDLL(module.__file__), "__error_string")
    except (OSError, ValueError):
        return None


def _waiting(module: ModuleType) -> Any:
    """The function that waits for a signal, by its name in C++; None in builds that hide it."""
    found = getattr(ctypes.CDLL(module.__file__), "_Z18signal_wait_externPvbi", None)
    if found is not None:
        found.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_int]
        found.restype = ctypes.c_bool
    return found


@cache
def _start() -> tuple[Native, tuple[Physical, ...]] | DeviceError:
    """The native part and the devices, or why there are none: it is not tried again."""
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
    found = [Physical(info, _families(info)) for info in package.get_devices()]
    usable = [device for device in found if device.families]
    usable.sort(key=lambda device: _ORDER.get(device.info.device_type, 4))
    return native, tuple(usable)


def _imported() -> Any:
    """The package, which is kept from taking over signals while it is imported."""
    untouched = signal.signal
    signal.signal = lambda *_: None
    try:
        return importlib.import_module("vkdispatch")
    except ImportError as error:
        raise MissingPackage.extra("vkdispatch", "vulkan", "the VULKAN device") from error
    finally:
        signal.signal = untouched


def _families(info: Any) -> tuple[int, ...]:
    """The family of each queue that can compute, those first that do nothing else."""
    able = [
        (bool(bits & GRAPHICS), family, count)
        for family, (count, bits) in enumerate(info.queue_properties)
        if bits & COMPUTE
    ]
    return tuple([family for _, family, count in sorted(able) for _ in range(count)])


def start() -> tuple[Native, tuple[Physical, ...]]:
    """The native functions and every device that can compute; an error says what is missing."""
    with lock:
        found = _start()
    if isinstance(found, DeviceError):
        raise DeviceError(str(found))
    return found
