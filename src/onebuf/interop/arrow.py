"""Arrow: a ``pyarrow.Array`` on the memory of a buffer, without a copy where Arrow can share it.

Only this module imports pyarrow, and it is imported when ``__arrow_array__`` is first called. In
the other direction, Arrow's arrays come through DLPack.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from onebuf import dtypes
from onebuf.errors import ExportError
from onebuf.interop.dlpack import aligned_copy


def to_arrow(window: np.ndarray[Any, Any], type: Any = None) -> Any:
    """A ``pyarrow.Array`` on the memory of ``window``, cast to ``type`` if given.

    Booleans are bits in Arrow, and elements with gaps between them do not exist there: both are
    copied.

    >>> to_arrow(np.arange(3, dtype="int16")).to_pylist()
    [0, 1, 2]
    """
    if window.ndim != 1:
        raise ExportError(
            f"an Arrow array has one axis, got the shape {window.shape}; "
            f"pass .reshape(-1), or one row at a time"
        )
    dtype = window.dtype
    if dtypes.kind(dtype) == "c" or (dtype in dtypes.EXTENDED and dtype != dtypes.float16):
        raise ExportError(
            f"Arrow has no type for {dtype.name}; convert to float32"
            + (" pairs, with the real and imaginary parts apart" * (dtypes.kind(dtype) == "c"))
            + " first"
        )
    if dtype == dtypes.bool:
        array = pa.array(window)
    else:
        if not window.flags.c_contiguous:
            window = aligned_copy(window, "Arrow: elements need to follow one another")
        array = pa.Array.from_buffers(
            pa.from_numpy_dtype(dtype), len(window), [None, pa.py_buffer(window)]
        )
    return array if type is None or array.type == type else array.cast(type)
