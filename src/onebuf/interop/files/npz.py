"""NumPy's archives: several .npy files in one zip file, by name.

A member that is stored as it is and aligned is mapped; any other is read when it is asked for. Only
the zip directory is read by the standard library. Members are decoded here, so that no claim of the
archive is worth an allocation before it was compared with the bytes that are there, and what is
decoded has the length and the checksum that were promised.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from onebuf.errors import ArgumentError
from onebuf.interop.files.header import count_nbytes, fault, show
from onebuf.interop.files.npy import (
    PREFIX_NBYTES,
    Header,
    parse_header,
    place,
    swap_bytes,
    truncated,
    write_npy,
)
from onebuf.interop.held import Held
from onebuf.memory import ALIGNMENT, POOL, FileBlock, Mode, check_mode, map_file

MAGIC = b"PK\x03\x04"
EMPTY_MAGIC = b"PK\x05\x06"
"""What an archive without members starts with."""

SUFFIX = ".npy"
SINGLE_NAME = "arr_0"
"""What NumPy calls the first array that was given no name."""

_LOCAL_NBYTES = 30
_ZIP64_EXTRA_NBYTES = 20
_PADDING_ID = 0xD935
"""The extra field that Android's zipalign pads with."""

_MAX_RATIO = 1032
"""The most that deflate can shrink anything."""

_PIECE_NBYTES = 1 << 20
_ENCRYPTED = 1


class Member(NamedTuple):
    """One file of the archive: where its bytes are, and what they are to become."""

    name: str
    start_bytes: int
    stored_nbytes: int
    nbytes: int
    crc: int
    is_deflated: bool


class NpzFile(Mapping[str, Held]):
    """The arrays of an archive by name, in its order; ``metadata`` is empty.

    Without ``whole``, the mapped file, every array is read anew each time that it is asked for.
    """

    def __init__(self, path: str, memory: Any, whole: FileBlock | None) -> None:
        self.metadata: dict[str, str] = {}
        self._path = path
        self._memory = memory
        self._whole = whole
        self._members = _read_directory(path, memory)

    def __getitem__(self, name: str) -> Held:
        member = self._members[name]
        mapped = None if member.is_deflated or self._whole is None else self._map(member)
        return self._read(member) if mapped is None else mapped

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"NpzFile({show(list(self))})"

    def _map(self, member: Member) -> Held | None:
        """The array in the file's own memory, if it can be used as it is."""
        where = f"{self._path}/{member.name}"
        end = member.start_bytes + min(PREFIX_NBYTES, member.nbytes)
        prefix = bytes(self._memory[member.start_bytes : end])
        header = parse_header(where, prefix, any_order=True)
        nbytes = _check_room(where, header, member)
        start_bytes = member.start_bytes + header.data_start_bytes
        assert self._whole is not None
        if header.is_swapped or start_bytes % header.dtype.itemsize:
            return None
        return place(header, self._whole.part(start_bytes, nbytes))

    def _read(self, member: Member) -> Held:
        """The array in memory of its own."""
        where = f"{self._path}/{member.name}"
        pieces = _Pieces(where, member, self._memory)
        prefix = pieces.take(min(PREFIX_NBYTES, member.nbytes))
        header = parse_header(where, prefix, any_order=True)
        nbytes = _check_room(where, header, member)
        block = POOL.allocate(nbytes)
        elements = block.window((nbytes,), np.dtype(np.uint8), [1], 0)
        first = prefix[header.data_start_bytes :][:nbytes]
        elements[: len(first)] = np.frombuffer(first, np.uint8)
        position = len(first)
        while position < nbytes:
            piece = pieces.take(min(_PIECE_NBYTES, nbytes - position))
            elements[position : position + len(piece)] = np.frombuffer(piece, np.uint8)
            position += len(piece)
        pieces.finish()
        if header.is_swapped:
            swap_bytes(elements, header.dtype)
        return place(header, block)


def open_npz(path: str | os.PathLike[str], mode: Mode = "r") -> NpzFile:
    """The arrays of an .npz file, of which only the directory is read."""
    check_mode(mode)
    if mode == "r+":
        raise ArgumentError(
            f"{path}: an .npz file cannot be opened with mode='r+', because it holds a checksum of "
            "each array; use 'r' or 'c', and save it again"
        )
    whole = map_file(path, mode)
    return NpzFile(os.fspath(path), whole.memory, whole)


def write_npz(
    file: BinaryIO, arrays: Mapping[str, np.ndarray[Any, Any]], *, compressed: bool = False
) -> None:
    """Write ``arrays`` under their names; without compression, so that they can be mapped."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(name + SUFFIX)
            info.compress_type = method
            info.external_attr = 0o600 << 16
            info.extra = b"" if compressed else _padding(file.tell(), info)
            with archive.open(info, "w", force_zip64=True) as member:
                write_npy(member, array)  # type: ignore[arg-type]


def is_npz(memory: bytes) -> bool:
    """Whether a file starts like a zip file.

    >>> is_npz(b"PK\\x03\\x04..."), is_npz(b"something else")
    (True, False)
    """
    return memory.startswith((MAGIC, EMPTY_MAGIC))


def _padding(position: int, info: zipfile.ZipInfo) -> bytes:
    """An extra field that moves the content of a member to the next aligned position."""
    name_nbytes = len(info.filename.encode())
    end = position + _LOCAL_NBYTES + name_nbytes + _ZIP64_EXTRA_NBYTES + 4
    length = -end % ALIGNMENT
    return _PADDING_ID.to_bytes(2, "little") + length.to_bytes(2, "little") + bytes(length)


# -- the archive, checked -------------------------------------------------------------------------


def _read_directory(path: str, memory: Any) -> dict[str, Member]:
    try:
        with zipfile.ZipFile(_Reader(memory)) as archive:
            infos = archive.infolist()
    except Exception as error:  # hostile directories: not all that it raises is BadZipFile
        reason = f"{type(error).__name__}: {error}"
        raise fault(path, f"not a zip file, or a truncated one ({reason[:200]})") from None
    members: dict[str, Member] = {}
    for info in infos:
        if info.filename.endswith(SUFFIX):
            name = info.filename.removesuffix(SUFFIX)
            if name in members:
                raise fault(path, f"the name {show(name)} is there twice")
            members[name] = _check_member(path, name, info, memory)
    if infos and not members:
        raise fault(path, f"a zip file without {SUFFIX} files; needed one that np.savez wrote")
    return members


def _check_member(path: str, name: str, info: zipfile.ZipInfo, memory: Any) -> Member:
    where = f"{path}/{name}"
    if info.flag_bits & _ENCRYPTED:
        raise fault(where, "is encrypted; save it without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise fault(where, "needed a member that is stored or deflated; np.savez writes those")
    is_deflated = info.compress_type == zipfile.ZIP_DEFLATED
    begin = info.header_offset
    local = bytes(memory[begin : begin + _LOCAL_NBYTES]) if begin >= 0 else b""
    if len(local) < _LOCAL_NBYTES or not local.startswith(MAGIC):
        raise fault(where, "the zip directory points to no file; the archive is damaged")
    names_nbytes = int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
    start_bytes = begin + _LOCAL_NBYTES + names_nbytes
    if info.compress_size < 0 or start_bytes + info.compress_size > len(memory):
        raise fault(
            where,
            f"claims {info.compress_size} bytes from byte {start_bytes} on, but the file ends at "
            f"{len(memory)}; it is truncated",
        )
    most = info.compress_size * _MAX_RATIO if is_deflated else info.compress_size
    if info.file_size > most or (not is_deflated and info.file_size != most):
        raise fault(where, f"claims {info.file_size} bytes, which {info.compress_size} cannot hold")
    return Member(
        name, start_bytes, info.compress_size, info.file_size, info.CRC, is_deflated
    )  # fmt: skip


def _check_room(where: str, header: Header, member: Member) -> int:
    nbytes = count_nbytes(where, header.shape, header.dtype, "the header")
    available = member.nbytes - header.data_start_bytes
    if nbytes > available:
        raise truncated(where, header, nbytes, available)
    return nbytes


class _Pieces:
    """The decoded bytes of one member in turn, checked against its length and checksum."""

    def __init__(self, where: str, member: Member, memory: Any) -> None:
        self._where = where
        self._member = member
        self._memory = memory
        self._position = member.start_bytes
        self._end = member.start_bytes + member.stored_nbytes
        self._decoder = zlib.decompressobj(-zlib.MAX_WBITS) if member.is_deflated else None
        self._pending = b""
        self._left = member.nbytes
        self._crc = 0

    def take(self, nbytes: int) -> bytes:
        """The next ``nbytes`` decoded bytes."""
        parts: list[bytes] = []
        missing = nbytes
        while missing:
            part = self._next(missing)
            if not part:
                raise fault(
                    self._where, f"ends {self._left} bytes before the length that it claims"
                )
            parts.append(part)
            missing -= len(part)
            self._left -= len(part)
            self._crc = zlib.crc32(part, self._crc)
        return b"".join(parts)

    def finish(self) -> None:
        """Raise unless all that is left was decoded, and was what the archive promised."""
        while self._left:
            self.take(min(_PIECE_NBYTES, self._left))
        if self._crc != self._member.crc:
            raise fault(self._where, "is damaged: its checksum is wrong")

    def _next(self, most: int) -> bytes:
        if self._decoder is None:
            end = min(self._position + most, self._end)
            found = bytes(self._memory[self._position : end])
            self._position = end
            return found
        while not self._decoder.eof:
            if not self._pending and self._position < self._end:
                end = min(self._position + _PIECE_NBYTES, self._end)
                self._pending = bytes(self._memory[self._position : end])
                self._position = end
            had = self._pending
            try:
                found = self._decoder.decompress(had, most)
            except zlib.error as error:
                raise fault(self._where, f"cannot be decompressed ({error})") from None
            self._pending = self._decoder.unconsumed_tail
            if found or (not had and self._position == self._end):
                return found
        return b""


class _Reader:
    """Memory as the file that `zipfile` wants, without a copy of it."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._position = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: len(self._memory)}
        position = start[whence] + offset
        if position < 0:
            raise OSError("a position before the start of the file")
        self._position = position
        return position

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return True

    def read(self, nbytes: int | None = -1) -> bytes:
        end = None if nbytes is None or nbytes < 0 else self._position + nbytes
        found = bytes(self._memory[self._position : end])
        self._position += len(found)
        return found

    def close(self) -> None:
        self._memory = b""
