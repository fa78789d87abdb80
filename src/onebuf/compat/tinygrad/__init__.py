"""tinygrad's devices and raw buffers, and its helpers, as tinygrad spells them.

A program that takes memory of a device by hand runs with another line of imports::

    from onebuf.compat import tinygrad
    from onebuf.compat.tinygrad import Device, dtypes, helpers
    from onebuf.compat.tinygrad.device import Buffer, BufferSpec

What crashes or reads freed memory there is an error here, or works.

>>> buffer = Buffer("CLANG", 2, dtypes.int16).allocate()
>>> buffer.copyin(memoryview(bytearray(b"\\1\\0\\2\\0"))).numpy().tolist()
[1, 2]
"""

from onebuf.compat.tinygrad import helpers
from onebuf.compat.tinygrad.buffer import Buffer, BufferSpec
from onebuf.compat.tinygrad.device import Device
from onebuf.compat.tinygrad.dtype import DType, dtypes
from onebuf.compat.tinygrad.helpers import GlobalCounters, flat_mv, from_mv, mv_address, to_mv

# fmt: off
__all__ = [
    "Buffer", "BufferSpec", "DType", "Device", "GlobalCounters", "dtypes", "flat_mv", "from_mv",
    "helpers", "mv_address", "to_mv",
]
