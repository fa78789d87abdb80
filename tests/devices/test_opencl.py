"""OpenCL: one queue of one device, and replicas on two devices with three queues each."""

from onebuf.testing import DeviceContract, ReplicasContract


class TestOpenCl(DeviceContract):
    device = "OPENCL"
    examples = 5


class TestReplicasOnOneDevice(ReplicasContract):
    devices = ("OPENCL",)
    queues = 2
    examples = 4


class TestReplicasOnTwoDevices(ReplicasContract):
    devices = ("OPENCL", "OPENCL:1")
    queues = 3
    examples = 4
