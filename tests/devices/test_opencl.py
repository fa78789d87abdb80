"""OpenCL, on PoCL or whatever comes first, and a queue that is not the first of another device.

Drivers take a fifth of a second for each new kernel, so that operations on all dtypes are in
``tests/backends/opencl``, where many share one; the rest of the contract is here.
"""

from onebuf.testing import AllocationContract, ConcurrencyContract, TransferContract


class TestOpenCl(AllocationContract, TransferContract):
    device = "OPENCL"
    examples = 3


class TestQueueOfOpenCl(ConcurrencyContract):
    device = "OPENCL:1@2"
    examples = 1
