"""Saving arrays to a file of any format, all or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from onebuf.dtypes import as_dtype
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.interop.files.atomic import replacing_directory, replacing_file
from onebuf.interop.files.elements import write_elements
from onebuf.interop.files.formats import (
    SUFFIXES,
    check_format,
    format_of_name,
    is_zarr_store,
    optional_format,
)
from onebuf.interop.files.npy import write_npy
from onebuf.interop.files.npz import SINGLE_NAME as NPZ_NAME
from onebuf.interop.files.npz import write_npz
from onebuf.interop.files.safetensors import write_safetensors

SINGLE_NAME = "data"
"""What a single array is called in a format that names its arrays."""


def save_file(
    path: str | os.PathLike[str],
    arrays: np.ndarray[Any, Any] | Mapping[str, np.ndarray[Any, Any]],
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
    if format == "zarr":
        store = optional_format(format)
        with replacing_directory(path, is_zarr_store) as directory:
            store.save_zarr(directory, found, metadata)
        return
    if format == "safetensors":
        named = found if isinstance(found, dict) else {SINGLE_NAME: found}
        with replacing_file(path) as file:
            write_safetensors(file, named, metadata)
        return
    if format == "npz" and metadata is None:
        members = found if isinstance(found, dict) else {NPZ_NAME: found}
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
    arrays: np.ndarray[Any, Any] | Mapping[str, np.ndarray[Any, Any]],
) -> np.ndarray[Any, Any] | dict[str, np.ndarray[Any, Any]]:
    """Arrays of supported types under names of text."""
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
