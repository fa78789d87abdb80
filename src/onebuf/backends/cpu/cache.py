"""The disk cache: object code by a hash of its input.

An entry is a file: a magic number, its key, a checksum, the object code. It is written under a
temporary name and then renamed, so that a reader sees all of it or nothing, even if other processes
write. An invalid entry is ignored, and so is one that another user can have written (see
`file_trust`). If the folder cannot be used, the cache is empty: it never fails, it only misses.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

from onebuf.backends.cpu.file_trust import check_file, check_folder, make_folder
from onebuf.options import options

MAGIC = b"onebuf object 1\n"
"""With the version of the format."""
CAP = 256 << 20
"""The most bytes of all entries; beyond it, the least recently used ones are removed."""
KEY_NBYTES = 32
SUFFIX = ".object"
UNFINISHED = ".unfinished"
STALE_SECONDS = 3600.0
"""The age at which an unfinished entry has been abandoned."""
_CANNOT = (OSError, ValueError)
"""Errors of files that cannot be used; ValueError is for invalid names."""
_HEADER_NBYTES = len(MAGIC) + 2 * KEY_NBYTES


def digest(*parts: str | bytes) -> bytes:
    """The hash of several parts and of their lengths."""
    total = blake2b(digest_size=KEY_NBYTES)
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        total.update(len(content).to_bytes(8, "little"))
        total.update(content)
    return total.digest()


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache in the folder ``folder``; None: an empty one."""

    folder: str | None
    cap: int = CAP

    def path(self, key: bytes) -> str:
        """The path of the entry of ``key``."""
        assert self.folder is not None
        return os.path.join(self.folder, key.hex() + SUFFIX)

    def get(self, key: bytes) -> bytes | None:
        """The object code of ``key``, if a valid entry of this user has it."""
        if self.folder is None:
            return None
        path = self.path(key)
        try:
            check_folder(self.folder)
            with open(path, "rb", opener=_open) as file:
                check_file(self.folder, path, os.fstat(file.fileno()))
                entry = file.read()
        except _CANNOT:
            return None
        content = entry[_HEADER_NBYTES:]
        if entry[:_HEADER_NBYTES] != _header(key, content):
            return None
        with suppress(OSError):  # the time of the last use
            os.utime(path)
        return content

    def put(self, key: bytes, content: bytes) -> None:
        """Store object code, if possible."""
        if self.folder is None:
            return
        with suppress(*_CANNOT):
            make_folder(self.folder)
            check_folder(self.folder)
            handle, unfinished = tempfile.mkstemp(UNFINISHED, dir=self.folder)
            try:
                with open(handle, "wb") as file:
                    file.write(_header(key, content) + content)
                os.replace(unfinished, self.path(key))
            except BaseException:
                os.unlink(unfinished)
                raise
            # Keys are uniformly distributed, so this is one write in 256.
            if key[0] == 0:
                self.sweep()

    def sweep(self) -> None:
        """Remove the least recently used entries beyond the cap, and abandoned ones.

        Readers of an entry that is removed are not disturbed: they have read it, or they miss.
        """
        if self.folder is None:
            return
        try:
            check_folder(self.folder)
        except _CANNOT:
            return
        entries: list[tuple[float, int, str]] = []
        with suppress(*_CANNOT), os.scandir(self.folder) as files:
            for file in files:
                with suppress(OSError):
                    status = file.stat(follow_symlinks=False)
                    if file.name.endswith(UNFINISHED):
                        if time.time() - status.st_mtime > STALE_SECONDS:
                            os.unlink(file.path)
                    elif _is_entry(file.name):
                        entries.append((status.st_mtime, status.st_size, file.path))
        entries.sort(reverse=True)
        total = 0
        for _, nbytes, path in entries:
            total += nbytes
            if total > self.cap:
                with suppress(OSError):
                    os.unlink(path)


def here() -> Cache:
    """The cache that the current options name."""
    chosen = options().cache_dir
    return Cache(default_folder() if chosen is None else chosen)


@cache
def default_folder() -> str | None:
    """The system's folder for caches of this user; None if the user has no home."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        named, usual = os.environ.get("LOCALAPPDATA", ""), home / "AppData" / "Local"
    elif sys.platform == "darwin":
        named, usual = "", home / "Library" / "Caches"
    else:
        named, usual = os.environ.get("XDG_CACHE_HOME", ""), home / ".cache"
    if os.path.isabs(named):
        return str(Path(named) / "onebuf")
    # Service accounts have homes like /nonexistent, which must not be created.
    return str(usual / "onebuf") if home.is_absolute() and home.is_dir() else None


def _header(key: bytes, content: bytes) -> bytes:
    return MAGIC + key + digest(key, content)


def _open(path: str, flags: int) -> int:
    """Open a file without following links, and without blocking."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_entry(name: str) -> bool:
    stem = name.removesuffix(SUFFIX)
    return stem != name and len(stem) == 2 * KEY_NBYTES and not stem.strip("0123456789abcdef")
