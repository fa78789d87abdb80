"""Writing all or nothing: a file or directory is replaced whole, or left as it was.

The new content is made under a temporary name next to its target and takes the target's name in
one step at the end. Whatever fails before that, the temporary is removed and the target untouched.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from onebuf.errors import ArgumentError


@contextmanager
def replacing_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which becomes ``path`` when the block ends without an error.

    An existing file keeps its permissions, and a symbolic link keeps pointing where it did.
    """
    target = _target(path)
    exists = target.exists()
    if exists and not target.is_file():
        raise ArgumentError(
            f"{path}: needed a file to write, but this is a directory or a device; "
            "choose another path"
        )
    temporary = _beside(target)
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if exists:
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


@contextmanager
def replacing_directory(
    path: str | os.PathLike[str], replaceable: Callable[[Path], bool]
) -> Iterator[Path]:
    """A directory to fill, which becomes ``path`` when the block ends without an error.

    What exists at ``path`` is removed if it is ``replaceable``. No system call that Python has
    swaps directories, so for an instant in between nothing is there.
    """
    target = _target(path)
    exists = target.exists()
    if exists and not replaceable(target):
        raise ArgumentError(
            f"{path}: exists and is not of the format to be written, so it is not replaced; "
            "choose another path or remove it first"
        )
    temporary, retired = _beside(target), _beside(target)
    try:
        temporary.mkdir()
        yield temporary
        if exists:
            os.rename(target, retired)
        os.rename(temporary, target)
    except BaseException:
        if retired.exists():
            os.rename(retired, target)
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    shutil.rmtree(retired, ignore_errors=True)
    _sync_directory(target.parent)


def _target(path: str | os.PathLike[str]) -> Path:
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the directory to write to does not exist", str(target.parent)
        )
    return target


def _beside(target: Path) -> Path:
    return target.with_name(f".onebuf-{secrets.token_hex(8)}.tmp")


def _sync_directory(directory: Path) -> None:
    """Make the new name survive a power failure, where the system can promise that."""
    with suppress(OSError):  # Windows, and some network file systems
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
