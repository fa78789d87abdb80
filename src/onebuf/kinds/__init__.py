"""Kinds: buffers by where their elements are and when they exist. Each is a `Buffer`.

`onebuf.buffer.handle.register` enters a kind in the table that is asked when a node is wrapped: by
placement (the class of the device), and by operation where a kind is not a matter of placement.
"""

from onebuf.buffer.handle import register
from onebuf.kinds.replicated import ReplicatedBuffer
from onebuf.machine import Context

__all__ = ["ReplicatedBuffer"]

register(ReplicatedBuffer, Context)
