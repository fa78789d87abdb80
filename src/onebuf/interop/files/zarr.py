"""Zarr stores in local directories: arrays in compressed chunks, read region by region.

Reading a region decodes the chunks that it touches and no others; writing one encodes those.
The zarr package does the work; this is the only file that imports it.
"""

from __future__ import annotations

import asyncio
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
from onebuf.interop.files.atomic_write import replacing_file
from onebuf.interop.files.header import check_shape, count_nbytes, fault, show
from onebuf.interop.files.permissions import Permissions
from onebuf.interop.files.streamed import Streamed
from onebuf.interop.files.zarr_codecs import check_metadata
from onebuf.interop.files.zarr_nodes import array_nodes, read_node
from onebuf.interop.held import Source
from onebuf.memory import Mode, check_mode, file_territory

try:
    import zarr
    import zarr.storage
except ImportError as error:
    raise MissingPackage.extra("zarr", "zarr", "opening or saving a zarr store") from error


class PrivateStore(zarr.storage.LocalStore):  # type: ignore[misc]
    """A directory whose files keep their permissions when they are written again.

    The zarr package replaces a chunk by a new file with the usual mode. Here a chunk that replaces
    another one has its permissions, and a new one those of the metadata next to it.
    """

    async def set(self, key: str, value: Any) -> None:
        """Replace the content of one file, all or nothing."""
        await asyncio.to_thread(self.set_sync, key, value)

    def set_sync(self, key: str, value: Any) -> None:
        """The same, for versions of zarr that write without waiting for a loop."""
        self._check_writable()
        path = self.root / key
        self._check_inside(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        like = self._permissions(path)
        with replacing_file(path, like=like, follow=False, sync=False) as file:
            file.write(value.to_bytes())

    def _check_inside(self, path: Path) -> None:
        """Raise if a link in the store leads to a place outside it; reading may go there."""
        if not path.parent.resolve().is_relative_to(self.root.resolve()):
            raise ReadOnlyError(
                f"{path}: a link in this store leads outside of it, and nothing is written there; "
                "copy the store first"
            )

    def _permissions(self, path: Path) -> Permissions | None:
        """Those of the nearest metadata above a new file; None in a store that is being made."""
        folder = path.parent
        while folder.is_relative_to(self.root):
            for name in ("zarr.json", ".zarray", ".zgroup"):
                if (folder / name).is_file():
                    return Permissions.of(folder / name)
            folder = folder.parent
        return None


class ZarrSource:
    """One array of a store; see `Source`. Writes are in the store when `write` returns."""

    def __init__(self, array: Any, name: str, writable: bool) -> None:
        self.name = name
        self.writable = writable
        self.shape = check_shape(name, array.shape, "the store")
        self.dtype = self._native(array)
        self.territory = file_territory(("zarr", os.path.realpath(name)))
        self._array = array
        count_nbytes(name, self.shape, self.dtype, "the store")

    def __reduce__(self) -> tuple[Any, ...]:
        return ZarrSource, (self._array, self.name, self.writable)

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
    root = Path(path)
    node = read_node(root)
    store = PrivateStore(root, read_only=mode == "r")
    if node.is_array:
        check_metadata(path, node.metadata)
        return _open_source(store, "", str(path), mode)
    # Neither consolidated metadata nor zarr's own list of members: both could name arrays that were
    # not checked, or lead outside the store.
    arrays = array_nodes(root, node)
    for name, metadata in arrays.items():
        check_metadata(root / name, metadata)
    with _faults(path, "the zarr metadata is wrong"):
        group = zarr.open_group(store, mode=mode, use_consolidated=False)
        attributes = group.attrs.asdict()
    sources: dict[str, Source] = {
        name: _open_source(store, name, f"{path}/{name}", mode) for name in arrays
    }
    return ZarrGroup(sources, attributes)


def _open_source(store: PrivateStore, name: str, shown: str, mode: Mode) -> ZarrSource:
    with _faults(shown, "the zarr metadata is wrong"):
        array = zarr.open_array(store, path=name, mode=mode)
        return ZarrSource(array, shown, mode == "r+")


def save_zarr(
    directory: str | os.PathLike[str],
    arrays: np.ndarray[Any, Any] | Streamed | Mapping[str, np.ndarray[Any, Any]],
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
    array: np.ndarray[Any, Any] | Streamed,
    attributes: dict[str, Any],
) -> None:
    dtype = as_dtype(array.dtype)
    if dtype in EXTENDED and dtype != float16:
        raise DTypeError(f"a zarr store cannot hold {dtype}; save it as .safetensors")
    stored = zarr.create_array(
        directory, name=name, shape=array.shape, dtype=dtype, attributes=attributes
    )
    if not isinstance(array, Streamed):
        stored[...] = array
        return
    for bounds, part in array.parts():
        stored[tuple([slice(low, high) for low, high in bounds])] = part


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
