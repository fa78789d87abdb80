"""The device that interprets kernels in Python."""

from onebuf.testing import DeviceContract


class TestPython(DeviceContract):
    device = "PYTHON"
    examples = 4
    large = 3_000
