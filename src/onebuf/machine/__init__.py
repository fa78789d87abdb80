"""Devices: names, handles, memory, and the providers that open them."""

from onebuf.machine.allocator import CachingAllocator
from onebuf.machine.blocks import DeviceBlock, negative_size
from onebuf.machine.cluster import Cluster
from onebuf.machine.context import Context, checked_index, context, current_context
from onebuf.machine.delegated import Delegated
from onebuf.machine.device import CPU, Device, check_place, device, devices, opened, with_home
from onebuf.machine.driver import Allocator, Driver, Event, Facts, Stats
from onebuf.machine.names import Name, canonical, parse
from onebuf.machine.providers import kinds, owner, provider
from onebuf.machine.raw_memory import RawMemory, note_home
from onebuf.machine.tracer import Tracer, home_of

# fmt: off
__all__ = [
    "CPU", "Allocator", "CachingAllocator", "Cluster", "Context", "Delegated", "Device",
    "DeviceBlock", "Driver", "Event", "Facts", "Name", "RawMemory", "Stats", "Tracer", "canonical",
    "check_place", "checked_index", "context", "current_context", "device", "devices", "home_of",
    "kinds", "negative_size", "note_home", "opened", "owner", "parse", "provider", "with_home",
]
