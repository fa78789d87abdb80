"""Tilings: the boxes that elements are cut into before they are placed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from onebuf.errors import ArgumentError, ShapeError
from onebuf.shapes import Jagged, Nested, Tiled
from onebuf.shapes.box import integer, integers

COUNT = 24
"""Tiles along the first axis where nobody says: 1, 2, 3, 4, 6, 8 or 12 places share them evenly."""


def default_tiles(shape: tuple[int, ...], count: int = 0) -> Tiled:
    """Tiles of whole rows. They do not depend on the number of places, up to `COUNT` of those, so
    that results do not either.

    >>> default_tiles((48, 5))
    Tiled((2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), (5,))
    >>> default_tiles((3,))
    Tiled((1, 1, 1))
    """
    if not shape:
        return Tiled()
    most = COUNT
    while most < count:
        most *= 2
    rows = max(1, -(-shape[0] // most))
    return Tiled.regular(shape, (rows, *[max(1, extent) for extent in shape[1:]]))


def tiles_of(shape: tuple[int, ...], tiles: Any, count: int = 0) -> Tiled:
    """The tiling that ``tiles`` asks for.

    It is None for rows (see `default_tiles`), one extent for all axes, an extent for each axis
    (None or -1: the whole axis), the extents of all tiles along each axis, or a `Tiled` or `Nested`
    shape, whose outer layer is the grid of tiles.

    >>> tiles_of((4, 6), (2, None)), tiles_of((4, 6), ((1, 3), 6))
    (Tiled((2, 2), (6,)), Tiled((1, 3), (6,)))
    """
    if tiles is None:
        return default_tiles(shape, count)
    if isinstance(tiles, Nested):
        tiles = _layered(tiles, shape)
    if isinstance(tiles, Tiled):
        found = tiles
    else:
        if _is_sequence(tiles):
            axes = list(tiles)
        else:
            axes = [integer(tiles, "tiles: one extent for all axes")] * len(shape)
        if len(axes) != len(shape):
            raise ShapeError(
                f"tiles needs an extent for each of {len(shape)} axes of the shape {shape}, got "
                f"{tiles!r}; None is the whole of an axis"
            )
        found = Tiled(*[_axis(n, one, axis) for axis, (n, one) in enumerate(zip(shape, axes))])  # noqa: B905
    if found.extents != shape:
        raise ShapeError(
            f"tiles need to cover the shape {shape}, got tiles that cover {found.extents}; one "
            f"extent for each axis fits every shape: the last tile is cut"
        )
    return found


def regular_tile(tiling: Tiled) -> tuple[int, ...] | None:
    """The extents of a tile, if a tiling is what `regular_tiles` gives for them; else None.

    A million tiles are sent to another process as that.

    >>> regular_tile(Tiled((4, 4, 2), (7,))), regular_tile(Tiled((4, 2, 4)))
    ((4, 7), None)
    """
    found = []
    for sizes in tiling.axes:
        first = sizes[0] if sizes else 1
        if sizes and (sizes[:-1] != (first,) * (len(sizes) - 1) or sizes[-1] > first):
            return None
        found.append(first)
    return tuple(found)


@lru_cache(16)
def regular_tiles(shape: tuple[int, ...], tile: tuple[int, ...]) -> Tiled:
    """`Tiled.regular`, made once: every recipe that a process is sent has its tiles with it."""
    return Tiled.regular(shape, tile)


def _layered(nested: Nested, shape: tuple[int, ...]) -> Tiled:
    """The tiles of a nested shape of two layers: counts of tiles outside, extents of one inside."""
    rank, inner = len(shape), nested.shape
    if nested.layers != (rank, rank) or isinstance(inner, Jagged):
        raise ShapeError(
            f"tiles of the shape {shape} need a nested shape with two layers of rank {rank}, the "
            f"grid of tiles and the extents of one, got {nested!r}"
        )
    if isinstance(inner, Tiled):
        return inner
    counts, sizes = inner.extents[:rank], inner.extents[rank:]
    return Tiled(*[(size,) * count for count, size in zip(counts, sizes, strict=True)])


def _axis(extent: int, size: Any, axis: int) -> tuple[int, ...]:
    """The extents of the tiles along one axis."""
    if _is_sequence(size):
        return integers(size, f"an extent of a tile along axis {axis}")
    step = -1 if size is None else integer(size, f"the extent of a tile along axis {axis}")
    if step == -1:
        step = extent
    elif step < 1 and (extent or step):
        raise ArgumentError(
            f"tiles need extents of 1 or more along axis {axis}, got {size!r}; None is the whole "
            f"axis"
        )
    full, rest = divmod(extent, step) if extent else (0, 0)
    return (step,) * full + ((rest,) if rest else ())


def _is_sequence(tiles: Any) -> bool:
    """Whether ``tiles`` are several: neither one number, which may be an array, nor a text."""
    several = isinstance(tiles, Iterable) and not isinstance(tiles, (str, bytes))
    return several and getattr(tiles, "ndim", 1) != 0
