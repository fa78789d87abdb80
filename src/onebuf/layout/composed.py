"""Layouts of layouts: what one layout addresses, seen through another.

The positions of the outer layout count the elements of the inner one in row-major order. Where
strides can say the result it is a view (`onebuf.layout.compose`); everything else is index
arithmetic on what both layouts answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import and_, xor
from typing import TypeAlias

from onebuf.errors import LayoutError
from onebuf.layout.compose import compose
from onebuf.layout.expression import Expression, unravel, where
from onebuf.layout.index_map import IndexMap, Place
from onebuf.layout.view import View

Join: TypeAlias = Callable[[Expression, Expression], Expression]


def through(outer: IndexMap, inner: IndexMap) -> IndexMap:
    """The layout that addresses what ``outer`` addresses through ``inner``.

    >>> through(View((2,), (2,)), View((2, 2), (5, 1)))
    View(shape=(2,), stride=(5,), offset=0)
    """
    if isinstance(outer, View):
        if isinstance(inner, View):
            found = compose(outer, inner)
            if found is not None:
                return found
        elif outer == View.contiguous(inner.shape) or _is_symmetry(outer, inner):
            return inner
        elif isinstance(inner, Composed):
            return through(through(outer, inner.outer), inner.inner)
    elif isinstance(inner, View) and inner.is_contiguous and not inner.offset:
        return outer
    return Composed(outer, inner)


def _is_symmetry(outer: View, inner: IndexMap) -> bool:
    """Whether ``outer`` is an order of axes that leaves every element of ``inner`` as it is."""
    keeps = getattr(inner, "keeps", None)
    axes = None if keeps is None else permutation_of(outer, inner.shape)
    return keeps is not None and axes is not None and bool(keeps(axes))


def permutation_of(view: View, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The axes that a view of all elements of ``shape`` has in another order; None: it is none.

    >>> permutation_of(View.contiguous((2, 3)).permute((1, 0)), (2, 3))
    (1, 0)
    """
    if view.offset or view.mask is not None or len(view.shape) != len(shape):
        return None
    stride = View.contiguous(shape).stride
    left = list(range(len(shape)))
    axes = []
    for pair in zip(view.shape, view.stride, strict=True):
        axis = next((a for a in left if (shape[a], stride[a]) == pair), None)
        if axis is None:
            return None
        left.remove(axis)
        axes.append(axis)
    return tuple(axes)


@dataclass(frozen=True, slots=True)
class Composed:
    """``inner`` seen through ``outer``."""

    outer: IndexMap
    inner: IndexMap

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the indices."""
        return self.outer.shape

    @property
    def span(self) -> tuple[int, int]:
        """The lowest position of an element, and one past the highest."""
        return self.inner.span

    @property
    def key(self) -> Composed:
        """Itself."""
        return self

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        outer = self.outer.place(index)
        inside = self.inside(index)
        inner = self.inner.place(inside)
        changes = {outer.condition, outer.negated, outer.conjugated} != {None}
        if changes and (inner.elsewhere or outer.elsewhere):
            raise LayoutError(
                f"a layout of a layout needs 0 where there are no elements, got {inner.elsewhere} "
                f"and {outer.elsewhere}; expand the inner one first"
            )
        return Place(
            inner.position,
            _joined(and_, outer.condition, inner.condition),
            inner.elsewhere,
            _joined(xor, outer.negated, inner.negated),
            _joined(xor, outer.conjugated, inner.conjugated),
        )

    def inside(self, index: Sequence[Expression]) -> tuple[Expression, ...]:
        """The index of the inner layout that ``index`` leads to; all 0 where there is none."""
        outer = self.outer.place(index)
        places = [*map(self._strided, range(len(self.inner.shape)))]
        if None in places:
            found = unravel(outer.position, self.inner.shape)
        else:
            found = tuple([view.place(index).position for view in places if view is not None])
        if outer.condition is not None:
            found = tuple([where(outer.condition, one, 0) for one in found])
        return found

    def _strided(self, axis: int) -> View | None:
        """The index along an axis of the inner layout as a view of the outer indices, if it is."""
        shape = self.inner.shape
        if not isinstance(self.outer, View):
            return None
        return compose(self.outer, View(shape, tuple([int(n == axis) for n in range(len(shape))])))


def _joined(how: Join, one: Expression | None, two: Expression | None) -> Expression | None:
    if one is None or two is None:
        return two if one is None else one
    return how(one, two)
