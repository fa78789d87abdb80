"""Buffer: the one public type."""

from onebuf.buffer.buffer import Buffer
from onebuf.buffer.native_core import install

__all__ = ["Buffer"]

install()
