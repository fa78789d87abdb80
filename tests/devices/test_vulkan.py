"""VULKAN keeps the contract of devices, on one queue and on another."""

from onebuf.testing import ConcurrencyContract, DeviceContract, TransferContract


class TestVulkan(DeviceContract):
    device = "VULKAN"
    examples = 1


class TestQueueOfVulkan(TransferContract, ConcurrencyContract):
    device = "VULKAN@3"
    examples = 1
