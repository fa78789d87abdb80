"""The safetensors format: several tensors by name, a header of JSON, then their elements.

The rules are those of the reference implementation: tensors fill the data without gaps or
overlaps, so that the bytes of a valid file have one meaning each. Elements are little-endian.
https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from onebuf import dtypes
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError
from onebuf.interop.files.elements import write_elements
from onebuf.interop.files.header import check_shape, count_nbytes, fault, show
from onebuf.interop.held import Held
from onebuf.layout import View
from onebuf.memory import FileBlock, Mode, map_file

LENGTH_NBYTES = 8
HEADER_LIMIT = 100_000_000
"""Longest header, as in the reference implementation."""

ALIGNMENT = 8
METADATA = "__metadata__"

DTYPES = {
    "BOOL": dtypes.bool,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "U16": dtypes.uint16,
    "I16": dtypes.int16,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "U32": dtypes.uint32,
    "I32": dtypes.int32,
    "F32": dtypes.float32,
    "U64": dtypes.uint64,
    "I64": dtypes.int64,
    "F64": dtypes.float64,
    "C64": dtypes.complex64,
    "F8_E4M3": dtypes.float8_e4m3fn,
    "F8_E5M2": dtypes.float8_e5m2,
}
_CODES = {dtype: code for code, dtype in DTYPES.items()}


class SafetensorsFile(Mapping[str, Held]):
    """The tensors of one mapped file by name, in the order of its header.

    ``metadata`` holds the file's free text, by key.
    """

    def __init__(self, tensors: Mapping[str, Held], metadata: Mapping[str, str]) -> None:
        self.metadata = dict(metadata)
        self._tensors = dict(tensors)

    def __getitem__(self, name: str) -> Held:
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __repr__(self) -> str:
        return f"SafetensorsFile({show(list(self))})"


def open_safetensors(path: str | os.PathLike[str], mode: Mode = "r") -> SafetensorsFile:
    """Map every tensor of a .safetensors file, reading only its header."""
    whole = map_file(path, mode)
    header, start_bytes = _read_header(path, whole)
    metadata = _check_metadata(path, header.pop(METADATA, {}))
    data = whole.part(start_bytes, whole.nbytes - start_bytes)
    tensors: dict[str, Held] = {}
    ranges: list[tuple[int, int, str]] = []
    for name, entry in header.items():
        dtype, shape, begin, end = _check_entry(path, name, entry, data.nbytes)
        tensors[name] = Held(data.part(begin, end - begin), dtype, View.contiguous(shape))
        ranges.append((begin, end, name))
    _check_ranges(path, ranges, data.nbytes)
    return SafetensorsFile(tensors, metadata)


# -- the header, checked ------------------------------------------------------------------------


def _read_header(path: str | os.PathLike[str], whole: FileBlock) -> tuple[dict[str, Any], int]:
    """The header's JSON object, and where the data starts."""
    if whole.nbytes < LENGTH_NBYTES:
        raise fault(path, f"a .safetensors file has 8 bytes or more, this has {whole.nbytes}")
    length = int.from_bytes(whole.memory[:LENGTH_NBYTES], "little")
    start_bytes = LENGTH_NBYTES + length
    if length > HEADER_LIMIT or start_bytes > whole.nbytes:
        raise fault(
            path,
            f"claims a header of {length} bytes, but the file has {whole.nbytes} and a header at "
            f"most {HEADER_LIMIT}; the file is truncated or not a .safetensors file",
        )
    text = whole.memory[LENGTH_NBYTES:start_bytes]
    if not text.startswith(b"{"):
        raise fault(path, f"a header starts with '{{', this with {show(bytes(text[:8]))}")
    try:
        header = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_int=_number,
            parse_constant=_refuse_constant,
        )
    except UnicodeDecodeError:
        raise fault(path, "the header is not UTF-8 text") from None
    except RecursionError:
        raise fault(path, "the header is nested too deeply") from None
    except ValueError as error:
        raise fault(path, f"the header is not valid JSON: {str(error)[:200]}") from None
    return header, start_bytes


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {show(twice)} is there twice")
    for key in found:
        _check_text(key)
    return found


def _number(text: str) -> int | float:
    """A number without a fraction; one whose sign an integer cannot keep is a float."""
    return -0.0 if text == "-0" else int(text)


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _check_text(text: str) -> None:
    """Raise ValueError for what JSON can spell and UTF-8 cannot: half a surrogate pair."""
    if not text.isascii():
        text.encode("utf-8")


def _check_metadata(path: str | os.PathLike[str], metadata: object) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise fault(path, f"{METADATA} needs text for each key, got {show(metadata)}")
    return metadata


def _check_entry(
    path: str | os.PathLike[str], name: str, entry: object, data_nbytes: int
) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Type, shape, first byte and end of one tensor."""
    owner = f"the tensor {show(name)}"
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
        raise fault(path, f"{owner} needs dtype, shape and data_offsets, got {show(entry)}")
    code = entry["dtype"]
    dtype = DTYPES.get(code) if isinstance(code, str) else None
    if dtype is None:
        raise fault(
            path, f"{owner} has elements of type {show(code)}; needed one of {', '.join(DTYPES)}"
        )
    shape = check_shape(path, entry["shape"], owner)
    nbytes = count_nbytes(path, shape, dtype, owner)
    offsets = entry["data_offsets"]
    if (
        not isinstance(offsets, list)
        or len(offsets) != 2
        or any(type(offset) is not int for offset in offsets)
    ):
        raise fault(path, f"{owner} needs two data_offsets, got {show(offsets)}")
    begin, end = offsets
    if not 0 <= begin <= end <= data_nbytes:
        raise fault(
            path,
            f"{owner} is at bytes {show(offsets)} of the data, of which there are {data_nbytes}; "
            "the file is truncated or wrong",
        )
    if end - begin != nbytes:
        raise fault(
            path,
            f"{owner} has {end - begin} bytes, but {dtype} elements of shape {show(shape)} "
            f"take {nbytes}",
        )
    return dtype, shape, begin, end


def _check_ranges(
    path: str | os.PathLike[str], ranges: list[tuple[int, int, str]], data_nbytes: int
) -> None:
    """Raise unless the tensors fill the data, each byte once."""
    position = 0
    for begin, end, name in sorted(ranges):
        if begin != position:
            what = "overlaps the one before" if begin < position else "leaves a gap before it"
            raise fault(path, f"the tensor {show(name)}, at byte {begin} of the data, {what}")
        position = end
    if position != data_nbytes:
        raise fault(path, f"tensors take {position} bytes, but {data_nbytes} follow the header")


# -- writing ------------------------------------------------------------------------------------


def write_safetensors(
    file: BinaryIO,
    arrays: Mapping[str, np.ndarray[Any, Any]],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write ``arrays`` by name; the header keeps their order.

    The data is ordered by size of element, so that every element is aligned.
    """
    placed = sorted(arrays, key=lambda name: -arrays[name].itemsize)
    header = _header(arrays, placed, metadata)
    file.write(len(header).to_bytes(LENGTH_NBYTES, "little"))
    file.write(header)
    for name in placed:
        write_elements(file, arrays[name])


def _header(
    arrays: Mapping[str, np.ndarray[Any, Any]],
    placed: list[str],
    metadata: Mapping[str, str] | None,
) -> bytes:
    if METADATA in arrays:
        raise ArgumentError(f"no tensor can have the name {METADATA!r}; rename it")
    for key, value in ({} if metadata is None else metadata).items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise ArgumentTypeError(f"metadata needs text for text, got {show({key: value})}")
    position = 0
    begins: dict[str, int] = {}
    for name in placed:
        begins[name] = position
        position += arrays[name].nbytes
    entries: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    for name, array in arrays.items():
        entries[name] = {
            "dtype": _code(name, array.dtype),
            "shape": list(array.shape),
            "data_offsets": [begins[name], begins[name] + array.nbytes],
        }
    try:
        text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArgumentError(f"names and metadata need text that UTF-8 can hold: {error}") from None
    text += b" " * (-len(text) % ALIGNMENT)
    if len(text) > HEADER_LIMIT:
        raise ArgumentError(f"names and metadata take {len(text)} bytes; at most {HEADER_LIMIT}")
    return text


def _code(name: str, dtype: np.dtype[Any]) -> str:
    code = _CODES.get(dtypes.as_dtype(dtype))
    if code is None:
        raise DTypeError(
            f"a .safetensors file needs one of {', '.join(d.name for d in _CODES)}; the tensor "
            f"{show(name)} is {dtype}; save it as .npy or .zarr, or as two real tensors"
        )
    return code
