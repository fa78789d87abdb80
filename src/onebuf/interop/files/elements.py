"""Elements as bytes of a file, written in row-major order, piece by piece.

An array of any layout is written without a copy of the whole: what is contiguous goes out as it
is, and the rest passes through a buffer of `PIECE_NBYTES`.
"""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from onebuf.dtypes import as_dtype
from onebuf.interop.files.streamed import Streamed

PIECE_NBYTES = 1024 * 1024


def write_elements(file: BinaryIO, array: np.ndarray[Any, Any] | Streamed) -> None:
    """Write every element of ``array`` in this machine's byte order.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write_elements(file, np.array([[1, 2], [3, 4]], ">i2").T)
    >>> np.frombuffer(file.getvalue(), np.int16).tolist()
    [1, 3, 2, 4]
    """
    if isinstance(array, Streamed):
        for _, part in array.parts():
            write_elements(file, part)
        return
    dtype = as_dtype(array.dtype)
    pieces = np.nditer(
        [array],
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=[["readonly"]],
        op_dtypes=[dtype],
        order="C",
        casting="equiv",
        buffersize=PIECE_NBYTES // dtype.itemsize,
    )
    for piece in pieces:
        file.write(np.ascontiguousarray(piece).view(np.uint8).data)
