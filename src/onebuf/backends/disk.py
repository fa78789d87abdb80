"""Files as devices: ``DISK:/path/to/file`` holds bytes in a file, and computes nothing.

A file holds one block, from its first byte on. Allocating creates the file, or extends it if it is
too short; its content can be read, and only a write changes it. While a block is in use there is no
second one; the file stays when the block is freed. Bytes are read and written by system calls and
not through a mapping, so that a truncated file or a full disk is an error and not the end of the
process.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import weakref
from pathlib import Path
from threading import RLock

import numpy as np

from onebuf.backends.host_memory import DONE, Done
from onebuf.dtypes import Array
from onebuf.errors import DeviceError, FileFormatError, OutOfMemory, ReadOnlyError
from onebuf.machine import Device, DeviceBlock, Facts, Stats, negative_size

STEP_BYTES = 1 << 24
"""The most that is read at once."""
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EINVAL)


def count() -> int:
    """None is listed: every path is a device."""
    return 0


def open(device: Device) -> DiskDriver:
    """The driver of one file, which need not exist yet."""
    path = device.parts.path
    if not path or "\0" in path:
        raise DeviceError(f"DISK needs the path of a file, as in DISK:/tmp/data.bin; got {path!r}")
    if not hasattr(os, "pread"):
        raise DeviceError("DISK needs a system with pread and pwrite, and this one has neither")
    return DiskDriver(Path(path).absolute())


class ReadOnlyBlock(DeviceBlock):
    """The block of a read-only file."""

    __slots__ = ()
    writable = False


class File:
    """An open file."""

    __slots__ = ("path", "number", "writable", "is_new")

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            raise DeviceError(f"DISK needs a regular file, and {path} is none; name another path")
        self.is_new = not path.exists()
        self.writable = True
        try:
            self.number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:
            self.writable = False
            self.number = os.open(path, os.O_RDONLY)

    def lengthen(self, nbytes: int) -> None:
        """Make the file at least ``nbytes`` long."""
        there = os.fstat(self.number).st_size
        if there >= nbytes:
            return
        if not self.writable:
            raise ReadOnlyError(
                f"{self.path} is {there} bytes long and may not be written, so that it cannot hold "
                f"{nbytes} bytes; ask for no more than it has, or for the right to write it"
            )
        os.ftruncate(self.number, nbytes)

    def close(self) -> None:
        """Close it."""
        os.close(self.number)


class DiskAllocator:
    """The allocator of a file, which has one block."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cap: int | None = None
        self._lock = RLock()
        self._block: weakref.ref[DeviceBlock] | None = None
        self._peak = 0

    def allocate(self, nbytes: int) -> DeviceBlock:
        """The first ``nbytes`` bytes of the file: its content, and zeros beyond its end."""
        if nbytes < 0:
            raise negative_size(nbytes)
        if self.cap is not None and nbytes > self.cap:
            raise OutOfMemory(
                f"{self.path}: needed {nbytes} bytes, which is beyond the cap of {self.cap} bytes"
            )
        with self._lock:
            held = self._held()
            if held is not None:
                raise DeviceError(
                    f"{self.path} holds a block of {held.nbytes} bytes already, and a file holds "
                    f"one; delete that first, or name another file"
                )
            file = self._open(nbytes)
            kind = DeviceBlock if file.writable else ReadOnlyBlock
            block = kind(file, nbytes, File.close)
            self._block = weakref.ref(block)
            self._peak = max(self._peak, nbytes)
        return block

    def _open(self, nbytes: int) -> File:
        """The file, at least so long; if that fails, a new file is removed again."""
        try:
            file = File(self.path)
        except OSError as error:
            raise DeviceError(
                f"DISK needs a file that can be read and written, and {self.path} is not: "
                f"{error.strerror}"
            ) from error
        try:
            file.lengthen(nbytes)
        except (OSError, OverflowError, ReadOnlyError) as error:
            file.close()
            if file.is_new:
                self.path.unlink()
            if isinstance(error, ReadOnlyError):
                raise
            raise _full(self.path, nbytes, error) from error
        return file

    def _held(self) -> DeviceBlock | None:
        block = None if self._block is None else self._block()
        return None if block is None or block.is_freed else block

    def stats(self) -> Stats:
        """Bytes of the block in use, if there is one; nothing is cached."""
        held = self._held()
        return Stats(0 if held is None else held.nbytes, 0, self._peak)

    def trim(self) -> int:
        """Nothing is cached."""
        return 0


class DiskDriver:
    """The bytes of a file."""

    survives_fork = True

    def __init__(self, path: Path) -> None:
        self.path = path
        self.allocator = DiskAllocator(path)

    def facts(self) -> Facts:
        """Its path, and the free space on the disk."""
        parent = self.path.parent
        free = shutil.disk_usage(parent).free if parent.is_dir() else None
        return Facts(f"the file {self.path}: holds elements, computes nothing", free)

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Done:
        """Write bytes to the file."""
        block.check_range(offset_bytes, data.nbytes)
        file: File = block.memory
        if not file.writable:
            raise ReadOnlyError(f"{file.path} may not be written; copy its elements elsewhere")
        left = np.ascontiguousarray(data).reshape(-1).view(np.uint8).data
        while left:
            try:
                written = os.pwrite(file.number, left, offset_bytes)
            except OSError as error:
                raise _full(file.path, len(left), error) from error
            left, offset_bytes = left[written:], offset_bytes + written
        return DONE

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Done:
        """Read bytes of the file."""
        block.check_range(offset_bytes, out.nbytes)
        file: File = block.memory
        left = out.reshape(-1).view(np.uint8).data
        while left:
            part = os.pread(file.number, min(len(left), STEP_BYTES), offset_bytes)
            if not part:
                raise FileFormatError(
                    f"{file.path}: needed {len(left)} bytes from {offset_bytes} on, but the file "
                    f"ends there; somebody has shortened it"
                )
            left[: len(part)] = part
            left, offset_bytes = left[len(part) :], offset_bytes + len(part)
        return DONE

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Done:
        """Copy the block to itself: a file has only one."""
        target.check_range(0, source.nbytes)
        for start in range(0, source.nbytes, STEP_BYTES):
            part = np.empty(min(STEP_BYTES, source.nbytes - start), np.uint8)
            self.download(source, part, start)
            self.upload(part, target, start)
        return DONE

    def synchronize(self) -> None:
        """Nothing is queued."""


def _full(path: Path, nbytes: int, error: Exception) -> Exception:
    """The error of a file that could not be written."""
    if isinstance(error, OSError) and error.errno not in _NO_SPACE:
        return DeviceError(f"{path} could not be written: {error.strerror}")
    return OutOfMemory(
        f"{path}: needed {nbytes} bytes, which is beyond what the disk has or the file may hold "
        f"({error}); free space on it or name a file elsewhere"
    )
