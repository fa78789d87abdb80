"""Sparse arrays of SciPy and of the package sparse: their parts, and arrays made of such parts.

SciPy and sparse are imported here alone, and only to make arrays of theirs. What they hold is read
by its attributes.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from onebuf.errors import ArgumentError, DTypeError, MissingPackage

Array = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """Compressed sparse rows: values with their columns, and where each row begins."""

    shape: tuple[int, int]
    values: Array
    columns: Array
    starts: Array


class Coordinates(NamedTuple):
    """Values with their row-major positions, sorted."""

    shape: tuple[int, ...]
    values: Array
    flat: Array


class Tiles(NamedTuple):
    """Values as tiles (count, rows, columns), and the number of each along both axes, sorted."""

    shape: tuple[int, int]
    values: Array
    row: Array
    column: Array


def parts_of(native: Any) -> Rows | Coordinates | Tiles:
    """The parts of a sparse array; values are shared where they are in order.

    Elements that are stored twice are added up, as both packages define it.
    """
    if not type(native).__module__.startswith("scipy."):
        return _parts_of_coo(native.asformat("coo"))
    if native.format == "bsr":
        return _parts_of_tiles(native)
    if native.format == "csr" and native.has_canonical_format:
        return Rows(native.shape, native.data, native.indices, native.indptr)
    if native.format == "csr":
        clean = native.copy()
        clean.sum_duplicates()
        return Rows(clean.shape, clean.data, clean.indices, clean.indptr)
    found = native.tocoo()
    return _coordinates(found.shape, found.data, _coords_of(found))


def _coords_of(coo: Any) -> tuple[Array, ...]:
    coords = getattr(coo, "coords", None)
    return (coo.row, coo.col) if coords is None else tuple(coords)


def _parts_of_coo(native: Any) -> Coordinates:
    if np.any(native.fill_value != 0):
        raise ArgumentError(
            f"a sparse buffer needs 0 where no elements are stored, got an array with fill_value="
            f"{native.fill_value}; convert it with todense() first"
        )
    return _coordinates(native.shape, native.data, tuple(native.coords))


def _coordinates(shape: tuple[int, ...], values: Array, coords: tuple[Array, ...]) -> Coordinates:
    index = [np.asarray(along, np.int64) for along in coords]
    flat = np.ravel_multi_index(index, shape) if shape else np.zeros(len(values), np.int64)
    flat = np.asarray(flat, np.int64)
    if flat.size > 1 and (np.diff(flat) <= 0).any():
        unique, back = np.unique(flat, return_inverse=True)
        total = np.zeros(unique.size, values.dtype)
        np.add.at(total, back, values)
        flat, values = unique, total
    return Coordinates(tuple(shape), values, flat)


def _parts_of_tiles(native: Any) -> Tiles:
    clean = native
    if not native.has_canonical_format:
        clean = native.copy()
        clean.sum_duplicates()
        clean.sort_indices()
    counts = np.diff(clean.indptr)
    row = np.repeat(np.arange(counts.size, dtype=np.int64), counts)
    return Tiles(clean.shape, clean.data, row, np.asarray(clean.indices, np.int64))


def scipy_array(parts: Rows | Coordinates | Tiles, format: str) -> Any:
    """A sparse array of SciPy on the values of ``parts``."""
    sparse = _imported("scipy.sparse", "scipy")
    _check_type(parts.values)
    if isinstance(parts, Rows):
        made = sparse.csr_array((parts.values, parts.columns, parts.starts), parts.shape)
    elif isinstance(parts, Coordinates):
        coords = np.unravel_index(parts.flat, parts.shape)
        made = sparse.coo_array((parts.values, coords), parts.shape)
    else:
        rows = parts.shape[0] // parts.values.shape[1]
        starts = np.searchsorted(parts.row, np.arange(rows + 1))
        made = sparse.bsr_array((parts.values, parts.column, starts), parts.shape)
    return made if made.format == format else made.asformat(format)


def sparse_array(parts: Coordinates) -> Any:
    """A COO array of the package sparse on the values of ``parts``."""
    package = _imported("sparse", "sparse")
    coords = np.array(np.unravel_index(parts.flat, parts.shape))
    return package.COO(
        coords, parts.values, shape=parts.shape, has_duplicates=False, sorted=True, prune=False
    )


def _check_type(values: Array) -> None:
    if values.dtype.kind not in "biufc" or values.dtype == np.float16:
        raise DTypeError(
            f"SciPy has no sparse arrays of {values.dtype.name}; convert first: x.astype('float32')"
        )


def _imported(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackage(f"{package} is needed for this: pip install {package}") from error
