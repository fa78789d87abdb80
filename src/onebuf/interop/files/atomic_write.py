"""Writing all or nothing: a file or directory is replaced whole, or left as it was.

The new content is made next to its target, in a file that only its owner may read, and takes the
target's name in one step at the end. If anything fails before that, the new file is removed and the
target is untouched. Where the system has files without a name (Linux), the new file has none until
it is complete, so that even a killed process leaves nothing behind.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from onebuf.errors import ArgumentError
from onebuf.interop.files.permissions import (
    PRIVATE_DIRECTORY,
    PRIVATE_FILE,
    Permissions,
    beside,
    default_mode,
    open_unnamed,
)


@contextmanager
def replacing_file(
    path: str | os.PathLike[str],
    *,
    like: Permissions | None = None,
    follow: bool = True,
    sync: bool = True,
) -> Iterator[BinaryIO]:
    """A file to write to, which becomes ``path`` when the block ends without an error.

    An existing file keeps its permissions, and a symbolic link keeps pointing where it did, unless
    ``follow`` is false: then the link itself is replaced. A new file gets ``like``, or the usual
    mode of new files, once it is complete. ``sync`` waits for the disk.
    """
    target = _target(path) if follow else Path(path)
    if target.exists() and not target.is_symlink():
        _check_replaceable_file(path, target)
        like = Permissions.of(target)
    mode = default_mode(target.parent, 0o666) if like is None else None
    temporary = beside(target)
    try:
        with ExitStack() as opened:
            file = opened.enter_context(_create(target, temporary))
            yield file
            file.flush()
            if not temporary.exists():
                file = opened.enter_context(_named(file, temporary))
            if like is not None:
                like.apply(file.fileno())
            if sync:
                os.fsync(file.fileno())
            if os.name == "nt":  # which renames no open files
                file.close()
            os.replace(temporary, target)
            if mode is not None and not file.closed:
                _open_up(file.fileno(), mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if sync:
        _sync_directory(target.parent)


@contextmanager
def replacing_directory(
    path: str | os.PathLike[str], replaceable: Callable[[Path], bool]
) -> Iterator[Path]:
    """A directory to fill, which becomes ``path`` when the block ends without an error.

    What exists at ``path`` is removed if it is ``replaceable``, and what is in the new one has its
    permissions. No system call that Python has swaps directories, so for an instant in between
    nothing is there.
    """
    target = _target(path)
    exists = target.exists()
    if exists and not replaceable(target):
        raise ArgumentError(
            f"{path}: exists and is not of the format to be written, so it is not replaced; "
            "choose another path or remove it first"
        )
    temporary, retired = beside(target), beside(target)
    mode = None if exists else default_mode(target.parent, 0o777)
    try:
        with _explained(target):
            temporary.mkdir(PRIVATE_DIRECTORY)
        yield temporary
        if exists:
            copy_permissions(target, temporary)
            os.rename(target, retired)
        os.rename(temporary, target)
    except BaseException:
        if retired.exists():
            os.rename(retired, target)
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    if mode is not None:
        _open_up(target, mode | target.stat().st_mode)
    shutil.rmtree(retired, ignore_errors=True)
    _sync_directory(target.parent)


def copy_permissions(old: Path, new: Path) -> None:
    """Give everything in ``new`` what ``old`` has: directories its own, files those of its files.

    The directory itself comes last, because it keeps others out of the rest.
    """
    for_directories = Permissions.of(old)
    first = next((entry for entry in sorted(old.iterdir()) if entry.is_file()), None)
    for_files = None if first is None else Permissions.of(first)
    for folder, _, files in os.walk(new, topdown=False):
        for name in files if for_files is not None else ():
            assert for_files is not None
            for_files.apply(Path(folder, name))
        for_directories.apply(Path(folder))


def _target(path: str | os.PathLike[str]) -> Path:
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, "symbolic links in a circle name no file to write", str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "the directory to write to does not exist", str(target.parent)
        )
    return target


def _check_replaceable_file(path: str | os.PathLike[str], target: Path) -> None:
    if not target.is_file():
        raise ArgumentError(
            f"{path}: needed a file to write, but this is a directory or a device; "
            "choose another path"
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(
            errno.EACCES, "this file may not be written; change its mode or save elsewhere", path
        )


def _create(target: Path, temporary: Path) -> BinaryIO:
    """A private file for the content of ``target``: without a name, or called ``temporary``."""
    unnamed = open_unnamed(target.parent, PRIVATE_FILE)
    if unnamed is not None:
        return os.fdopen(unnamed, "w+b")
    with _explained(target):
        return _create_named(temporary)


def _create_named(path: Path) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, PRIVATE_FILE), "w+b")


def _named(file: BinaryIO, temporary: Path) -> BinaryIO:
    """The file itself under a name, so that it can be renamed; a copy where that is forbidden."""
    directory = os.open(temporary.parent, os.O_RDONLY)
    try:
        # With a directory's descriptor, Python follows the link that /proc has for the file.
        os.link(f"/proc/self/fd/{file.fileno()}", temporary.name, dst_dir_fd=directory)
        return file
    except OSError:
        copy = _create_named(temporary)
        file.seek(0)
        shutil.copyfileobj(file, copy)
        copy.flush()
        return copy
    finally:
        os.close(directory)


def _open_up(file: int | Path, mode: int) -> None:
    with suppress(PermissionError):  # file systems without modes
        os.chmod(file, mode & 0o3777)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Say why a directory has to be writable for a file in it to be saved."""
    try:
        yield
    except (PermissionError, FileExistsError) as error:
        raise type(error)(
            error.errno,
            f"{error.strerror}: saving makes a new file beside the old one, and needs a directory "
            "that may be written; save elsewhere, or write into the file with mode='r+'",
            str(target.parent),
        ) from None


def _sync_directory(directory: Path) -> None:
    """Make the new name survive a power failure, where the system can promise that."""
    with suppress(OSError):  # Windows, and some network file systems
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
