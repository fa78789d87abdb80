"""The host, and its queues as devices of their own."""

from onebuf.testing import DeviceContract


class TestHost(DeviceContract):
    device = "CPU"


class TestQueueOfTheHost(DeviceContract):
    device = "CPU@1"
