"""OpenCL: a queue of each of two devices, and replicas on three queues of one and of both."""

from onebuf.testing import DeviceContract, ReplicasContract


class TestOpenCl(DeviceContract):
    device = "OPENCL"
    examples = 3


class TestQueueOfOpenCl(DeviceContract):
    device = "OPENCL:1@2"
    examples = 1


class TestReplicasOnOneDevice(ReplicasContract):
    devices = ("OPENCL",)
    queues = 3
    examples = 2


class TestReplicasOnTwoDevices(ReplicasContract):
    devices = ("OPENCL", "OPENCL:1")
    queues = 3
    examples = 2
