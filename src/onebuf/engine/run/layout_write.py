"""Writes through a layout: to the stored elements, if it can hold the new ones.

An element that is written brings along all that the symmetry makes equal to it. A write that the
layout cannot hold is refused before anything is written: two equal elements that would differ, or a
value where there is none but 0. Whole buffers are written as nodes, by kernels; parts of them by
position.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.backends.numpy.gather import Places, locate
from onebuf.dtypes import Array, kind
from onebuf.engine.run.realize import read
from onebuf.errors import LayoutError
from onebuf.graph import BINARY, REDUCE, UNARY, Node
from onebuf.layout import expression
from onebuf.layout.composed import Composed
from onebuf.layout.layout import Layout
from onebuf.layout.on_arrays import evaluated
from onebuf.machine import CPU
from onebuf.ops import binary, expand, permute, reduce, reshape, unary
from onebuf.ops.structured.elementwise import filled
from onebuf.ops.structured.index_nodes import read_at, representatives
from onebuf.ops.structured.nodes import Structured, structured, with_layout
from onebuf.ops.structured.symmetry_proof import is_carried
from onebuf.symmetry import Operation


def stored_elements(part: Structured, value: Node) -> Node:
    """The elements that a layout stores of ``value``; an error if it cannot hold all of them.

    ``value`` broadcasts to the shape of the layout.
    """
    layout = part.layout
    theirs = structured(value)
    if theirs is not None and theirs.layout == layout and theirs.axes == part.axes:
        return theirs.storage
    if value.numel == 1:
        check_number(layout, read(value).reshape(()))
        return expand(reshape(value, ()), (layout.stored,))
    whole = value if value.shape == layout.shape else expand(_trimmed(value, layout), layout.shape)
    check_fits(layout, whole)
    device = value.device or part.storage.device or CPU
    return filled(read_at(whole, representatives(layout, device)), layout)


def _trimmed(value: Node, layout: Layout) -> Node:
    extra = len(value.shape) - layout.rank
    return reshape(value, value.shape[extra:]) if extra > 0 else value


def check_fits(layout: Layout, value: Node) -> None:
    """Raise unless ``layout`` can hold ``value``, which has its shape."""
    for one in layout.group.generators:
        if is_carried(value, one):
            continue
        axes = tuple([one.permutation.image(axis) for axis in range(layout.rank)])
        mirrored = permute(value, axes)
        if one.conjugate and kind(value.dtype) == "c":
            value_there = unary(UNARY["conj"], value)
        else:
            value_there = value
        if one.sign < 0:
            value_there = unary(UNARY["negative"], value_there)
        if not all_equal(mirrored, value_there):
            raise _other_symmetry(layout, one)
    if layout.sparsity is not None:
        device = value.device or CPU
        kept = filled(read_at(value, representatives(layout, device)), layout)
        if not all_equal(with_layout(kept, layout), value):
            raise _not_zero(layout)


def check_number(layout: Layout, number: Array) -> None:
    """Raise unless ``layout`` can hold one number in all elements."""
    if not layout.size or not number:
        return
    for one in layout.group.generators:
        mirrored = number.conj() if one.conjugate and number.dtype.kind == "c" else number
        if not _same(number, 0 - mirrored if one.sign < 0 else mirrored):
            raise _other_symmetry(layout, one)
    if layout.sparsity is not None and layout.sparsity.nonzero_count < layout.size:
        raise _not_zero(layout)


def _other_symmetry(layout: Layout, one: Operation) -> LayoutError:
    return LayoutError(
        f"a write needs elements with the symmetry {layout.symmetry} of the buffer, and these do "
        f"not have {one}, to the last bit; make them so, as x + x.T does, or expand the buffer to "
        f"write others: x = x.dense()"
    )


def _not_zero(layout: Layout) -> LayoutError:
    return LayoutError(
        f"a write needs zeros where the sparsity of the buffer has them, and these elements have "
        f"others there ({layout.sparsity!r}); expand it first: x = x.dense()"
    )


def all_equal(one: Node, two: Node) -> bool:
    """Whether two nodes have equal elements, NaN being equal to itself."""
    same = binary(BINARY["equal"], one, two)
    if kind(one.dtype) in "fc":
        odd = [unary(UNARY["isnan"], node) for node in (one, two)]
        same = binary(BINARY["logical_or"], same, binary(BINARY["logical_and"], *odd))
    return bool(read(reduce(REDUCE["all"], same)))


class Scatter:
    """A write of ``values`` to some of the elements that a node sees through an index map."""

    def __init__(self, target: Node, values: Array, axes: Any = None) -> None:
        layout = target.layout
        tables = [read(table) for table in target.srcs[1:]]
        indices = np.indices(target.shape, sparse=True) if axes is None else axes
        places = locate(layout, indices, *tables)
        shape = places.position.shape
        wide = np.broadcast_to(values.astype(target.dtype, copy=False), shape)
        self.target = target
        _check_there(target, places, wide)
        _check_fixed(target, indices, wide)
        stored = _stored(places, wide)
        there = np.ones(shape, bool) if places.there is None else places.there
        position = places.position[there]
        self.positions, first, back = np.unique(position, return_index=True, return_inverse=True)
        self.values = stored[there][first]
        if not _same(stored[there], self.values[back.reshape(-1)]):
            raise LayoutError(
                f"a write needs one value for all elements that the layout of the buffer makes "
                f"equal, got different ones ({_described(target)}); expand it first to write "
                f"them: x = x.dense()"
            )

    def put(self, storage: Array) -> None:
        """Write to the elements of the storage."""
        storage.reshape(-1)[self.positions] = self.values


def _stored(places: Places, values: Array) -> Array:
    """What is stored for ``values``."""
    stored = np.array(values)
    if places.conjugated is not None and stored.dtype.kind == "c":
        np.conjugate(stored, out=stored, where=places.conjugated)
    if places.negated is not None:
        np.negative(stored, out=stored, where=places.negated)
    return stored


def _check_there(target: Node, places: Places, values: Array) -> None:
    if places.there is None:
        return
    odd = ~places.there & (values != places.elsewhere)
    if odd.any():
        raise LayoutError(
            f"a write needs {places.elsewhere} where the layout of the buffer has no elements, got "
            f"{values[odd][0]} ({_described(target)}); expand it first: x = x.dense()"
        )


def _check_fixed(target: Node, indices: Any, values: Array) -> None:
    """Raise where the symmetry maps an element to itself, and its value to another one."""
    layout = target.layout
    if isinstance(layout, Composed) and isinstance(layout.inner, Layout):
        wanted = layout.inside(expression.indices(len(layout.shape)))
        inside, inner = evaluated(wanted, indices, ()), layout.inner
    elif isinstance(layout, Layout):
        inside, inner = list(indices), layout
    else:
        return
    for one in inner.group:
        if not one.conjugate:
            continue
        fixed = np.ones(np.broadcast_shapes(*[np.shape(i) for i in inside]), bool)
        for axis in range(inner.rank):
            fixed = fixed & (inside[axis] == inside[one.permutation.image(axis)])
        mirrored = one.sign * values.conj()
        odd = fixed & ~((values == mirrored) | (values != values))
        if odd.any():
            raise LayoutError(
                f"a write needs elements with the symmetry {inner.symmetry} of the buffer, got "
                f"{values[odd][0]} where {one} maps an element to itself; expand it first: "
                f"x = x.dense()"
            )


def _same(one: Array, two: Array) -> bool:
    same = one == two
    if one.dtype.kind in "fcV":
        same = same | ((one != one) & (two != two))
    return bool(np.all(same))


def _described(node: Node) -> str:
    layout = node.layout
    inner = layout.inner if isinstance(layout, Composed) else layout
    return repr(inner) if isinstance(inner, Layout) else f"shape {node.shape}"


def differing_elements(one: Array, two: Array) -> Array:
    """Where the bits of two arrays, which are contiguous, differ."""
    shape = (*one.shape, one.itemsize)
    bits = [array.reshape(-1).view(np.uint8).reshape(shape) for array in (one, two)]
    differing: Array = (bits[0] != bits[1]).any(axis=-1)
    return differing


def all_different(array: Array) -> Array:
    """An array that has other bits than a contiguous one in every element."""
    if array.dtype.kind == "b":
        return np.logical_not(array)
    flat = np.invert(array.reshape(-1).view(np.uint8))
    return flat.view(array.dtype).reshape(array.shape)
