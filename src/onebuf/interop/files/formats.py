"""File formats: which one a path has, by its suffix or its first bytes."""

from __future__ import annotations

from pathlib import Path

from onebuf.errors import ArgumentError
from onebuf.interop.files.header import fault, show
from onebuf.interop.files.npy import MAGIC
from onebuf.interop.files.npz import is_npz

SUFFIXES = {
    ".npy": "npy",
    ".npz": "npz",
    ".safetensors": "safetensors",
    ".zarr": "zarr",
    ".bin": "raw",
    ".raw": "raw",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))


def check_format(name: str) -> str:
    """``name``, if it is that of a format."""
    if name not in FORMATS:
        raise ArgumentError(f"format needs one of {', '.join(FORMATS)}; got {name!r}")
    return name


def format_of_name(path: Path) -> str | None:
    """The format that the suffix promises, if any.

    >>> format_of_name(Path("weights.safetensors")), format_of_name(Path("notes.txt"))
    ('safetensors', None)
    """
    return SUFFIXES.get(path.suffix.lower())


def format_of_existing(path: Path, *, is_described: bool = False) -> str:
    """The format of a file or directory that is there, by its suffix or its first bytes.

    A file of which neither says anything is raw if it ``is_described`` by the caller.
    """
    named = format_of_name(path)
    if path.is_dir():
        if named == "zarr" or is_zarr_store(path):
            return "zarr"
        raise ArgumentError(
            f"{path}: needed a file or a zarr store, but this is a directory without zarr.json, "
            ".zarray or .zgroup; name a file in it"
        )
    if named is not None and named != "raw":
        return named
    with path.open("rb") as file:
        first = file.read(len(MAGIC))
    if first == MAGIC:
        return "npy"
    if named is None and is_npz(first):
        return "npz"
    if named == "raw" or is_described:
        return "raw"
    raise fault(
        path,
        f"needed a file that ends in {', '.join(SUFFIXES)}, or starts like .npy or .npz files, got "
        f"one that starts with {show(first)}; pass dtype= or format='raw' if it holds elements and "
        "nothing else, or format= if its name is wrong",
    )


def is_zarr_store(path: Path) -> bool:
    """Whether ``path`` is a directory with the metadata of a zarr array or group."""
    return any((path / name).is_file() for name in ("zarr.json", ".zarray", ".zgroup"))
