"""Kinds: buffers by where their elements are and when they exist. Each is a `Buffer`.

`onebuf.buffer.handle.register` enters a kind in the table that is asked when a node is wrapped: by
placement (the class of the device), and by operation where a kind is not a matter of placement.
"""

from typing import TYPE_CHECKING

from onebuf.buffer.handle import register
from onebuf.graph import ON_DEMAND
from onebuf.late import Late
from onebuf.machine import Cluster, Context, Device

if TYPE_CHECKING:
    from onebuf.kinds import distributed, on_demand, replicated
else:
    distributed = Late("onebuf.kinds.distributed")
    on_demand = Late("onebuf.kinds.on_demand")
    replicated = Late("onebuf.kinds.replicated")


def register_kinds() -> None:
    """Enter all kinds in the table."""
    register(lambda: replicated.ReplicatedBuffer, Context)
    register(lambda: distributed.DistributedBuffer, Cluster)
    register(lambda: on_demand.OnDemandBuffer, Device, ON_DEMAND)
