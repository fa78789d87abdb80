"""OpenCL, on PoCL or whatever comes first, and a queue of it that is not the first."""

from onebuf.testing import DeviceContract


class TestOpenCl(DeviceContract):
    device = "OPENCL"
    examples = 3


class TestQueueOfOpenCl(DeviceContract):
    device = "OPENCL:1@2"
    examples = 1
