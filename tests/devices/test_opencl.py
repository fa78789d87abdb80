"""OpenCL: one device in full, a queue of another as far as it matters, and replicas on three.

What the number of a device and of a queue change is where memory is and what waits for what: its
kernels are those of the first device.
"""

import pytest

from onebuf.testing import (
    AllocationContract,
    ConcurrencyContract,
    ElementwiseContract,
    GatherContract,
    MovementContract,
    ReductionsContract,
    ReplicasContract,
    TransferContract,
    ViewsContract,
    WritesContract,
)


class TestOpenCl(
    TransferContract,
    ElementwiseContract,
    ReductionsContract,
    AllocationContract,
    ConcurrencyContract,
):
    device = "OPENCL"
    examples = 3


class TestPlacesOfOpenCl(ViewsContract, MovementContract, GatherContract, WritesContract):
    """Where elements go: hundreds of kernels that compute nothing an optimiser could change.

    PoCL takes half the time to compile them without it.
    """

    device = "OPENCL"
    examples = 3

    @pytest.fixture(autouse=True)
    def _unoptimised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")


class TestQueueOfOpenCl(TransferContract, AllocationContract, ConcurrencyContract):
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
