"""NumPy's loops on large memory that exists: an operation and its write in one pass.

A loop that needs no conversion writes where it reads, without other memory, as fast as memory is.
A kernel for the same costs a compilation once and some tens of microseconds at every call; it gains
from a second core. So the loop is the way to begin with, and on few elements it is the way to stay.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onebuf.dtypes import Array, meet_scalar, typed_scalar
from onebuf.engine.run.kernel_write import is_same_place
from onebuf.engine.run.pending_readers import is_mapped_twice
from onebuf.engine.run.small_write import plain_loop
from onebuf.graph import BINARY, UNARY, Node, Op, elementwise_dtype, settle
from onebuf.memory import address_of
from onebuf.options import options

BYTES_A_SECOND = 2e10
"""How fast NumPy's loops go over memory that exists, about."""
_FAST = frozenset(
    [BINARY[name] for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum")]
    + [BINARY[f"bitwise_{name}"] for name in ("and", "or", "xor")]
    + [UNARY[name] for name in ("abs", "negative", "positive", "square", "sqrt")]
)
"""Operations that NumPy computes as fast as memory is."""
CALL_NBYTES = 1 << 24
"""How many bytes NumPy's loop goes over while a kernel is called and another core gains as much."""


class InPlace(NamedTuple):
    """A loop with its operands, which writes to memory that exists."""

    loop: Any
    operands: tuple[Any, ...]
    seconds: float | None
    """How long it takes, about; None: as long as on memory that was just allocated, or longer."""
    is_slow: bool
    """Whether a kernel may do it sooner."""

    def run(self, array: Array) -> None:
        """Write to ``array``."""
        self.loop(*self.operands, array)


def loop_for(op: Op, target: Node, array: Array, operands: tuple[Any, ...]) -> InPlace | None:
    """NumPy's loop that computes ``op`` straight into ``array``, the elements of ``target``.

    None unless all elements are stored, and no type has to be converted.
    """
    dtype = next(x.dtype for x in operands if isinstance(x, Node))
    kinds = [x.dtype if isinstance(x, Node) else x.__class__ for x in operands]
    loop = plain_loop(op, target.dtype, *kinds)
    if loop is None or is_mapped_twice(target):
        return None
    if array.dtype == np.bool and not array.flags.c_contiguous:
        return None  # NumPy 2.4 writes some of these to wrong places
    dtypes = [meet_scalar(dtype, x) if isinstance(x, type) else x for x in kinds]
    if any(x is not dtype for x in dtypes) or elementwise_dtype(op, *dtypes) is not target.dtype:
        return None
    found: list[Any] = []
    nbytes, is_apart, is_in_order = array.nbytes, True, array.flags.c_contiguous
    is_ahead = False
    for x in operands:
        if not isinstance(x, Node):
            found.append(typed_scalar(x, dtype))
            continue
        other = array if x is target else settle(x)
        if other is None:
            return None
        found.append(other)
        nbytes += other.nbytes
        if other.ndim:
            is_in_order &= other.shape == array.shape and other.flags.c_contiguous
        if not is_same_place(x, array) and np.may_share_memory(other, array):
            is_apart = False
            is_ahead |= address_of(other) > address_of(array)
    is_fast = op in _FAST and dtype != np.float16
    is_short = nbytes <= CALL_NBYTES if is_apart else is_ahead  # else NumPy makes a copy as well
    is_slow = not (is_fast and is_short and is_in_order) or options().tier == "compile"
    seconds = nbytes / BYTES_A_SECOND if is_fast else None
    return InPlace(loop, tuple(found), seconds, is_slow)
