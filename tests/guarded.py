"""Kernels on memory that ends, or begins, where touching it ends the process.

Run as a program, in a process that may die: every layout, rendering and dtype below.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from itertools import product
from typing import Any

import numpy as np
from nests import addresses_of, assert_same, empty, group_of, run, strides_of

import onebuf as ob
from onebuf.engine.cpu.strategy import is_aligned
from onebuf.kernel import ANY
from onebuf.render.llvm.loop.cache_tiles import has_cache_tiles
from onebuf.render.llvm.loop.columns import has_columns
from onebuf.render.llvm.loop.prefetch import gathered_rows
from onebuf.render.llvm.rendering import Rendering
from onebuf.scheduler.fuse.group import Group

Array = np.ndarray[Any, Any]

PAGE = mmap.PAGESIZE
SHAPES = (
    (5, 3),
    (9, 8),
    (17, 33),
    (16, 64),
    (70, 130),
    (1, 50),
    (40, 1),
    (2, 31),
    (2, 46),
    (2, 61),
)
DTYPES = ("float32", "float64", "int8", "int16", "bool")


def close_page(address: int) -> None:
    """Make a page inaccessible."""
    if sys.platform == "win32":
        before = ctypes.c_ulong()
        protect = ctypes.windll.kernel32.VirtualProtect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ulong, ctypes.c_void_p)
        assert protect(address, PAGE, 1, ctypes.byref(before))
        return
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    assert protect(address, PAGE, 0) == 0, ctypes.get_errno()


def guarded(shape: tuple[int, ...], dtype: str, at_end: bool) -> Array:
    """An array with an inaccessible page directly after it, or directly before."""
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    pages = -(-nbytes // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (0, pages + 1):
        close_page(start + page * PAGE)
    offset = (pages + 1) * PAGE - nbytes if at_end else PAGE
    return np.frombuffer(memory, dtype, int(np.prod(shape)), offset).reshape(shape)


def renderings(one: Group, out: Array) -> list[Rendering]:
    """Every rendering that fits."""
    found = [Rendering(lanes=lanes) for lanes in (4, 16, 32)]
    found += [Rendering(prefetch=True)] if gathered_rows(one.nest) else []
    for prefetch in (False, True) if has_columns(one.nest) else ():
        found.append(Rendering(strategy="columns", prefetch=prefetch))
    found += [Rendering(strategy="cache_tiles")] if has_cache_tiles(one.nest) else []
    if is_aligned(one.nest, addresses_of(one, out), strides_of(one)):
        found += [Rendering(streamed=True)]
        found += (
            [Rendering(strategy="cache_tiles", streamed=True)] if has_cache_tiles(one.nest) else []
        )
    for axis, strategy in ((-1, "rows"), (-2, "columns")):
        if axis == -1 or has_columns(one.nest):
            slots = zip(one.nest.slots, strides_of(one), strict=True)
            paces = tuple(
                [
                    stride[axis] if slot.steps[axis] == ANY and 1 < stride[axis] < 8 else 0
                    for slot, stride in slots
                ]
            )
            found.append(Rendering(strategy=strategy, small_strides=paces))  # type: ignore[arg-type]
    return found


def kernels(x: Any) -> list[Any]:
    """Kernels that read ``x`` in many ways."""
    fold = ob.any if x.dtype == ob.bool else ob.sum
    is_float = x.dtype in (ob.float32, ob.float64)
    return [
        *([ob.exp(x), ob.exp(x - ob.max(x, axis=1, keepdims=True))] if is_float else []),
        ob.where(x == x, x, x),
        ob.where(x == x, x, x).T,
        x.T == 1,
        ob.flip(x) == 1,
        ob.flip(x.T, axis=0) == 1,
        *[x[:, ::step] == 1 for step in (2, 3, 4)],
        *[x[::step, :].T == 1 for step in (2, 3)],
        *[ob.take(x, ob.asarray(ends(x.shape[axis])), axis=axis) for axis in (0, 1)],
        x.pad([(2, 0), (3, 70)], 1),
        x.T.pad([(0, 1), (5, 1)], 1),
        fold(ob.flip(x).pad([(1, 1), (3, 20)], 1), axis=1),
        *[fold(y, axis=axis) for y in (x, x.T, ob.flip(x), x[:, ::2]) for axis in (0, 1)],
    ]


def ends(extent: int) -> Array:
    """Indices that reach the first and the last of so many, from both sides."""
    return np.arange(-extent, extent)


def main() -> None:
    """Run all of them, twice each."""
    count = 0
    for shape, dtype, at_end in product(SHAPES, DTYPES, (False, True)):
        array = guarded(shape, dtype, at_end)
        array[...] = np.random.default_rng(0).integers(0, 2, shape)
        with ob.config(eager_numel=0):
            for lazy in kernels(ob.asarray(array, copy=False)):
                one = group_of(lazy)
                want = run(one, Rendering(lanes=1), empty(one))
                node = one.outputs[0]
                out = guarded(node.shape, node.dtype.name, at_end)
                for rendering in renderings(one, out):
                    out[...] = 0
                    assert_same(run(one, rendering, out), want)
                    count += 1
    print(f"{count} kernels ran")


if __name__ == "__main__":
    main()
