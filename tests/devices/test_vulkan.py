"""Vulkan: one device, and replicas on it."""

from onebuf.testing import DeviceContract, ReplicasContract


class TestVulkan(DeviceContract):
    device = "VULKAN"
    examples = 5


class TestReplicasOnVulkan(ReplicasContract):
    devices = ("VULKAN",)
    examples = 4
