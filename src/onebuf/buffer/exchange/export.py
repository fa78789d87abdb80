"""Export: windows on the memory of a node, which foreign code may keep."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import Array, is_added, is_supported
from onebuf.errors import ArgumentTypeError, CopyError, ExportError
from onebuf.graph import Freed, Leaf, Node, Part, living_views, settle, strided
from onebuf.late import Late
from onebuf.layout import View
from onebuf.memory import Block, FileBlock
from onebuf.ops import copied, view_of

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.interop import window as windows
else:
    engine = Late("onebuf.engine")
    windows = Late("onebuf.interop.window")


_WRITABLE = 0x1  # PyBUF_WRITABLE of the buffer protocol


def window(node: Node) -> Array:
    """A NumPy array on the elements of ``node`` that keeps their memory alive."""
    array = engine.own(node)
    block = node.block
    if block is None:  # read on demand: the elements have no lasting place in memory
        return array
    if block.readers and not block.has_window:
        engine.settle_copies(block.readers)
    shared = block.window(
        array.shape, array.dtype, array.strides, _distance_bytes(node, array, block)
    )
    if not array.flags.writeable or _overlaps(node, array):
        shared.flags.writeable = False
    return shared


def _distance_bytes(node: Node, array: Array, block: Block) -> int:
    """How far into its block an array starts."""
    if array.nbytes == block.nbytes and array.flags.c_contiguous:
        return 0
    return view_of(node).offset * array.itemsize


def _overlaps(node: Node, array: Array) -> bool:
    return not array.flags.c_contiguous and view_of(node).overlaps_itself


def export_memory(node: Node, flags: int) -> memoryview:
    """``__buffer__``: a window as a memoryview, for a consumer who says by ``flags`` what for.

    One that asks for memory to write to (``readinto``, ``recv_into``, ``pack_into``) is going to
    write, so what still has to read the old elements is computed first.
    """
    if not node.has_strides:
        raise ExportError(
            "memory was asked for, and these elements are read through a layout, which stores "
            "fewer of them; export what is stored, x.unwrap(), or a copy of all, x.dense()"
        )
    array = window(node)
    if flags & _WRITABLE:
        if node.block is None:
            raise ExportError(
                "memory to write to was asked for, and these elements are read from a file on "
                "demand; read into a new buffer, then write x[...] = buffer"
            )
        engine.settle_readers(node)
    return windows.exported(array, flags)


def is_numpys_alone(dtype: Any) -> bool:
    """Whether ``dtype`` is one that NumPy has and buffers have not: dates, records, raw bytes.

    >>> is_numpys_alone("datetime64[s]"), is_numpys_alone("float32"), is_numpys_alone("nonsense")
    (True, False, False)
    """
    try:
        found = np.dtype(dtype)
    except TypeError:
        return False
    return not is_supported(found) and not found.hasobject


def flat_window(node: Node) -> Array:
    """The whole storage below ``node`` as a flat array, the same for all views of it."""
    array = engine.own(node)
    if node.block is None:
        return array.reshape(-1)
    engine.settle_copies(node.block.readers)
    return node.block.window((node.block.nbytes // array.itemsize,), array.dtype)


def as_numpy(node: Node, dtype: Any, copy: bool | None) -> Array:
    """``__array__``: a window, unless a conversion or a copy was asked for."""
    check_shared(node, copy)
    array = window(node)
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    if wanted == array.dtype and not copy:
        return array
    if copy is False:
        raise CopyError(
            f"copy=False cannot turn {array.dtype.name} into {wanted.name}; leave out one of them"
        )
    return array.astype(wanted, copy=True)


def check_shared(node: Node, copy: bool | None) -> None:
    """Raise if no copy is allowed, and the layout of ``node`` stores fewer elements than it has."""
    if copy is False and not node.has_strides:
        raise CopyError(
            "copy=False needs elements that lie in memory by strides, and these are read through a "
            "layout; leave it out for a read-only copy, or take what is stored: x.unwrap()"
        )


_told: dict[int, tuple[Any, dict[int, Array]]] = {}
"""Windows whose address was told, by it, of each buffer that is still there, by its id."""


def interface(owner: Any, node: Node) -> dict[str, Any]:
    """``__array_interface__``: an address, good for as long as ``owner`` or the dict is there.

    Consumers hold one of them, so both hold the window.
    """
    if is_added(node.dtype):
        raise AttributeError(f"the array interface has no letter for {node.dtype.name}")
    if not node.has_strides:
        raise AttributeError("elements that are read through a layout have no address")
    array = window(node)
    me = id(owner)
    if me not in _told:
        _told[me] = (weakref.ref(owner, lambda _: _told.pop(me, None)), {})
    described = dict(array.__array_interface__)
    _told[me][1][described["data"][0]] = array
    return described | {"window": array}


def settle_views(node: Node) -> None:
    """Give views that have no array yet a reference to the memory that they use."""
    for view in living_views(node.readers):
        settle(view)


def release(node: Node, spare: int = 0) -> Node:
    """Let go of the memory of ``node`` now; returns what takes its place.

    Refused while a window or another buffer still uses the memory, but for ``spare`` of them.
    """
    if isinstance(node, Freed):
        return node
    settle_views(node)
    views = len(living_views(node.readers))
    engine.settle_readers(node)
    block = node.block
    if block is not None:
        if block.has_window:
            raise ExportError(
                "this buffer's memory cannot be freed while a window on it is alive (an array, a "
                "memoryview or a tensor made from it); delete the windows first"
            )
        others = sys.getrefcount(block) - 3 - spare  # the node, `block` and this call hold it, too
        others += node.parts
        if isinstance(node, Part):  # whose owner holds the block, and is held by other buffers
            others += sys.getrefcount(node.owner) - 3
        if node.is_placed:  # where views hold the node, not the block
            others = views
        if others > 0:
            raise ExportError(
                f"this buffer's memory cannot be freed while {others} other "
                f"{'view uses' if others == 1 else 'views use'} it; delete the views first"
            )
        if isinstance(block, FileBlock):
            block.flush()
    return Freed(node.shape, node.dtype, node.device)


def reduce_parts(node: Node) -> tuple[Block, str, View]:
    """What a pickle keeps of a buffer: its block (once for all views), dtype and layout."""
    engine.own(node)
    if node.block is None or isinstance(node.block, FileBlock):
        node = copied(node)  # a file's elements travel, not the file
        engine.own(node)
    assert node.block is not None
    return node.block, node.dtype.name, view_of(node)


def restore_parts(block: Block, dtype: np.dtype[Any], view: View) -> Node:
    """A node on an unpickled block."""
    low, high = view.span
    if view.mask is not None or low < 0 or high * dtype.itemsize > block.nbytes:
        raise ArgumentTypeError(
            f"a pickled buffer needs a layout inside its {block.nbytes} bytes, got {view}"
        )
    return Leaf(strided(block, dtype, view), block)
