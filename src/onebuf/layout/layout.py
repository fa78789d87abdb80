"""Layouts: what is known of the elements of a shape, and how few of them are stored for it.

A layout has a shape, and may have a symmetry, which makes elements equal to others up to a sign; a
sparsity, which makes elements 0; and tiles, the boxes in which elements are stored together. What
follows from it, the arrangement, is an index map: kernels read through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, Self, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from onebuf.errors import ArgumentTypeError, LayoutError
from onebuf.layout.arrangement.arrangement import Arrangement, Packed
from onebuf.layout.arrangement.blocks import Blocks
from onebuf.layout.arrangement.decomposition import packing_of
from onebuf.layout.arrangement.elements import Elements
from onebuf.layout.arrangement.orbits import Orbits
from onebuf.layout.expression import Expression
from onebuf.layout.index_map import Place
from onebuf.shapes import Jagged, Nested, Smooth, Tiled
from onebuf.shapes.box import extents_of, integer
from onebuf.sparsity import Block, Element, Sparsity
from onebuf.symmetry import Group, Operation, Permutation

Shape: TypeAlias = int | Sequence[int] | Smooth | Jagged | Tiled | Nested
Array: TypeAlias = np.ndarray[Any, Any]


class Layout:
    """How the elements of a shape are held: ``symmetry``, ``sparsity`` and ``tiles`` of them.

    ``shape`` is a tuple of extents, or one of `onebuf.shapes`: rows of a `Jagged` shape end in
    zeros that are not stored, and those of a `Tiled` one are stored tile by tile, unless a sparsity
    has boxes of its own. ``tiles`` gives the extents of the tiles along each axis, or one extent
    for all.

    >>> from onebuf.symmetry import Symmetric
    >>> layout = Layout((4, 4), symmetry=Symmetric(0, 1))
    >>> layout.stored, layout.size
    (10, 16)
    """

    __slots__ = (
        *("shape", "group", "symmetry", "tiles"),
        *("_sparsity", "_arrangement", "_hash", "__weakref__"),
    )

    shape: tuple[int, ...]
    """The extents."""
    group: Group
    """The symmetry, or the group of the identity alone."""
    symmetry: Group | None
    """The operations that change no element but by a sign or a conjugation; None: no others."""
    tiles: Tiled | None
    """The boxes in which elements are stored together; None: in no boxes."""
    _sparsity: Sparsity | None
    _arrangement: Arrangement | None
    _hash: int | None

    def __init__(
        self,
        shape: Shape,
        symmetry: Group | None = None,
        sparsity: Sparsity | None = None,
        tiles: Tiled | int | Sequence[Any] | None = None,
    ) -> None:
        extents, tiles, sparsity = _understood(shape, tiles, sparsity)
        rank = len(extents)
        if symmetry is not None and not isinstance(symmetry, Group):
            raise ArgumentTypeError(
                f"a layout needs a symmetry group, such as Symmetric(0, 1), got {symmetry!r}"
            )
        group = Group(rank=rank) if symmetry is None else symmetry.on(rank)
        group.check(extents)
        if sparsity is not None and tuple(sparsity.shape) != extents:
            raise LayoutError(
                f"a layout of shape {extents} needs a sparsity of this shape, got one of shape "
                f"{tuple(sparsity.shape)}"
            )
        self._set(shape=extents, group=group, symmetry=None if group.is_trivial else group)
        self._set(tiles=tiles, _sparsity=sparsity, _hash=None, _arrangement=None)
        if tiles is not None and self.symmetry is not None:
            raise LayoutError(
                f"a layout has either tiles or a symmetry, got both for shape {extents}; leave "
                f"tiles out to store every unique element once"
            )

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(f"a layout does not change: {name} cannot be set; make another layout")

    __delattr__ = __setattr__

    @classmethod
    def of_rows(cls, shape: tuple[int, int], starts: Array, columns: Array) -> Self:
        """The layout of compressed sparse rows, whose tables are taken as they are."""
        self = cls(shape)
        self._set(_arrangement=Elements(shape, None, starts, columns))
        return self

    @property
    def arrangement(self) -> Arrangement:
        """Which elements are stored, and in which order."""
        if self._arrangement is None:
            found = _arrangements.get(self)
            if found is None:
                found = _arrangements[self] = _arranged(self)
            self._set(_arrangement=found)
            return found
        return self._arrangement

    @property
    def sparsity(self) -> Sparsity | None:
        """The elements that are 0 and not stored; None if there are none."""
        if self._sparsity is None and isinstance(self._arrangement, Elements):
            self._set(_sparsity=Element.of_flat(self.shape, self._arrangement.flat))
        return self._sparsity

    @property
    def is_plain(self) -> bool:
        """Whether every element is stored, in row-major order."""
        is_whole = self._sparsity is None and not isinstance(self._arrangement, Elements)
        return is_whole and self.symmetry is None and self.tiles is None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def stored(self) -> int:
        """The number of elements that are stored."""
        return self.size if self.is_plain else self.arrangement.size

    # -- as an index map ---------------------------------------------------------------------------

    @property
    def span(self) -> tuple[int, int]:
        """The lowest position of an element, and one past the highest."""
        return 0, self.stored

    @property
    def key(self) -> Layout:
        """Itself."""
        return self

    @property
    def tables(self) -> tuple[Array, ...]:
        """The index tables that a reader needs."""
        return self.arrangement.tables

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        return self.arrangement.place(index)

    def keeps(self, axes: tuple[int, ...]) -> bool:
        """Whether every element stays as it is if the axes are put in another order."""
        return self.symmetry is not None and Operation(Permutation(axes)) in self.group

    # -- as a value --------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Layout) or hash(self) != hash(other):
            return False
        return self._facts() == other._facts() and self.sparsity == other.sparsity

    def __hash__(self) -> int:
        if self._hash is None:
            self._set(_hash=hash((*self._facts(), self.sparsity)))
        return self._hash  # type: ignore[return-value]

    def __reduce__(self) -> Any:
        return Layout, (self.shape, self.symmetry, self.sparsity, self.tiles)

    def _facts(self) -> tuple[Any, ...]:
        return self.shape, self.group, self.tiles

    def __repr__(self) -> str:
        told = [repr(self.shape)]
        for name in ("symmetry", "sparsity", "tiles"):
            value = getattr(self, name)
            if value is not None:
                told.append(f"{name}={value!r}")
        return f"Layout({', '.join(told)})"


_arrangements: WeakKeyDictionary[Layout, Arrangement] = WeakKeyDictionary()
"""Arrangements that are known, by equal layouts: results have layouts of their own."""


def _understood(
    shape: Shape, tiles: Any, sparsity: Sparsity | None
) -> tuple[tuple[int, ...], Tiled | None, Sparsity | None]:
    """Extents, tiles and sparsity of what was given for them."""
    if isinstance(shape, Tiled):
        if tiles is not None:
            raise LayoutError(f"a tiled shape has its tiles already, got tiles={tiles!r} as well")
        tiles = shape if sparsity is None else None
    extents = extents_of(shape, "a layout")
    if isinstance(shape, Jagged):
        if sparsity is not None:
            raise LayoutError(f"a jagged shape says what is 0 itself, got {sparsity!r} as well")
        sparsity = Block(extents, [box for box in shape.boxes() if _is_box(box)])
    if sparsity is not None and not isinstance(sparsity, Sparsity):
        raise ArgumentTypeError(
            f"a layout needs a sparsity of onebuf.sparsity (Element, Block, Norm), got {sparsity!r}"
        )
    if tiles is not None and sparsity is not None:
        raise LayoutError(
            f"a layout has either tiles or a sparsity, whose boxes are stored one by one, got both "
            f"for shape {extents}; Block.tiles makes a sparsity of tiles"
        )
    if tiles is not None and not isinstance(tiles, Tiled):
        each = tuple(tiles) if _is_sequence(tiles) else (tiles,) * len(extents)
        if len(each) != len(extents):
            raise LayoutError(
                f"a layout of shape {extents} needs tiles for each of its {len(extents)} axes, got "
                f"{tiles!r}"
            )
        tiles = Tiled(*[_cut(extent, part) for extent, part in zip(extents, each, strict=True)])
    if tiles is not None and tuple(tiles.extents) != extents:
        raise LayoutError(
            f"a layout of shape {extents} needs tiles that cover it, got tiles of {tiles.extents}"
        )
    return extents, tiles, sparsity


def _cut(extent: int, part: Any) -> tuple[int, ...]:
    """The extents of the tiles along an axis, of one extent or of each."""
    if _is_sequence(part):
        return tuple(part)
    size = integer(part, "the extent of a tile")
    if size < 1:
        raise LayoutError(f"a tile needs an extent of at least 1, got {size}")
    whole, rest = divmod(extent, size)
    return (*[size] * whole, *[rest] * (rest > 0))


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _is_box(box: Any) -> bool:
    return all(low < high for low, high in zip(*box, strict=True))


def _arranged(layout: Layout) -> Arrangement:
    """The arrangement of a layout."""
    shape, sparsity = layout.shape, layout.sparsity
    if layout.symmetry is not None:
        packing = packing_of(layout.group, shape) if sparsity is None else None
        if packing is not None:
            return Packed(len(shape), packing)
        return Orbits(shape, layout.group, None if sparsity is None else _flat(sparsity))
    if isinstance(sparsity, Element):
        return Elements(shape, sparsity.flat)
    if sparsity is not None:
        return Blocks(shape, sparsity.boxes)
    if layout.tiles is not None:
        corners = np.asarray(layout.tiles.boxes(), np.int64).reshape(-1, 2, len(shape))
        return Blocks(shape, np.ascontiguousarray(corners.swapaxes(1, 2)))
    packing = packing_of(layout.group, shape)
    assert packing is not None, "no symmetry is a product of axes"
    return Packed(len(shape), packing)


def _flat(sparsity: Sparsity) -> Array:
    """The sorted row-major positions of the elements that are not 0."""
    if isinstance(sparsity, Element):
        return sparsity.flat
    return np.sort(Blocks(tuple(sparsity.shape), sparsity.boxes).flat)
