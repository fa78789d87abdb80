"""Sizes in bytes, written with units."""

from __future__ import annotations

_UNITS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def sized(nbytes: int) -> str:
    """Bytes in the unit that they fill.

    >>> sized(512), sized(3 * 2**19), sized(2**30)
    ('0.5 KiB', '1.5 MiB', '1 GiB')
    """
    name, unit = next((pair for pair in _UNITS if nbytes >= pair[1]), _UNITS[-1])
    return f"{round(nbytes / unit, 1):g} {name}"
