"""TinyGPT's strided buffer: a drop-in for ``tinygpt.buffer`` and ``tinygpt.utils.DType``.

The elements are one flat Python list of Python scalars, so ``float32`` is a double here and
``int32`` has no bounds; every view of a buffer holds the very same list. Nothing broadcasts and
nothing promotes: shapes and types have to match, as a small autograd layer above expects.

>>> from onebuf.compat.tinygpt import Buffer, DType
>>> buffer = Buffer.zeros((3, 3), dtype=DType.float32) + 5.0
>>> buffer[1, 1] = 10.0
>>> buffer.reshape((9,)).to_python()
[5.0, 5.0, 5.0, 5.0, 10.0, 5.0, 5.0, 5.0, 5.0]
>>> buffer.sum(axes=(0,)).to_python()
[[15.0, 20.0, 15.0]]
"""

from onebuf.compat.tinygpt.buffer import Buffer
from onebuf.compat.tinygpt.dtype import DType

__all__ = ["Buffer", "DType"]
