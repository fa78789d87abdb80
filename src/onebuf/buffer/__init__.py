"""Buffer: the one public type."""

from onebuf.buffer.buffer import Buffer
from onebuf.buffer.handle import Handle
from onebuf.buffer.native_core import install
from onebuf.buffer.one_class import join

__all__ = ["Buffer"]

install()
join(Buffer, Handle)
