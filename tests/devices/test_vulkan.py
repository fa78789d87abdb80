"""Vulkan: one queue of a device in full, another as far as it matters, and replicas on three."""

from onebuf.testing import (
    ConcurrencyContract,
    DeviceContract,
    ReplicasContract,
    TransferContract,
)


class TestVulkan(DeviceContract):
    device = "VULKAN"
    examples = 1


class TestQueueOfVulkan(TransferContract, ConcurrencyContract):
    device = "VULKAN@3"
    examples = 1


class TestReplicas(ReplicasContract):
    devices = ("VULKAN",)
    queues = 3
    examples = 2
