"""Memory maps of the process: which file an address is mapped from.

Two mappings of one file have different addresses and the same bytes. Only the system knows: Linux
lists the mappings of a process in ``/proc/self/maps``. Elsewhere, files are not recognised.
"""

from __future__ import annotations

from typing import NamedTuple


class FilePosition(NamedTuple):
    """A position in a file, in bytes; ``file`` is the device and the inode."""

    file: tuple[str, str]
    position: int


def mapped_from(address: int) -> FilePosition | None:
    """The place in a file that ``address`` is mapped from; None if it is not, or not known.

    >>> mapped_from(0) is None
    True
    """
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
            return next(filter(None, (_place(line, address) for line in lines)), None)
    except OSError:
        return None


def _place(line: str, address: int) -> FilePosition | None:
    """The place of ``address``, if it is in the mapping that ``line`` is about."""
    span, _, rest = line.partition(" ")
    first, last = span.split("-")
    if not int(first, 16) <= address < int(last, 16):
        return None
    _, offset, device, inode = rest.split(maxsplit=4)[:4]
    if inode == "0":
        return None
    return FilePosition((device, inode), int(offset, 16) + address - int(first, 16))
