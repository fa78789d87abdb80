"""Devices: names, handles, memory, and the providers that open them."""

from typing import TYPE_CHECKING, Any

from onebuf.late import load
from onebuf.machine.cluster import Cluster
from onebuf.machine.context import Context, checked_index, context, current_context
from onebuf.machine.delegated import Delegated
from onebuf.machine.device import CPU, Device, check_place, device, devices, opened, with_home
from onebuf.machine.names import Name, canonical, parse
from onebuf.machine.providers import kinds, owner, provider
from onebuf.machine.tracer import Tracer, home_of

if TYPE_CHECKING:
    from onebuf.machine.allocator import CachingAllocator
    from onebuf.machine.blocks import DeviceBlock, negative_size
    from onebuf.machine.driver import Allocator, Driver, Event, Facts, Stats
    from onebuf.machine.raw_memory import RawMemory, note_home

_LATER = {
    "CachingAllocator": "onebuf.machine.allocator",
    **dict.fromkeys(("DeviceBlock", "negative_size"), "onebuf.machine.blocks"),
    **dict.fromkeys(("Allocator", "Driver", "Event", "Facts", "Stats"), "onebuf.machine.driver"),
    **dict.fromkeys(("RawMemory", "note_home"), "onebuf.machine.raw_memory"),
}
"""What only drivers of devices need, by the module that has it."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(load(_LATER[name]), name)
    return value


# fmt: off
__all__ = [
    "CPU", "Allocator", "CachingAllocator", "Cluster", "Context", "Delegated", "Device",
    "DeviceBlock", "Driver", "Event", "Facts", "Name", "RawMemory", "Stats", "Tracer", "canonical",
    "check_place", "checked_index", "context", "current_context", "device", "devices", "home_of",
    "kinds", "negative_size", "note_home", "opened", "owner", "parse", "provider", "with_home",
]
