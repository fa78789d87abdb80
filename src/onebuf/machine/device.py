"""Devices: handles to the places where elements can be, which are opened at their first use.

There is one object for each device name, so that devices are compared by identity. The driver
behind it, which uses hardware or a library, is opened when it is first asked for.
"""

from __future__ import annotations

import os
from _thread import RLock  # what threading.RLock makes
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from onebuf.errors import DeviceError, OnebufError
from onebuf.machine.names import Name, canonical, parse
from onebuf.machine.process import PROCESS
from onebuf.machine.providers import count, has_operations, is_known, kinds, provider, unknown
from onebuf.native import core

if TYPE_CHECKING:
    from onebuf.machine.driver import Driver


class Device:
    """A device: equal to its name, so that ``x.device == "CPU"`` reads as it looks.

    `onebuf.device` gives the device of a name.
    """

    __slots__ = ("name", "parts", "is_host", "has_operations", "_driver", "_pid", "__weakref__")

    way_home = "copy them: x.to_device('CPU')"
    """What to do for elements that are needed on the host, in messages."""

    def __init__(self, parts: Name) -> None:
        self.name = str(parts)
        self.parts = parts
        self.is_host = parts == Name("CPU")
        """Whether elements here are in the memory of this process, where NumPy can use them."""
        self.has_operations = self.is_host or has_operations(parts.kind)
        """Whether a library here has every operation; a kernel device has only those of kernels."""
        self._driver: Driver | None = None
        self._pid = 0

    @property
    def driver(self) -> Any:
        """The `Driver`, opened at the first use."""
        if self._pid == PROCESS.pid:
            return self._driver
        with _opening:
            if self._driver is None:
                self._driver = self._open()
                self._pid = PROCESS.pid
            elif self._pid != PROCESS.pid:
                if not self._driver.survives_fork:
                    raise DeviceError(_after_fork(self.name))
                self._pid = PROCESS.pid
        return self._driver

    def _open(self) -> Driver:
        return provider(self.parts.kind).open(self)  # type: ignore[no-any-return]

    @property
    def is_open(self) -> bool:
        """Whether its driver was opened."""
        return self._driver is not None

    @property
    def _is_here(self) -> bool:
        """Whether it is open, and can be used in this process."""
        driver = self._driver
        return driver is not None and (self._pid == PROCESS.pid or driver.survives_fork)

    def on_queue(self, queue: int) -> Device:
        """The same device with another of its queues."""
        if self.parts.path and queue:
            raise DeviceError(f"{self.name} has no queues beyond the first, got queue {queue}")
        return device(str(self.parts._replace(queue=queue)))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Device({self.name!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return self is other
        try:
            return self.name == canonical(other)
        except DeviceError:  # not the name of any device
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.name,)


def _after_fork(name: str) -> str:
    return (
        f"{name} was opened before this process was forked, and cannot be used in the child; open "
        f"it in the child alone, or start processes with the 'spawn' method of multiprocessing"
    )


_opening = RLock()
_devices: dict[str, Device] = {}


def _unlock_after_fork() -> None:
    global _opening
    _opening = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_after_fork)


def device(name: str | Device | None = None) -> Device:
    """The device of that name; without one, the host, or where a traced function has it.

    >>> device("cpu:0")
    Device('CPU')
    """
    if name is None:
        return _home.get()
    if isinstance(name, Device):
        return name
    found = _devices.get(name)
    if found is not None:
        return found
    parts = parse(str(name))
    found = _devices.get(str(parts))
    if found is None:
        if not is_known(parts.kind):
            raise DeviceError(unknown(str(name)))
        found = _devices.setdefault(str(parts), Device(parts))
    return found


CPU = device("CPU")
"""The host."""
_home: ContextVar[Device] = ContextVar("home", default=CPU)


def _home_is_host() -> bool:
    return _home.get().is_host


if core is not None:
    core.note_homes(_home_is_host)


@contextmanager
def with_home(home: Device) -> Iterator[None]:
    """Let new elements be on ``home`` where no device is asked for, in this thread or task."""
    if core is not None:
        core.note_homes(_home_is_host)  # from now on it has to ask
    token = _home.set(home)
    try:
        yield
    finally:
        _home.reset(token)


def opened() -> list[Device]:
    """Every device that was opened and can be used in this process, and the host."""
    return [one for one in list(_devices.values()) if one.is_host or one._is_here]


def check_place(device: Device, count: int | None, queues: int | None) -> None:
    """Raise unless a device has an index below ``count`` and a queue below ``queues``; None: any.

    >>> check_place(device("CPU@3"), 1, 2)
    Traceback (most recent call last):
    onebuf.errors.DeviceError: CPU@3 needs queue 3, and CPU has queues 0 to 1; ...
    """
    parts = device.parts
    if count is not None and parts.index >= count:
        there = "none" if not count else "one" if count == 1 else f"{count}, numbered from 0"
        raise DeviceError(
            f"{device} needs {parts.kind} device {parts.index}, and there is {there}; "
            f"`onebuf devices` lists them"
        )
    if queues is not None and parts.queue >= queues:
        plain = str(parts._replace(queue=0))
        has = "one queue, 0" if queues == 1 else f"queues 0 to {queues - 1}"
        raise DeviceError(
            f"{device} needs queue {parts.queue}, and {plain} has {has}; ask for one of those"
        )


def devices(kind: str | None = None) -> tuple[Device, ...]:
    """Every device that can be used here, or every one of a kind.

    This imports the packages of each kind. For a kind that is asked for by name, an error says what
    is missing.
    """
    if kind is not None:
        name = device(kind).parts.kind
        return tuple([device(str(Name(name, n))) for n in range(count(name))])
    found: list[Device] = []
    for one in kinds():
        try:
            found.extend(devices(one))
        except OnebufError:
            continue  # `onebuf devices` and `devices(kind)` say why
    return tuple(found)
