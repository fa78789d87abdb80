"""Devices by name: where elements can be. The host, for now the only one, is ``CPU``."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from onebuf.errors import DeviceError


@dataclass(frozen=True, slots=True)
class Device:
    """A device: equal to its name, so that ``x.device == "CPU"`` reads as it looks."""

    name: str

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Device({self.name!r})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.name == canonical(other)
        return isinstance(other, Device) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


CPU = Device("CPU")
DEVICES = (CPU,)
_ALIASES = {"CLANG": "CPU", "HOST": "CPU"}


def canonical(name: str) -> str:
    """The one spelling of a device's name.

    >>> canonical("cpu"), canonical("clang"), canonical("cpu:0")
    ('CPU', 'CPU', 'CPU')
    """
    kind, colon, rest = name.partition(":")
    kind = _ALIASES.get(kind.upper(), kind.upper())
    return kind if rest in ("", "0") else f"{kind}{colon}{rest}"


def device(name: str | Device | None = None) -> Device:
    """The device of that name.

    >>> device("cpu")
    Device('CPU')
    """
    if name is None:
        return CPU
    wanted = name.name if isinstance(name, Device) else canonical(str(name))
    for known in DEVICES:
        if known.name == wanted:
            return known
    names = [known.name for known in DEVICES]
    close = get_close_matches(wanted, names, 1, 0.7)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise DeviceError(f"unknown device {str(name)!r}; available: {', '.join(names)}{hint}")


def devices() -> tuple[Device, ...]:
    """Every device that can be used here."""
    return DEVICES
