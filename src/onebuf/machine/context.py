"""Contexts: an ordered list of queues of one or more devices, as one device.

A buffer on a context has a replica on every queue. For the rest of the program a context is a
device: a graph on it is scheduled once, and its kernels are queued once for each replica.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from onebuf.errors import ArgumentError, DeviceError
from onebuf.late import load
from onebuf.machine.device import Device, device, devices
from onebuf.machine.names import Name
from onebuf.machine.providers import usable

if TYPE_CHECKING:
    from onebuf.machine.driver import Driver


class Context(Device):
    """A device made of queues: ``places``, in order."""

    __slots__ = ("places",)

    def __init__(self, places: tuple[Device, ...]) -> None:
        super().__init__(Name(f"[{', '.join([place.name for place in places])}]"))
        self.places = places
        self.is_host = False
        self.has_operations = all(place.has_operations for place in places)

    def _open(self) -> Driver:
        return load("onebuf.backends.replicas").open(self)  # type: ignore[no-any-return]

    def on_queue(self, queue: int) -> Device:
        """The device of one queue."""
        return self.places[checked_index(self, queue)]

    def synchronize(self) -> None:
        """Return when everything that was queued is complete, on every queue."""
        self.driver.synchronize()

    def __len__(self) -> int:
        return len(self.places)

    def __enter__(self) -> Context:
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *exception: object) -> None:
        _entered.set(_entered.get()[:-1])
        self.synchronize()

    def __repr__(self) -> str:
        return f"Context({', '.join(place.name for place in self.places)})"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _context_of, (self.places,)


_entered: ContextVar[tuple[Context, ...]] = ContextVar("entered", default=())
"""The contexts whose ``with`` blocks this thread or task is in, innermost last."""


def current_context() -> Context | None:
    """The context of the innermost ``with`` block, or None outside of all.

    >>> with context(["CPU"], queues=2):
    ...     current_context()
    Context(CPU@1, CPU@2)
    """
    entered = _entered.get()
    return entered[-1] if entered else None


_contexts: dict[tuple[Device, ...], Context] = {}


def _context_of(places: tuple[Device, ...]) -> Context:
    found = _contexts.get(places)
    if found is None:
        found = _contexts.setdefault(places, Context(places))
    return found


def context(
    devices: Sequence[str | Device] | None = None, queues: int | Sequence[int] = 1
) -> Context:
    """A context over ``queues`` queues of each of ``devices``; the same queues, the same context.

    ``queues`` may be a number for each device.

    Without ``devices``, over every OpenCL device, or over the host if there is none.

    >>> context(["CPU"], queues=2)
    Context(CPU@1, CPU@2)
    """
    if isinstance(devices, str | Device):
        devices = [devices]
    homes = _usual() if devices is None else [device(one) for one in devices]
    if not homes:
        raise ArgumentError("a context needs at least one device, got none")
    for number, home in enumerate(homes):
        if home in homes[:number]:
            raise ArgumentError(
                f"a context needs devices that differ, got {home} twice; "
                f"ask for several queues of one device with queues="
            )
        if home.parts.queue:
            raise ArgumentError(
                f"a context needs devices, got the queue {home}; queues= says how many of each"
            )
        if isinstance(home, Context):
            raise ArgumentError(f"a context needs devices, got the context {home.name}")
    # Queue 0 of the host is NumPy's memory, which has no replicas: the host's queues start at 1.
    pairs = list(zip(homes, _counts(queues, len(homes)), strict=True))
    for home, count in pairs:
        most = home.driver.facts().queues
        if most is not None and count > most:
            raise DeviceError(f"{home} has {most} queues at most, got {count}; ask for fewer")
    places = tuple([home.on_queue(n + home.is_host) for home, most in pairs for n in range(most)])
    found = _context_of(places)
    found.driver  # noqa: B018 - opened here, so that an error comes now and not at the first use
    return found


def _counts(queues: int | Sequence[int], devices: int) -> Sequence[int]:
    """How many queues of each device."""
    counts = list(queues) if isinstance(queues, Sequence) else [queues] * devices
    if len(counts) != devices:
        raise ArgumentError(
            f"a context needs a number of queues for each of {devices} devices, got {queues!r}"
        )
    for count in counts:
        if type(count) is not int or count < 1:
            raise ArgumentError(
                f"a context needs an integer number of queues, at least 1, got {count!r}"
            )
    return counts


def _usual() -> list[Device]:
    if "OPENCL" in usable():
        try:
            return list(devices("OPENCL")) or [device("CPU")]
        except DeviceError:
            return [device("CPU")]
    return [device("CPU")]


def checked_index(context: Context, index: int) -> int:
    """The index of a queue, which may be negative."""
    count = len(context.places)
    if type(index) is not int or not -count <= index < count:
        raise ArgumentError(
            f"a queue needs a number in 0..{count - 1}, as {context!r} has {count}, got {index!r}"
        )
    return index % count
