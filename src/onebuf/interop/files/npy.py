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
from onebuf.errors import DTypeError, FileFormatError
from onebuf.interop.files.elements import write_elements
from onebuf.interop.files.header import check_shape, count_nbytes, fault, show
from onebuf.interop.files.streamed import Streamed
from onebuf.interop.held import Held
from onebuf.layout import View
from onebuf.memory import POOL, Block, Mode, map_file

MAGIC = npy_format.MAGIC_PREFIX
DTYPES = (*STANDARD, float16)
"""Types that a .npy file can name."""

READ_NBYTES = 1 << 24
HEADER_LIMIT = 4096
"""Longest header read: twice what 64 axes need."""

_NARROW_ADVICE = (
    "which is all that np.save keeps of bfloat16 and 8-bit floats; save them as .safetensors"
)
_LENGTH_NBYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}


PREFIX_NBYTES = npy_format.MAGIC_LEN + 4 + HEADER_LIMIT
"""So many bytes of a file hold its whole header."""


class Header(NamedTuple):
    """What a .npy file says about itself; the elements start at ``data_start_bytes``."""

    shape: tuple[int, ...]
    is_column_major: bool
    dtype: np.dtype[Any]
    data_start_bytes: int
    is_swapped: bool = False
    """Whether the elements have the byte order of other machines."""


def open_npy(path: str | os.PathLike[str], mode: Mode = "r") -> Held:
    """Map the array of a .npy file; bytes after its last element are ignored."""
    whole = map_file(path, mode)
    header = parse_header(path, bytes(whole.memory[:PREFIX_NBYTES]))
    nbytes = count_nbytes(path, header.shape, header.dtype, "the header")
    available = whole.nbytes - header.data_start_bytes
    if nbytes > available:
        raise truncated(path, header, nbytes, available)
    return place(header, whole.part(header.data_start_bytes, nbytes))


def read_npy(file: BinaryIO, name: str) -> Held:
    """The next array of an open file, in memory of its own; the file is then at its end."""
    prefix = _read_prefix(file, name)
    header = parse_header(name, prefix, any_order=True)
    nbytes = count_nbytes(name, header.shape, header.dtype, "the header")
    available = _available_nbytes(file)
    if available is not None and nbytes > available:
        raise truncated(name, header, nbytes, available)
    received = bytearray()
    if available is None:  # a pipe: nothing is known but what comes
        while len(received) < nbytes:
            piece = file.read(min(READ_NBYTES, nbytes - len(received)))
            if not piece:
                raise truncated(name, header, nbytes, len(received))
            received += piece
    block = POOL.allocate(nbytes)
    elements = block.window((nbytes,), np.dtype(np.uint8), [1], 0)
    if received:
        elements[:] = np.frombuffer(received, np.uint8)
    position = len(received)
    while position < nbytes:
        piece = file.read(min(READ_NBYTES, nbytes - position))
        if not piece:
            raise truncated(name, header, nbytes, position)
        elements[position : position + len(piece)] = np.frombuffer(piece, np.uint8)
        position += len(piece)
    if header.is_swapped:
        swap_bytes(elements, header.dtype)
    return place(header, block)


def swap_bytes(elements: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> None:
    """Turn the bytes of elements of the other byte order into ours, in place.

    >>> elements = np.frombuffer(bytearray(b"\\0\\1\\0\\2"), np.uint8)
    >>> swap_bytes(elements, np.dtype("int16"))
    >>> elements.view("<i2").tolist()
    [1, 2]
    """
    width = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    elements.view(np.dtype(f"u{width}")).byteswap(inplace=True)


def _read_prefix(file: BinaryIO, name: str) -> bytes:
    """The bytes of the header and not one more, as far as they are there."""
    prefix = file.read(npy_format.MAGIC_LEN)
    length_nbytes = 2 if prefix[-2:-1] == b"\1" else 4
    prefix += file.read(length_nbytes)
    length = int.from_bytes(prefix[-length_nbytes:], "little")
    return prefix + file.read(min(length, HEADER_LIMIT))


def _available_nbytes(file: BinaryIO) -> int | None:
    try:
        position = file.tell()
        end = file.seek(0, os.SEEK_END)
        file.seek(position)
    except (OSError, AttributeError):
        return None
    return end - position


def truncated(
    path: str | os.PathLike[str], header: Header, nbytes: int, available: int
) -> FileFormatError:
    """The error for a file that has fewer bytes than its header claims."""
    return fault(
        path,
        f"the header claims {header.dtype} elements of shape {show(header.shape)}, which take "
        f"{nbytes} bytes, but only {available} follow; the file is truncated",
    )


def place(header: Header, block: Block) -> Held:
    """The array of which ``block`` has the elements, in the order that the header says."""
    shape = header.shape
    view = View.contiguous(shape)
    if header.is_column_major:
        view = View.contiguous(shape[::-1]).permute(tuple(range(len(shape)))[::-1])
    return Held(block, header.dtype, view)


def parse_header(path: str | os.PathLike[str], prefix: bytes, *, any_order: bool = False) -> Header:
    """The header in a file's first bytes, with a type and extents that buffers can have.

    ``any_order`` allows elements in the byte order of other machines.
    """
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
        _check_dtype(path, dtype.newbyteorder("=") if any_order else dtype),
        file.tell(),
        not dtype.isnative,
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
            f"elements {dtype.str} in the byte order of other machines, which cannot be mapped; "
            "read them with onebuf.load(path), and save what it gives to map it"
        )
    elif not is_supported(dtype):
        problem = f"{show(dtype)} elements; needed one of {', '.join(d.name for d in DTYPES)}"
    else:
        return as_dtype(dtype)
    raise fault(path, f"holds {problem}")


def write_npy(file: BinaryIO, array: np.ndarray[Any, Any] | Streamed) -> None:
    """Write ``array`` with its header; column-major arrays stay column-major."""
    dtype = as_dtype(array.dtype)
    if dtype in EXTENDED and dtype != float16:
        raise DTypeError(
            f"a .npy file needs one of {', '.join(d.name for d in DTYPES)}; got {dtype}, "
            "whose name would be lost; save it as .safetensors"
        )
    is_column_major = isinstance(array, np.ndarray) and (
        array.flags.f_contiguous and not array.flags.c_contiguous
    )
    header = {"descr": dtype.str, "fortran_order": is_column_major, "shape": array.shape}
    npy_format.write_array_header_1_0(file, header)
    write_elements(file, array.T if is_column_major else array)  # type: ignore[union-attr]
