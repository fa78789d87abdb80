"""Files as buffers: opened without reading them, saved all or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onebuf.buffer import Buffer
from onebuf.engine import read
from onebuf.errors import ArgumentTypeError
from onebuf.graph import SOURCE, Leaf, Node, make, strided
from onebuf.interop.files import Held, Source, open_file, save_file
from onebuf.memory import Mode


class Archive(Mapping[str, Buffer]):
    """A file of several named buffers, none of them read before its elements are.

    ``metadata`` is what the file says about itself.
    """

    def __init__(self, buffers: Mapping[str, Buffer], name: str, metadata: Mapping[str, str]):
        self._buffers = dict(buffers)
        self._name = name
        self.metadata = dict(metadata)

    def __getitem__(self, name: str) -> Buffer:
        try:
            return self._buffers[name]
        except KeyError:
            has = ", ".join(self) or "nothing (it was closed)"
            raise KeyError(f"{self._name} has no {name!r}; it has {has}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._buffers)

    def __len__(self) -> int:
        return len(self._buffers)

    def __repr__(self) -> str:
        return f"Archive({self._name!r}: {', '.join(self) or 'empty'})"

    def flush(self) -> None:
        """Wait until everything written so far is in the file."""
        for buffer in self._buffers.values():
            buffer.flush()

    def close(self) -> None:
        """Flush and let go of the file; an error while windows or views still use it."""
        self.flush()
        for name in list(self._buffers):
            self._buffers[name].close()
            del self._buffers[name]

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


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

    .npy and raw files give a `Buffer`, .safetensors files an `Archive`, zarr stores one or the
    other. ``mode`` is ``"r"`` (read only), ``"r+"`` (writes go to the file) or ``"c"`` (writes stay
    in memory). ``dtype``, ``shape`` and ``offset_bytes`` say what is in a raw file.
    """
    found = open_file(
        path, mode, dtype=dtype, shape=shape, offset_bytes=offset_bytes, format=format
    )
    if isinstance(found, Mapping):
        buffers = {name: _buffer(part) for name, part in found.items()}
        return Archive(buffers, os.fspath(path), getattr(found, "metadata", {}))
    return _buffer(found)


def save(
    path: str | os.PathLike[str],
    buffer: Buffer | Mapping[str, Buffer],
    *,
    format: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a buffer, or several by name, to a file; its suffix says in which format.

    The file appears whole or not at all: what was there before stays until the last byte of the
    new one is written.
    """
    if isinstance(buffer, Mapping):
        arrays: Any = {name: read(_node(part)) for name, part in buffer.items()}
    else:
        arrays = read(_node(buffer))
    save_file(path, arrays, format=format, metadata=metadata)


def _node(buffer: Any) -> Node:
    node = getattr(buffer, "_node", None)
    if isinstance(node, Node):
        return node
    if isinstance(buffer, list | tuple | int | float | complex | str) or buffer is None:
        raise ArgumentTypeError(
            f"save needs a buffer or a mapping of names to buffers, got {type(buffer).__name__}; "
            f"convert with onebuf.asarray(...)"
        )
    return Buffer(buffer)._node


def _buffer(found: Held | Source) -> Buffer:
    if isinstance(found, Held):
        return Buffer._value(Leaf(strided(found.block, found.dtype, found.view), found.block))
    return Buffer._value(make(SOURCE, (), found, found.shape, found.dtype, unique=True))
