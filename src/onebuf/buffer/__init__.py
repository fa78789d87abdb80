"""Buffer: the one public type."""

from onebuf.buffer.buffer import Buffer

__all__ = ["Buffer"]
