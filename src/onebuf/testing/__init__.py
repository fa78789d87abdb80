"""Contract suites: what a device has to do, as tests that the authors of any device can run.

They need ``onebuf[test]``: pytest and hypothesis. The tests of a device are a class that names it::

    import onebuf.testing

    class TestNpu(onebuf.testing.DeviceContract):
        device = "NPU"

    class TestReplicasOnNpus(onebuf.testing.ReplicasContract):
        devices = ("NPU", "NPU:1")
        queues = 2

Every dtype that the device does not list in ``driver.facts().lacks`` has to work; what it lacks has
to be refused with a `DTypeError` or a `DeviceError`. NumPy is the oracle: what is exact there is
exact on every device, and functions may differ in their last bits.

The names of `numpy.testing` are here as well, for programs that compare with them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onebuf.testing.allocation import AllocationContract
    from onebuf.testing.concurrency import ConcurrencyContract
    from onebuf.testing.contract import Contract
    from onebuf.testing.device import DeviceContract
    from onebuf.testing.elementwise import ElementwiseContract
    from onebuf.testing.gather import GatherContract
    from onebuf.testing.movement import MovementContract
    from onebuf.testing.reductions import ReductionsContract
    from onebuf.testing.replicas import ReplicasContract
    from onebuf.testing.transfer import TransferContract
    from onebuf.testing.views import ViewsContract
    from onebuf.testing.writes import WritesContract

# fmt: off
__all__ = [
    "AllocationContract", "ConcurrencyContract", "Contract", "DeviceContract",
    "ElementwiseContract", "GatherContract", "MovementContract", "ReductionsContract",
    "ReplicasContract", "TransferContract", "ViewsContract", "WritesContract",
]
# fmt: on


def __getattr__(name: str) -> Any:
    if name in __all__:
        suites = [f"onebuf.testing.{suite.removesuffix('Contract').lower()}" for suite in __all__]
        # With it, an assertion that fails shows its values; it has to come before the imports.
        import_module("pytest").register_assert_rewrite(*suites)
        suite = name.removesuffix("Contract").lower() or "contract"
        return getattr(import_module(f"onebuf.testing.{suite}"), name)
    if name.startswith("_"):
        raise AttributeError(f"module 'onebuf.testing' has no attribute {name!r}")
    return getattr(np.testing, name)
