"""NumPy's own format: one array, a header of text, then the elements.

The header is read by NumPy, from a copy of the file's first few kilobytes, so that no header can
make it read more; what NumPy then reports is checked again, against the file. Nothing is ever
unpickled. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import os
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from onebuf.dtypes import EXTENDED, STANDARD, as_dtype, float16, is_supported
from onebuf.errors import DTypeError
from onebuf.interop.files.elements import write_elements
from onebuf.interop.files.header import check_shape, count_nbytes, fault, show
from onebuf.interop.held import Held
from onebuf.layout import View
from onebuf.memory import Mode, map_file

MAGIC = npy_format.MAGIC_PREFIX
DTYPES = (*STANDARD, float16)
"""Types that a .npy file can name."""

HEADER_LIMIT = 4096
"""Longest header read: twice what 64 axes need."""

_NARROW_ADVICE = (
    "which is all that np.save keeps of bfloat16 and 8-bit floats; save them as .safetensors"
)
_LENGTH_NBYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}


class Header(NamedTuple):
    """What a .npy file says about itself; the elements start at ``data_start_bytes``."""

    shape: tuple[int, ...]
    is_column_major: bool
    dtype: np.dtype[Any]
    data_start_bytes: int


def open_npy(path: str | os.PathLike[str], mode: Mode = "r") -> Held:
    """Map the array of a .npy file; bytes after its last element are ignored."""
    whole = map_file(path, mode)
    prefix = bytes(whole.memory[: npy_format.MAGIC_LEN + 4 + HEADER_LIMIT])
    shape, is_column_major, dtype, start_bytes = parse_header(path, prefix)
    nbytes = count_nbytes(path, shape, dtype, "the header")
    available = whole.nbytes - start_bytes
    if nbytes > available:
        raise fault(
            path,
            f"the header claims {dtype} elements of shape {show(shape)}, which take {nbytes} "
            f"bytes, but only {available} follow; the file is truncated",
        )
    view = View.contiguous(shape)
    if is_column_major:
        view = View.contiguous(shape[::-1]).permute(tuple(range(len(shape)))[::-1])
    return Held(whole.part(start_bytes, nbytes), dtype, view)


def parse_header(path: str | os.PathLike[str], prefix: bytes) -> Header:
    """The header in a file's first bytes, with a type and extents that buffers can have."""
    file = BytesIO(prefix)
    try:
        version = npy_format.read_magic(file)
    except ValueError:
        raise fault(path, f"a .npy file starts with {MAGIC!r}, this with {prefix[:6]!r}") from None
    if version not in _LENGTH_NBYTES:
        raise fault(path, f"needed .npy version 1.0, 2.0 or 3.0, got {version}")
    length_nbytes = _LENGTH_NBYTES[version]
    first = npy_format.MAGIC_LEN
    length = int.from_bytes(prefix[first : first + length_nbytes], "little")
    if length > HEADER_LIMIT:
        raise fault(path, f"claims a header of {length} bytes; at most {HEADER_LIMIT} are read")
    # Version 3.0 differs from 2.0 in field names that are not ASCII, and so not for us.
    read = (
        npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    )
    try:
        shape, is_column_major, dtype = read(file, max_header_size=HEADER_LIMIT)
    except Exception as error:  # hostile text: NumPy lets through what its tokenizer raises
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        if reason.endswith("'<f1'"):  # what np.save makes of ml_dtypes' float8_e5m2
            raise fault(path, f"holds nameless elements of 1 byte, {_NARROW_ADVICE}") from None
        raise fault(path, f"the .npy header is truncated or wrong ({reason[:200]})") from None
    return Header(
        check_shape(path, shape, "the header"),
        is_column_major,
        _check_dtype(path, dtype),
        file.tell(),
    )


def _check_dtype(path: str | os.PathLike[str], dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.hasobject:
        problem = "Python objects, which are never unpickled; save an array of numbers instead"
    elif dtype.fields is not None or dtype.subdtype is not None:
        problem = f"structured elements {show(dtype)}; save each field as an array of its own"
    elif dtype.kind == "V":
        problem = f"nameless elements of {dtype.itemsize} bytes, {_NARROW_ADVICE}"
    elif not dtype.isnative:
        problem = (
            f"elements {dtype.str} in the byte order of other machines; rewrite it: "
            "a = np.load(path); np.save(path, a.astype(a.dtype.newbyteorder('=')))"
        )
    elif not is_supported(dtype):
        problem = f"{show(dtype)} elements; needed one of {', '.join(d.name for d in DTYPES)}"
    else:
        return as_dtype(dtype)
    raise fault(path, f"holds {problem}")


def write_npy(file: BinaryIO, array: np.ndarray[Any, Any]) -> None:
    """Write ``array`` with its header; column-major arrays stay column-major."""
    dtype = as_dtype(array.dtype)
    if dtype in EXTENDED and dtype != float16:
        raise DTypeError(
            f"a .npy file needs one of {', '.join(d.name for d in DTYPES)}; got {dtype}, "
            "whose name would be lost; save it as .safetensors"
        )
    is_column_major = array.flags.f_contiguous and not array.flags.c_contiguous
    header = {"descr": dtype.str, "fortran_order": is_column_major, "shape": array.shape}
    npy_format.write_array_header_1_0(file, header)
    write_elements(file, array.T if is_column_major else array)
