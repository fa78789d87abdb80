"""Functions that write: to traced memory they write values made of operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.array_api.arguments import buffer_of
from onebuf.array_api.manipulation import broadcast_to
from onebuf.array_api.searching import where as choose
from onebuf.array_api.sorting import sort
from onebuf.buffer import Buffer
from onebuf.layout import normalize_axis
from onebuf.numpy_api.by_operations.table import stands_for, without_form


@stands_for(np.copyto)
def copyto(dst: Buffer, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write ``src``, broadcast, to ``dst`` where ``where`` holds."""
    new = buffer_of("copyto", src)
    if not np.can_cast(new.dtype, dst.dtype, casting):  # type: ignore[arg-type]
        raise without_form("copyto", f"a cast of {new.dtype} to {dst.dtype} by {casting!r}")
    dst[...] = new if where is True else choose(buffer_of("copyto", where), new, dst)


@stands_for(np.fill_diagonal)
def fill_diagonal(a: Buffer, val: Any, wrap: bool = False) -> None:
    """Write ``val`` to the main diagonal of a matrix."""
    if a.ndim != 2 or wrap:
        raise without_form("fill_diagonal", f"shape {a.shape} and wrap={wrap}")
    places = np.arange(min(a.shape))
    a[places, places] = val


@stands_for(np.put, np.ndarray.put)
def put(a: Buffer, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write ``v``, repeated, to the flat indices ``ind``."""
    places = np.asarray(ind).reshape(-1)
    if mode != "raise":
        places = places % a.size if mode == "wrap" else np.clip(places, 0, a.size - 1)
    _write(a, np.where(places < 0, places + a.size, places), v)


@stands_for(np.place)
def place(arr: Buffer, mask: Any, vals: Any) -> None:
    """Write ``vals``, one after another and then again, where ``mask`` holds."""
    _write(arr, np.flatnonzero(np.asarray(mask)), vals)


@stands_for(np.putmask)
def putmask(a: Buffer, mask: Any, values: Any) -> None:
    """Write the elements of ``values``, repeated to the shape of ``a``, where ``mask`` holds."""
    new = buffer_of("putmask", values).reshape(-1)
    places = np.flatnonzero(np.asarray(mask))
    if places.size:
        a[np.unravel_index(places, a.shape)] = new[places % new.size]


def _write(a: Buffer, places: Any, values: Any) -> None:
    """Write ``values``, one after another and then again, to flat places."""
    if places.size:
        new = buffer_of("put", values).reshape(-1)
        a[np.unravel_index(places, a.shape)] = new[np.arange(places.size) % new.size]


@stands_for(np.put_along_axis)
def put_along_axis(arr: Buffer, indices: Any, values: Any, axis: int | None = -1) -> None:
    """Write ``values`` along ``axis``, to an index for each place."""
    places = np.asarray(indices)
    if axis is None:
        put(arr, places, values)
        return
    along = normalize_axis(axis, arr.ndim, "put_along_axis")
    key: list[Any] = list(np.ogrid[tuple([slice(extent) for extent in arr.shape])])
    key[along] = places
    shape = np.broadcast_shapes(*[np.shape(part) for part in key])
    arr[tuple([np.broadcast_to(part, shape) for part in key])] = broadcast_to(
        buffer_of("put_along_axis", values), shape
    )


@stands_for(np.ndarray.sort)
def sort_in_place(a: Buffer, axis: int = -1) -> None:
    """Sort complex numbers in their own memory."""
    a[...] = sort(a, axis=axis)


@stands_for(np.ndarray.partition)
def partition_in_place(a: Buffer, kth: Any, axis: int = -1, kind: str = "introselect") -> None:
    """Sort all elements in their own memory, and so those at ``kth`` too."""
    a[...] = sort(a, axis=axis)
