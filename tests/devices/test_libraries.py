"""Libraries as devices: their arrays hold the elements, and their operations compute."""

import pytest

from onebuf.testing import DeviceContract, ReplicasContract

pytestmark = pytest.mark.interop


class TestTorch(DeviceContract):
    device = "TORCH"
    near = ("sqrt",)


class TestJax(DeviceContract):
    device = "JAX"
    examples = 4
    flushes = True


class TestReplicasOfTensors(ReplicasContract):
    devices = ("TORCH",)
    queues = 2


class TestReplicasOfJaxArrays(ReplicasContract):
    devices = ("JAX",)
    queues = 3
    examples = 2
