"""Memory limits: how many bytes a device has, and how many are left.

Running out of memory loses a queue and all its buffers, so that a request that cannot be met is
refused before it is tried. A device with memory of its own has the size of its local heaps, which
Vulkan itself is asked for, since vkdispatch does not tell. What other processes use of it is not
known: a tenth is left to them. A device that is the host's processor has the host's memory, and
needs every byte twice.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import POINTER, Structure, byref, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from onebuf.backends.vulkan.package import VulkanDevice

_MEMINFO = Path("/proc/meminfo")
_reserved: dict[int, int] = {}
"""Bytes that this process has reserved, by device number."""


def reserve(device: VulkanDevice, nbytes: int) -> None:
    """Count bytes that are about to be allocated; a MemoryError if fewer are left."""
    left = available(device)
    needed = 2 * nbytes if device.is_cpu else nbytes
    if left is not None and needed > left:
        raise MemoryError(f"{needed} bytes would be taken, and {left} are left")
    number = device.info.dev_index
    _reserved[number] = _reserved.get(number, 0) + nbytes


def release(device: VulkanDevice, nbytes: int) -> None:
    """Count bytes that were freed."""
    _reserved[device.info.dev_index] -= nbytes


def available(device: VulkanDevice) -> int | None:
    """The bytes that are left; None: unknown."""
    if device.is_cpu:
        return _field("MemAvailable")
    nbytes = total(device)
    return None if nbytes is None else nbytes * 9 // 10 - _reserved.get(device.info.dev_index, 0)


def total(device: VulkanDevice) -> int | None:
    """The bytes that a device has; None: unknown."""
    if device.is_cpu:
        return _field("MemTotal")
    sizes = heap_sizes()
    number = device.info.dev_index
    return sizes[number] if number < len(sizes) else None


def _field(name: str) -> int | None:
    """An entry of /proc/meminfo, in bytes."""
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith(f"{name}:")]
    return int(found[0]) * 1024 if found else None


# -- heaps, through the C interface of Vulkan -----------------------------------------------------

LOCAL = 1
"""The flag of a heap that is the device's own memory."""
_CREATE_INSTANCE = 1
_NAMES = ("libvulkan.so.1", "libvulkan.1.dylib", "vulkan-1.dll")


class _Instance(Structure):
    _fields_ = [
        ("type", c_uint32),
        ("next", c_void_p),
        ("flags", c_uint32),
        ("application", c_void_p),
        ("layer_count", c_uint32),
        ("layers", c_void_p),
        ("extension_count", c_uint32),
        ("extensions", c_void_p),
    ]


class _Type(Structure):
    _fields_ = [("flags", c_uint32), ("heap", c_uint32)]


class _Heap(Structure):
    _fields_ = [("size", c_uint64), ("flags", c_uint32)]


class _Memory(Structure):
    _fields_ = [
        ("type_count", c_uint32),
        ("types", _Type * 32),
        ("heap_count", c_uint32),
        ("heaps", _Heap * 16),
    ]


@cache
def heap_sizes() -> tuple[int, ...]:
    """The bytes of each device's own memory, in Vulkan's order; empty if it cannot be asked."""
    vulkan = _library()
    if vulkan is None:
        return ()
    instance = c_void_p()
    if vulkan.vkCreateInstance(byref(_Instance(_CREATE_INSTANCE)), None, byref(instance)):
        return ()
    try:
        return tuple([_size(vulkan, c_void_p(one)) for one in _devices(vulkan, instance)])
    finally:
        vulkan.vkDestroyInstance(instance, None)


def _library() -> Any:
    for name in filter(None, (*_NAMES, ctypes.util.find_library("vulkan"))):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _devices(vulkan: Any, instance: c_void_p) -> list[int]:
    count = c_uint32()
    if vulkan.vkEnumeratePhysicalDevices(instance, byref(count), None) or not count.value:
        return []
    found = (c_void_p * count.value)()
    if vulkan.vkEnumeratePhysicalDevices(instance, byref(count), found):
        return []
    return [one for one in found if one]


def _size(vulkan: Any, device: c_void_p) -> int:
    memory = _Memory()
    vulkan.vkGetPhysicalDeviceMemoryProperties.argtypes = [c_void_p, POINTER(_Memory)]
    vulkan.vkGetPhysicalDeviceMemoryProperties(device, byref(memory))
    heaps = memory.heaps[: memory.heap_count]
    return sum(heap.size for heap in heaps if heap.flags & LOCAL)
