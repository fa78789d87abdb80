"""Heaps: how much memory devices have, asked of Vulkan itself, since vkdispatch does not tell."""

from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import POINTER, Structure, byref, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any

LOCAL = 1
"""The bit of a heap that is the device's own memory."""
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
def sizes() -> tuple[int, ...]:
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
    found = ctypes.util.find_library("vulkan")
    for name in (*_NAMES, found):
        try:
            vulkan: Any = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if vulkan is not None:
            return vulkan
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
