"""All that a device has to do, in one contract."""

from onebuf.testing.allocation import AllocationContract
from onebuf.testing.concurrency import ConcurrencyContract
from onebuf.testing.elementwise import ElementwiseContract
from onebuf.testing.gather import GatherContract
from onebuf.testing.movement import MovementContract
from onebuf.testing.reductions import ReductionsContract
from onebuf.testing.transfer import TransferContract
from onebuf.testing.views import ViewsContract
from onebuf.testing.writes import WritesContract


class DeviceContract(
    AllocationContract,
    TransferContract,
    ViewsContract,
    ElementwiseContract,
    ReductionsContract,
    MovementContract,
    GatherContract,
    WritesContract,
    ConcurrencyContract,
):
    """All that a device has to do."""
