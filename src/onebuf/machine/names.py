"""Device names: a kind, the index of a device of that kind, and the index of its queue.

``OPENCL:1@2`` is queue 2 of the second OpenCL device. The first device and the first queue need no
number, so ``OPENCL``, ``opencl:0`` and ``OPENCL:0@0`` are one device. A ``DISK`` has a path after
the colon, whose case is kept.
"""

from __future__ import annotations

from typing import NamedTuple

from onebuf.errors import DeviceError

ALIASES = {"CLANG": "CPU", "HOST": "CPU", "GPU": "OPENCL", "CL": "OPENCL", "VK": "VULKAN"}
PATHS = frozenset({"DISK"})
"""Kinds whose devices have a path for an index."""
MOST_DIGITS = 9
"""Of the index of a device or a queue."""


class Name(NamedTuple):
    """The parts of a device's name."""

    kind: str
    index: int = 0  # type: ignore[assignment]  # in the place of tuple.index
    queue: int = 0
    path: str = ""

    def __str__(self) -> str:
        which = self.path or (str(self.index) if self.index else "")
        queue = f"@{self.queue}" if self.queue else ""
        return self.kind + (f":{which}" if which else "") + queue


def parse(text: str) -> Name:
    """The parts of a name.

    >>> parse("opencl:1@2")
    Name(kind='OPENCL', index=1, queue=2, path='')
    """
    first, _, rest = text.partition(":")
    if first.upper() in PATHS:
        return Name(first.upper(), path=rest)
    whole, _, queue = text.partition("@")
    first, _, index = whole.partition(":")
    kind = ALIASES.get(first.strip().upper(), first.strip().upper())
    return Name(kind, _number(text, index, "device"), _number(text, queue, "queue"))


def _number(text: str, digits: str, what: str) -> int:
    if not digits:
        return 0
    if not digits.isdecimal() or len(digits) > MOST_DIGITS:
        raise DeviceError(
            f"{text!r} needs an integer as its {what}, got {digits!r}; "
            f"names look like CPU, OPENCL:1 or OPENCL:1@2"
        )
    return int(digits)


def canonical(text: str) -> str:
    """The one spelling of a device's name.

    >>> canonical("cpu"), canonical("clang"), canonical("opencl:0"), canonical("disk:/Tmp/x")
    ('CPU', 'CPU', 'OPENCL', 'DISK:/Tmp/x')
    """
    return str(parse(text))
