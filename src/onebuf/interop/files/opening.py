"""Opening a file of any format without reading it all."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from onebuf.dtypes import uint8
from onebuf.errors import ArgumentError
from onebuf.interop.files.formats import check_format, format_of_existing, optional_format
from onebuf.interop.files.npy import open_npy
from onebuf.interop.files.npz import open_npz
from onebuf.interop.files.raw import open_raw
from onebuf.interop.files.safetensors import open_safetensors
from onebuf.interop.held import Opened
from onebuf.memory import Mode, check_mode


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
    return optional_format(format).open_zarr(path, mode)
