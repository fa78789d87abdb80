"""File trust: whether only this user can have written a file.

The cache holds machine code that is run. A folder is trusted if it belongs to this user, no other
user may write it, and no other user can replace it: each folder above belongs to this user or to
root, and is not writable by all unless it is sticky, as /tmp is. Links on the path have to belong
to this user or to root too.
"""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path

_WRITABLE_BY_OTHERS = 0o022
_WRITABLE_BY_ALL = 0o002
_CAN_TELL = hasattr(os, "geteuid")
"""Elsewhere (Windows) the cache folder of a user is private."""

_warned: set[str] = set()
_good: set[tuple[str | int, ...]] = set()


def check_folder(path: str) -> None:
    """Raise OSError unless there is a folder that only this user can write.

    There is a warning if another user can. A folder that was found good is checked again only if
    it changed: no other user can replace it.
    """
    status = os.stat(path)
    if not _CAN_TELL:
        return
    user = os.geteuid()
    known = (path, user, status.st_dev, status.st_ino, status.st_mode, status.st_uid)
    if known in _good:
        return
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(path)
    reason = _owner_fault(status) or path_fault(path)
    if reason is not None:
        refuse(path, f"it {reason}")
    _good.add(known)


def make_folder(path: str) -> None:
    """Make a private folder, unless another user could replace it."""
    if _CAN_TELL and not os.path.lexists(path):
        reason = path_fault(path)
        if reason is not None:
            refuse(path, f"it {reason}")
    os.makedirs(path, mode=0o700, exist_ok=True)


def check_file(folder: str, name: str, status: os.stat_result) -> None:
    """Raise OSError, after a warning, if another user can have written an open file."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{name} is not a file")
    if _CAN_TELL and (reason := _owner_fault(status)) is not None:
        refuse(folder, f"{name} in it {reason}")


def _owner_fault(status: os.stat_result) -> str | None:
    if status.st_uid != os.geteuid():
        return f"belongs to user {status.st_uid}, not to you (user {os.geteuid()})"
    if status.st_mode & _WRITABLE_BY_OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        return f"can be written by others (its mode is {mode:#o})"
    return None


def _above_fault(status: os.stat_result) -> str | None:
    if status.st_uid not in (0, os.geteuid()):
        return f"belongs to user {status.st_uid}, who could replace what is in it"
    if status.st_mode & _WRITABLE_BY_ALL and not status.st_mode & stat.S_ISVTX:
        return "can be written by everybody, who could replace what is in it"
    return None


def path_fault(path: str) -> str | None:
    """How another user could replace ``path``, by a link or from a folder above, if at all."""
    for place in (Path(path).absolute(), *Path(path).absolute().parents):
        status = os.lstat(place) if os.path.lexists(place) else None
        if status is None or not stat.S_ISLNK(status.st_mode):
            continue
        if status.st_uid not in (0, os.geteuid()):
            return f"is reached through {place}, a link of user {status.st_uid}'s"
    for place in Path(os.path.realpath(path)).parents:
        reason = _above_fault(os.stat(place)) if place.is_dir() else None
        if reason is not None:
            return f"is in {place}, which {reason}"
    return None


def refuse(folder: str, reason: str) -> None:
    """Say once why a folder is not used, and raise OSError."""
    if folder not in _warned:
        _warned.add(folder)
        warnings.warn(
            f"the cache of compiled kernels in {folder} is not used: needed files that only you "
            f"can write, but {reason}; change its owner and mode (chmod -R go-w), or name another "
            "folder with onebuf.config(cache_dir=...)",
            RuntimeWarning,
            stacklevel=2,
        )
    raise OSError(reason)
