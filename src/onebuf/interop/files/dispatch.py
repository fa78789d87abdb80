"""Dispatch by format: files of any format opened without reading them all, or saved atomically."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import as_dtype, uint8
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.interop.files.atomic_write import replacing_directory, replacing_file
from onebuf.interop.files.elements import write_elements
from onebuf.interop.files.formats import (
    SUFFIXES,
    check_format,
    format_of_existing,
    format_of_name,
    is_zarr_store,
)
from onebuf.interop.files.npy import open_npy, write_npy
from onebuf.interop.files.npz import SINGLE_NAME as NPZ_NAME
from onebuf.interop.files.npz import open_npz, write_npz
from onebuf.interop.files.raw_format import open_raw
from onebuf.interop.files.safetensors import open_safetensors, write_safetensors
from onebuf.interop.files.streamed import Streamed
from onebuf.interop.held import Opened
from onebuf.late import Late
from onebuf.memory import Mode, check_mode

if TYPE_CHECKING:
    from onebuf.interop.files import zarr
else:
    zarr = Late("onebuf.interop.files.zarr")  # the package zarr may be absent

SINGLE_NAME = "data"
"""What a single array is called in a format that names its arrays."""


def open_file(
    path: str | os.PathLike[str],
    mode: Mode = "r",
    *,
    dtype: Any = None,
    shape: int | Sequence[int] | None = None,
    offset_bytes: int | None = None,
    format: str | None = None,
) -> Opened:
    """The array or arrays of the file or store at ``path``.

    ``mode`` is ``"r"`` (read only), ``"r+"`` (writes go to the file) or ``"c"`` (writes stay in
    memory). ``format`` is npy, npz, safetensors, zarr or raw; without it the path's suffix and
    first bytes decide. ``dtype``, ``shape`` and ``offset_bytes`` say what is in a raw file; the
    other formats say it themselves. A file of unknown kind is raw if one of them is given, and
    refused if not.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "numbers.bin")
    ...     _ = path.write_bytes(bytes(range(6)))
    ...     open_file(path, shape=(2, -1)).window().tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    check_mode(mode)
    path = Path(path)
    if format is not None:
        check_format(format)
    if not path.exists():
        raise FileNotFoundError(
            errno.ENOENT, "No such file or directory (opening never creates one)", str(path)
        )
    if not path.is_dir() and not path.is_file():
        raise ArgumentError(f"{path}: needed a file or a zarr store, got a device, pipe or socket")
    given = {"dtype": dtype, "shape": shape, "offset_bytes": offset_bytes}
    if format is None:
        is_described = any(value is not None for value in given.values())
        format = format_of_existing(path, is_described=is_described)
    if format == "raw":
        return open_raw(path, mode, uint8 if dtype is None else dtype, shape, offset_bytes or 0)
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(
                f"{path}: a {format} file says its own {name}, got {name}={value!r}; leave it "
                "out, or pass format='raw' to map the bytes as they are"
            )
    if format == "npy":
        return open_npy(path, mode)
    if format == "npz":
        return open_npz(path, mode)
    if format == "safetensors":
        return open_safetensors(path, mode)
    return zarr.open_zarr(path, mode)


def save_file(
    path: str | os.PathLike[str],
    arrays: np.ndarray[Any, Any] | Streamed | Mapping[str, np.ndarray[Any, Any]],
    *,
    format: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    compressed: bool = False,
) -> None:
    """Write one array, or several by name, to ``path``.

    ``format`` is npy, npz, safetensors, zarr or raw; without it the suffix decides. Only npz,
    safetensors and zarr hold several arrays, and the last two ``metadata``. A single array is named
    ``data`` in a .safetensors file and ``arr_0`` in an .npz file, which may be ``compressed``. If
    anything fails, what was at ``path`` before is still there, unchanged.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "numbers.npy")
    ...     save_file(path, np.arange(3))
    ...     np.load(path).tolist()
    [0, 1, 2]
    """
    path = Path(path)
    format = _format(path) if format is None else check_format(format)
    found = _arrays(arrays)
    if isinstance(found, Streamed) and format not in ("npy", "raw", "zarr"):
        raise ArgumentError(
            f"{path}: what is not in memory at once is written as .npy, .zarr or raw bytes, got "
            f"{format}; take it into memory first: x.copy(), or x.to_local()"
        )
    if format == "zarr":
        save = zarr.save_zarr  # raises before anything is replaced, if the package is absent
        with replacing_directory(path, is_zarr_store) as directory:
            save(directory, found, metadata)
        return
    if format == "safetensors":
        named = found if isinstance(found, dict) else {SINGLE_NAME: np.asarray(found)}
        with replacing_file(path) as file:
            write_safetensors(file, named, metadata)
        return
    if format == "npz" and metadata is None:
        members = found if isinstance(found, dict) else {NPZ_NAME: np.asarray(found)}
        _check_member_names(members)
        with replacing_file(path) as file:
            write_npz(file, members, compressed=compressed)
        return
    if isinstance(found, dict) and format != "npz":
        raise ArgumentTypeError(
            f"{path}: a {format} file holds one array, got a mapping of {len(found)}; "
            "save it as .npz, .safetensors or .zarr"
        )
    if metadata is not None:
        raise ArgumentError(f"{path}: a {format} file holds no metadata; use .safetensors or .zarr")
    assert not isinstance(found, dict)
    with replacing_file(path) as file:
        (write_npy if format == "npy" else write_elements)(file, found)


def _format(path: Path) -> str:
    format = format_of_name(path)
    if format is None:
        raise ArgumentError(
            f"{path}: needed a path that ends in {', '.join(SUFFIXES)}; or pass format="
        )
    return format


def _check_member_names(names: Iterable[str]) -> None:
    """Raise unless each name can be that of a file inside a zip file, and of one only."""
    for name in names:
        if not name or name.startswith("/") or "\0" in name or "\\" in name:
            raise ArgumentError(f"{name!r} cannot name an array of an .npz file; use other text")
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise ArgumentError(f"names need text that UTF-8 can hold: {error}") from None


def _arrays(
    arrays: np.ndarray[Any, Any] | Streamed | Mapping[str, np.ndarray[Any, Any]],
) -> np.ndarray[Any, Any] | Streamed | dict[str, np.ndarray[Any, Any]]:
    """Arrays of supported types under names of text."""
    if isinstance(arrays, Streamed):
        return arrays
    if not isinstance(arrays, Mapping):
        array = np.asarray(arrays)
        as_dtype(array.dtype)
        return array
    named: dict[str, np.ndarray[Any, Any]] = {}
    for name, value in arrays.items():
        if not isinstance(name, str):
            raise ArgumentTypeError(f"arrays need names of text, got {name!r}")
        named[name] = np.asarray(value)
        as_dtype(named[name].dtype)
    return named
