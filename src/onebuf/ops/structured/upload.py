"""Index tables on devices: the engine, a layer above, says how elements get there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from onebuf.graph import Node
from onebuf.machine import Device

Upload: TypeAlias = Callable[[Node, Device], Node]

_upload: Upload


def install_upload(upload: Upload) -> None:
    """Let ``upload`` copy a node to a device."""
    global _upload
    _upload = upload


def elsewhere(table: Node, device: Device) -> Node:
    """An index table of the host on another device."""
    return _upload(table, device)
