"""Matrix-vector products by pointers: the calls that NumPy makes of its BLAS, prepared once.

NumPy's matrix product of one row or one column is a call of BLAS's matrix-vector product for each
matrix of a stack. Around it are checks of shapes and strides that take as long as a small product.
Here they are made once for operands that lie in memory in one way; what is left for a run is to put
three addresses behind the arguments and to call.

The library is NumPy's own, threads included, and its arguments are those that NumPy gives it. So
the bits are NumPy's, whatever they depend on.
"""

from __future__ import annotations

import struct
import sys
from functools import cache, lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from onebuf.backends.numpy.matmul import MOST_PRODUCTS
from onebuf.dtypes import DT
from onebuf.engine.cpu.blas import COLUMN_MAJOR, ROW_MAJOR, TRANSPOSED, gemv_address
from onebuf.engine.cpu.gemm import COMPILER, MOST_KNOWN, Layout, batch_strides, merged
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.backends import cpu
else:
    cpu = Late("onebuf.backends.cpu")

QUICK = 1 << 15
"""For fewer multiplications than this, some microseconds, the interpreter's lock is not let go."""
_TYPES = {"f": "float", "d": "double"}
"""LLVM's names of the dtypes that BLAS multiplies, by NumPy's characters for them."""


class Prepared(NamedTuple):
    """A product for operands that lie in memory in one way, at any addresses."""

    call: Any
    """``call(args_address, 0, matrices)`` computes it."""
    words: bytes
    """The arguments, without the three addresses at their end."""
    matrices: int
    """How many matrices there are."""


class Matrix(NamedTuple):
    """How CBLAS is told where the elements of a matrix are."""

    order: int
    leading: int


def prepared(dtype: DT, x: Layout, y: Layout, out: Layout) -> Prepared | None:
    """What computes the matrix product of ``x`` and ``y``; None if it is not one for this module.

    It is not if neither has a single row or column, if BLAS cannot take them as they lie, if there
    is so much to do that an interrupt should not wait for it, or as long as nothing was compiled.
    """
    return _prepared(dtype, x, y, out) if COMPILER in sys.modules else None


@lru_cache(MOST_KNOWN)
def _prepared(dtype: DT, x: Layout, y: Layout, out: Layout) -> Prepared | None:
    if dtype.char not in _TYPES or min(map(_ndim, (x, y, out))) < 2:
        return None
    *batch, rows, columns = out[0]
    inner, size = x[0][-1], dtype.itemsize
    if (rows == 1) == (columns == 1) or inner < 2 or not prod(out[0]) > 0:
        return None
    if prod(out[0]) * inner > MOST_PRODUCTS["f"]:
        return None
    if rows == 1:
        extent, down, along = columns, y[1][-1], y[1][-2]
        steps = x[1][-1], out[1][-1]
    else:
        extent, down, along = rows, x[1][-2], x[1][-1]
        steps = y[1][-2], out[1][-2]
    matrix = _matrix(extent, inner, down, along, size)
    stack = merged(batch, [batch_strides(layout, len(batch)) for layout in (x, y, out)])
    if matrix is None or stack is None or any(step < size or step % size for step in steps):
        return None
    address = gemv_address(dtype)
    if address is None:
        return None
    (outer, within), strides = stack
    words = [
        *(address, matrix.order, inner, extent, matrix.leading, *[step // size for step in steps]),
        *(within, rows == 1, *[step for pair in zip(*strides, strict=True) for step in pair]),
    ]
    program = _program(dtype.char)
    call = program.quick if prod(out[0]) * inner < QUICK else program.call
    return Prepared(call, struct.pack(f"{len(words)}q", *words), outer * within)


def _ndim(layout: Layout) -> int:
    return len(layout[0])


def _matrix(extent: int, inner: int, down: int, along: int, size: int) -> Matrix | None:
    """``extent`` sums of ``inner`` products as NumPy tells CBLAS, by strides in bytes.

    >>> _matrix(3, 5, 20, 4, 4)
    Matrix(order=102, leading=5)
    >>> _matrix(3, 5, 20, 8, 4) is None
    True
    """
    if along == size and down % size == 0 and down >= inner * size:
        return Matrix(COLUMN_MAJOR, down // size)
    if down == size and along % size == 0 and along >= extent * size:
        return Matrix(ROW_MAJOR, along // size)
    return None


@cache
def _program(char: str) -> Any:
    return cpu.compile(gemv_ir(_TYPES[char]), "gemv")


_FIELDS = (
    *("function", "order", "inner", "extent", "leading", "vector_step", "out_step", "within"),
    *("is_row", "x_outer", "y_outer", "out_outer", "x_within", "y_within", "out_within"),
    *("x", "y", "out"),
)
"""The words of an argument block. ``leading`` and the steps of vector and result count elements,
steps from matrix to matrix count bytes. The vector is ``x`` if that is a row, otherwise ``y``."""


def gemv_ir(number: str) -> str:
    """The program that computes the products from ``%begin`` to ``%end`` of a stack."""
    fields = "\n".join(
        f"  %{name}.at = getelementptr i64, ptr %args, i64 {place}\n"
        f"  %{name} = load i64, ptr %{name}.at"
        for place, name in enumerate(_FIELDS)
    )
    moves = "\n".join(
        f"  %{name}.o = mul i64 %first, %{name}_outer\n"
        f"  %{name}.w = mul i64 %second, %{name}_within\n"
        f"  %{name}.m = add i64 %{name}.o, %{name}.w\n"
        f"  %{name}.here = add i64 %{name}, %{name}.m"
        for name in ("x", "y", "out")
    )
    return f"""
define void @gemv(ptr %args, i64 %begin, i64 %end) nounwind {{
entry:
{fields}
  %pointer = inttoptr i64 %function to ptr
  %order.code = trunc i64 %order to i32
  %row = icmp ne i64 %is_row, 0
  br label %look
look:
  %index = phi i64 [%begin, %entry], [%next, %matrix]
  %more = icmp slt i64 %index, %end
  br i1 %more, label %matrix, label %done
matrix:
  %first = udiv i64 %index, %within
  %second = urem i64 %index, %within
{moves}
  %matrix.here = select i1 %row, i64 %y.here, i64 %x.here
  %vector.here = select i1 %row, i64 %x.here, i64 %y.here
  call void %pointer(i32 %order.code, i32 {TRANSPOSED}, i64 %inner, i64 %extent, {number} 1.0,
    i64 %matrix.here, i64 %leading, i64 %vector.here, i64 %vector_step, {number} 0.0,
    i64 %out.here, i64 %out_step)
  %next = add i64 %index, 1
  br label %look
done:
  ret void
}}
"""
