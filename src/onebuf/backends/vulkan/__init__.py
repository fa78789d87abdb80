"""Vulkan: every device that a driver on this machine offers, GPUs first, by way of vkdispatch.

Each queue is a device of its own, ``VULKAN:1@2``, with a logical device of Vulkan behind it. So
there may be more of them than the hardware has, which then share the hardware's. Calls on which
vkdispatch would abort the process are checked before.
"""

from __future__ import annotations

from onebuf.backends.vulkan.driver import VulkanDriver
from onebuf.backends.vulkan.package import start
from onebuf.backends.vulkan.queue import MOST_QUEUES
from onebuf.errors import DeviceError
from onebuf.machine import Device, check_place


def count() -> int:
    """How many there are."""
    return len(start()[1])


def open(device: Device) -> VulkanDriver:
    """The driver of a queue."""
    native, found = start()
    parts = device.parts
    if parts.index >= len(found):
        names = [f"VULKAN:{n} ({one.info.device_name})" for n, one in enumerate(found)]
        raise DeviceError(f"{device} is not there; Vulkan offers {', '.join(names) or 'none'}")
    check_place(device, None, MOST_QUEUES)
    vulkan_device = found[parts.index]
    if not vulkan_device.info.int_64_support:
        raise DeviceError(
            f"{device} needs integers of 64 bits, which {vulkan_device.info.device_name} lacks"
        )
    return VulkanDriver(device, native, vulkan_device)
