"""Matrix products on the thread pool of the kernels: BLAS by pointers, one call for each block.

Factors and result may lie in memory with gaps, with rows or columns as neighbours, and in stacks of
two axes: whatever BLAS can be told by a leading dimension, and a loop by strides. Threads take
whole products of a stack; the rows of a single product are divided, so that the sums stay whole.

A product has the same bits on any number of threads. OpenBLAS computes a sum otherwise in the tiles
at the edges of what it is given, on some processors: rows are divided between whole tiles. It has
another kernel for very small products, so blocks of a product that is not small are not small
either. It divides long sums into parts, otherwise on one thread than on several unless their length
is a multiple of `EVEN`, and its products of doubles depend on its threads: those are left to NumPy.
NumPy's own products have these bits too, except where OpenBLAS gives its threads parts of tiles.
"""

from __future__ import annotations

import struct
import sys
from functools import cache, lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from onebuf.backends.numpy.matmul import MOST_PRODUCTS
from onebuf.dtypes import Array, float32
from onebuf.engine.cpu.blas import PLAIN, ROW_MAJOR, TRANSPOSED, gemm_address
from onebuf.late import Late
from onebuf.memory import address_of, address_of_bytes
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.backends import cpu
else:
    cpu = Late("onebuf.backends.cpu")

LEAST = 1 << 18
"""OpenBLAS does so few multiplications on one thread, and so NumPy's will do."""
SMALL = 1 << 20
"""Products of so few multiplications may have a kernel of their own in OpenBLAS."""
SHORT, EVEN = 128, 32
"""Sums up to this length are never divided; longer ones are divided in the same way on any number
of threads if their length is a multiple of this."""
TILE = 24
"""A block of a multiple of so many rows ends with a tile: OpenBLAS's tiles have 4, 8 or 12 rows."""
LOAD_MULTIPLICATIONS = 1 << 31
"""Multiplications that take as long as loading a BLAS: NumPy's does so many before."""
COMPILER = "llvmlite.binding"
"""The module of the compiler, once it is loaded."""
MOST_KNOWN = 1024
SIZE = float32.itemsize

Layout = tuple[tuple[int, ...], tuple[int, ...]]
"""The shape of an array, and its strides in bytes."""

_done = [0]
"""The multiplications that NumPy did so far."""


def multiply(x: Array, y: Array, out: Array) -> bool:
    """Compute the matrix product of ``x`` and ``y`` into ``out``, if it is one for this module.

    It is not if the operands are no matrices of float32 that BLAS can take as they lie, if there
    is too little or too much to do, or before that is worth loading a BLAS.
    """
    return out.dtype == float32 and multiply_to(x, y, address_of(out), (out.shape, out.strides))


def multiply_to(x: Array, y: Array, address: int, layout: Layout) -> bool:
    """The same, into elements of float32 that lie in memory by ``layout``, from ``address`` on."""
    if not x.dtype == y.dtype == float32 or x.ndim < 2 or y.ndim < 2:
        return False
    inner = x.shape[-1]
    if inner > SHORT and inner % EVEN:
        return False
    count = prod(layout[0]) * inner
    if not LEAST < count <= MOST_PRODUCTS["f"] or not _is_loaded(count):
        return False
    places = address_of(x), address_of(y)
    if places[0] == places[1]:
        return False  # a matrix and its own transpose: BLAS has another function for that
    layouts = ((x.shape, x.strides), (y.shape, y.strides), layout)
    found = _prepared(layouts, options().threads or cpu.cores())
    if found is None:
        return False
    words = found.words + struct.pack("3q", *places, address)
    cpu.run(found.program, address_of_bytes(words), found.blocks, 1)
    return True


def _is_loaded(count: int) -> bool:
    """Whether so many multiplications more make it worth loading what is needed."""
    if _done[0] > LOAD_MULTIPLICATIONS:
        return True
    _done[0] += count if COMPILER in sys.modules else 0
    return False


class Prepared(NamedTuple):
    """A product for operands that lie in memory in one way, at any addresses."""

    program: Any
    words: bytes
    """The arguments of the program, without the three addresses at their end."""
    blocks: int
    """How many blocks there are, of all matrices."""


@lru_cache(MOST_KNOWN)
def _prepared(layouts: tuple[Layout, Layout, Layout], threads: int) -> Prepared | None:
    """What computes a product; None if BLAS cannot."""
    address = gemm_address()
    leading = [_leading(layout, SIZE) for layout in layouts]
    *batch, rows, columns = layouts[2][0]
    inner = layouts[0][0][-1]
    if address is None or min(rows, columns, inner) < 2:
        return None
    one, two, three = leading
    if one is None or two is None or three is None or three[0] == TRANSPOSED:
        return None
    steps = [batch_strides(layout, len(batch)) for layout in layouts]
    count = rows * columns * inner
    row_steps = layouts[0][1][-2], layouts[2][1][-2]
    if count > SMALL and not any(steps[1]):
        batch, steps, rows = _as_rows(batch, steps, rows, row_steps)
    stack = merged(batch, steps)
    if stack is None:
        return None
    (outer, within), steps = stack
    number, count = outer * within, rows * columns * inner
    if number == 1 and rows < 2 * TILE and count > 4 * SMALL:
        return None  # too few rows to divide: NumPy divides the columns
    most = min(rows // TILE, count // (2 * SMALL)) or 1
    parts = 1 if number >= 2 * threads else min(threads, most)
    words = [
        *(address, one[0], two[0], rows, columns, inner, one[1], two[1], three[1], parts, within),
        *row_steps,
        *[step for pair in zip(*steps, strict=True) for step in pair],
    ]
    packed = struct.pack(f"{len(words)}q", *words)
    return Prepared(_program(), packed, number * parts)


def _leading(layout: Layout, size: int) -> tuple[int, int] | None:
    """How CBLAS is told where the elements of a matrix are; None if it cannot be."""
    (rows, columns), (down, along) = layout[0][-2:], layout[1][-2:]
    if along == size and down >= columns * size and down % size == 0:
        return PLAIN, down // size
    if down == size and along >= rows * size and along % size == 0:
        return TRANSPOSED, along // size
    return None


def batch_strides(layout: Layout, ndim: int) -> list[int]:
    """The strides of a stack of matrices, broadcast to so many axes."""
    shape, strides = layout
    steps = [step if extent > 1 else 0 for extent, step in zip(shape, strides, strict=True)][:-2]
    return [0] * (ndim - len(steps)) + steps


def _as_rows(
    batch: list[int], steps: list[list[int]], rows: int, down: tuple[int, int]
) -> tuple[list[int], list[list[int]], int]:
    """Stacked matrices that are multiplied by the same one as rows of a higher one, if possible."""
    while batch:
        *rest, last = batch
        if last > 1 and (steps[0][-1], steps[2][-1]) != (down[0] * rows, down[1] * rows):
            break
        batch, steps, rows = rest, [step[:-1] for step in steps], rows * last
    return batch, steps, rows


def merged(
    batch: list[int], steps: list[list[int]]
) -> tuple[tuple[int, int], list[list[int]]] | None:
    """Two axes that go over a stack of any number of axes, and its strides; None: there are more.

    >>> merged([2, 3, 4], [[96, 32, 8], [0, 0, 0], [96, 32, 8]])
    ((1, 24), [[0, 8], [0, 0], [0, 8]])
    """
    axes = [(extent, [step[at] for step in steps]) for at, extent in enumerate(batch) if extent > 1]
    found: list[tuple[int, list[int]]] = []
    for extent, step in axes:
        if found and all(a == b * extent for a, b in zip(found[-1][1], step, strict=True)):
            found[-1] = (found[-1][0] * extent, step)
        else:
            found.append((extent, step))
    if len(found) > 2:
        return None
    found = [(1, [0, 0, 0])] * (2 - len(found)) + found
    (outer, one), (within, two) = found
    return (outer, within), [list(pair) for pair in zip(one, two, strict=True)]


@cache
def _program() -> Any:
    return cpu.compile(gemm_ir(), "gemm")


_FIELDS = (
    *("function", "x_order", "y_order", "rows", "columns", "inner", "x_leading", "y_leading"),
    *("out_leading", "parts", "within", "x_row", "out_row"),
    *("x_outer", "y_outer", "out_outer", "x_within", "y_within", "out_within", "x", "y", "out"),
)
"""The words of an argument block. Orders are CBLAS's, leading dimensions count elements, all other
steps count bytes; the rows of each matrix are divided into ``parts``."""


def gemm_ir() -> str:
    """The program that multiplies the blocks from ``%begin`` to ``%end``.

    A block is the index of its matrix in the stack, then its part of the rows.
    """
    fields = "\n".join(
        f"  %{name}.at = getelementptr i64, ptr %args, i64 {place}\n"
        f"  %{name} = load i64, ptr %{name}.at"
        for place, name in enumerate(_FIELDS)
    )
    moves = "\n".join(
        f"  %{name}.o = mul i64 %outer, %{name}_outer\n"
        f"  %{name}.w = mul i64 %second, %{name}_within\n"
        f"  %{name}.m = add i64 %{name}.o, %{name}.w\n"
        f"  %{name}.first = add i64 %{name}, %{name}.m"
        for name in ("x", "y", "out")
    )
    return f"""
define void @gemm(ptr %args, i64 %begin, i64 %end) nounwind {{
entry:
{fields}
  %pointer = inttoptr i64 %function to ptr
  %x.turn = trunc i64 %x_order to i32
  %y.turn = trunc i64 %y_order to i32
  br label %look
look:
  %index = phi i64 [%begin, %entry], [%next, %block]
  %more = icmp slt i64 %index, %end
  br i1 %more, label %block, label %done
block:
  %matrix = udiv i64 %index, %parts
  %part = urem i64 %index, %parts
  %outer = udiv i64 %matrix, %within
  %second = urem i64 %matrix, %within
{moves}
  %part.after = add i64 %part, 1
{_boundary("top", "part")}
{_boundary("bottom", "part.after")}
  %count = sub i64 %bottom, %top
  %x.skip = mul i64 %top, %x_row
  %x.here = add i64 %x.first, %x.skip
  %out.skip = mul i64 %top, %out_row
  %out.here = add i64 %out.first, %out.skip
  call void %pointer(i32 {ROW_MAJOR}, i32 %x.turn, i32 %y.turn,
    i64 %count, i64 %columns, i64 %inner, float 1.0, i64 %x.here, i64 %x_leading,
    i64 %y.first, i64 %y_leading, float 0.0, i64 %out.here, i64 %out_leading)
  %next = add i64 %index, 1
  br label %look
done:
  ret void
}}
"""


def _boundary(name: str, part: str) -> str:
    """The row at which a part begins: between two tiles, or after the last row."""
    return f"""\
  %{name}.all = mul i64 %{part}, %rows
  %{name}.even = udiv i64 %{name}.all, %parts
  %{name}.near = add i64 %{name}.even, {TILE // 2}
  %{name}.tile = udiv i64 %{name}.near, {TILE}
  %{name}.between = mul i64 %{name}.tile, {TILE}
  %{name}.is.last = icmp eq i64 %{part}, %parts
  %{name} = select i1 %{name}.is.last, i64 %rows, i64 %{name}.between"""
