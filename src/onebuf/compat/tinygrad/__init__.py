"""tinygrad's tensors, jit, layers and optimisers, and its raw buffers, as tinygrad spells them.

A program that trains a model, or takes memory of a device by hand, runs with other imports::

    from onebuf.compat.tinygrad import Tensor, TinyJit, nn
    from onebuf.compat.tinygrad import Device, dtypes, helpers
    from onebuf.compat.tinygrad.device import Buffer, BufferSpec

What crashes or reads freed memory there is an error here, or works. ``Tensor``, ``Function``,
``TinyJit`` and ``nn`` have a tensor, a function, a captured function and layers of onebuf inside,
and are spellings only: what is not carried is a `MissingName` or a `NotCarried`.

>>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> _ = (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0, 6.0]

>>> buffer = Buffer("CLANG", 2, dtypes.int16).allocate()
>>> buffer.copyin(memoryview(bytearray(b"\\1\\0\\2\\0"))).numpy().tolist()
[1, 2]
"""

from onebuf.compat.tinygrad import helpers, nn
from onebuf.compat.tinygrad.buffer import Buffer, BufferSpec
from onebuf.compat.tinygrad.device import Device
from onebuf.compat.tinygrad.dtype import DType, dtypes
from onebuf.compat.tinygrad.engine.jit import TinyJit
from onebuf.compat.tinygrad.helpers import (
    Context,
    GlobalCounters,
    flat_mv,
    from_mv,
    mv_address,
    to_mv,
)
from onebuf.compat.tinygrad.tensor import Function, Tensor

# fmt: off
__all__ = [
    "Buffer", "BufferSpec", "Context", "DType", "Device", "Function", "GlobalCounters", "Tensor",
    "TinyJit", "dtypes", "flat_mv", "from_mv", "helpers", "mv_address", "nn", "to_mv",
]
