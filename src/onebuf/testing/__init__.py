"""Contract suites: what a device has to do, as tests that the authors of any device can run.

Needs ``onebuf[test]``: pytest and hypothesis. The tests of a device are a class that names it::

    import onebuf.testing

    class TestNpu(onebuf.testing.DeviceContract):
        device = "NPU"

Every dtype that the device does not list in ``driver.facts().lacks`` has to work; what it lacks has
to be refused with a `DTypeError` or a `DeviceError`. NumPy is the oracle: what is exact there is
exact on every device, and functions may differ in their last bits.
"""

import pytest

_SUITES = (
    *("allocation", "concurrency", "elementwise", "gather", "movement", "reductions"),
    *("transfer", "views", "writing"),
)
# With it, an assertion that fails shows its values; it has to come before the suites are imported.
pytest.register_assert_rewrite(*[f"onebuf.testing.{name}" for name in _SUITES])

from onebuf.testing.allocation import AllocationContract  # noqa: E402
from onebuf.testing.concurrency import ConcurrencyContract  # noqa: E402
from onebuf.testing.contract import Contract  # noqa: E402
from onebuf.testing.elementwise import ElementwiseContract  # noqa: E402
from onebuf.testing.gather import GatherContract  # noqa: E402
from onebuf.testing.movement import MovementContract  # noqa: E402
from onebuf.testing.reductions import ReductionsContract  # noqa: E402
from onebuf.testing.transfer import TransferContract  # noqa: E402
from onebuf.testing.views import ViewsContract  # noqa: E402
from onebuf.testing.writing import WritingContract  # noqa: E402


class DeviceContract(
    AllocationContract,
    TransferContract,
    ViewsContract,
    ElementwiseContract,
    ReductionsContract,
    MovementContract,
    GatherContract,
    WritingContract,
    ConcurrencyContract,
):
    """All that a device has to do."""


__all__ = [
    "AllocationContract",
    "ConcurrencyContract",
    "Contract",
    "DeviceContract",
    "ElementwiseContract",
    "GatherContract",
    "MovementContract",
    "ReductionsContract",
    "TransferContract",
    "ViewsContract",
    "WritingContract",
]
