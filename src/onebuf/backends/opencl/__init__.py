"""OpenCL: every device that a driver on this machine offers, GPUs first.

Each queue is a device of its own, ``OPENCL:1@2``; the queues of one device share its context and
its programs. pyopencl caches compiled programs on disk, and some drivers (PoCL) do so again.
"""

from __future__ import annotations

from onebuf.backends.opencl.device import MOST_QUEUES, all_devices, cl_device
from onebuf.backends.opencl.driver import OpenClDriver
from onebuf.errors import DeviceError
from onebuf.machine import Device, check_place


def count() -> int:
    """How many there are."""
    return len(all_devices())


def open(device: Device) -> OpenClDriver:
    """The driver of a queue."""
    parts = device.parts
    if parts.index >= count():
        raise DeviceError(
            f"{device} is not there; OpenCL offers {count()} here, OPENCL:0 to "
            f"OPENCL:{count() - 1}: {', '.join(one.name.strip() for one in all_devices())}"
        )
    check_place(device, None, MOST_QUEUES)
    return OpenClDriver(device, cl_device(parts.index))
