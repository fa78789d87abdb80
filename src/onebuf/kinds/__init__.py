"""Kinds: buffers by where their elements are and when they exist. Each is a `Buffer`.

`onebuf.buffer.handle.register` enters a kind in the table that is asked when a node is wrapped: by
placement (the class of the device), and by operation where a kind is not a matter of placement.
"""

from typing import TYPE_CHECKING

from onebuf.buffer.handle import register, register_name
from onebuf.graph import ON_DEMAND
from onebuf.late import Late
from onebuf.machine import Cluster, Context, Device

if TYPE_CHECKING:
    from onebuf.kinds import distributed, everywhere, on_demand, remote, replicated
else:
    distributed = Late("onebuf.kinds.distributed")
    everywhere = Late("onebuf.kinds.everywhere")
    on_demand = Late("onebuf.kinds.on_demand")
    remote = Late("onebuf.kinds.remote")
    replicated = Late("onebuf.kinds.replicated")


def register_kinds() -> None:
    """Enter all kinds in the table."""
    register(lambda: replicated.ReplicatedBuffer, Context)
    register(lambda: distributed.DistributedBuffer, Cluster)
    register_name("remote", lambda: remote.RemoteBuffer)
    register_name("everywhere", lambda: everywhere.EverywhereBuffer)
    register(lambda: on_demand.OnDemandBuffer, Device, ON_DEMAND)
