"""Permissions of a file that is to take the place of another one.

A new file is private (mode 0600) while it is written. At the end it gets the owner, the group, the
mode and the access control list of the file that it replaces. What cannot be carried over never
widens access: if the group or the list is lost, no user gains a right through it.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

_FILE_BITS = 0o777
_DIRECTORY_BITS = 0o3777
"""With setgid and sticky, which are about names in a directory; on files they are left behind."""

_GROUP_BITS = 0o070
_ACL = "system.posix_acl_access"


@dataclass(frozen=True, slots=True)
class Permissions:
    """Who may do what with a file: owner, group, mode bits, and Linux's access control list."""

    uid: int
    gid: int
    mode: int
    acl: bytes | None = None

    @classmethod
    def of(cls, path: Path) -> Permissions:
        """Those of an existing file or directory."""
        status = path.stat()
        bits = _DIRECTORY_BITS if path.is_dir() else _FILE_BITS
        return cls(status.st_uid, status.st_gid, status.st_mode & bits, _read_acl(path))

    def apply(self, file: int | Path) -> None:
        """Give them to a file of this user's, as far as the system allows it."""
        if os.name == "nt":  # new files inherit the access control list of their directory
            return
        mode = self.mode
        if not _give(file, self.uid, self.gid):
            mode &= ~_GROUP_BITS | mode << 3
        # The group bits of a file with a list are the list's upper bound, not the group's own.
        if self.acl is not None and not _write_acl(file, self.acl):
            mode &= ~_GROUP_BITS
        with suppress(PermissionError):  # file systems without modes
            os.chmod(file, mode)


def default_mode(directory: Path, wanted: int) -> int:
    """What becomes of the mode ``wanted`` when a file is made in ``directory``.

    A file is made to find out: Python can read the umask only by changing it, and what another
    thread makes in the meantime would be open to everybody.
    """
    with suppress(OSError):
        if (probe := open_unnamed(directory, wanted)) is not None:
            try:
                return os.fstat(probe).st_mode & _FILE_BITS
            finally:
                os.close(probe)
        folder = beside(directory / "probe")
        folder.mkdir(PRIVATE_DIRECTORY)
        try:
            probe = os.open(folder / "probe", os.O_CREAT | os.O_EXCL | os.O_WRONLY, wanted)
            os.close(probe)
            return (folder / "probe").stat().st_mode & _FILE_BITS
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return wanted & 0o700


def open_unnamed(directory: Path, mode: int) -> int | None:
    """A descriptor of a new file that has no name, so that a crash leaves nothing behind.

    None where the system has no such files.
    """
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(directory, flag | os.O_RDWR, mode)
    except OSError:  # not on this file system, or the directory may not be written: others will say
        return None


def beside(target: Path) -> Path:
    """A name in the directory of ``target`` that is not taken and cannot be guessed."""
    return target.with_name(f".onebuf-{secrets.token_hex(8)}.tmp")


def _give(file: int | Path, uid: int, gid: int) -> bool:
    """Give a file to an owner and a group; whether it has the group now."""
    status = os.stat(file)
    if (status.st_uid, status.st_gid) == (uid, gid):
        return True
    for owner in (uid, -1):
        with suppress(PermissionError):
            os.chown(file, owner, gid)
            return True
    return status.st_gid == gid


def _read_acl(path: Path) -> bytes | None:
    if not hasattr(os, "getxattr"):
        return None
    try:
        return os.getxattr(path, _ACL)
    except OSError:  # no list, or a file system without them
        return None


def _write_acl(file: int | Path, acl: bytes) -> bool:
    try:
        os.setxattr(file, _ACL, acl)
    except OSError:
        return False
    return True
