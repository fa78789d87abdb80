"""Replicas on queues of the host and of the device that interprets kernels."""

from onebuf.testing import ReplicasContract


class TestOneQueue(ReplicasContract):
    devices = ("CPU",)


class TestTwoQueues(ReplicasContract):
    devices = ("CPU",)
    queues = 2


class TestThreeQueuesOfKernelsInPython(ReplicasContract):
    devices = ("PYTHON",)
    queues = 3
    examples = 4


class TestTwoDevices(ReplicasContract):
    devices = ("PYTHON", "CPU")
    examples = 4
