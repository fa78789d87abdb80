"""Providers: the registry of device kinds.

A provider is a module, or any object, with two functions: ``count()`` returns how many devices it
has, or raises an error that says what is missing; ``open(device)`` returns a `Driver`. Our own are
in a table. Another package adds one through the entry-point group ``onebuf.devices``::

    [project.entry-points."onebuf.devices"]
    NPU = "their_package.devices"
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any, NamedTuple, Protocol

from onebuf.errors import DeviceError, MissingPackage, OnebufError

GROUP = "onebuf.devices"


class Provider(Protocol):
    """All devices of one kind."""

    def count(self) -> int:
        """How many there are; an error says what is missing."""

    def open(self, device: Any) -> Any:
        """The driver of one of them."""


class Entry(NamedTuple):
    """The module of a provider, and the package that it needs."""

    module: str
    package: str = ""
    has_operations: bool = False
    """Whether a library has every operation, such as matrix products and any reduction."""


OURS = {
    "CPU": Entry("onebuf.engine.device.cpu_queue"),
    "OPENCL": Entry("onebuf.backends.opencl", "pyopencl"),
    "VULKAN": Entry("onebuf.backends.vulkan", "vkdispatch"),
    "TORCH": Entry("onebuf.backends.libraries.torch", "torch", True),
    "JAX": Entry("onebuf.backends.libraries.jax", "jax", True),
    "DISK": Entry("onebuf.backends.disk"),
    "PYTHON": Entry("onebuf.backends.reference.device"),
    "NULL": Entry("onebuf.backends.null"),
}


_OWNERS = {("torch", "Tensor"): "TORCH", ("jax", "Array"): "JAX", ("jaxlib", "ArrayImpl"): "JAX"}


def owner(native: Any) -> str | None:
    """The device kind of the library that an array belongs to; imports no library.

    >>> owner([1, 2, 3])
    """
    for one in type(native).__mro__:
        kind = _OWNERS.get((one.__module__.partition(".")[0], one.__name__))
        if kind is not None:
            return kind
    return None


def kinds() -> list[str]:
    """Every known kind of device, ours first."""
    return [*OURS, *sorted(_theirs().keys() - OURS.keys())]


def usable() -> list[str]:
    """The kinds whose packages are installed."""
    missing = {kind for kind, entry in OURS.items() if entry.package and not _has(entry.package)}
    return [kind for kind in kinds() if kind not in missing]


def is_known(kind: str) -> bool:
    """Whether there is a provider for a kind."""
    return kind in OURS or kind in _theirs()


def has_operations(kind: str) -> bool:
    """Whether devices of a kind have every operation, from a library."""
    return kind in OURS and OURS[kind].has_operations


def provider(kind: str) -> Provider:
    """The provider of a kind, imported now."""
    try:
        return _load(kind)
    except OnebufError:
        raise
    except Exception as error:  # a foreign package may raise anything on import
        raise DeviceError(_failed(kind, "imported", error)) from error


def _load(kind: str) -> Provider:
    entry = OURS.get(kind)
    if entry is None:
        theirs = _theirs().get(kind)
        if theirs is None:
            raise DeviceError(unknown(kind))
        return theirs.load()  # type: ignore[no-any-return]
    if entry.package and not _has(entry.package):
        raise MissingPackage.extra(entry.package, kind.lower(), f"a device of the kind {kind}")
    return importlib.import_module(entry.module)


def count(kind: str) -> int:
    """How many devices of a kind there are; an error says what is missing."""
    found = provider(kind)
    try:
        return found.count()
    except OnebufError:
        raise
    except Exception as error:  # a driver or a foreign package may raise anything
        raise DeviceError(_failed(kind, "counted", error)) from error


def _failed(kind: str, what: str, error: Exception) -> str:
    return f"devices of the kind {kind} could not be {what}: {type(error).__name__}: {error}"


def unknown(name: str) -> str:
    """The message for a device name of unknown kind."""
    names = usable()
    close = _late("difflib").get_close_matches(name.partition(":")[0].upper(), kinds(), 1, 0.6)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"unknown device {name!r}; available: {', '.join(names)}{hint}"


@cache
def _theirs() -> dict[str, Any]:
    found = _late("importlib.metadata").entry_points(group=GROUP)
    return {entry.name.upper(): entry for entry in found}


def _late(module: str) -> Any:
    """A module that is slow to import and rarely needed."""
    return importlib.import_module(module)


def _has(package: str) -> bool:
    return _late("importlib.util").find_spec(package) is not None
