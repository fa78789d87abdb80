"""Zarr stores in local directories: arrays in compressed chunks, read region by region.

Reading a region decodes the chunks that it touches and no others; writing one encodes those.
The zarr package does the work; this is the only file that imports it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from onebuf.dtypes import EXTENDED, as_dtype, float16
from onebuf.errors import (
    ArgumentError,
    DTypeError,
    IndexRangeError,
    MissingPackage,
    OnebufError,
    ReadOnlyError,
    ShapeError,
)
from onebuf.interop.files.formats import is_zarr_store
from onebuf.interop.files.header import check_shape, count_nbytes, fault, show
from onebuf.interop.held import Source
from onebuf.memory import Mode, check_mode

try:
    import zarr
except ImportError as error:
    raise MissingPackage.extra("zarr", "zarr", "opening or saving a zarr store") from error

METADATA_LIMIT = 100_000_000


class ZarrSource:
    """One array of a store; see `Source`. Writes are in the store when `write` returns."""

    def __init__(self, array: Any, name: str, writable: bool) -> None:
        self.name = name
        self.writable = writable
        self.shape = check_shape(name, array.shape, "the store")
        self.dtype = self._native(array)
        self._array = array
        count_nbytes(name, self.shape, self.dtype, "the store")

    def __repr__(self) -> str:
        return f"ZarrSource({self.name!r}, shape={self.shape}, dtype={self.dtype.name})"

    def read(self, bounds: Sequence[tuple[int, int]]) -> np.ndarray[Any, Any]:
        """A new array with the elements of the region; chunks never written hold the fill value."""
        region = self._region(bounds)
        with _faults(self.name, f"cannot read the region {show(tuple(bounds))}"):
            return np.asarray(self._array[region], self.dtype)

    def write(self, bounds: Sequence[tuple[int, int]], array: np.ndarray[Any, Any]) -> None:
        """Replace the elements of the region, which has the shape and type of ``array``."""
        region = self._region(bounds)
        if not self.writable:
            raise ReadOnlyError(f"{self.name}: opened for reading; open it with mode='r+'")
        extents = tuple(high - low for low, high in bounds)
        if array.shape != extents:
            raise ShapeError(
                f"{self.name}: needed elements of shape {extents} for this region, "
                f"got {array.shape}; broadcast or slice them first"
            )
        if as_dtype(array.dtype) != self.dtype:
            raise DTypeError(f"{self.name}: needed {self.dtype} elements, got {array.dtype}")
        if array.size:
            with _faults(self.name, f"cannot write the region {show(tuple(bounds))}"):
                self._array[region] = array

    def flush(self) -> None:
        """Nothing to wait for: a local store keeps nothing back."""

    def _native(self, array: Any) -> np.dtype[Any]:
        try:
            return as_dtype(array.dtype)
        except DTypeError as error:
            raise fault(self.name, f"elements of another type: {error}") from None

    def _region(self, bounds: Sequence[tuple[int, int]]) -> tuple[slice, ...]:
        if len(bounds) != len(self.shape) or not all(
            0 <= low <= high <= extent
            for (low, high), extent in zip(bounds, self.shape, strict=True)
        ):
            raise IndexRangeError(
                f"{self.name}: a region of shape {self.shape} needs one range (low, high) inside "
                f"each axis, got {tuple(bounds)}"
            )
        return tuple(slice(low, high) for low, high in bounds)


class ZarrGroup(Mapping[str, Source]):
    """The arrays of a group and of the groups in it, by name such as ``"layer/weight"``.

    Names are sorted, for a directory has no order. ``metadata`` holds the group's attributes.
    """

    def __init__(self, sources: Mapping[str, Source], metadata: Mapping[str, Any]) -> None:
        self.metadata = dict(metadata)
        self._sources = dict(sorted(sources.items()))

    def __getitem__(self, name: str) -> Source:
        return self._sources[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def __repr__(self) -> str:
        return f"ZarrGroup({show(list(self))})"


def open_zarr(path: str | os.PathLike[str], mode: Mode = "r") -> Source | Mapping[str, Source]:
    """The array at ``path``, or every array of the group there."""
    check_mode(mode)
    if mode == "c":
        raise ArgumentError(
            f"{path}: a zarr store cannot be opened with mode='c' (writes stay in memory); "
            "use 'r' or 'r+', or read a region and change the copy"
        )
    kind = _node_type(Path(path))
    with _faults(path, "the zarr metadata is wrong"):
        if kind == "array":
            return ZarrSource(zarr.open_array(path, mode=mode), str(path), mode == "r+")
        # Consolidated metadata could name arrays outside the store; the directory cannot.
        group = zarr.open_group(path, mode=mode, use_consolidated=False)
        members = group.members(max_depth=None)
        sources: dict[str, Source] = {
            name: ZarrSource(member, f"{path}/{name}", mode == "r+")
            for name, member in members
            if isinstance(member, zarr.Array)
        }
        return ZarrGroup(sources, group.attrs.asdict())


def save_zarr(
    directory: str | os.PathLike[str],
    arrays: np.ndarray[Any, Any] | Mapping[str, np.ndarray[Any, Any]],
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write one array, or a group of them, into an empty directory.

    ``metadata`` becomes the attributes. Chunks are written one by one, without waiting for the
    disk.
    """
    attributes = dict(metadata or {})
    if not isinstance(arrays, Mapping):
        _write_array(directory, None, arrays, attributes)
        return
    _check_names(arrays)
    zarr.create_group(directory, attributes=attributes)
    for name, array in arrays.items():
        _write_array(directory, name, array, {})


def _write_array(
    directory: str | os.PathLike[str],
    name: str | None,
    array: np.ndarray[Any, Any],
    attributes: dict[str, Any],
) -> None:
    dtype = as_dtype(array.dtype)
    if dtype in EXTENDED and dtype != float16:
        raise DTypeError(f"a zarr store cannot hold {dtype}; save it as .safetensors")
    stored = zarr.create_array(
        directory, name=name, shape=array.shape, dtype=dtype, attributes=attributes
    )
    stored[...] = array


def _check_names(names: Mapping[str, Any]) -> None:
    """Raise unless each name is a path to an array of its own, below the group."""
    for name in names:
        parts = name.split("/")
        parents = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if parents & names.keys():
            raise ArgumentError(
                f"the name {show(name)} needs a group where another array is; rename one of them"
            )
        if any(part in ("", ".", "..", "zarr.json") or part.startswith("__") for part in parts):
            raise ArgumentError(
                f"{show(name)} cannot name an array of a zarr store; use words joined by '/'"
            )


def _node_type(path: Path) -> str:
    """Whether the metadata at ``path`` is that of an array or of a group.

    The zarr package takes any JSON object for a group.
    """
    if not is_zarr_store(path):
        raise fault(path, "needed a zarr store, a directory with zarr.json, .zarray or .zgroup")
    file = next(p for name in ("zarr.json", ".zarray", ".zgroup") if (p := path / name).is_file())
    if file.stat().st_size > METADATA_LIMIT:
        raise fault(path, f"{file.name} has more than {METADATA_LIMIT} bytes")
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise fault(path, f"{file.name} is not valid JSON: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise fault(path, f"{file.name} needs a JSON object, got {show(found)}")
    version = 3 if file.name == "zarr.json" else 2
    if found.get("zarr_format") != version:
        raise fault(
            path, f"{file.name} needs zarr_format {version}, got {show(found.get('zarr_format'))}"
        )
    kind = {".zarray": "array", ".zgroup": "group"}.get(file.name) or found.get("node_type")
    if kind not in ("array", "group"):
        raise fault(path, f"{file.name} needs the node_type array or group, got {show(kind)}")
    return str(kind)


@contextmanager
def _faults(path: str | os.PathLike[str], problem: str) -> Iterator[None]:
    """Turn whatever zarr and its codecs raise for bad content into one error."""
    try:
        yield
    except Exception as error:
        # zarr's own errors for missing nodes are OSError too, but also ValueError.
        from_system = isinstance(error, OSError) and not isinstance(error, ValueError)
        if from_system or isinstance(error, OnebufError | MemoryError):
            raise
        reason = f"{type(error).__name__}: {error}"
        raise fault(path, f"{problem} ({reason[:200]})") from error
