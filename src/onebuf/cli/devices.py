"""``onebuf devices``: every kind of device, what there is of it, or what is missing.

Kinds that other packages provide are looked for in processes of their own: a driver that hangs or
aborts is told about as well.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from onebuf.cli.sizes import sized
from onebuf.cli.stage import BOLD, RESET, WIDTH
from onebuf.machine import Device, devices, kinds
from onebuf.machine.providers import OURS

INDENT = 12
NO_BREAK = "\xa0"
"""A space at which no line ends."""
SECONDS = 120.0
"""How long a kind may take to be looked for."""

DRIVERS = {
    "OPENCL": "PoCL, which runs on processors, comes with pip install 'onebuf[opencl]'; GPUs need "
    "that of their vendor, on Debian and Ubuntu: apt install intel-opencl-icd or mesa-opencl-icd",
    "VULKAN": "on Debian and Ubuntu: apt install mesa-vulkan-drivers, which has one for processors "
    "too",
}
"""Where drivers come from, for kinds that need one of the system as well as a package."""

UNLISTED = {"DISK": "any file, as in DISK:/path/to/file: holds elements, computes nothing"}
"""What there is to say of kinds whose devices cannot be listed."""


@dataclass(frozen=True, slots=True)
class Found:
    """A device; ``error`` says why it does not open, if it does not."""

    name: str
    description: str = ""
    memory: int | None = None
    queues: int | None = None
    limits: dict[str, int] = field(default_factory=dict)
    lacks: Sequence[str] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """All devices of a kind; ``error`` says why there are none."""

    kind: str
    devices: Sequence[Found] = ()
    error: str = ""
    drivers: str = ""
    """Where drivers come from, if it needs one."""

    @property
    def is_usable(self) -> bool:
        """Whether a program can use it."""
        return self.kind in UNLISTED or any(not device.error for device in self.devices)


def show_devices(as_json: bool = False) -> None:
    """Print every kind of device."""
    found = look()
    if as_json:
        print(json.dumps([{**asdict(kind), "usable": kind.is_usable} for kind in found], indent=2))
        return
    in_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for kind in found:
        for name, lines in describe(kind):
            head = f"{BOLD}{name}{RESET}" if in_colour else name
            print(f"{head}{' ' * max(1, INDENT - len(name))}{lines[0]}")
            for line in lines[1:]:
                print(f"{' ' * INDENT}{line}")


def look() -> list[DeviceKind]:
    """Every kind, in the order of the registry."""
    apart = {kind: _begin(kind) for kind in kinds() if kind not in OURS or OURS[kind].package}
    return [_end(kind, apart[kind]) if kind in apart else look_at(kind) for kind in kinds()]


def look_at(kind: str) -> DeviceKind:
    """What there is of a kind."""
    try:
        found = [_open(device) for device in devices(kind)]
    except Exception as error:  # a foreign driver's too: to tell is what this is for
        return DeviceKind(kind, error=_told(error), drivers=DRIVERS.get(kind, ""))
    if not found and kind not in UNLISTED:
        return DeviceKind(kind, error="no device was found", drivers=DRIVERS.get(kind, ""))
    return DeviceKind(kind, found)


def _open(device: Device) -> Found:
    try:
        facts = device.driver.facts()
    except Exception as error:
        return Found(device.name, error=_told(error))
    return Found(device.name, **asdict(facts))


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


# Processes of their own


_PROGRAM = """
import json, sys
from dataclasses import asdict
from onebuf.cli.devices import look_at
print("\\n" + json.dumps(asdict(look_at(sys.argv[1]))))
"""


def _begin(kind: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, kind],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def _end(kind: str, process: subprocess.Popen[str]) -> DeviceKind:
    try:
        told, complaints = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return _failed(kind, f"looking for devices took more than {SECONDS:g} seconds")
    if process.returncode:
        last = (complaints.strip().splitlines() or [""])[-1]
        return _failed(kind, f"looking for devices ended the process ({process.returncode}) {last}")
    return _from_json(json.loads(told.splitlines()[-1]))


def _failed(kind: str, error: str) -> DeviceKind:
    return DeviceKind(kind, error=error.strip(), drivers=DRIVERS.get(kind, ""))


def _from_json(told: dict[str, Any]) -> DeviceKind:
    return DeviceKind(**{**told, "devices": [Found(**one) for one in told["devices"]]})


# Text


def describe(kind: DeviceKind) -> Iterator[tuple[str, list[str]]]:
    """The names to print, each with its lines.

    >>> list(describe(DeviceKind("NPU", [Found("NPU", "two cores", 2**30, 1)])))
    [('NPU', ['two cores', 'memory 1 GiB, one queue'])]
    """
    if kind.error:
        lines = [*_wrap(f"cannot be used: {kind.error}")]
        yield kind.kind, lines + (_wrap(f"drivers: {kind.drivers}") if kind.drivers else [])
    elif not kind.devices:
        yield kind.kind, _wrap(UNLISTED[kind.kind])
    for device in kind.devices:
        yield device.name, _lines(device)


def _lines(device: Found) -> list[str]:
    if device.error:
        return _wrap(f"does not open: {device.error}")
    memory = "" if device.memory is None else f"memory {sized(device.memory)}, "
    count = device.queues
    queues = "any number of queues" if count is None else f"{count} queues"
    lines = _wrap(device.description) + _wrap(memory + ("one queue" if count == 1 else queues))
    if device.limits:
        lines += _wrap(", ".join(_limit(*limit) for limit in device.limits.items()))
    if device.lacks:
        lines += _wrap(f"lacks {', '.join(device.lacks)}")
    return lines


def _limit(name: str, value: int) -> str:
    told = sized(value) if "memory" in name or "bytes" in name else value
    return f"{name} {told}".replace(" ", NO_BREAK)


def _wrap(text: str) -> list[str]:
    lines = textwrap.wrap(text, WIDTH - INDENT, break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines]
