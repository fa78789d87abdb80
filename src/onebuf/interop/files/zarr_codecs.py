"""Codecs that a zarr store may name.

A store names the codecs that its chunks are decoded with, and some codecs (pickle) run what the
chunk says. Only codecs on the lists here are used, and elements have to be numbers. Both are
checked in the store's metadata, before the zarr package sees it and before a chunk is read.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from onebuf.errors import FileFormatError
from onebuf.interop.files.header import fault, show

COMPRESSORS = ("blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd")
FILTERS = (
    "astype",
    "bitround",
    "delta",
    "fixedscaleoffset",
    "packbits",
    "quantize",
    "shuffle",
)
CHECKSUMS = ("adler32", "crc32", "crc32c", "fletcher32", "jenkins_lookup3")

V2_CODECS = (*COMPRESSORS, *FILTERS, *CHECKSUMS)
"""What the compressor and the filters of zarr format 2 may be, by ``id``."""

V3_CODECS = (
    "blosc",
    "bytes",
    "crc32c",
    "endian",
    "gzip",
    "sharding_indexed",
    "transpose",
    "zstd",
    *(f"numcodecs.{name}" for name in V2_CODECS),
)
"""What the codecs of zarr format 3 may be, by ``name``."""

MAX_DEPTH = 8
"""Shards in shards; the format's authors have use for one level."""

MAX_COMPRESSORS = 2
"""One after another. Each can make a thousand bytes of one, and so a few of them anything."""

_DTYPE_KEYS = ("dtype", "astype", "encode_dtype", "decode_dtype")


def check_metadata(path: str | os.PathLike[str], metadata: dict[str, Any]) -> None:
    """Raise unless an array's metadata names known codecs and elements that are numbers.

    >>> check_metadata("a.zarr", {"zarr_format": 2, "dtype": "<f8", "compressor": {"id": "pickle"}})
    Traceback (most recent call last):
        ...
    onebuf.errors.FileFormatError: a.zarr: the compressor is the codec 'pickle', which is not one of
    those that are known to run no code: blosc, ...
    """
    if metadata.get("zarr_format") == 2:
        _check_dtype(path, "the store", metadata.get("dtype"))
        compressor, filters = metadata.get("compressor"), metadata.get("filters")
        if compressor is not None:
            _check_codec(path, "the compressor", compressor, "id", V2_CODECS)
        chain = _list(path, "filters", [] if filters is None else filters)
        for codec in chain:
            _check_codec(path, "a filter", codec, "id", V2_CODECS)
        names = [codec["id"] for codec in (*chain, compressor) if codec is not None]
        _check_compressors(path, names)
        return
    _check_dtype(path, "the store", metadata.get("data_type"))
    if metadata.get("storage_transformers"):
        raise fault(path, "needed a store without storage transformers, none of which are known")
    _check_v3_codecs(path, metadata.get("codecs"), depth=0)


def _check_v3_codecs(path: str | os.PathLike[str], codecs: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise fault(path, f"codecs are nested in codecs more than {MAX_DEPTH} times")
    names: list[str] = []
    for codec in _list(path, "codecs", codecs):
        named = {"name": codec} if isinstance(codec, str) else codec
        _check_codec(path, "a codec", named, "name", V3_CODECS)
        names.append(named["name"].removeprefix("numcodecs."))
        configuration = named.get("configuration", {})
        if not isinstance(configuration, dict) or "id" in configuration:
            raise fault(path, f"a codec has the configuration {show(configuration)}")
        _check_dtypes(path, configuration)
        for key in ("codecs", "index_codecs"):
            if key in configuration:
                _check_v3_codecs(path, configuration[key], depth + 1)
    _check_compressors(path, names)


def _check_compressors(path: str | os.PathLike[str], names: list[str]) -> None:
    found = [name for name in names if name in COMPRESSORS]
    if len(found) > MAX_COMPRESSORS:
        raise fault(
            path,
            f"{len(found)} compressors one after another, {show(found)}; at most "
            f"{MAX_COMPRESSORS} are decoded, because a small file could fill any memory",
        )


def _check_codec(
    path: str | os.PathLike[str], what: str, codec: object, key: str, known: tuple[str, ...]
) -> None:
    if not isinstance(codec, dict) or not isinstance(codec.get(key), str):
        raise fault(path, f"{what} needs an object with the text {key!r}, got {show(codec)}")
    if codec[key] not in known:
        raise FileFormatError(
            f"{path}: {what} is the codec {show(codec[key])}, which is not one of those that are "
            f"known to run no code: {', '.join(known)}; if you trust the store, read it with the "
            "zarr package and save it again"
        )
    _check_dtypes(path, codec)


def _check_dtypes(path: str | os.PathLike[str], configuration: dict[str, Any]) -> None:
    for key in _DTYPE_KEYS:
        if configuration.get(key) is not None:
            _check_dtype(path, "a codec", configuration[key])


def _check_dtype(path: str | os.PathLike[str], what: str, name: object) -> None:
    try:
        kind = np.dtype(name).kind if isinstance(name, str) else None
    except (TypeError, ValueError):
        kind = None
    if kind is None or kind not in "biufc":
        raise fault(path, f"{what} needs elements that are numbers, got the dtype {show(name)}")


def _list(path: str | os.PathLike[str], what: str, found: object) -> list[Any]:
    if not isinstance(found, list):
        raise fault(path, f"{what} needs a list, got {show(found)}")
    return found
