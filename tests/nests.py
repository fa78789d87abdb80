"""Kernels run in a given rendering, on memory and pieces that the test chooses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from onebuf.buffer import Buffer
from onebuf.engine.cpu.launch import prepare
from onebuf.engine.cpu.program import pack, program, scalar_words
from onebuf.engine.cpu.strategy import choose
from onebuf.engine.cpu.supports import supports
from onebuf.graph import settle
from onebuf.kernel import permuted, reordered
from onebuf.layout import View
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering
from onebuf.scheduler.fuse.fusion import group
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.trace.recorder import Reach

Array = np.ndarray[Any, Any]


def group_of(buffer: Buffer) -> Group:
    """The one kernel that computes ``buffer``, which is lazy."""
    (only,) = group([buffer._node], supports)
    assert isinstance(only, Group)
    return only


def addresses_of(one: Group, out: Array) -> list[int]:
    """Where each slot of the kernel begins."""
    addresses = []
    for reach in one.reaches:
        array = out if reach.node in one.outputs else settle(reach.node)
        if reach.is_index:
            addresses.append(reach.view.offset)
            continue
        assert array is not None
        addresses.append(array.ctypes.data + reach.view.offset * array.itemsize)
    return addresses


def launch(one: Group, outputs: list[Array]) -> None:
    """Run the kernel as a plan does, into ``outputs``."""
    addresses = []
    for reach in one.reaches:
        made = [out for node, out in zip(one.outputs, outputs, strict=True) if node is reach.node]
        array = made[0] if made else settle(reach.node)
        start = 0 if reach.is_index or array is None else array.ctypes.data
        size = 1 if reach.is_index else reach.node.dtype.itemsize
        addresses.append(start + reach.view.offset * size)
    prepare(one).run(addresses, scalar_words(one.scalars))


def strides_of(one: Group) -> list[tuple[int, ...]]:
    """How far each slot of the kernel moves along each axis."""
    return [reach.view.stride for reach in one.reaches]


def chosen(one: Group) -> Rendering:
    """The rendering that suits the kernel's sizes, if all memory begins on a line of the cache."""
    return choose(one.nest, one.extents, [0] * len(one.reaches), strides_of(one))


def text_of(one: Group, rendering: Rendering) -> str:
    """The kernel as the text of a module."""
    return render(one.nest, "kernel", rendering)


def run_checked(one: Group, rendering: Rendering, out: Array, limits: list[tuple[int, int]]) -> int:
    """The slot whose limits the kernel would leave; -1 if it leaves none."""
    words = pack(
        addresses_of(one, out), one.extents, strides_of(one), scalar_words(one.scalars), limits
    )
    program(one.nest, replace(rendering, checked=True)).call(words.ctypes.data, 0, one.extents[0])
    return int(words[-1]) - 1


def run(one: Group, rendering: Rendering, out: Array, pieces: tuple[int, ...] = ()) -> Array:
    """What the kernel stores in ``out``, run from each of ``pieces`` to the next."""
    addresses = addresses_of(one, out)
    strides = strides_of(one)
    words = pack(addresses, one.extents, strides, scalar_words(one.scalars))
    compiled = program(one.nest, rendering)
    bounds = [0, *[piece for piece in pieces if 0 < piece < one.extents[0]], one.extents[0]]
    for first, last in pairwise(bounds):
        compiled.call(words.ctypes.data, first, last)
    return out


def in_order(one: Group, order: tuple[int, ...]) -> Group:
    """The same kernel with its loops in another order."""
    views = [
        View(permuted(view.shape, order), permuted(view.stride, order), view.offset)
        for view in (reach.view for reach in one.reaches)
    ]
    pairs = zip(one.reaches, views, strict=True)
    return Group(
        reordered(one.nest, order),
        permuted(one.extents, order),
        tuple([Reach(reach.node, view, reach.is_index) for reach, view in pairs]),
        one.scalars,
        one.givers,
        one.outputs,
        one.reason,
    )


def empty(one: Group) -> Array:
    """Memory for the result, on a line of the cache."""
    node = one.outputs[0]
    size = max(1, node.numel) * node.dtype.itemsize
    memory = np.full(size + 64, 0xA5, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first : first + size].view(node.dtype)[: node.numel].reshape(node.shape)


def assert_same(one: Array, two: Array) -> None:
    """The same bits, except for those of a NaN."""
    assert one.shape == two.shape
    assert one.dtype == two.dtype
    if one.dtype.kind == "f":
        nans = np.isnan(one)
        np.testing.assert_array_equal(nans, np.isnan(two))
        one, two = np.where(nans, 0, one), np.where(nans, 0, two)
        np.testing.assert_array_equal(np.signbit(one), np.signbit(two))
    np.testing.assert_array_equal(one, two)
