"""Nodes of a zarr store: which directories hold an array or a group, by their metadata.

Read without the zarr package, so that metadata can be checked before that package acts on it. Only
directories below the store's own are looked at, each of them once, however links lead.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from onebuf.interop.files.formats import is_zarr_store
from onebuf.interop.files.header import fault, show

METADATA_LIMIT = 100_000_000
MAX_DEPTH = 64
"""Groups in groups."""


class ZarrNode(NamedTuple):
    """An array or a group: its metadata, and the number of the format."""

    is_array: bool
    version: int
    metadata: dict[str, Any]


def read_node(path: Path) -> ZarrNode:
    """The array or group at ``path``.

    The zarr package takes any JSON object for a group.
    """
    if not is_zarr_store(path):
        raise fault(path, "needed a zarr store, a directory with zarr.json, .zarray or .zgroup")
    file = next(p for name in ("zarr.json", ".zarray", ".zgroup") if (p := path / name).is_file())
    found = _read_object(path, file)
    version = 3 if file.name == "zarr.json" else 2
    if found.get("zarr_format") != version:
        raise fault(
            path, f"{file.name} needs zarr_format {version}, got {show(found.get('zarr_format'))}"
        )
    kind = {".zarray": "array", ".zgroup": "group"}.get(file.name) or found.get("node_type")
    if kind not in ("array", "group"):
        raise fault(path, f"{file.name} needs the node_type array or group, got {show(kind)}")
    return ZarrNode(kind == "array", version, found)


def array_nodes(root: Path, group: ZarrNode) -> dict[str, dict[str, Any]]:
    """The metadata of every array in the group at ``root``, by names such as ``layer/weight``."""
    found: dict[str, dict[str, Any]] = {}
    seen = {_identity(root)}
    pending = [("", root)]
    while pending:
        prefix, folder = pending.pop()
        for child in _children(folder, group.version):
            if (identity := _identity(child)) in seen:
                continue
            seen.add(identity)
            name = f"{prefix}{child.name}"
            node = read_node(child)
            if node.is_array:
                found[name] = node.metadata
            elif name.count("/") >= MAX_DEPTH:
                raise fault(root, f"groups are nested more than {MAX_DEPTH} times")
            else:
                pending.append((f"{name}/", child))
    return found


def _children(folder: Path, version: int) -> list[Path]:
    """Directories in ``folder`` that are nodes of the same format."""
    marks = ("zarr.json",) if version == 3 else (".zarray", ".zgroup")
    with os.scandir(folder) as entries:
        folders = [Path(entry.path) for entry in entries if entry.is_dir()]
    return [child for child in folders if any((child / mark).is_file() for mark in marks)]


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _read_object(path: Path, file: Path) -> dict[str, Any]:
    if file.stat().st_size > METADATA_LIMIT:
        raise fault(path, f"{file.name} has more than {METADATA_LIMIT} bytes")
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise fault(path, f"{file.name} is not valid JSON: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise fault(path, f"{file.name} needs a JSON object, got {show(found)}")
    return found
