"""OpenCL, one device and its first queue."""

from onebuf.testing import DeviceContract


class TestOpenCl(DeviceContract):
    device = "OPENCL"
    examples = 5
