"""Kinds: buffers by where their elements are. Each is a `Buffer`."""

from onebuf.kinds.replicated import ReplicatedBuffer

__all__ = ["ReplicatedBuffer"]
