"""NumPy's ``lib``: what programs reach through it, for buffers."""

from onebuf.lib import stride_tricks

__all__ = ["stride_tricks"]
