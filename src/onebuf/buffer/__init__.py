"""Buffer: the one public type."""

from onebuf.buffer.buffer import Buffer
from onebuf.buffer.handle import Handle
from onebuf.buffer.native_core import install
from onebuf.buffer.one_class import join
from onebuf.late import load
from onebuf.ops import install_late

__all__ = ["Buffer"]

install()
join(Buffer, Handle)
install_late(lambda: load("onebuf.engine"))
