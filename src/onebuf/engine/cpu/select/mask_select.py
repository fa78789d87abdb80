"""Selection by a mask: elements are counted first, then copied to memory of just that size.

The kernels are those of `onebuf.render.llvm.mask_kernels`: threads share the chunks of both passes,
and every chunk checks that it stays within its memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.dtypes import Array
from onebuf.engine.cpu.candidates import GRAIN
from onebuf.engine.cpu.program import SHARED, share
from onebuf.errors import BoundsError
from onebuf.graph import Leaf, Node
from onebuf.late import Late
from onebuf.memory import address_of
from onebuf.ops import new_array
from onebuf.render.llvm import compress_kernels, mask_kernels
from onebuf.render.llvm.compress_kernels import Way
from onebuf.render.llvm.mask_kernels import CHUNK

if TYPE_CHECKING:
    from onebuf.backends import cpu
else:
    cpu = Late("onebuf.backends.cpu")


def pick(array: Array, mask: Array) -> Node:
    """The elements of ``array`` that ``mask``, of its shape, takes, in order."""
    source = array
    if source.ndim != 1 and not source.flags.c_contiguous:
        source = np.ascontiguousarray(source)
    stride = source.strides[0] if source.ndim == 1 else source.itemsize
    flat = _flat(mask)
    starts = _starts(flat)
    made, block = new_array((int(starts[-1]),), array.dtype)
    if made.size:
        words = [*_mask_words(flat), 0, address_of(starts), *_span(source), *_span(made), stride]
        way = _way(array.itemsize) if stride == array.itemsize else None
        if way is not None:
            _run(compress_kernels.pick_text, (array.itemsize, way), words, flat.size)
        else:
            _run(mask_kernels.pick_text, (array.itemsize,), words, flat.size)
    return Leaf(made, block)


def pick_rows(array: Array, mask: Array) -> Node:
    """The rows of ``array`` that ``mask``, of the shape of its first axes, takes, in order."""
    rest = array.shape[mask.ndim :]
    source = np.ascontiguousarray(array).reshape(mask.size, *rest)
    (places,) = positions(_flat(mask))
    made, block = new_array((*places.shape, *rest), array.dtype)
    assert places.array is not None
    np.take(source, places.array, axis=0, out=made, mode="clip")
    return Leaf(made, block)


def positions(mask: Array) -> list[Node]:
    """Where the elements are that ``mask`` takes: an array of indices for each axis."""
    flat = _flat(mask)
    starts = _starts(flat)
    made = [new_array((int(starts[-1]),), np.dtype(np.int64)) for _ in mask.shape]
    if starts[-1]:
        words = [*_mask_words(flat), 0, address_of(starts)]
        for extent, (array, _) in zip(mask.shape, made, strict=True):
            words += [extent, *_span(array)]
        way = _way(8) if mask.ndim == 1 else None
        if way is not None:
            _run(compress_kernels.positions_text, (way,), words, flat.size)
        else:
            _run(mask_kernels.positions_text, (mask.ndim,), words, flat.size)
    return [Leaf(array, block) for array, block in made]


def fill(array: Array, mask: Array, value: np.generic) -> None:
    """Write one value, of its dtype, to the elements of ``array`` that ``mask`` takes."""
    flat = _flat(mask)
    words = np.zeros(2, np.int64)
    words.view(array.dtype)[0] = value
    arguments = [*_mask_words(flat), 0, *_span(array), *words]
    _run(mask_kernels.fill_text, (array.itemsize,), arguments, flat.size)


def spread(array: Array, mask: Array, values: Array) -> bool:
    """Write ``values``, of its dtype, to the elements that ``mask`` takes, if they are as many."""
    flat = _flat(mask)
    starts = _starts(flat)
    if starts[-1] != values.size:
        return False
    values = np.ascontiguousarray(values)
    if values.size:
        words = [*_mask_words(flat), 0, address_of(starts), *_span(array), *_span(values)]
        expands = array.itemsize <= 8 and _way(array.itemsize) == "compress"
        text = compress_kernels.spread_text if expands else mask_kernels.spread_text
        _run(text, (array.itemsize,), words, flat.size)
    return True


def _flat(mask: Array) -> Array:
    return np.ascontiguousarray(mask).reshape(-1)


def _starts(mask: Array) -> Array:
    """Where the part of each chunk begins, and after the last one how many elements there are."""
    starts = np.zeros(-(-mask.size // CHUNK) + 1, np.int64)
    if mask.size:
        words = [*_mask_words(mask), 0, address_of(starts) + 8]
        _run(mask_kernels.count_text, (), words, mask.size)
        np.cumsum(starts, out=starts)
    return starts


def _mask_words(mask: Array) -> list[int]:
    return [*_span(mask), mask.size]


def _span(array: Array) -> list[int]:
    """The address of the first element, the first byte, and the one after the last."""
    return [address_of(array), *byte_bounds(array)]


@cache
def _way(itemsize: int) -> Way | None:
    """How this processor compresses elements of a size in a register, if it does."""
    return compress_kernels.way(itemsize, cpu.host().features)


@cache
def _program(text: Callable[..., str], arguments: tuple[Any, ...]) -> Any:
    return cpu.compile(text(*arguments), "kernel")


def _run(
    text: Callable[..., str], arguments: tuple[Any, ...], words: list[int], numel: int
) -> None:
    """Run a kernel on all chunks, on several threads if there are many."""
    compiled = _program(text, arguments)
    block = np.array(words, np.int64)
    chunks = -(-numel // CHUNK)
    if numel < SHARED:
        compiled.call(address_of(block), 0, chunks)
    else:
        share(compiled, address_of(block), chunks, GRAIN // CHUNK)
    report = int(block[mask_kernels.COUNT.index("report")])
    if report:
        raise BoundsError(
            f"a kernel needs to stay within its memory, and {text.__name__} would have left that "
            f"of its array {report}; it stopped, and results are incomplete. This is a mistake in "
            f"onebuf, not in your program; please report it with this text."
        )
