<<<<<<< HEAD
"""Vulkan: one device, and replicas on it."""

from onebuf.testing import DeviceContract, ReplicasContract
=======
"""VULKAN keeps the contract of devices, on one queue and on another."""

from onebuf.testing import ConcurrencyContract, DeviceContract, TransferContract
>>>>>>> vulkan


class TestVulkan(DeviceContract):
    device = "VULKAN"
<<<<<<< HEAD
    examples = 5


class TestReplicasOnVulkan(ReplicasContract):
    devices = ("VULKAN",)
    examples = 4
=======
    examples = 1


class TestQueueOfVulkan(TransferContract, ConcurrencyContract):
    device = "VULKAN@3"
    examples = 1
>>>>>>> vulkan
