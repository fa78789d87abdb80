"""Strided views: where element ``i`` of an array lives in flat memory.

A view is the strided `onebuf.layout.IndexMap`. It is pure arithmetic: it never touches memory,
devices or dtypes. Offsets and strides count *elements*; the item size enters only when a view meets
a memory block. Every operation returns a new view on the same elements; where strides cannot
express the result (reshape and windows), it returns None, and only a copy would do. Outside its
``mask`` (see `onebuf.layout.box`) a view has no elements, only padding: the reader supplies the
value there, usually zero.

It is longer than 400 lines because views are made by the thousand, and with the package: so what a
dataclass would generate is written out.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from onebuf.errors import ArgumentError, AxisError, IndexRangeError, LayoutError, ShapeError
from onebuf.layout.axes import normalize_axes, normalize_axis, whole
from onebuf.layout.box import Box, Range, empty_box, full_box, intersect, normalize_box, within
from onebuf.layout.footprint import is_row_major, may_collide, preimage, reach
from onebuf.layout.index_map import Place, strided_place
from onebuf.layout.indexing import Key, cuts, resolve_int
from onebuf.layout.reshape import reshape_box, reshape_stride, resolve_shape, row_major

if TYPE_CHECKING:
    from onebuf.layout.expression import Expression


class View:
    """A rectangular window on flat memory, in elements.

    Element ``(i, j, ...)`` is at ``offset + i * stride[0] + j * stride[1] + ...``. ``mask`` is
    None, or the range ``(low, high)`` of each axis in which elements exist.

    >>> View((2, 3), (3, 1)).permute((1, 0))
    View(shape=(3, 2), stride=(1, 3), offset=0)
    """

    __slots__ = ("shape", "stride", "offset", "mask")
    __match_args__ = ("shape", "stride", "offset", "mask")

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    mask: Box | None

    def __init__(
        self,
        shape: tuple[int, ...],
        stride: tuple[int, ...],
        offset: int = 0,
        mask: Box | None = None,
    ) -> None:
        if len(shape) != len(stride):
            raise LayoutError(
                f"a view needs one stride for each axis, got shape {shape} and stride "
                f"{stride}; pass {len(shape)} strides"
            )
        if shape and min(shape) < 0:
            raise ShapeError(
                f"a view needs extents that are 0 or more, got shape {shape}; "
                "use 0 for an axis without elements"
            )
        _set_shape(self, shape)
        _set_stride(self, stride)
        _set_offset(self, offset)
        _set_mask(self, mask if mask is None else normalize_box(mask, shape))

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError(f"a view does not change: {name} cannot be set; make another view")

    __delattr__ = __setattr__

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        assert isinstance(other, View)
        return (
            self.shape == other.shape
            and self.stride == other.stride
            and self.offset == other.offset
            and self.mask == other.mask
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.stride, self.offset, self.mask))

    def __reduce__(self) -> tuple[Any, ...]:
        return View, (self.shape, self.stride, self.offset, self.mask)

    def __repr__(self) -> str:
        mask = "" if self.mask is None else f", mask={self.mask}"
        return f"View(shape={self.shape}, stride={self.stride}, offset={self.offset}{mask})"

    @classmethod
    def contiguous(cls, shape: Sequence[int]) -> View:
        """View of a whole block in row-major order.

        >>> View.contiguous((2, 3))
        View(shape=(2, 3), stride=(3, 1), offset=0)
        """
        if shape.__class__ is tuple:
            return _contiguous(shape)
        return _contiguous(tuple([whole(extent) for extent in shape]))

    def with_shape(self, shape: tuple[int, ...]) -> View:
        """The same strides with other extents.

        >>> View.contiguous((2, 3)).with_shape((1, 3))
        View(shape=(1, 3), stride=(3, 1), offset=0)
        """
        return View(shape, self.stride, self.offset, self.mask)

    # -- what a view is ---------------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def numel(self) -> int:
        """Number of indices, padding included."""
        return prod(self.shape)

    @property
    def box(self) -> Box:
        """The mask spelled out: one range for each axis, also where nothing is padding.

        >>> View.contiguous((2, 3)).box
        ((0, 2), (0, 3))
        """
        return full_box(self.shape) if self.mask is None else self.mask[: self.ndim]

    @property
    def is_all_padding(self) -> bool:
        """Whether there are indices and none has an element.

        >>> View.contiguous((2,)).pad([(1, 1)]).index(0).is_all_padding
        True
        """
        return self.mask is not None and self.mask[0] == (0, 0)

    @property
    def is_contiguous(self) -> bool:
        """Whether row-major order is also the order in memory, without gaps or padding.

        >>> View((3, 1, 2), (2, 77, 1), offset=5).is_contiguous
        True
        """
        return self.mask is None and is_row_major(self.shape, self.stride)

    @property
    def span(self) -> Range:
        """Lowest position that has an element, and one past the highest.

        >>> View((3,), (-2,), offset=9).span
        (5, 10)
        """
        if 0 in self.shape or self.is_all_padding:
            return self.offset, self.offset
        low, high = reach(self.stride, self.box)
        return self.offset + low, self.offset + high + 1

    @property
    def overlaps_itself(self) -> bool:
        """Whether two indices may share an element, so that a write to one changes the other.

        False is certain. True is certain for a stride of 0; otherwise it says that the axes
        interleave, as those of sliding windows do.

        >>> View((3, 4), (1, 1)).overlaps_itself
        True
        """
        return may_collide(self.stride, self.box)

    @property
    def key(self) -> tuple[object, ...]:
        """All that a plan depends on, as a tuple: quicker to hash than the view."""
        return self.shape, self.stride, self.offset, self.mask

    def place(self, index: Sequence[Expression]) -> Place:
        """Position of the element at ``index``, inside the mask: see `onebuf.layout.index_map`."""
        inside = None if self.mask is None else within(index, self.mask, self.shape)
        return strided_place(index, self.stride, self.offset, inside)

    def at(self, index: Sequence[int]) -> int | None:
        """Position of one element; None where there is only padding.

        >>> View.contiguous((2, 3)).at((1, -1))
        5
        """
        if len(index) != self.ndim:
            raise IndexRangeError(
                f"at needs {self.ndim} indices for shape {self.shape}, got {tuple(index)}; "
                "pass one index for each axis"
            )
        position, inside = self.offset, not self.is_all_padding
        for axis, (low, high) in enumerate(self.box):
            i = resolve_int(index[axis], self.shape[axis], axis)
            position += i * self.stride[axis]
            inside = inside and low <= i < high
        return position if inside else None

    # -- the same elements, other axes ------------------------------------------------------------

    def permute(self, axes: Sequence[int]) -> View:
        """Reorder the axes.

        >>> View.contiguous((2, 3, 4)).permute((1, -1, 0))
        View(shape=(3, 4, 2), stride=(4, 1, 12), offset=0)
        """
        order = normalize_axes(axes, self.ndim, "permute")
        if len(order) != self.ndim:
            raise AxisError(
                f"permute needs each axis of shape {self.shape} exactly once, got {tuple(axes)}; "
                f"for example {tuple(range(self.ndim))[::-1]} reverses them"
            )
        return self._pick(order)

    def reshape(self, shape: Sequence[int]) -> View | None:
        """Lay out the elements, in row-major order, along other axes; None if that needs a copy.

        >>> View.contiguous((2, 3, 4)).permute((1, 2, 0)).reshape((12, -1))
        View(shape=(12, 2), stride=(1, 12), offset=0)
        >>> View.contiguous((4, 4)).permute((1, 0)).reshape((16,))
        """
        new = resolve_shape(shape, self.shape)
        if new == self.shape:
            return self
        if self.is_contiguous:
            return View(new, row_major(new), self.offset)
        if self.is_all_padding:
            return View(new, (0,) * len(new), self.offset, empty_box(len(new)))
        stride = reshape_stride(self.shape, self.stride, new)
        mask = None if self.mask is None else reshape_box(self.shape, self.mask, new)
        if stride is None or (mask is None and self.mask is not None):
            return None
        return View(new, stride, self.offset, mask)

    def expand(self, shape: Sequence[int]) -> View:
        """Repeat axes of extent 1, and add leading axes, with stride 0; -1 keeps an extent.

        >>> View.contiguous((1, 10)).expand((10, -1))
        View(shape=(10, 10), stride=(0, 1), offset=0)
        """
        wanted = tuple([whole(extent) for extent in shape])
        added = len(wanted) - self.ndim
        old = (1,) * added + self.shape
        new = [was if n == -1 else n for was, n in zip(old, wanted, strict=False)]
        grows = [was != n for was, n in zip(old, new, strict=False)]
        bad = [was != 1 or n < 0 for was, n, grow in zip(old, new, grows, strict=False) if grow]
        if added < 0 or -1 in wanted[:added] or any(bad):
            raise ShapeError(
                f"expand needs each axis of {self.shape} to keep its extent or to grow from 1, "
                f"got {wanted}; new axes go in front, and -1 keeps an extent"
            )
        stride = (0,) * added + self.stride
        box = ((0, 1),) * added + self.box
        return self._moved(
            new,
            [0 if grow else step for grow, step in zip(grows, stride, strict=True)],
            self.offset,
            [(0, n) if grow else one for n, grow, one in zip(new, grows, box, strict=True)],
        )

    def squeeze(self, axes: int | Sequence[int] | None = None) -> View:
        """Drop axes of extent 1: those named, or all of them.

        >>> View.contiguous((1, 3, 1)).squeeze(-1)
        View(shape=(1, 3), stride=(3, 1), offset=0)
        """
        if axes is None:
            return self._pick([axis for axis, extent in enumerate(self.shape) if extent != 1])
        dropped = normalize_axes(axes, self.ndim, "squeeze")
        for axis in dropped:
            if self.shape[axis] != 1:
                raise ShapeError(
                    f"squeeze needs axes of extent 1, got axis {axis} with extent "
                    f"{self.shape[axis]} of shape {self.shape}; index it to choose one element"
                )
        return self._pick([axis for axis in range(self.ndim) if axis not in dropped])

    def expand_dims(self, axis: int | Sequence[int]) -> View:
        """Insert axes of extent 1, at the places that they have in the result.

        >>> View.contiguous((3,)).expand_dims((0, -1)).shape
        (1, 3, 1)
        """
        ndim = self.ndim + (len(axis) if isinstance(axis, Sequence) else 1)
        new = normalize_axes(axis, ndim, "expand_dims")
        return self.index(tuple([None if one in new else slice(None) for one in range(ndim)]))

    unsqueeze = expand_dims

    # -- some of the elements, or more ------------------------------------------------------------

    def index(self, key: Key | tuple[Key, ...]) -> View:
        """Select with integers, slices, ``...`` and None, as ``x[key]`` does in NumPy.

        >>> View.contiguous((10, 10)).index((slice(2, 5), slice(3, 6)))
        View(shape=(3, 3), stride=(10, 1), offset=23)
        """
        shape: list[int] = []
        stride: list[int] = []
        kept: list[Range] = []
        offset, box, outside = self.offset, self.box, False
        for axis, start, step, extent in cuts(key, self.shape):
            unit = 0 if axis is None else self.stride[axis]
            one = (0, 1) if axis is None else box[axis]
            offset += start * unit
            if extent is None:
                outside = outside or not one[0] <= start < one[1]
                continue
            shape.append(extent)
            stride.append(step * unit)
            if self.mask is not None:
                part = preimage(one, start, (step,), (extent,))
                assert part is not None, "along one axis, a range stays a range"
                kept += part
        return self._moved(shape, stride, offset, empty_box(len(shape)) if outside else kept)

    def slice(self, axis: int, bounds: builtins.slice) -> View:
        """Select along one axis.

        >>> View.contiguous((10,)).slice(0, slice(None, None, 3))
        View(shape=(4,), stride=(3,), offset=0)
        """
        before = (slice(None),) * normalize_axis(axis, self.ndim, "slice")
        return self.index((*before, bounds))

    def flip(self, axes: int | Sequence[int] | None = None) -> View:
        """Reverse the order along some axes, or all.

        >>> View.contiguous((4, 6)).flip()
        View(shape=(4, 6), stride=(-6, -1), offset=23)
        """
        flipped = normalize_axes(axes, self.ndim, "flip")
        steps = [-1 if axis in flipped else 1 for axis in range(self.ndim)]
        return self.index(tuple([slice(None, None, step) for step in steps]))

    def pad(self, widths: Sequence[tuple[int, int]]) -> View:
        """Add indices without elements before and after each axis; `shrink` is the way back.

        >>> View.contiguous((3,)).pad([(1, 2)])
        View(shape=(6,), stride=(1,), offset=-1, mask=((1, 4),))
        """
        self._check_pairs("pad", "(before, after)", widths)
        if any(min(pair) < 0 for pair in widths):
            raise ArgumentError(
                f"pad needs widths that are 0 or more, got {tuple(widths)}; use shrink to cut"
            )
        return self._shift([(-b, n + a) for (b, a), n in zip(widths, self.shape, strict=True)])

    def shrink(self, bounds: Sequence[tuple[int, int]]) -> View:
        """Keep the indices ``low <= i < high`` of each axis.

        >>> View.contiguous((10, 10)).shrink([(2, 5), (0, 10)])
        View(shape=(3, 10), stride=(10, 1), offset=20)
        """
        self._check_pairs("shrink", "(low, high)", bounds)
        for axis, ((low, high), extent) in enumerate(zip(bounds, self.shape, strict=True)):
            if not 0 <= low <= high <= extent:
                raise IndexRangeError(
                    f"shrink needs 0 <= low <= high <= {extent} for axis {axis} of shape "
                    f"{self.shape}, got ({low}, {high}); use pad to grow"
                )
        return self._shift(bounds)

    def windows(self, size: int, axis: int, step: int = 1) -> View | None:
        """Overlapping windows along an axis: it counts them, and a new last axis runs inside one.

        None if the axis has padding that no box of the result can describe.

        >>> View.contiguous((6,)).windows(4, axis=0)
        View(shape=(3, 4), stride=(1, 1), offset=0)
        """
        axis = normalize_axis(axis, self.ndim, "windows")
        extent, unit = self.shape[axis], self.stride[axis]
        if not 1 <= size <= extent or step < 1:
            raise ArgumentError(
                f"windows needs 1 <= size <= {extent} (axis {axis} of shape {self.shape}) and "
                f"step >= 1, got size {size} and step {step}; pad the axis if it is too short"
            )
        count = (extent - size) // step + 1
        inside = preimage(self.box[axis], 0, (step, 1), (count, size))
        if inside is None:
            return None
        shape, stride, box = [*self.shape, size], [*self.stride, unit], [*self.box, inside[1]]
        shape[axis], stride[axis], box[axis] = count, unit * step, inside[0]
        return self._moved(shape, stride, self.offset, box)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> View:
        """Elements whose indices along two axes differ by ``offset``, as a new last axis.

        >>> View.contiguous((3, 4)).diagonal(1)
        View(shape=(3,), stride=(5,), offset=1)
        """
        one, two = normalize_axes((axis1, axis2), self.ndim, "diagonal")
        row, column = max(-offset, 0), max(offset, 0)
        count = min(self.shape[one] - row, self.shape[two] - column)
        if count <= 0:
            row = column = count = 0
        others = [axis for axis in range(self.ndim) if axis not in (one, two)]
        last = self._pick([*others, one, two])
        diagonal = ((row, row + count), (column, column + count))
        square = last._shift(full_box(last.shape[:-2]) + diagonal)
        *kept, rows, columns = square.box
        stride = (*square.stride[:-2], square.stride[-2] + square.stride[-1])
        box = (*kept, *intersect((rows,), (columns,)))
        return square._moved(square.shape[:-1], stride, square.offset, box)

    # -- shared -----------------------------------------------------------------------------------

    def _moved(
        self, shape: Sequence[int], stride: Sequence[int], offset: int, box: Sequence[Range]
    ) -> View:
        """A view on (some of) the elements of this one; ``box`` counts only if this has a mask."""
        if self.mask is None:
            return View(tuple(shape), tuple(stride), offset)
        mask = empty_box(len(shape)) if self.is_all_padding else tuple(box)
        return View(tuple(shape), tuple(stride), offset, mask)

    def _pick(self, axes: Sequence[int]) -> View:
        """These axes only, in this order."""
        shape = [self.shape[axis] for axis in axes]
        stride = [self.stride[axis] for axis in axes]
        box = self.mask and [self.mask[axis] for axis in axes]
        return self._moved(shape, stride, self.offset, box or ())

    def _shift(self, bounds: Sequence[Range]) -> View:
        """Indices ``low <= i < high`` of each axis; padding where this view has no such index."""
        shape = tuple([high - low for low, high in bounds])
        offset = self.offset
        for (low, _), step in zip(bounds, self.stride, strict=True):
            offset += low * step
        if self.is_all_padding:
            return View(shape, self.stride, offset, empty_box(self.ndim))
        pairs = zip(bounds, self.box, strict=True)
        mask = [(first - low, end - low) for (low, _), (first, end) in pairs]
        return View(shape, self.stride, offset, tuple(mask))

    def _check_pairs(self, what: str, meaning: str, pairs: Sequence[tuple[int, int]]) -> None:
        if len(pairs) != self.ndim:
            raise ShapeError(
                f"{what} needs one pair {meaning} for each axis of shape {self.shape}, got "
                f"{tuple(pairs)}; pass {self.ndim} pairs"
            )


# A view sets its attributes once, which its class forbids later.
_set_shape = vars(View)["shape"].__set__
_set_stride = vars(View)["stride"].__set__
_set_offset = vars(View)["offset"].__set__
_set_mask = vars(View)["mask"].__set__


@lru_cache(4096)
def _contiguous(shape: tuple[int, ...]) -> View:
    extents = tuple([whole(extent) for extent in shape])
    return View(extents, row_major(extents))
