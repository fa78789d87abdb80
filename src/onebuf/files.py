"""Files as buffers: opened without reading them, saved all or not at all."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from io import TextIOBase
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from onebuf.buffer import Buffer
from onebuf.buffer.placement import close_after
from onebuf.engine import is_here, is_large_and_on_demand, read
from onebuf.errors import ArgumentError, ArgumentTypeError, OnebufError
from onebuf.graph import SOURCE, Leaf, Node, make, strided
from onebuf.interop.files import (
    Held,
    NpzFile,
    Source,
    format_of_existing,
    is_npz,
    open_file,
    read_npy,
    save_file,
    write_npy,
    write_npz,
)
from onebuf.interop.files.formats import SUFFIXES
from onebuf.interop.files.npy import MAGIC
from onebuf.interop.files.streamed import Streamed
from onebuf.machine import Cluster
from onebuf.memory import FileBlock, Mode, map_file
from onebuf.ops import shrink


class Archive(Mapping[str, Buffer]):
    """A file of several named buffers, none of them read before its elements are.

    ``metadata`` is what the file says about itself, ``files`` are the names, as NumPy calls them.
    """

    def __init__(
        self, found: Mapping[str, Held] | Mapping[str, Source], name: str, *, keep: bool = True
    ) -> None:
        # What is mapped is handed over, because two holders of memory keep it from being freed.
        self._found: NpzFile | dict[str, Held | Source] = (
            found if isinstance(found, NpzFile) else dict(found)
        )
        self._names = list(found)
        self._buffers: dict[str, Buffer] = {}
        self._name = name
        self._keep = keep
        self.metadata: dict[str, str] = dict(getattr(found, "metadata", {}))

    @property
    def files(self) -> list[str]:
        """The names of all buffers."""
        return list(self._names)

    def __getitem__(self, name: str) -> Buffer:
        if name in self._buffers:
            return self._buffers[name]
        if name not in self._names:
            has = ", ".join(self) or "nothing (it was closed)"
            raise KeyError(f"{self._name} has no {name!r}; it has {has}") from None
        found = self._found
        buffer = _buffer(found.pop(name) if isinstance(found, dict) else found[name])
        if self._keep:
            self._buffers[name] = buffer
        return buffer

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Archive({self._name!r}: {', '.join(self) or 'empty'})"

    def flush(self) -> None:
        """Wait until everything written so far is in the file."""
        for buffer in self._buffers.values():
            buffer.flush()

    def close(self) -> None:
        """Flush and let go of the file; an error while windows or views still use it.

        Buffers that are in use stay, and the others are closed all the same.
        """
        self.flush()
        first: Exception | None = None
        for name in list(self._buffers):
            try:
                self._buffers[name].close()
            except OnebufError as error:
                first = first or error
            else:
                del self._buffers[name]
        self._names = list(self._buffers)
        self._found = {}
        if first is not None:
            try:
                raise first
            finally:
                del first  # whose frames hold the memory that is in use, and this one it

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        close_after(self.close, error)


def open(  # noqa: A001 - the name is fixed
    path: str | os.PathLike[str],
    mode: Mode = "r",
    *,
    dtype: Any = None,
    shape: int | Sequence[int] | None = None,
    offset_bytes: int | None = None,
    format: str | None = None,
) -> Buffer | Archive:
    """The buffer in a file, or the buffers by name, without reading the elements.

    .npy and raw files give a `Buffer`, .npz and .safetensors files an `Archive`, zarr stores one or
    the other. ``mode`` is ``"r"`` (read only), ``"r+"`` (writes go to the file) or ``"c"`` (writes
    stay in memory). ``dtype``, ``shape`` and ``offset_bytes`` say what is in a raw file. A file
    whose kind neither its suffix, nor its first bytes, nor one of these says is refused.
    """
    found = open_file(
        path, mode, dtype=dtype, shape=shape, offset_bytes=offset_bytes, format=format
    )
    if isinstance(found, Mapping):
        return Archive(found, os.fspath(path))
    return _buffer(found)


def save(
    path: str | os.PathLike[str] | BinaryIO,
    buffer: Any,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    *,
    format: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a buffer, or several by name, to a file; its suffix says in which format.

    The file appears whole or not at all: what was there before stays until the last byte of the
    new one is written. As `numpy.save` does, a single buffer under a name without a known suffix is
    saved as .npy, with that suffix added, and one for an open file is written there in that format.
    Nothing is ever pickled: ``allow_pickle`` and ``fix_imports`` are there for NumPy's programs.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save(f"{folder}/table.npy", [[1, 2], [3, 4]])
    ...     save(f"{folder}/all.npz", {"x": [1.5], "y": [2.5]})
    ...     load(f"{folder}/table.npy").tolist(), load(f"{folder}/all.npz")["y"].tolist()
    ([[1, 2], [3, 4]], [2.5])
    """
    device = getattr(buffer, "device", None)
    if isinstance(device, Cluster) and device.runtime.mode == "spmd":
        _save_once(path, buffer, format, metadata)
        return
    if isinstance(buffer, Mapping):
        arrays: Any = {name: _array(part) for name, part in buffer.items()}
    else:
        arrays = _array(buffer)
    if not isinstance(path, str | os.PathLike):
        _check_open_file(path, "wb")
        if format not in (None, "npy") or isinstance(arrays, dict) or metadata is not None:
            raise ArgumentError(
                "save writes one buffer as .npy to an open file; pass a path for other formats"
            )
        write_npy(path, arrays)
        return
    if format is None and not isinstance(arrays, dict):
        path = _with_suffix(path, ".npy", SUFFIXES)
    save_file(path, arrays, format=format, metadata=metadata)


def _save_once(path: Any, buffer: Any, format: str | None, metadata: Any) -> None:
    """Save a buffer that all processes of a program have: the first one writes, all wait for it."""
    runtime = buffer.device.runtime
    buffer.realize()
    try:
        if runtime.rank == 0:
            whole = Streamed(buffer.shape, buffer.dtype, partial(_part, buffer._node))
            where = path if format else _with_suffix(path, ".npy", SUFFIXES)
            save_file(where, whole, format=format, metadata=metadata)
    finally:
        runtime.barrier()


def load(
    file: str | os.PathLike[str] | BinaryIO,
    mmap_mode: Mode | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10_000,
) -> Buffer | Archive:
    """The buffer in a .npy file, read into memory of its own, or those of an archive by name.

    `numpy.load` for buffers: ``mmap_mode`` is `open`'s mode, for elements that stay in the file.
    Nothing is ever unpickled; arguments about pickles are there for NumPy's programs. Longer
    headers than those of numbers are refused, whatever ``max_header_size``. An open file can hold
    one .npy file after another.
    """
    if isinstance(file, str | os.PathLike):
        if mmap_mode is not None:
            return open(file, mmap_mode)
        return _load_path(Path(file))
    _check_open_file(file, "rb")
    if mmap_mode is not None:
        raise ArgumentError("mmap_mode needs a path, got an open file; pass its name")
    name = str(getattr(file, "name", type(file).__name__))
    first = file.read(len(MAGIC))
    if is_npz(first):
        return Archive(NpzFile(name, first + file.read(), None), name, keep=False)
    return _buffer(read_npy(cast(BinaryIO, _Prefixed(first, file)), name))


def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Write buffers to an .npz file, under their keywords or as arr_0, arr_1, ...

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> savez(file, [1, 2], weight=[0.5])
    >>> _ = file.seek(0)
    >>> {name: buffer.tolist() for name, buffer in load(file).items()}
    {'weight': [0.5], 'arr_0': [1, 2]}
    """
    _savez(file, args, kwds, compressed=False)


def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Write buffers to an .npz file as `savez` does, compressed."""
    _savez(file, args, kwds, compressed=True)


def _savez(file: Any, args: tuple[Any, ...], kwds: Mapping[str, Any], *, compressed: bool) -> None:
    named = {name: _array(value) for name, value in kwds.items()}
    for number, value in enumerate(args):
        if (name := f"arr_{number}") in named:
            raise ArgumentError(
                f"{name} is both the name of an argument without one and a keyword; rename one"
            )
        named[name] = _array(value)
    if not isinstance(file, str | os.PathLike):
        _check_open_file(file, "wb")
        write_npz(file, named, compressed=compressed)
        return
    save_file(_with_suffix(file, ".npz", (".npz",)), named, format="npz", compressed=compressed)


def _load_path(path: Path) -> Buffer | Archive:
    if not path.is_file() or format_of_existing(path) not in ("npy", "npz"):
        return open(path)
    if format_of_existing(path) == "npz":
        whole = map_file(path)
        return Archive(NpzFile(str(path), whole.memory, None), str(path), keep=False)
    with path.open("rb") as file:
        return _buffer(read_npy(file, str(path)))


class _Prefixed:
    """An open file of which the first bytes were read already."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self._first = first
        self._file = file

    def read(self, nbytes: int) -> bytes:
        found, self._first = self._first[:nbytes], self._first[nbytes:]
        return found + self._file.read(nbytes - len(found))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _with_suffix(
    path: str | os.PathLike[str], suffix: str, known: Collection[str]
) -> str | os.PathLike[str]:
    """``path``, with a suffix added as NumPy does unless it has a known one."""
    return path if Path(path).suffix.lower() in known else f"{os.fspath(path)}{suffix}"


def _check_open_file(file: Any, mode: str) -> None:
    if not hasattr(file, "write" if mode == "wb" else "read") or isinstance(file, TextIOBase):
        raise ArgumentTypeError(
            f"needed a path, or a file that was opened with mode {mode!r}, got {file!r}"
        )


def _array(buffer: Any) -> Any:
    if buffer is None or isinstance(buffer, str | bytes):
        raise ArgumentTypeError(
            f"save needs a buffer or a mapping of names to buffers, got {type(buffer).__name__}; "
            f"convert with onebuf.asarray(...)"
        )
    node = getattr(buffer, "_node", None)
    if not isinstance(node, Node):
        node = Buffer(np.asarray(buffer) if isinstance(buffer, _PLAIN) else buffer)._node
    if isinstance(node.device, Cluster) or (is_here(node) and is_large_and_on_demand(node)):
        return Streamed(node.shape, node.dtype, partial(_part, node))
    return read(node)


def _part(node: Node, bounds: Sequence[tuple[int, int]]) -> Any:
    """A box of a buffer that is not in memory, and is not taken there as a whole."""
    return read(shrink(node, bounds))


_PLAIN = (list, tuple, int, float, complex)


def _buffer(found: Held | Source) -> Buffer:
    if isinstance(found, Held):
        if isinstance(found.block, FileBlock):
            found.block.settle_in_file()
        return Buffer._value(Leaf(strided(found.block, found.dtype, found.view), found.block))
    node = make(SOURCE, (), found, found.shape, found.dtype, unique=True)
    found.territory.settle(node, 0)
    return Buffer._value(node)
